"""Comments: a key of their own each, one level of replies, exact counts; what is removed is not to be seen."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import CommentEdit, CommentInput, ListEdit
from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.comments import CommentRemoved
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Forbidden, NotFound, Problem, TooMany
from tests.apps.house import BAD_WEATHER, kit_on
from tests.apps.worthwatch.conftest import MODERATOR, POLICY, Stopped, curator, member, new_list, published

pytestmark = pytest.mark.anyio


async def say(
    service: WorthWatchService, viewer: Viewer, watchlist_id: str, text: str = "Nice.", reply_to: str | None = None
) -> str:
    wanted = CommentInput(comment_text=text, reply_to=reply_to)
    return (await service.comments.write(viewer, watchlist_id, wanted)).name


async def count_of(kit: Kit, watchlist_id: str) -> int:
    """What the totals say, which must be what is there."""
    comments = [each async for each in kit.store.stream(schema.comments_on(watchlist_id))]
    there = sum(each.removed_by is None for each in comments)
    for each in comments:
        replies = sum(reply.reply_to == each.name for reply in comments)
        assert (each.reply_count or 0) == replies, "replyCount is the number of replies"
        assert each.removed_by is None or replies or each.reply_to, "what is removed stays for its replies alone"
    totals = await kit.store.get(schema.totals(watchlist_id))
    assert ((totals.comment_count if totals else 0) or 0) == there
    return there


async def test_a_thread_has_its_replies_oldest_first(kit: Kit, service: WorthWatchService) -> None:
    ada, ben = await curator(kit), await member(kit)
    watchlist = (await published(service, ada)).watchlist_id
    first, second = await say(service, ben, watchlist, "One"), await say(service, ben, watchlist, "Two")
    reply = await say(service, ada, watchlist, "To one", first)
    await say(service, ben, watchlist, "To the answer", reply)
    threads = (await service.comments.threads(NOBODY, watchlist)).items
    assert [each.entry.comment.comment_text for each in threads] == ["Two", "One"]
    assert [each.comment.comment_text for each in threads[1].replies] == ["To one", "To the answer"]
    assert [each.entry.name for each in threads] == [second, first]
    assert [each.comment.reply_to for each in await service.comments.replies(NOBODY, watchlist, first)] == [first] * 2
    assert await count_of(kit, watchlist) == 4
    author = threads[0].entry.author
    assert author is not None
    assert author.user_id == ben.id


async def test_its_author_edits_a_comment_and_it_says_so(kit: Kit, service: WorthWatchService) -> None:
    ada, ben = await curator(kit), await member(kit)
    watchlist = (await published(service, ada)).watchlist_id
    name = await say(service, ben, watchlist)
    edited = await service.comments.edit(ben, watchlist, name, CommentEdit(comment_text="Good.", has_spoilers=True))
    assert (edited.comment.comment_text, edited.comment.has_spoilers) == ("Good.", True)
    assert edited.comment.edited_at is not None
    for other in (ada, MODERATOR):
        with pytest.raises(Forbidden):
            await service.comments.edit(other, watchlist, name, CommentEdit(comment_text="Bad."))


async def test_author_curator_and_moderators_remove_and_replies_keep_their_place(
    kit: Kit, service: WorthWatchService
) -> None:
    ada, ben, eve = await curator(kit), await member(kit), await member(kit)
    watchlist = (await published(service, ada)).watchlist_id
    expected = {"author": ben, "curator": ada, "moderator": MODERATOR}
    for remover, who in expected.items():
        name = await say(service, ben, watchlist, "Secret words")
        reply = await say(service, eve, watchlist, "An answer", name)
        with pytest.raises(Forbidden):
            await service.comments.delete(eve, watchlist, name)
        await service.comments.delete(who, watchlist, name)
        await service.comments.delete(who, watchlist, name)  # twice is harmless
        (thread,) = (await service.comments.threads(eve, watchlist)).items
        assert (thread.entry.comment.removed_by, thread.entry.author) == (remover, None)
        assert "Secret words" not in repr(thread)
        assert [each.comment.comment_text for each in thread.replies] == ["An answer"]
        assert await count_of(kit, watchlist) == 1
        with pytest.raises(CommentRemoved):
            await say(service, eve, watchlist, "More", name)
        with pytest.raises(CommentRemoved):
            await service.comments.edit(ben, watchlist, name, CommentEdit(comment_text="Back"))
        await service.comments.delete(eve, watchlist, reply)
        assert (await service.comments.threads(eve, watchlist)).items == (), "the place goes with its last reply"
        assert await count_of(kit, watchlist) == 0


async def test_there_are_no_comments_on_what_others_cannot_see(kit: Kit, service: WorthWatchService) -> None:
    ada, ben = await curator(kit), await member(kit)
    live = await published(service, ada)
    name = await say(service, ben, live.watchlist_id)
    await service.lists.edit(ada, live.watchlist_id, ListEdit(is_public=False))
    draft = await new_list(service, ada)
    for watchlist in (live, draft):
        for somebody in (NOBODY, ben, MODERATOR):
            with pytest.raises(NotFound):
                await service.comments.threads(somebody, watchlist.watchlist_id)
            with pytest.raises(NotFound):
                await service.comments.entry(somebody, watchlist.watchlist_id, name)
        for somebody in (ben, MODERATOR):
            with pytest.raises(NotFound):
                await say(service, somebody, watchlist.watchlist_id)
            with pytest.raises(NotFound):
                await service.comments.delete(somebody, watchlist.watchlist_id, name)
    with pytest.raises(NotFound):
        await say(service, ada, draft.watchlist_id)


async def test_ten_comments_in_ten_minutes_are_enough(kit: Kit, service: WorthWatchService) -> None:
    ada, ben = await curator(kit), await member(kit)
    watchlist = (await published(service, ada)).watchlist_id
    for _ in range(10):
        await say(service, ben, watchlist)
    with pytest.raises(TooMany):
        await say(service, ben, watchlist)
    assert await count_of(kit, watchlist) == 10


@pytest.mark.parametrize("weather", [False, True], ids=["good weather", "bad weather"])
async def test_a_hundred_comments_of_one_person_in_one_tick_are_a_hundred(tmp_path: Path, weather: bool) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER if weather else None) as kit:
        kit.accounts.use(POLICY, ())
        clock = Stopped(datetime(2026, 5, 1, 9, 30, tzinfo=UTC))
        service = WorthWatchService(replace(kit, clock=clock))
        ada, ben = await curator(kit), await member(kit)
        watchlist = (await published(service, ada)).watchlist_id
        made = await asyncio.gather(
            *(service.comments.add(ben, watchlist, CommentInput(comment_text=f"{number}")) for number in range(100))
        )
        assert len({each.name for each in made}) == 100
        texts = {each.comment_text async for each in kit.store.stream(schema.comments_on(watchlist))}
        assert texts == {str(number) for number in range(100)}
        assert await count_of(kit, watchlist) == 100


@pytest.mark.parametrize("weather", [False, True], ids=["good weather", "bad weather"])
async def test_sixty_four_writers_reply_and_remove_and_every_count_is_exact(tmp_path: Path, weather: bool) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER if weather else None) as kit:
        kit.accounts.use(POLICY, ())
        service = WorthWatchService(kit)
        ada = await curator(kit)
        watchlist = (await published(service, ada)).watchlist_id
        people = [await member(kit) for _ in range(64)]
        roots = [
            (await service.comments.add(who, watchlist, CommentInput(comment_text="Root"))).name for who in people[:4]
        ]

        async def act(number: int, who: Viewer) -> None:
            wanted = CommentInput(comment_text=f"{number}", reply_to=roots[number % 4])
            with suppress(Problem):  # its root may be removed
                name = (await service.comments.add(who, watchlist, wanted)).name
                if number % 3 == 0:
                    await service.comments.delete(who, watchlist, name)
            if number in (20, 21):
                await service.comments.delete(people[number % 4], watchlist, roots[number % 4])

        await asyncio.gather(*(act(number, who) for number, who in enumerate(people)))
        assert await count_of(kit, watchlist) > 10
        async for each in kit.store.stream(schema.comments_on(watchlist)):
            await service.comments.delete(MODERATOR, watchlist, each.name)
        assert await count_of(kit, watchlist) == 0
        assert await kit.store.count(schema.comments_on(watchlist)) == 0
