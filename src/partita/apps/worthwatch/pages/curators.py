"""Curators: all of them, one of them, following, agreement, applying, and the desk of applications."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.formats import tail
from partita.apps.worthwatch.inputs import ApplicationInput, DecisionInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import User
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import curator_path
from partita.apps.worthwatch.service.tiles import tile_of_item, tile_of_ref, tile_of_title
from partita.kit.answers import Cursor
from partita.kit.desks import Desk, next_in
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.sharing import FeedLink, Head

_FACES = 24
_LISTS = 12
_REVIEWS = 3
_SAMPLE = 24
_DESK = "/worthwatch/applications"
_APPLY = "/worthwatch/apply"


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    curators = service.curators

    @pages.get("/curators", Access.PUBLIC)
    async def everybody(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await curators.approved(limit=_FACES, cursor=cursor)
        head = Head("/worthwatch/curators", "The people who write the lists.")
        return render(
            request,
            "worthwatch/curators.html",
            page=page,
            followed=await service.follows.among(viewer, (each.curator.user_id for each in page)),
            me=await service.people.mine(viewer),
            page_head=head,
        )

    @pages.post("/following/{curator_id}", WorthWatch.LIST)
    async def follow(request: Request, viewer: CurrentViewer, curator_id: str) -> Response:
        async with request.form() as sent:
            on = str(sent.get("on", "true")) == "true"
            back = local(str(sent.get("back", "")), f"/worthwatch/curators/{curator_id}")
        if on:
            await service.follows.follow(viewer, curator_id)
            return redirect(back, flash="You follow them now: new lists are under your bell.")
        await service.follows.unfollow(viewer, curator_id)
        return redirect(back, flash="You no longer follow them.", kind="info")

    # -- applying

    async def apply_page(request: Request, viewer: Viewer, form: Parsed[Any]) -> Response:
        own = await service.lists.mine(viewer, limit=50)
        return render(
            request,
            "worthwatch/apply.html",
            form=form,
            standing=await curators.standing(viewer),
            samples=[(each.watchlist_id, each.title) for each in own if each.item_count],
        )

    @pages.get("/apply", Access.SIGNED_IN)
    async def apply_form(request: Request, viewer: CurrentViewer) -> Response:
        return await apply_page(request, viewer, Parsed(None))

    @pages.post("/apply", WorthWatch.APPLY, keeps=ApplicationInput)
    async def apply(request: Request, viewer: CurrentViewer) -> Response:
        async def save(application: ApplicationInput) -> Response:
            await curators.apply(viewer, application)
            return redirect(_APPLY, flash="Application sent.")

        async def again(form: Parsed[ApplicationInput]) -> Response:
            return await apply_page(request, viewer, form)

        return await submitted(request, ApplicationInput, save, again, lines=("links",))

    # -- deciding

    async def desk_page(request: Request, at: str, cursor: str | None, form: Parsed[Any], tried: str = "") -> Response:
        """The desk; a refused decision, `tried`, is shown where it was made, or above if nobody waits there."""
        page = await curators.waiting(limit=_FACES, cursor=cursor)
        if cursor and not page.items:
            return redirect(_DESK)
        desk = Desk.of(_DESK, page, lambda applicant: applicant.user.user_id, at=at, cursor=cursor)
        sample = None if desk.current is None else await curators.sample(desk.current)
        there = desk.current is not None and desk.current.user.user_id == at
        items = () if sample is None else await service.items.in_order(sample.watchlist_id, limit=_SAMPLE)
        return render(
            request,
            "worthwatch/applications.html",
            desk=desk,
            form=form if there else Parsed(None),
            tried=tried,
            refused=form.problem,
            elsewhere=None if there else form.problem,
            sample=sample,
            tiles=[tile_of_item(item) for item in items],
        )

    @pages.get("/applications", WorthWatch.DECIDE)
    async def applications(
        request: Request, at: Annotated[str, Query(max_length=200)] = "", cursor: Cursor = None
    ) -> Response:
        return await desk_page(request, at, cursor, Parsed(None))

    def decision(path: str, decide: Callable[[Viewer, str, str], Awaitable[User]], flash: str) -> None:
        @pages.post(f"/curators/{{user_id}}/{path}", WorthWatch.DECIDE, keeps=DecisionInput)
        async def decided(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
            onward = await next_in(request)

            async def save(decision: DecisionInput) -> Response:
                user = await decide(viewer, user_id, decision.reason)
                page = _DESK if onward == "" else onward
                return redirect(page, flash=f"{user.username} {flash}")

            async def again(form: Parsed[DecisionInput]) -> Response:
                if path == "suspend" or "/curators/" in onward:
                    return await curator_page(request, viewer, await person(viewer, user_id), form=form)
                return await desk_page(request, user_id, None, form, path)

            return await submitted(request, DecisionInput, save, again)

    decision("approve", curators.approve, "is a curator.")
    decision("decline", curators.decline, "was declined. The reason is on its way by mail.")
    decision("suspend", curators.suspend, "is suspended. Their lists are hidden.")

    # -- one of them; these addresses end with anything

    @pages.get("/curators/{user_id}/agreement", Access.SIGNED_IN)
    async def agreement(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        found = await service.agreements.with_curator(viewer, user_id)
        curator = await curators.curator(user_id)
        part = "hx-request" in request.headers
        return render(
            request,
            "worthwatch/agreement_part.html" if part else "worthwatch/agreement.html",
            agreement=found,
            curator=curator,
            back=curator_path(user_id, curator.username),
            to_rate=[tile_of_title(title) for title in found.to_rate],
            loved=[(tile_of_title(each.title), each) for each in found.loved],
            differ=[(tile_of_title(each.title), each) for each in found.differ],
        )

    async def person(viewer: Viewer, user_id: str) -> User:
        """Somebody as the viewer may see them: those who decide see suspended curators too."""
        find = service.people.person if viewer.may(WorthWatch.DECIDE) else curators.visible_person
        return await find(user_id)

    async def curator_page(
        request: Request, viewer: Viewer, user: User, cursor: str | None = None, form: Parsed[Any] | None = None
    ) -> Response:
        moderates, user_id = viewer.may(WorthWatch.DECIDE), user.user_id
        lists = await service.discovery.of_curator(user_id, limit=_LISTS, cursor=cursor) if user.approved else None
        reviews = () if cursor else await service.ratings.reviews_by(user_id, limit=_REVIEWS)
        own = user.user_id == viewer.user_id
        path = curator_path(user_id, user.username)
        head: dict[str, Any] = {}
        if user.approved:
            feed = FeedLink(f"WorthWatch: lists by {user.username}", f"/worthwatch/curators/{user_id}/lists.atom")
            head = {"page_head": Head(path, user.bio or f"Lists by {user.username}.", feeds=(feed,))}
        return render(
            request,
            "worthwatch/curator.html",
            person=user,
            own=own,
            lists=lists,
            reviews=[(each, tile_of_title(each.title)) for each in reviews if each.title is not None],
            favourites=[tile_of_ref(each) for each in user.favourites or ()],
            follows=not own and user.approved and await service.follows.follows(viewer, user_id),
            form=form or Parsed(None),
            moderates=moderates and not own,
            is_first=cursor is None,
            address=path,
            **head,
        )

    @pages.get("/curators/{user_id}", Access.PUBLIC)
    async def one(request: Request, viewer: CurrentViewer, user_id: str, cursor: Cursor = None) -> Response:
        return await curator_page(request, viewer, await person(viewer, user_id), cursor)

    @pages.get("/curators/{user_id}/{name}", Access.PUBLIC)
    async def one_by_name(
        request: Request, viewer: CurrentViewer, user_id: str, name: str, cursor: Cursor = None
    ) -> Response:
        """The readable address; after a change of name the old one leads to the new."""
        user = await person(viewer, user_id)
        if cursor is None and name != tail(user.username):
            return redirect(curator_path(user_id, user.username))
        return await curator_page(request, viewer, user, cursor)
