"""A chat in which nothing that was said, read or felt is lost."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from examples.chat.program import Refused, edit, enter, open_room, react, read_all, say, take_back, unread
from examples.chat.schema import (
    CHAT,
    Member,
    Message,
    Said,
    member,
    members_of,
    messages_of,
    room,
    rooms_of,
    said_after,
    said_between,
)

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Get, Put, Update

NOW = datetime(2026, 5, 1, 20, 0, tzinfo=UTC)
PEOPLE = ["ada", "ben", "cleo"]


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(CHAT)
        open_room(store, "tea", "Tea")
        for name in PEOPLE:
            enter(store, "tea", name)
        yield store


def _say(store: EmbeddedStore, minute: int, author: str = "ada") -> Message:
    return say(store, "tea", author, f"at {minute}", NOW + timedelta(minutes=minute))


def _member(store: EmbeddedStore, name: str) -> Member:
    found = store.get(member("tea", name).consistently())
    assert found is not None
    return found


def test_who_is_not_in_a_room_says_nothing_there(store: EmbeddedStore) -> None:
    with pytest.raises(Refused, match="eve is not in tea"):
        _say(store, 0, "eve")
    with pytest.raises(Refused, match="ada is in tea already"):
        enter(store, "tea", "ada")
    with pytest.raises(Refused, match="there is no room void"):
        enter(store, "void", "ada")
    assert (store.count(messages_of("tea")), unread(store, "ada")) == (0, {"tea": 0})


def test_a_room_is_one_partition_in_which_every_list_finds_its_own(store: EmbeddedStore) -> None:
    said = [_say(store, minute) for minute in range(3)]
    assert [each.user_id for each in store.page(members_of("tea"))] == PEOPLE
    assert store.page(messages_of("tea")).items == tuple(reversed(said))
    open_room(store, "art", "Art")
    enter(store, "art", "ada")
    assert [each.room_name for each in store.page(rooms_of("ada"))] == ["Art", "Tea"]


def test_pages_lead_to_older_messages_and_back_again(store: EmbeddedStore) -> None:
    said = [_say(store, minute) for minute in range(10)][::-1]
    pages = [store.page(messages_of("tea"), limit=4)]
    while pages[-1].next_cursor is not None:
        pages.append(store.page(messages_of("tea"), limit=4, after=pages[-1].next_cursor))
    assert [message for page in pages for message in page] == said
    assert [len(page) for page in pages] == [4, 4, 2]
    assert pages[0].previous_cursor is None
    for earlier, later in pairwise(pages):
        back = store.page(messages_of("tea"), limit=4, after=later.previous_cursor)
        assert back.items == earlier.items


def test_what_is_said_while_somebody_pages_moves_nothing(store: EmbeddedStore) -> None:
    said = [_say(store, minute) for minute in range(8)][::-1]
    first = store.page(messages_of("tea"), limit=4)
    new = _say(store, 99)
    second = store.page(messages_of("tea"), limit=4, after=first.next_cursor)
    assert [*first, *second] == said
    assert store.page(messages_of("tea"), limit=4, after=second.previous_cursor).items == first.items
    assert store.page(messages_of("tea"), limit=1).items == (new,)


def test_a_stretch_of_time_has_its_start_and_not_its_end(store: EmbeddedStore) -> None:
    said = [_say(store, minute) for minute in range(6)]
    assert store.page(said_between("tea", said[1].said_at, said[4].said_at)).items == tuple(said[1:4])
    assert store.count(said_between("tea", NOW - timedelta(days=1), NOW)) == 0


def test_what_is_new_comes_after_every_message_of_the_marked_moment(store: EmbeddedStore) -> None:
    same = [_say(store, 0) for _ in range(3)]
    later = _say(store, 1)
    assert store.page(said_after("tea", same[0].said_at)).items == (
        Said(said_at=later.said_at, author="ada", text="at 1"),
    )


def test_ones_own_messages_are_read(store: EmbeddedStore) -> None:
    _say(store, 0, "ada")
    _say(store, 1, "ada")
    _say(store, 2, "ben")
    assert [unread(store, name)["tea"] for name in PEOPLE] == [1, 2, 3]
    enter(store, "tea", "late")
    assert unread(store, "late") == {"tea": 0}


def test_a_read_mark_never_moves_back(store: EmbeddedStore) -> None:
    first, second = _say(store, 0), _say(store, 1)
    read_all(store, "tea", "ben", second)
    read_all(store, "tea", "ben", first)
    assert (_member(store, "ben").read_to, unread(store, "ben")) == (second.said_at, {"tea": 0})


def test_no_unread_count_is_lost_while_everybody_talks(store: EmbeddedStore) -> None:
    with ThreadPoolExecutor(16) as mouths:
        list(mouths.map(lambda number: _say(store, number, PEOPLE[number % 2]), range(100)))
    assert [unread(store, name)["tea"] for name in PEOPLE] == [50, 50, 100]
    there = store.get(room("tea").consistently())
    assert there is not None
    assert there.message_count == store.count(messages_of("tea")) == 100


def test_what_is_unread_stays_exact_while_some_read_and_others_talk(store: EmbeddedStore) -> None:
    first = _say(store, 0)

    def act(number: int) -> None:
        if number % 5 == 0:
            read_all(store, "tea", "cleo", first)
        else:
            _say(store, number, PEOPLE[number % 3])

    with ThreadPoolExecutor(12) as mouths:
        list(mouths.map(act, range(60)))
    said = list(store.stream(messages_of("tea")))
    assert 0 <= unread(store, "cleo")["tea"] <= sum(message.author != "cleo" for message in said)
    for name in ("ada", "ben"):
        assert unread(store, name)["tea"] == sum(message.author != name for message in said)
    read_all(store, "tea", "cleo", said[0])
    assert unread(store, "cleo") == {"tea": 0}
    _say(store, 999, "ada")
    assert unread(store, "cleo") == {"tea": 1}


def test_who_says_something_while_marking_all_as_read_has_read_that_too(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _say(store, 0)
    looked, said = store.transact_get, list[Message]()

    def looked_and_then_spoke(*wanted: Get[Any]) -> tuple[Any, ...]:
        found = looked(*wanted)
        if not said:
            said.append(_say(store, 1, "cleo"))
        return found

    monkeypatch.setattr(store, "transact_get", looked_and_then_spoke)
    read_all(store, "tea", "cleo", first)
    assert (len(said), unread(store, "cleo")) == (1, {"tea": 0})


def test_who_enters_while_others_talk_is_counted_and_so_is_every_message(store: EmbeddedStore) -> None:
    newcomers = [f"new-{number}" for number in range(4)]
    with ThreadPoolExecutor(8) as people:
        talk = people.map(lambda number: _say(store, number), range(20))
        come = people.map(lambda name: enter(store, "tea", name), newcomers)
        assert (len(list(talk)), len(list(come))) == (20, 4)
    there = store.get(room("tea").consistently())
    assert there is not None
    assert (there.message_count, there.member_count) == (20, 7)
    assert all(0 <= unread(store, name)["tea"] <= 20 for name in newcomers)


def test_everybody_has_one_reaction_and_none_is_lost(store: EmbeddedStore) -> None:
    message = _say(store, 0)
    names = [f"user.{number} #[0]" for number in range(20)]
    with ThreadPoolExecutor(16) as people:
        list(people.map(lambda name: react(store, message, name, "👍"), names))
    after = react(store, message, names[0], "🎉")
    assert after.reactions == {name: "🎉" if name == names[0] else "👍" for name in names}
    assert take_back(store, message, names[0]).reactions.keys() == set(names[1:])
    assert take_back(store, message, "nobody").reactions.keys() == set(names[1:])


def test_reactions_have_a_bound_which_a_change_may_reach_and_not_pass(store: EmbeddedStore) -> None:
    full = _say(store, 0).with_(Message.reactions({str(number): "👍" for number in range(1000)}))
    store.write(Put(full))
    with pytest.raises(ConditionalCheckFailedError):
        react(store, full, "one more", "👍")
    assert react(store, full, "7", "🎉").reactions["7"] == "🎉"


def test_only_the_author_edits(store: EmbeddedStore) -> None:
    message = _say(store, 0)
    with pytest.raises(Refused, match="ben did not say this"):
        edit(store, message, "ben", "no", NOW)
    edited = edit(store, message, "ada", "better", NOW)
    assert (edited.text, edited.edited_at) == ("better", NOW)
    gone = message.with_(Message.serial("gone"))
    with pytest.raises(ConditionalCheckFailedError):
        store.write(Update(gone.own_key, Message.text.set("x")))
