"""Who leaves takes everything along, counted out; published lists go or stay without a name, comments keep places."""

from __future__ import annotations

from dataclasses import replace

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import CommentInput
from partita.apps.worthwatch.schema import (
    MOVIE_RATING,
    ListTotals,
    Mine,
    Queued,
    Rating,
    SavedWatchlist,
    UserRemoval,
    Viewing,
)
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.leaving import finish_person
from partita.apps.worthwatch.service.people import StillLeaving
from partita.apps.worthwatch.system import build
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, ConfirmationRequired, Viewer
from partita.kit.problems import NotFound
from partita.table import Put, Transaction, Update
from tests.apps.house import replay, worker_of
from tests.apps.worthwatch.conftest import MODERATOR, curator, film, member, new_list, published, signed_up

pytestmark = pytest.mark.anyio


async def rate(kit: Kit, service: WorthWatchService, viewer: Viewer, movie_id: str, stars: int) -> None:
    title = await kit.store.get(schema.movie(movie_id))
    assert title is not None
    rating = Rating(
        user_id=viewer.id, content_type="MOVIE", content_id=movie_id, rating=stars, rated_at=stamp(kit.clock)
    )
    await kit.store.transact(Transaction(Put(rating), *MOVIE_RATING.update(title, None, stars)))


@pytest.mark.parametrize("keep", [True, False], ids=["lists stay", "lists go"])
async def test_everything_of_theirs_goes_and_is_counted_out(kit: Kit, service: WorthWatchService, keep: bool) -> None:
    system = build(kit)
    worker = worker_of(kit, system)
    ada = await signed_up(kit, service, "Ada", is_curator=True, curator_status="approved")
    ben, title, now = await curator(kit), await film(service), stamp(kit.clock)
    public = await published(service, ada, title, tags=("noir",))
    private, of_ben = await new_list(service, ada), await published(service, ben, title)
    await rate(kit, service, ada, title.movie_id, 9)
    await rate(kit, service, ben, title.movie_id, 4)
    name = (await service.comments.write(ada, of_ben.watchlist_id, CommentInput(comment_text="My words"))).name
    reply = CommentInput(comment_text="An answer", reply_to=name)
    await service.comments.write(ben, of_ben.watchlist_id, reply)
    await service.follows.follow(ada, ben.id)
    await service.follows.follow(ben, ada.id)
    totals = ListTotals.key(ListTotals.watchlist_id(of_ben.watchlist_id))
    saved = SavedWatchlist(user_id=ada.id, watchlist_id=of_ben.watchlist_id, saved_at=now)
    await kit.store.transact(Transaction(Put(saved), Update(totals, ListTotals.save_count.add(1))))
    for item in (
        Mine(user_id=ada.id, content_type="MOVIE", content_id=title.movie_id, marked_at=now),
        Queued(user_id=ada.id, content_type="MOVIE", content_id="m2", queued_at=now),
        Viewing(user_id=ada.id, day="2026-05-01", viewing_id="v", content_type="MOVIE", content_id="m2"),
    ):
        await kit.store.write(Put(item))
    exported = await service.own_data.export(ada)
    assert {name for name, value in exported.items() if value} >= {
        "profile",
        "watchlists",
        "ratings",
        "seen",
        "toWatch",
        "diary",
        "saved",
        "following",
        "comments",
    }
    assert exported["comments"][0]["commentText"] == "My words"
    await worker.drain()

    await service.leaving.leave(ada, keep_lists=keep)
    with pytest.raises(StillLeaving):
        await service.people.me(ada)
    await worker.drain()
    await replay(kit, system, "worthwatch.removal")
    await worker.drain()

    rows = [row for row in _rows(kit) if ada.id in repr(row) and not _of_the_log(row)]
    kept = {row["SK"]["S"].partition("#")[0] for row in rows}
    assert kept == {"COMMENT"}, "of them nothing is left but the place of a comment"
    assert "My words" not in repr(_rows(kit))
    stored = await kit.store.get(schema.movie(title.movie_id))
    assert stored is not None
    assert (stored.rating_count, stored.rating_sum, stored.rated_9, stored.rated_4) == (1, 4, 0, 1)
    assert stored.listed_in == (2 if keep else 1)
    after = await kit.store.get(schema.totals(of_ben.watchlist_id))
    assert after is not None
    assert (after.save_count, after.comment_count) == (0, 1)
    assert (await service.people.person(ben.id)).follower_count == 0
    (thread,) = (await service.comments.threads(NOBODY, of_ben.watchlist_id)).items
    assert (thread.entry.author, thread.entry.comment.comment_text, len(thread.replies)) == (None, "", 1)
    assert await kit.store.get(schema.email_guard((await kit.accounts.people.get(ada.id)).email or "")) is None
    with pytest.raises(NotFound):
        await service.lists.watchlist(private.watchlist_id)
    live = [each.watchlist_id async for each in kit.store.stream(schema.live_lists_with_tag("noir"))]
    if keep:
        shown = await service.lists.visible(NOBODY, public.watchlist_id)
        assert (shown.curator, shown.watchlist.live, live) == (None, True, [public.watchlist_id])
        assert shown.watchlist.curator_id != ada.id
        await service.lists.delete(MODERATOR, public.watchlist_id)
    else:
        assert live == []
        with pytest.raises(NotFound):
            await service.lists.visible(NOBODY, public.watchlist_id)
    assert await kit.store.count(schema.live_lists()) == 1
    again = await service.people.me(ada)
    assert (again.curator_status, again.follower_count) == (None, None)


