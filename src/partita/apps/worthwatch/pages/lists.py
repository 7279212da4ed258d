"""Lists: read by everybody who may, by secret link too; made, described, published, shared and deleted by their
curators."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import CopyInput, FirstForm, ListEdit, ListFacts, NewList
from partita.apps.worthwatch.pages.saved import visited
from partita.apps.worthwatch.pages.sharing import list_head
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import edit_path, list_path, list_tail, secret_path, title_path
from partita.apps.worthwatch.service.lists import VisibleList, list_version
from partita.apps.worthwatch.service.reading import Show, Sort, View
from partita.apps.worthwatch.service.tiles import card_of, tile_of_label
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.history import Field, Fields
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_CARDS = 24
_SEPARATED = ("tags",)
_ONE = "/lists/{watchlist_id}"
_FACTS = Fields(
    Field("title", "Title", "title"),
    Field("description", "Description", "description"),
    Field("tags", "Tags", "tags"),
    Field("isRanked", "Numbered", "is_ranked"),
)
SHOWS: tuple[tuple[Show, str], ...] = (
    ("all", "All"),
    ("unseen", "Not seen"),
    ("films", "Films"),
    ("series", "Series"),
)
SORTS: tuple[tuple[Sort, str], ...] = (
    ("order", "Curator’s order"),
    ("year", "Year"),
    ("length", "Length"),
    ("title", "Title"),
)


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    lists, reading, discovery = service.lists, service.reading, service.discovery

    # -- my lists; `new` cannot be the id of a list, which are long

    @pages.get("/me/lists", Access.SIGNED_IN)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await discovery.own(viewer, limit=_CARDS, cursor=cursor)
        return render(request, "worthwatch/my_lists.html", page=page, me=await service.people.mine(viewer))

    @pages.get("/lists/new", WorthWatch.LIST)
    async def new_form(request: Request) -> Response:
        return render(request, "worthwatch/new_list.html", form=Parsed(None))

    @pages.post("/lists/new", WorthWatch.LIST, keeps=FirstForm)
    async def create(request: Request, viewer: CurrentViewer) -> Response:
        async def save(first: FirstForm) -> Response:
            new = NewList(title=first.title, description=first.description, is_public=False)
            return redirect(edit_path((await lists.create(viewer, new)).watchlist_id))

        async def again(form: Parsed[FirstForm]) -> Response:
            return render(request, "worthwatch/new_list.html", form=form)

        return await submitted(request, FirstForm, save, again)

    # -- reading

    async def list_page(
        request: Request,
        viewer: Viewer,
        visible: VisibleList,
        show: Show,
        sort: Sort,
        view: View | None,
        cursor: str | None,
        secret: str | None = None,
    ) -> Response:
        shown = await reading.page(viewer, visible, show=show, sort=sort, cursor=cursor)
        if view == "rows" or (view is None and shown.mostly_noted):
            shown = await reading.with_averages(viewer, shown)
        if secret is None:
            await visited(request, service, shown.saved)
        origin = await _origin(visible)
        live = secret is None and visible.watchlist.live
        head: dict[str, Any] = {"page_head": list_head(request, shown)} if live else {}
        return render(
            request,
            "worthwatch/list.html",
            shown=shown,
            show=show,
            sort=sort,
            view=view,
            shows=SHOWS,
            sorts=SORTS,
            own=visible.watchlist.curator_id == viewer.user_id,
            secret=secret,
            origin=origin,
            **head,
        )

    async def _origin(visible: VisibleList) -> Any:
        """What a list was copied from, if everybody may see that."""
        found = await lists.by_id([visible.watchlist.cloned_from] if visible.watchlist.cloned_from else [])
        cards = await discovery.cards(tuple(found.values()))
        return cards[0] if cards else None

    @pages.get(f"{_ONE}/progress", Access.SIGNED_IN)
    async def progress(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        visible = await lists.visible(viewer, watchlist_id)
        counted = await reading.progress(viewer, watchlist_id)
        part = "hx-request" in request.headers
        template = "worthwatch/progress_part.html" if part else "worthwatch/progress.html"
        return render(
            request, template, progress=counted, watchlist=visible.watchlist, back=list_path(visible.watchlist)
        )

    @pages.get(f"{_ONE}/more", Access.PUBLIC)
    async def more(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        visible = await lists.visible(viewer, watchlist_id)
        watchlist = visible.watchlist
        alike = await discovery.by_id(await reading.related(viewer, watchlist))
        others = await discovery.others_of(watchlist, limit=4) if visible.curator and visible.curator.approved else ()
        part = "hx-request" in request.headers
        template = "worthwatch/more_part.html" if part else "worthwatch/more.html"
        shown = card_of(watchlist, visible.curator, None)
        return render(request, template, card=shown, alike=alike, others=others, watchlist=watchlist)

    @pages.get(f"{_ONE}/pick", Access.PUBLIC)
    async def pick(viewer: CurrentViewer, watchlist_id: str) -> Response:
        visible = await lists.visible(viewer, watchlist_id)
        picked = await reading.pick(viewer, watchlist_id)
        if picked is None:
            return redirect(list_path(visible.watchlist), flash="You have seen all of these.", kind="info")
        tile = tile_of_label(picked.content_type, picked.content_id, picked.label)
        return redirect(title_path(picked.content_type, picked.content_id, tile.title))

    @pages.get("/shared/{watchlist_id}/{secret}", Access.PUBLIC)
    async def shared(
        request: Request,
        viewer: CurrentViewer,
        watchlist_id: str,
        secret: str,
        show: Show = "all",
        sort: Sort = "order",
        view: View | None = None,
        cursor: Cursor = None,
    ) -> Response:
        visible = await lists.by_secret(watchlist_id, secret)
        return await list_page(request, viewer, visible, show, sort, view, cursor, secret)

    @pages.post(f"{_ONE}/copy", WorthWatch.LIST, keeps=CopyInput)
    async def copy(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        async def save(wanted: CopyInput) -> Response:
            source = await lists.readable(viewer, watchlist_id, wanted.secret)
            made = await service.copies.copy(viewer, source, wanted)
            return redirect(edit_path(made.watchlist_id), flash="Copied. This list is yours, and only you see it.")

        async def again(form: Parsed[CopyInput]) -> Response:
            assert form.problem is not None
            raise form.problem

        return await submitted(request, CopyInput, save, again)

    # -- editing

    async def edit_page(
        request: Request,
        viewer: Viewer,
        watchlist_id: str,
        *,
        form: Parsed[Any] | None = None,
        q: str = "",
        cursor: str | None = None,
    ) -> Response:
        editing = await reading.editing(viewer, watchlist_id, cursor)
        watchlist = editing.watchlist
        facts = form or _filled(watchlist)
        return render(
            request,
            "worthwatch/edit_list.html",
            editing=editing,
            watchlist=watchlist,
            me=editing.curator,
            form=facts,
            q=q,
            found=await service.suggestions.for_list(watchlist_id, q) if q else None,
            card=editing.card,
            secret_link=secret_path(watchlist) if watchlist.secret_link else "",
        )

    @pages.get(f"{_ONE}/edit", WorthWatch.LIST)
    async def edit_form(
        request: Request,
        viewer: CurrentViewer,
        watchlist_id: str,
        q: Annotated[str, Query(max_length=300)] = "",
        cursor: Cursor = None,
    ) -> Response:
        return await edit_page(request, viewer, watchlist_id, q=q, cursor=cursor)

    @pages.post(f"{_ONE}/edit", WorthWatch.LIST, keeps=ListFacts)
    async def edit(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        back = edit_path(watchlist_id)

        async def save(facts: ListFacts) -> Response:
            await lists.edit(viewer, watchlist_id, facts)
            return redirect(back, flash="Changes saved.")

        async def again(form: Parsed[ListFacts]) -> Response:
            return await edit_page(request, viewer, watchlist_id, form=form)

        async def stored() -> Parsed[ListFacts]:
            return _filled(await lists.own(viewer, watchlist_id))

        return await edited(request, ListFacts, save, again, stored, fields=_FACTS, back=back, separated=_SEPARATED)

    @pages.post(f"{_ONE}/publish", WorthWatch.LIST)
    async def publish(viewer: CurrentViewer, watchlist_id: str) -> Response:
        published = await lists.edit(viewer, watchlist_id, ListEdit(is_public=True))
        if not published.item_count:
            return redirect(edit_path(watchlist_id), flash="Public, and shown to others with its first title.")
        return redirect(list_path(published), flash="Published. Everybody can see it.")

    @pages.post(f"{_ONE}/take-back", WorthWatch.LIST)
    async def take_back(viewer: CurrentViewer, watchlist_id: str) -> Response:
        await lists.edit(viewer, watchlist_id, ListEdit(is_public=False))
        undo = f"/worthwatch/lists/{watchlist_id}/publish"
        return redirect(edit_path(watchlist_id), flash="Taken back. Only you see it now.", kind="info", undo=undo)

    @pages.post(f"{_ONE}/share", WorthWatch.LIST)
    async def share(viewer: CurrentViewer, watchlist_id: str) -> Response:
        await lists.share(viewer, watchlist_id)
        return redirect(
            f"{edit_path(watchlist_id)}#link", flash="Whoever has the link sees the list, without an account."
        )

    @pages.post(f"{_ONE}/revoke", WorthWatch.LIST)
    async def revoke(viewer: CurrentViewer, watchlist_id: str) -> Response:
        await lists.revoke(viewer, watchlist_id)
        return redirect(f"{edit_path(watchlist_id)}#link", flash="The link has ended.", kind="info")

    @pages.get(f"{_ONE}/delete", WorthWatch.LIST)
    async def delete_form(request: Request, viewer: CurrentViewer, watchlist_id: str) -> Response:
        watchlist = (await lists.visible(viewer, watchlist_id)).watchlist
        return confirm(
            request,
            f"Delete “{watchlist.title}”?",
            "Its order, notes and comments will be lost. Who saved it sees that it is gone.",
            button="Delete the list",
            keep=list_path(watchlist),
        )

    @pages.post(f"{_ONE}/delete", WorthWatch.LIST)
    async def delete(viewer: CurrentViewer, watchlist_id: str) -> Response:
        gone = await lists.delete(viewer, watchlist_id)
        return redirect("/worthwatch/me/lists", flash=f"“{gone.title}” deleted.", kind="info")

    # -- the page itself, last: its readable end may be anything that is no page of a list

    @pages.get(_ONE, Access.PUBLIC)
    async def without_tail(viewer: CurrentViewer, watchlist_id: str) -> Response:
        return redirect(list_path((await lists.visible(viewer, watchlist_id)).watchlist))

    @pages.get(f"{_ONE}/{{tail}}", Access.PUBLIC)
    async def one(
        request: Request,
        viewer: CurrentViewer,
        watchlist_id: str,
        tail: str,
        show: Show = "all",
        sort: Sort = "order",
        view: View | None = None,
        cursor: Cursor = None,
    ) -> Response:
        visible = await lists.visible(viewer, watchlist_id)
        if tail != list_tail(visible.watchlist.title):
            query = f"?{request.url.query}" if request.url.query else ""
            return redirect(f"{list_path(visible.watchlist)}{query}")
        return await list_page(request, viewer, visible, show, sort, view, cursor)


def _filled(watchlist: Any) -> Parsed[ListFacts]:
    form = filled(ListFacts, watchlist, separated=_SEPARATED)
    return Parsed(None, {**form.values, "isRanked": bool(watchlist.is_ranked), "version": list_version(watchlist)})
