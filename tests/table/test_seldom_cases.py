"""Small cases that random ones seldom reach, each of which was once otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from partita.store import EmbeddedStore
from partita.table import InvalidValueError, Put, Update, attribute, derived, key_part
from tests.table import forum
from tests.table.declared import declared, new_table, temporary_store
from tests.table.forum import FEED, FORUM, Post


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with temporary_store(clock=lambda: 100.0) as store:
        yield store


def _kind(store: EmbeddedStore, fields: dict[str, Any], **settings: Any) -> Any:
    table = new_table(**settings)
    kind = declared("Thing", table, {"no": (int, key_part()), **fields}, pk="P", sk="{no}")
    store.create(table)
    return kind


def test_a_derived_attribute_is_the_same_of_what_is_written_and_of_what_is_read(store: EmbeddedStore) -> None:
    kind = _kind(store, {"at": (datetime, attribute()), "hour": (int, derived(lambda at: at.hour))})
    store.write(Put(kind(no=1, at=datetime(2026, 1, 1, 23, tzinfo=timezone(timedelta(hours=2))))))
    found: Any = store.get(kind.get(kind.no(1)))
    assert found.stale() == frozenset()


def test_a_moment_in_the_hour_that_comes_twice_is_read_back_equal(store: EmbeddedStore) -> None:
    kind = _kind(store, {"at": (datetime, attribute())})
    thing = kind(no=1, at=datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Paris")))
    store.write(Put(thing))
    assert store.get(kind.get(kind.no(1))) == thing


def test_a_tuple_in_a_field_of_any_type_is_read_back_equal_or_refused(store: EmbeddedStore) -> None:
    kind = _kind(store, {"x": (Any, attribute())})
    with pytest.raises(InvalidValueError, match=r"would be read back as \[1, 2\]"):
        store.write(Put(kind(no=1, x=(1, 2))))


def test_what_cannot_be_read_is_not_counted(store: EmbeddedStore) -> None:
    kind = _kind(store, {"x": (int, attribute())})
    row = {"PK": {"S": "P"}, "SK": {"S": "1"}}
    store.engine.call("PutItem", {"TableName": kind.__table__.name, "Item": row})
    assert store.count(kind.query()) == len(list(store.stream(kind.query())))


def test_counting_begins_with_what_the_field_reads_as(store: EmbeddedStore) -> None:
    kind = _kind(store, {"x": (int | None, attribute(default=5))})
    store.write(Put(kind(no=1, x=None)))
    found: Any = store.get(kind.get(kind.no(1)))
    assert found.x is None
    assert store.update(Update(kind.key(kind.no(1)), kind.x.add(2))).x == 2


def test_a_derived_attribute_follows_a_default_that_is_declared_as_text(store: EmbeddedStore) -> None:
    fields = {"day": (date, attribute(default="2026-01-01")), "year": (int, derived(lambda day: day.year))}
    kind = _kind(store, fields)
    store.write(Put(kind(no=1, day=date(2027, 1, 1))))
    after = store.update(Update(kind.key(kind.no(1)), kind.day.remove()))
    assert (after.year, after.stale()) == (2026, frozenset())


def test_an_item_that_another_program_wrote_without_the_key_of_a_spread_list_is_stale(store: EmbeddedStore) -> None:
    store.create(FORUM)
    post = Post(member_id="ada", post_id="1", feed="all")
    store.write(Put(post))
    ours = store.get(forum.post("ada", "1"))
    assert ours is not None
    assert ours.stale() == frozenset()
    row = {name: value for name, value in post.to_row().items() if name != "feed_shard"}
    store.engine.call("PutItem", {"TableName": FORUM.name, "Item": row})
    theirs = store.get(forum.post("ada", "1"))
    assert theirs is not None
    assert theirs.stale() == {"feed_shard"}
    store.write(Update(theirs.own_key, Post.stars.set(5)).making_anew(theirs))
    assert [each.stars for each in store.stream(Post.query(FEED, Post.feed("all")))] == [5]