async def test_a_suspended_curators_lists_do_not_stay(kit: Kit, service: WorthWatchService) -> None:
    worker = worker_of(kit, build(kit))
    ada = await curator(kit)
    watchlist = await published(service, ada)
    await service.curators.suspend(MODERATOR, ada.id, "So.")
    await service.leaving.leave(ada, keep_lists=True)
    await worker.drain()
    with pytest.raises(NotFound):
        await service.lists.visible(NOBODY, watchlist.watchlist_id)
    assert await kit.store.count(schema.live_lists()) == 0


async def test_leaving_that_is_interrupted_goes_on(kit: Kit, service: WorthWatchService) -> None:
    ada, titles = await member(kit), [await film(service) for _ in range(3)]
    for title in titles:
        await rate(kit, service, ada, title.movie_id, 8)
    removal = await service.leaving.leave(ada, keep_lists=False)
    assert isinstance(removal, UserRemoval)
    await kit.store.write(Update(titles[1].own_key, type(titles[1]).rating_count.set(1)))
    for _ in range(3):
        await finish_person(kit.store, removal)
    for title in titles:
        stored = await kit.store.get(schema.movie(title.movie_id))
        assert stored is not None
        assert (stored.rating_count, stored.rated_8) == (0, 0)
    with pytest.raises(NotFound):
        await service.leaving.leave(ada, keep_lists=False)


def _rows(kit: Kit) -> list[dict[str, dict[str, str]]]:
    found = kit.tables.engine.call("Scan", {"TableName": "worthwatch"})  # type: ignore[attr-defined]
    return list(found["Items"])


def _of_the_log(row: dict[str, dict[str, str]]) -> bool:
    return row["PK"]["S"].startswith("LOG#")


async def test_a_session_that_was_left_open_neither_erases_nor_exports(kit: Kit, service: WorthWatchService) -> None:
    ada = await signed_up(kit, service, "Ada")
    found = replace(ada, via="session", confirmed=False)
    with pytest.raises(ConfirmationRequired):
        await service.leaving.leave(found, keep_lists=False)
    with pytest.raises(ConfirmationRequired):
        service.exporting.history(found, "json")
    await service.leaving.leave(replace(found, confirmed=True), keep_lists=False)
