"""Adding and editing sites, with a look at the page first; deleting them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.inputs import NewSite, SiteForm, Wanted
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Site
from partita.apps.fus.service import FusService
from partita.apps.fus.sites import AlreadyThere, Preview
from partita.kit.forms import Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Invalid, Problem, TooMany
from partita.kit.routes import CurrentViewer, Routes

_SEPARATED = frozenset({"tags"})
_EXCERPT = 700


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    def page(
        request: Request,
        form: Parsed[Any],
        *,
        site: Site | None = None,
        seen: Preview | None = None,
        refused: Problem | None = None,
    ) -> Response:
        return render(
            request,
            "fus/edit.html",
            status=422 if form.errors else 200,
            refused=refused,
            form=form,
            site=site,
            seen=seen,
            excerpt="" if seen is None else _excerpt(seen.text),
            known=refused.site_id if isinstance(refused, AlreadyThere) else None,
        )

    async def looked_at(
        request: Request, viewer: Viewer, url: str, form: Parsed[Any], site: Site | None = None
    ) -> Response:
        """The form with what the page says; title and description are filled in where nothing was typed."""
        wanted = parse(Wanted, {"url": url})
        if wanted.value is None:
            return page(request, replace(form, errors={"url": wanted.errors["url"]}), site=site)
        try:
            seen = await service.sites.preview(viewer, wanted.value.url)
        except TooMany as problem:
            return page(request, replace(form, errors={"": problem.detail}), site=site, refused=problem)
        found = {"title": seen.title if not seen.note else "", "description": seen.description}
        values = {**form.values, **{name: text for name, text in found.items() if text and not form.values.get(name)}}
        return page(request, replace(form, values=values, errors={}), site=site, seen=seen)

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
                return await looked_at(request, viewer, str(sent.get("url", "")), form)
        if form.value is None:
            return page(request, form)
        try:
            made = await service.sites.add(viewer, form.value)
        except (Conflict, Invalid, TooMany) as problem:
            return page(request, form.refused(problem), refused=problem)
        told = f" Nothing was fetched: {made.fetch_note}" if made.fetch_note else ""
        return redirect(
            f"/fus/sites/{made.site_id}", flash=f"It is in the catalog.{told}", kind="info" if told else "good"
        )

    # -- editing

    @pages.get("/sites/{site_id}/edit", Fus.EDIT)
    async def edit_form(request: Request, site_id: str) -> Response:
        site = await service.sites.site(site_id, consistent=True)
        values = {
            "url": site.url,
            "title": site.title,
            "description": site.description,
            "tags": ", ".join(site.tags),
            "revision": site.revision,
        }
        return page(request, Parsed(None, values), site=site)

    @pages.post("/sites/{site_id}/edit", Fus.EDIT)
    async def edit(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        site = await service.sites.site(site_id, consistent=True)
        async with request.form() as sent:
            form = parse(SiteForm, sent, separated=_SEPARATED)
            if sent.get("go") == "preview":
                return await looked_at(request, viewer, str(sent.get("url", "")), form, site)
        if form.value is None:
            return page(request, form, site=site)
        try:
            changed = await service.sites.edit(viewer, site_id, form.value.edit())
        except (Conflict, Invalid, TooMany) as problem:
            return page(request, form.refused(problem), site=site, refused=problem)
        told = f" Nothing was fetched: {changed.fetch_note}" if form.value.fetch and changed.fetch_note else ""
        return redirect(
            f"/fus/sites/{site_id}", flash=f"The changes are saved.{told}", kind="info" if told else "good"
        )

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
