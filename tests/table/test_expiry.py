"""What has expired is not there any more, whether or not it has been deleted yet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, ModelError, Put, Query, SchemaError, Table, attribute, key_part, projected
from partita.table.types import ExpiresAt, expires_in
from tests.table.club import CLUB, Invitation, Plan


@dataclass
class Clock:
    """A clock that stands still until it is set."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


CLOCK = Clock()


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    CLOCK.seconds = 1000.0
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine, clock=CLOCK)
        store.create(CLUB)
        yield store


def _invitation(number: int, expires_at: int | None = None) -> Invitation:
    return Invitation(player_id="ada", number=number, expires_at=expires_at)


def invitations() -> Query[Invitation]:
    return Invitation.query(Invitation.player_id("ada"))


def test_an_item_is_there_until_its_moment_comes(store: EmbeddedStore) -> None:
    store.write(Put(_invitation(1, 1001)))
    wanted = Invitation.get(Invitation.player_id("ada"), Invitation.number(1))
    assert store.get(wanted) == _invitation(1, 1001)
    CLOCK.seconds = 1001.0
    assert store.get(wanted) is None
    assert store.get(wanted.with_expired()) == _invitation(1, 1001)
    assert asyncio.run(store.asynchronous.get(wanted)) is None


def test_every_way_of_reading_leaves_out_what_has_expired(store: EmbeddedStore) -> None:
    items = [_invitation(1, 999), _invitation(2), _invitation(3, 5000), _invitation(4, 1000)]
    store.batch_write(Put(item) for item in items)
    assert [found.number for found in store.page(invitations())] == [2, 3]
    assert [found.number for found in store.page(invitations().newest_first(), limit=1)] == [3]
    assert [found.number for found in store.stream(invitations())] == [2, 3]
    assert store.count(invitations()) == 2
    assert store.count(invitations().where(Invitation.expires_at.exists())) == 1
    assert [found and found.number for found in store.batch_get(item.own_key for item in items)] == [None, 2, 3, None]
    assert [found.number for found in store.page(projected(invitations(), Invitation.text))] == [2, 3]
    assert [found.number for found in store.stream(invitations().with_expired())] == [1, 2, 3, 4]
    assert store.count(invitations().with_expired()) == 4


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.none() | st.integers(990, 1010), max_size=25),
    st.integers(1, 6),
    st.none() | st.integers(1, 5),
    st.integers(1000, 1010),
)
def test_pages_fill_whatever_has_expired_and_cursors_outlive_it(
    moments: list[int | None], limit: int, page_size: int | None, later: int
) -> None:
    clock = Clock()
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine, clock=clock)
        store.create(CLUB)
        items = [_invitation(number, moment) for number, moment in enumerate(moments)]
        store.batch_write(map(Put, items))
        first = store.page(invitations(), limit=limit, page_size=page_size)
        there = [item for item in items if item.expires_at is None or item.expires_at > 1000]
        assert list(first) == there[:limit]
        clock.seconds = later
        found, cursor = list(first), first.next_cursor
        while cursor is not None:
            page = store.page(invitations(), limit=limit, after=cursor, page_size=page_size)
            found += page
            cursor = page.next_cursor
            assert cursor is None or len(page) == limit
        rest = items[first.items[-1].number + 1 :] if first.next_cursor else []
        assert found[len(first) :] == [item for item in rest if item.expires_at is None or item.expires_at > later]


def test_what_has_expired_can_be_taken_anew_and_what_has_not_cannot(store: EmbeddedStore) -> None:
    store.write(Put(_invitation(1, 1001)).if_new(or_expired_at=1000))
    with pytest.raises(ConditionalCheckFailedError):
        store.write(Put(_invitation(1, 3000)).if_new(or_expired_at=1000.9))
    with pytest.raises(ConditionalCheckFailedError):
        store.write(Put(_invitation(1, 3000)).if_new())
    store.write(Put(_invitation(1, 3000)).if_new(or_expired_at=1001))
    assert store.get(Invitation.get(Invitation.player_id("ada"), Invitation.number(1))) == _invitation(1, 3000)


def test_items_without_a_moment_never_expire(store: EmbeddedStore) -> None:
    store.write(Put(Plan(plan_id="p")))
    CLOCK.seconds = 1e12
    assert store.get(Plan.get(Plan.plan_id("p"))) is not None


def test_nothing_expires_in_a_table_without_a_time_to_live() -> None:
    table = Table("eternal", pk="PK")

    class Stone(Item, table=table, pk="{name}"):
        name: Attribute[str] = key_part()

    with pytest.raises(ModelError, match="Items of eternal do not expire"):
        Put(Stone(name="a")).if_new(or_expired_at=1)


@pytest.mark.parametrize("kind", [str, Decimal, str | None, bool])
def test_a_moment_that_is_no_whole_number_is_refused_with_the_schema(kind: Any) -> None:
    table = Table("broken", pk="PK", ttl="until")
    with pytest.raises(SchemaError, match=r"until says when items of broken expire.*ExpiresAt"):

        class Broken(Item, table=table, pk="{name}"):
            name: Attribute[str] = key_part()
            until: Attribute[kind]


def test_a_moment_made_of_a_template_is_refused_with_the_schema() -> None:
    table = Table("broken", pk="PK", ttl="until")
    with pytest.raises(SchemaError, match="until says when"):

        class Broken(Item, table=table, pk="{name}", keys={"until": "{name}"}):
            name: Attribute[str] = key_part()


@pytest.mark.parametrize("kind", [int, int | None, ExpiresAt, ExpiresAt | None])
def test_a_whole_number_of_seconds_is_a_moment(kind: Any) -> None:
    table = Table("fine", pk="PK", ttl="until")

    class Fine(Item, table=table, pk="{name}"):
        name: Attribute[str] = key_part()
        until: Attribute[kind] = attribute(default=5)

    assert Fine(name="a").to_row()["until"] == {"N": "5"}


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.timedeltas(timedelta(0), timedelta(days=4000)),
)
def test_a_moment_is_never_too_early_and_less_than_a_second_late(now: datetime, time: timedelta) -> None:
    assert 0 <= expires_in(time, now) - (now + time).timestamp() < 1
