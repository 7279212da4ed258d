"""Adding and editing sites, with a look at the page first; deleting them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import Request
from starlette.datastructures import FormData
from starlette.responses import Response

from partita.apps.fus.inputs import NewSite, SiteForm, Wanted
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Site
from partita.apps.fus.service import FusService
from partita.apps.fus.sites import AlreadyThere, Preview
from partita.kit.forms import Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Problem
from partita.kit.routes import CurrentViewer, Routes

_SEPARATED = frozenset({"tags"})
_EXCERPT = 700


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    async def look(viewer: Viewer, sent: FormData, form: Parsed[Any]) -> tuple[Parsed[Any], Preview | None]:
        """What the page says; title and description are filled in where nothing was typed."""
        wanted = parse(Wanted, {"url": str(sent.get("url", ""))})
        if wanted.value is None:
            return replace(form, errors={"url": wanted.errors["url"]}), None
        try:
            seen = await service.sites.preview(viewer, wanted.value.url)
        except Problem as problem:
            if problem.status != 429:
                raise
            return replace(form, errors={"": problem.detail}), None
        found = {"title": seen.title if not seen.note else "", "description": seen.description}
        values = {**form.values, **{name: text for name, text in found.items() if text and not form.values.get(name)}}
        return replace(form, values=values, errors={}), seen

    def page(
        request: Request,
        form: Parsed[Any],
        *,
        site: Site | None = None,
        seen: Preview | None = None,
        known: str | None = None,
        status: int = 200,
    ) -> Response:
        return render(
            request,
            "fus/edit.html",
            status=status,
            form=form,
            site=site,
            seen=seen,
            excerpt="" if seen is None else _excerpt(seen.text),
            known=known,
        )

    # -- adding

    @pages.get("/sites/new", Fus.CREATE)
    async def add_form(request: Request) -> Response:
        url = request.query_params.get("url", "")[:2000]
        return page(request, Parsed(None, {"fetch": "true", "url": url}))

    @pages.post("/sites/new", Fus.CREATE)
    async def add_site(request: Request, viewer: CurrentViewer) -> Response:
        """Look at the page, or add the site; both with what was typed."""
        async with request.form() as sent:
            form = parse(NewSite, sent, separated=_SEPARATED)
            if sent.get("go") == "preview":
                form, seen = await look(viewer, sent, form)
                return page(request, form, seen=seen, status=422 if form.errors else 200)
        known: str | None = None
        if form.value is not None:
            try:
                made = await service.sites.add(viewer, form.value)
            except AlreadyThere as there:
                form, known = form.refused(there), there.site_id
            except Problem as problem:
                if problem.status not in (409, 422, 429):
                    raise
                form = form.refused(problem)
            else:
                told = f" Nothing was fetched: {made.fetch_note}" if made.fetch_note else ""
                kind: Any = "info" if told else "good"
                return redirect(f"/fus/sites/{made.site_id}", flash=f"It is in the catalog.{told}", kind=kind)
        return page(request, form, known=known, status=422)

    # -- editing

    @pages.get("/sites/{site_id}/edit", Fus.EDIT)
    async def edit_form(request: Request, site_id: str) -> Response:
        site = await service.sites.site(site_id, consistent=True)
        values = {
            "url": site.url,
            "title": site.title,
            "description": site.description,
            "tags": ", ".join(site.tags),
            "updatedAt": site.updated_at,
        }
        return page(request, Parsed(None, values), site=site)

    @pages.post("/sites/{site_id}/edit", Fus.EDIT)
    async def edit(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        site = await service.sites.site(site_id, consistent=True)
        async with request.form() as sent:
            form = parse(SiteForm, sent, separated=_SEPARATED)
            if sent.get("go") == "preview":
                form, seen = await look(viewer, sent, form)
                return page(request, form, site=site, seen=seen, status=422 if form.errors else 200)
        known: str | None = None
        if form.value is not None:
            wanted = form.value.fetch
            try:
                changed = await service.sites.edit(viewer, site_id, form.value.edit())
            except AlreadyThere as there:
                form, known = form.refused(there), there.site_id
            except Problem as problem:
                if problem.status not in (409, 422, 429):
                    raise
                form = form.refused(problem)
            else:
                told = f" Nothing was fetched: {changed.fetch_note}" if wanted and changed.fetch_note else ""
                kind: Any = "info" if told else "good"
                return redirect(f"/fus/sites/{site_id}", flash=f"The changes are saved.{told}", kind=kind)
        return page(request, form, site=site, known=known, status=422)

    # -- deleting

    @pages.get("/sites/{site_id}/delete", Fus.DELETE)
    async def delete_form(request: Request, site_id: str) -> Response:
        return render(request, "fus/delete.html", site=await service.sites.site(site_id))

    @pages.post("/sites/{site_id}/delete", Fus.DELETE)
    async def delete(viewer: CurrentViewer, site_id: str) -> Response:
        gone = await service.sites.delete(viewer, site_id)
        return redirect("/fus", flash=f"“{gone.title}” is deleted.", kind="info")


def _excerpt(text: str) -> str:
    if len(text) <= _EXCERPT:
        return text
    return text[:_EXCERPT].rpartition(" ")[0] + " …"
