"""A site's page, and adding, editing and deleting sites, with a preview of the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.inputs import NewSite, PreviewInput, SiteForm
from partita.apps.fus.pages.sharing import site_head
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Site
from partita.apps.fus.service import FusService
from partita.apps.fus.service.comments import CommentWithAuthor, in_threads
from partita.apps.fus.service.history import SITE_FIELDS, timeline_entry
from partita.apps.fus.service.previews import filled_in, remembered, said_by, without_other_page
from partita.apps.fus.service.sites import AlreadyThere, Preview
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_CHOSEN_FROM, MOST_FIELDS, Parsed, filled, parse, submitted
from partita.kit.history import TimelineEntry
from partita.kit.inputs import Input
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import NotFound, TooMany
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

M = TypeVar("M", bound=Input)

COMMENTS = 50
_PAGE = 30
_SEPARATED = frozenset({"tags"})
_EXCERPT = 700


async def site_page(
    request: Request,
    service: FusService,
    viewer: Viewer,
    site_id: str,
    *,
    rating_form: Parsed[Any] | None = None,
    comment_form: Parsed[Any] | None = None,
    newest_first: bool = False,
    cursor: str | None = None,
    reply: str = "",
) -> Response:
    """The page of a site, with a form as it was refused if there is one."""
    refused = rating_form or comment_form
    comment_form = comment_form or Parsed(None, {"replyTo": reply})
    site = await service.sites.site(site_id)
    rating = await service.ratings.mine(viewer, site_id)
    comments = await service.comments.of_site(site_id, newest_first=newest_first, limit=COMMENTS, cursor=cursor)
    return render(
        request,
        "fus/site.html",
        page_head=site_head(request, site),
        refused=None if refused is None else refused.problem,
        site=site,
        histogram=[
            (_count(stars, "star"), count, f"/fus/sites/{site_id}/ratings?stars={stars}" if count else "")
            for stars, count in reversed([*enumerate(site.rating_histogram, 1)])
        ],
        rating=rating,
        broken=await service.links.broken_link(site),
        related=await service.related.to(site_id),
        collections=await service.collections.with_site(viewer, site_id) if viewer.may(Fus.COLLECT) else [],
        rating_form=rating_form or Parsed(None, {} if rating is None else {"stars": rating.stars, "note": rating.note}),
        comments=comments,
        threads=in_threads(comments.items),
        comment_form=comment_form,
        replying=await replying_to(service, site_id, comment_form),
        newest_first=newest_first,
        alone=False,
    )


async def replying_to(service: FusService, site_id: str, form: Parsed[Any]) -> CommentWithAuthor | None:
    """The comment that a form answers; None if it answers none, or one that is gone: then it is a plain comment."""
    name = str(form.values.get("replyTo", ""))
    if not name or form.value is not None:
        return None
    try:
        return await service.comments.comment(site_id, name)
    except NotFound:
        return None


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    def form_page(
        request: Request, form: Parsed[Any], site: Site | None = None, preview: Preview | None = None
    ) -> Response:
        said = remembered(form.values) if preview is None else said_by(preview)
        return render(
            request,
            "fus/edit_site.html",
            form=form,
            site=site,
            preview=preview,
            said=said,
            reads_pages=service.sites.reads_pages,
            excerpt="" if preview is None else _excerpt(preview.text),
            known_as=form.refusal.site_id if isinstance(form.refusal, AlreadyThere) else None,
        )

    async def save_or_preview(
        request: Request,
        viewer: Viewer,
        model: type[M],
        save: Callable[[M], Awaitable[Response]],
        site: Site | None = None,
    ) -> Response:
        """Save the form; or show what the page says, if that button was pressed."""
        site_id = "" if site is None else site.site_id

        async def again(form: Parsed[M]) -> Response:
            return form_page(request, form, site)

        async def stored() -> Parsed[M]:
            return filled(model, await service.sites.site(site_id), separated=_SEPARATED)

        async def last() -> TimelineEntry | None:
            return next(map(timeline_entry, await service.history.of_site(site_id, limit=1)), None)

        async with request.form(max_fields=MOST_CHOSEN_FROM) as sent:
            if sent.get("go") != "preview" and site is None:
                return await submitted(request, model, save, again, separated=_SEPARATED)
            if sent.get("go") != "preview":
                back = f"/fus/sites/{site_id}"
                return await edited(
                    request,
                    model,
                    save,
                    again,
                    stored,
                    fields=SITE_FIELDS,
                    back=back,
                    last=last,
                    separated=_SEPARATED,
                )
            form = replace(parse(model, sent, separated=_SEPARATED), value=None, errors={})
            wanted = parse(PreviewInput, sent)
        if wanted.value is None:
            return form_page(request, replace(form, errors=wanted.errors), site)
        try:
            preview = await service.sites.preview(viewer, wanted.value.url)
        except TooMany as problem:
            return form_page(request, form.refused(problem), site)
        values = filled_in(form.values, preview, new=site is None)
        return form_page(request, replace(form, values=values), site, preview)

    @pages.get("/sites/new", Fus.CREATE)
    async def add_form(request: Request) -> Response:
        form = from_link(request)
        return form_page(request, replace(form, values={**form.values, "fetch": "true"}))

    @pages.post("/sites/new", Fus.CREATE, keeps=NewSite)
    async def add_site(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form(max_fields=MOST_FIELDS) as sent:
            typed = dict(sent)

        async def save(new: NewSite) -> Response:
            return _saved(await service.sites.add(viewer, without_other_page(new, typed)), "Site added.", new.fetch)

        return await save_or_preview(request, viewer, NewSite, save)

    @pages.get("/sites/{site_id}", Access.PUBLIC)
    async def detail(
        request: Request,
        viewer: CurrentViewer,
        site_id: str,
        comments: Annotated[str, Query(max_length=10)] = "oldest",
        reply: Annotated[str, Query(max_length=200)] = "",
        cursor: Cursor = None,
    ) -> Response:
        newest_first = comments == "newest"
        return await site_page(request, service, viewer, site_id, newest_first=newest_first, cursor=cursor, reply=reply)

    @pages.get("/sites/{site_id}/edit", Fus.EDIT)
    async def edit_form(request: Request, site_id: str) -> Response:
        site = await service.sites.site(site_id)
        return form_page(request, filled(SiteForm, site, separated=_SEPARATED), site)

    @pages.post("/sites/{site_id}/edit", Fus.EDIT, keeps=SiteForm)
    async def edit(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        async def save(edit: SiteForm) -> Response:
            return _saved(await service.sites.edit(viewer, site_id, edit), "Changes saved.", edit.fetch)

        return await save_or_preview(request, viewer, SiteForm, save, await service.sites.site(site_id))

    @pages.get("/sites/{site_id}/history", Fus.EDIT)
    async def history(request: Request, site_id: str, cursor: Cursor = None) -> Response:
        """Who changed the site; also if it is deleted."""
        page = await service.history.of_site(site_id, limit=_PAGE, cursor=cursor)
        try:
            site = await service.sites.site(site_id)
        except NotFound:
            if not page.items:
                raise
            site = None
        entries = [*map(timeline_entry, page)]
        return render(request, "fus/history.html", site=site, entries=entries, next_cursor=page.next_cursor)

    @pages.get("/sites/{site_id}/delete", Fus.DELETE)
    async def delete_form(request: Request, site_id: str) -> Response:
        site = await service.sites.site(site_id)
        ratings, comments = _count(site.number_of_ratings, "rating"), _count(site.number_of_comments, "comment")
        return confirm(
            request,
            f"Delete “{site.title}”?",
            f"Its tags, {ratings} and {comments} will be deleted too. This cannot be undone.",
            button="Delete",
            keep=f"/fus/sites/{site_id}",
        )

    @pages.post("/sites/{site_id}/delete", Fus.DELETE)
    async def delete(viewer: CurrentViewer, site_id: str) -> Response:
        site = await service.sites.delete(viewer, site_id)
        return redirect("/fus", flash=f"“{site.title}” deleted.", kind="info")


def from_link(request: Request) -> Parsed[Any]:
    """A form with what a link says: bookmarklets and shared links fill it in, and nothing is saved."""
    longest = {"url": 2000, "title": 300, "description": 2000, "tags": 900}
    values = {name: request.query_params.get(name, "")[:most] for name, most in longest.items()}
    return Parsed(None, values)


def _saved(site: Site, message: str, fetch: bool) -> Response:
    """Back to the site; the message also says why its page could not be read."""
    path = f"/fus/sites/{site.site_id}"
    if fetch and site.fetch_note:
        return redirect(path, flash=f"{message} The page could not be read: {site.fetch_note}", kind="info")
    return redirect(path, flash=message)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _excerpt(text: str) -> str:
    if len(text) <= _EXCERPT:
        return text
    return text[:_EXCERPT].rpartition(" ")[0] + " …"
