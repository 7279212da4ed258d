"""What somebody follows: products and tags, people, items; begun and stopped in place."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from partita.apps.enablement.inputs import NewSubscription
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import QUEUE, FollowKind, Subscription
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.shown import Shown
from partita.kit.desks import next_in
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes

PATH = "/enablement/following"
_SEPARATED = {"tags"}


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A subscription as people read it."""

    subscription: Subscription
    words: str
    link: str
    """The library with just this."""
    count: int


@dataclass(frozen=True, slots=True)
class FollowedPerson:
    """Somebody whose work is followed."""

    user_id: str
    name: str
    picture: str | None
    """The file of their own picture."""
    count: int


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def following_page(request: Request, viewer: Viewer, form: Parsed[NewSubscription]) -> Response:
        subscriptions = [await subscribed(viewer, each) for each in await service.subscriptions.list(viewer)]
        follows = await service.follows.list(viewer)
        accounts = await service.showing.people(each.followed_id for each in follows if each.kind == "person")
        people = [
            FollowedPerson(
                *(user_id, each.name or each.username, each.avatar),
                await service.library.covered(viewer, owner=user_id),
            )
            for user_id, each in accounts.items()
        ]
        ids = [each.followed_id for each in follows if each.kind == "content"]
        items: tuple[Shown, ...] = await service.showing.each(await service.content.visible(viewer, ids))
        products = await service.showing.products()
        return render(
            request,
            "enablement/following.html",
            form=form,
            subscriptions=subscriptions,
            people=people,
            items=items,
            queue=any(each.kind == "queue" for each in follows),
            may_approve=viewer.may(Enablement.APPROVE),
            suites=[(each.name, each.name) for each in products.suites],
            concepts=sorted({concept for each in products.suites for concept in each.concepts}),
        )

    async def subscribed(viewer: Viewer, of: Subscription) -> Subscribed:
        suite, concept, tags = of.product_suite, of.product_concept, of.tags or ()
        words = " · ".join([*filter(None, (suite, concept)), *(" or ".join(f"#{tag}" for tag in tags),)]).strip(" ·")
        chosen = [("suite", suite), ("concept", concept), *(("tag", tag) for tag in tags[:1])]
        given = urlencode([(name, value) for name, value in chosen if value])
        count = await service.library.covered(viewer, suite=suite, concept=concept, tags=tags)
        return Subscribed(of, words or "Everything", f"/enablement?{given}" if given else "/enablement", count)

    @pages.get("/following", Enablement.READ)
    async def following(request: Request, viewer: CurrentViewer) -> Response:
        """Everything that the viewer hears of."""
        return await following_page(request, viewer, Parsed(None))

    @pages.post("/following/subscribe", Enablement.READ, keeps=NewSubscription)
    async def subscribe(request: Request, viewer: CurrentViewer) -> Response:
        """Follow a product or tags; also the way back after stopping."""
        back = await next_in(request) or PATH

        async def save(new: NewSubscription) -> Response:
            made = await service.subscriptions.create(viewer, new)
            words = (await subscribed(viewer, made)).words
            return redirect(back, flash=f"You follow {words}.")

        async def again(form: Parsed[NewSubscription]) -> Response:
            return await following_page(request, viewer, form)

        return await submitted(request, NewSubscription, save, again, separated=_SEPARATED)

    @pages.post("/following/{subscription_id}/stop", Enablement.READ)
    async def unsubscribe(viewer: CurrentViewer, subscription_id: str) -> Response:
        """Stop a subscription; the message has a way back."""
        gone = await service.subscriptions.delete(viewer, subscription_id)
        words = (await subscribed(viewer, gone)).words
        wish = [("product_suite", gone.product_suite), ("product_concept", gone.product_concept)]
        given = [(name, value) for name, value in wish if value] + [("tags", tag) for tag in gone.tags or ()]
        return redirect(
            PATH, flash=f"You no longer follow {words}.", kind="info", undo=f"{PATH}/again?{urlencode(given)}"
        )

    @pages.post("/following/again", Enablement.READ)
    async def again_after_stop(request: Request, viewer: CurrentViewer) -> Response:
        """Undo: the same wish once more, from now on."""
        given = request.query_params
        new = NewSubscription(
            product_suite=given.get("product_suite"),
            product_concept=given.get("product_concept"),
            tags=tuple(given.getlist("tags")),
        )
        await service.subscriptions.create(viewer, new)
        return redirect(PATH, flash="You follow it again.")

    @pages.post("/follow/{kind}/{followed_id}", Enablement.READ)
    async def follow(request: Request, viewer: CurrentViewer, kind: FollowKind, followed_id: str) -> Response:
        """Follow an item, a person or the queue."""
        await service.follows.follow(viewer, kind, followed_id)
        return redirect(await next_in(request) or _page_of(kind, followed_id), flash="You hear of changes from now on.")

    @pages.post("/unfollow/{kind}/{followed_id}", Enablement.READ)
    async def stop(request: Request, viewer: CurrentViewer, kind: FollowKind, followed_id: str) -> Response:
        """Stop following; the message has a way back."""
        await service.follows.stop(viewer, kind, followed_id)
        back = await next_in(request) or PATH
        return redirect(back, flash="Stopped.", kind="info", undo=f"/enablement/follow/{kind}/{followed_id}")


def _page_of(kind: FollowKind, followed_id: str) -> str:
    if kind == "content":
        return f"/enablement/content/{followed_id}"
    return PATH if kind == "person" or followed_id != QUEUE else "/enablement/queue"
