"""Tenants see what is theirs, pay for what they use, and nobody gets in who may not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from examples.saas.program import (
    Refused,
    bill,
    caller,
    count,
    found,
    invite,
    make_api_key,
    record,
    revoke,
    sign_in,
    signed_in,
)
from examples.saas.schema import (
    SAAS,
    USAGE,
    ApiKey,
    Event,
    Usage,
    User,
    api_keys_of,
    events_by,
    events_of,
    sessions_of,
    tenant,
    usage_of,
    user,
    users_of,
)

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import KeyPartError, Put, Query

NOW = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
DAY = NOW.date()
NAMES = ["acme", "acm", "acme#", "acme#USER#ada", "acme#000", "acme#USER#ada#USER#eve", "#", "USER#", "TENANT#a", "ä"]
"""Names that a tenant may choose, most of them with something in mind."""


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(SAAS, USAGE)
        found(store, "acme", "Acme", seats=3, owner="ada")
        found(store, "zenith", "Zenith", seats=3, owner="ada")
        yield store


def _user(store: EmbeddedStore, tenant_id: str) -> User:
    known = store.get(user(tenant_id, "ada"))
    assert known is not None
    return known


def test_two_tenants_may_have_users_of_one_name(store: EmbeddedStore) -> None:
    invite(store, "acme", "ben")
    assert [each.user_id for each in store.page(users_of("acme"))] == ["ada", "ben"]
    assert [each.user_id for each in store.page(users_of("zenith"))] == ["ada"]
    with pytest.raises(Refused, match="ben is here already"):
        invite(store, "acme", "ben")
    with pytest.raises(Refused, match="there is a tenant acme already"):
        found(store, "acme", "Another", seats=1, owner="eve")


def test_no_seat_is_taken_twice_with_sixteen_invitations_at_once(store: EmbeddedStore) -> None:
    def tried(number: int) -> bool:
        try:
            invite(store, "acme", f"user-{number}")
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(16) as people:
        assert list(people.map(tried, range(16))).count(True) == 2
    acme = store.get(tenant("acme").consistently())
    assert acme is not None
    assert (acme.free_seats, store.count(users_of("acme"))) == (0, 3)


def test_a_day_of_events_is_from_midnight_to_midnight(store: EmbeddedStore) -> None:
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    moments = [midnight - timedelta(microseconds=1), midnight, midnight + timedelta(hours=23), midnight + timedelta(1)]
    for moment in moments:
        record(store, "acme", "ada", "x", moment)
    assert [event.at for event in store.page(events_of("acme", DAY))] == moments[1:3]
    assert [event.at for event in store.page(events_of("acme", DAY, days=2))] == moments[1:]
    assert [event.at for event in store.page(events_by("acme", "ada"))] == moments[::-1]


def test_events_of_one_moment_are_all_kept_whatever_the_time_zone(store: EmbeddedStore) -> None:
    here = datetime.fromisoformat("2026-05-01T11:00:00+02:00")
    for moment in (NOW, here, NOW):
        record(store, "acme", "ada", "x", moment)
    assert [event.at for event in store.page(events_of("acme", DAY))] == [NOW, NOW, NOW]


QUESTIONS: list[Callable[[str], Query[Any]]] = [
    users_of,
    lambda name: events_of(name, DAY, days=30),
    lambda name: events_by(name, "ada"),
    lambda name: sessions_of(name, "ada"),
    lambda name: api_keys_of(name, "ada"),
    lambda name: usage_of(name, DAY, DAY),
]


def _fill(store: EmbeddedStore, name: str) -> bool:
    """Everything a tenant can have; False where its name is refused."""
    ada = User(tenant_id=name, user_id="ada")
    try:
        record(store, name, "ada", "x", NOW)
    except KeyPartError:
        return False
    store.write(Put(ada))
    sign_in(store, ada, datetime.now(UTC))
    make_api_key(store, ada, "x")
    for _ in range(5):
        count(store, name, "calls", 1, DAY)
    return True


def test_no_question_of_a_tenant_finds_a_row_of_another_whatever_their_names_are(store: EmbeddedStore) -> None:
    names = [name for name in NAMES if _fill(store, name)]
    assert set(NAMES) - set(names) == {"acme#USER#ada", "acme#USER#ada#USER#eve"}
    for name in names:
        for question in QUESTIONS:
            rows = list(store.stream(question(name)))
            assert rows
            assert {row.tenant_id for row in rows} == {name}
    for one, other in permutations(names, 2):
        mine = [{(key, str(value)) for key, value in question(one).partition} for question in QUESTIONS]
        theirs = [{(key, str(value)) for key, value in question(other).partition} for question in QUESTIONS]
        assert not any(partition in theirs for partition in mine), f"{one} and {other} share a partition"


@pytest.mark.parametrize("ask", [events_by, sessions_of, api_keys_of])
def test_a_name_that_would_lead_into_another_tenant_is_refused(ask: Callable[[str, str], Query[Any]]) -> None:
    with pytest.raises(KeyPartError, match="would have the same key as other parts"):
        ask("acme#USER#ada", "eve")
    with pytest.raises(KeyPartError, match="tenant_id is empty"):
        ask("", "ada")


def test_an_item_under_such_a_name_cannot_be_written() -> None:
    event = Event(tenant_id="acme#USER#ada", at=NOW, no="1", user_id="eve", what="x")
    with pytest.raises(KeyPartError, match="would have the same key as other parts"):
        event.to_row()


def test_a_session_ends_when_its_time_has_come(store: EmbeddedStore) -> None:
    now = datetime.now(UTC)
    secret = sign_in(store, _user(store, "acme"), now)
    assert (signed_in(store, secret).tenant_id, store.count(sessions_of("acme", "ada"))) == ("acme", 1)
    later = EmbeddedStore(store.engine, clock=lambda: (now + timedelta(hours=12, seconds=1)).timestamp())
    with pytest.raises(Refused, match="sign in first"):
        signed_in(later, secret)
    assert later.page(sessions_of("acme", "ada")).items == ()
    with pytest.raises(Refused, match="sign in first"):
        signed_in(store, "a guess")


def test_the_table_holds_no_secret(store: EmbeddedStore) -> None:
    secrets = [sign_in(store, _user(store, "acme"), datetime.now(UTC)), make_api_key(store, _user(store, "acme"), "x")]
    everything = str(store.engine.call("Scan", {"TableName": "saas"}))
    assert not any(secret in everything for secret in secrets)


def test_an_api_key_is_revoked_by_its_own_tenant_alone(store: EmbeddedStore) -> None:
    secret = make_api_key(store, _user(store, "acme"), "nightly")
    key: ApiKey = caller(store, secret)
    with pytest.raises(Refused, match="zenith has no such key"):
        revoke(store, "zenith", key)
    assert store.page(api_keys_of("acme", "ada")).items == (key,)
    revoke(store, "acme", key)
    with pytest.raises(Refused, match="no such key"):
        caller(store, secret)
    assert sum(bill(store, "acme", date(2026, 1, 1), date(2100, 1, 1)).values()) == 1, "a call that got in was counted"


def test_no_count_is_lost_with_sixteen_who_count_at_once(store: EmbeddedStore) -> None:
    with ThreadPoolExecutor(16) as programs:
        list(programs.map(lambda _: count(store, "acme", "calls", 3, DAY), range(400)))
    count(store, "acme", "bytes", 10, DAY + timedelta(1))
    count(store, "zenith", "calls", 7, DAY)
    assert bill(store, "acme", DAY, DAY) == {(DAY, "calls"): 1200}
    assert bill(store, "acme", DAY, DAY + timedelta(1)) == {(DAY, "calls"): 1200, (DAY + timedelta(1), "bytes"): 10}
    assert bill(store, "zenith", DAY, DAY) == {(DAY, "calls"): 7}


def test_a_counter_is_spread_over_partitions_and_read_in_the_order_of_days(store: EmbeddedStore) -> None:
    for slot in range(16):
        for day in (DAY, DAY + timedelta(1)):
            store.write(Put(Usage(tenant_id="acme", day=day, meter="calls", slot=slot, amount=1)))
    rows = store.engine.call("Scan", {"TableName": "saas-usage"})["Items"]
    assert len({row["PK"]["S"] for row in rows}) > 1
    read = [(part.day, part.slot) for part in store.stream(usage_of("acme", DAY, DAY + timedelta(1)))]
    assert read == [(day, slot) for day in (DAY, DAY + timedelta(1)) for slot in range(16)]
