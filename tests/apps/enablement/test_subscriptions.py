"""Subscriptions and follows: what people want to hear of, and the rows by which a change finds them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.enablement import formats, schema
from partita.apps.enablement.inputs import NewSubscription
from partita.apps.enablement.schema import QUEUE, SUBSCRIPTIONS, Subscription, SubscriptionMatch, all_matching
from partita.apps.enablement.service.subscriptions import MOST
from partita.dynamo.python_values import item_from_python
from partita.kit.permissions import NOBODY
from partita.kit.problems import Conflict, Forbidden, NotFound, SignInRequired
from partita.store import EmbeddedStore
from partita.table import Put
from tests.apps.enablement.conftest import ANNA, CARLA, VERA
from tests.apps.enablement.telling import Telling, telling_in

pytestmark = pytest.mark.anyio
PRICING = NewSubscription(product_suite="Atlas", product_concept="Pricing", tags=("Discounts", "EMEA"))


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Telling]:
    with telling_in(tmp_path) as made:
        yield made


async def _found(portal: Telling, suite: str | None, concept: str | None, *tags: str) -> set[str]:
    rows: set[str] = set()
    for query in all_matching(suite, concept, tags):
        rows |= {match.matched_id async for match in portal.kit.store.stream(query)}
    return rows


async def _match_rows(portal: Telling) -> list[SubscriptionMatch]:
    return [row async for row in portal.kit.store.scan_whole_table(SubscriptionMatch)]


async def test_a_subscription_is_found_by_what_it_matches_until_it_is_deleted(portal: Telling) -> None:
    made = await portal.service.subscriptions.create(VERA, PRICING)
    assert await portal.service.subscriptions.list(VERA) == [made]
    assert await _found(portal, "Atlas", "Pricing", "emea") == {made.subscription_id}
    assert await _found(portal, "Atlas", "Pricing", "other") == set()
    assert await portal.service.subscriptions.create(VERA, PRICING) == made  # the same wish twice is one
    changed = await portal.service.subscriptions.replace(VERA, made.subscription_id, NewSubscription(tags=("emea",)))
    assert changed.created_at > made.created_at
    assert await _found(portal, "Atlas", "Pricing", "Discounts") == set()
    assert await _found(portal, "Borea", None, "EMEA") == {made.subscription_id}
    await portal.service.subscriptions.delete(VERA, made.subscription_id)
    assert await _match_rows(portal) == []
    with pytest.raises(NotFound):
        await portal.service.subscriptions.get(VERA, made.subscription_id)


async def test_subscriptions_are_ones_own_and_of_a_bounded_number(portal: Telling) -> None:
    made = await portal.service.subscriptions.create(VERA, PRICING)
    for act in (portal.service.subscriptions.get, portal.service.subscriptions.delete):
        with pytest.raises(NotFound):
            await act(CARLA, made.subscription_id)
    with pytest.raises(SignInRequired):
        await portal.service.subscriptions.list(NOBODY)
    for number in range(MOST - 1):
        await portal.service.subscriptions.create(VERA, NewSubscription(tags=(f"tag {number}",)))
    with pytest.raises(Conflict):
        await portal.service.subscriptions.create(VERA, NewSubscription(tags=("one more",)))


async def test_rows_of_another_program_are_found_too(portal: Telling) -> None:
    assert isinstance(portal.kit.tables, EmbeddedStore)
    engine = portal.kit.tables.engine
    row: dict[str, Any] = {
        "user_id": "vera",
        "subscription_id": "s9",
        "product_suite": "A#B",
        "tags": ["EMEA"],
        "created_at": "2026-02-01T10:00:00Z",
    }
    engine.call("PutItem", {"TableName": SUBSCRIPTIONS.name, "Item": item_from_python(row)})
    await portal.catch_up()
    assert await _found(portal, "A#B", None, "emea") == {"s9"}
    assert await _found(portal, "A", "B", "emea") == set()
    engine.call("PutItem", {"TableName": SUBSCRIPTIONS.name, "Item": item_from_python(row | {"tags": ["APAC"]})})
    await portal.catch_up()
    assert await _found(portal, "A#B", None, "emea") == set()
    key = item_from_python({"user_id": "vera", "subscription_id": "s9"})
    engine.call("DeleteItem", {"TableName": SUBSCRIPTIONS.name, "Key": key})
    await portal.replay()
    await portal.catch_up()
    assert await _match_rows(portal) == []


async def test_match_rows_follow_subscriptions_however_they_are_changed_at_once(portal: Telling) -> None:
    made = await portal.service.subscriptions.create(VERA, PRICING)

    async def change(number: int) -> None:
        new = NewSubscription(product_suite=f"Suite {number}", tags=(f"tag {number}",))
        await portal.service.subscriptions.replace(VERA, made.subscription_id, new)

    await asyncio.gather(*(change(number) for number in range(6)), portal.replay(2))
    await portal.replay(2)
    now = await portal.service.subscriptions.get(VERA, made.subscription_id)
    assert await _match_rows(portal) == list(schema.matches_of(now))


_NAMES = st.sampled_from(["Atlas", "Borea", "A#B", "%23", "*"])
_TAGS = st.lists(st.sampled_from(["emea", "EMEA", "x#y", "prix", "Prix"]), max_size=3).map(tuple)


@settings(max_examples=200, deadline=None)
@given(
    wish=st.tuples(st.none() | _NAMES, st.none() | _NAMES, _TAGS),
    content=st.tuples(st.none() | _NAMES, st.none() | _NAMES, _TAGS),
)
def test_the_queries_of_a_change_find_exactly_what_matches(
    wish: tuple[str | None, str | None, tuple[str, ...]], content: tuple[str | None, str | None, tuple[str, ...]]
) -> None:
    suite, concept, tags = wish
    subscription = Subscription(
        user_id="u", subscription_id="s", product_suite=suite, product_concept=concept, tags=tags or None,
        created_at="2026-01-01T00:00:00Z",
    )  # fmt: skip
    folded = frozenset(map(formats.folded, content[2]))
    queries = all_matching(*content)
    assert len(queries) <= 4 * (len(folded) + 1)
    rows = {str(match.own_key.wire["user_id"]) for match in schema.matches_of(subscription)}
    asked = {str(value) for query in queries for _, value in query.partition}
    assert bool(rows & asked) == subscription.matches(content[0], content[1], folded)


async def test_people_follow_items_persons_and_the_queue(portal: Telling) -> None:
    released = await portal.released()
    draft = await portal.draft("A draft")
    follows = portal.service.follows
    first = await follows.follow(VERA, "content", released.content_id)
    assert await follows.follow(VERA, "content", released.content_id) == first  # goes on from when it began
    await follows.follow(VERA, "person", "carla")
    assert {(each.kind, each.followed_id) for each in await follows.list(VERA)} == {
        ("content", released.content_id),
        ("person", "carla"),
    }
    await follows.stop(VERA, "content", released.content_id)
    await follows.stop(VERA, "content", released.content_id)
    assert not await follows.follows(VERA, "content", released.content_id)
    with pytest.raises(NotFound):
        await follows.follow(VERA, "content", draft.content_id)
    with pytest.raises(NotFound):
        await follows.follow(VERA, "person", "nobody")
    with pytest.raises(Forbidden):
        await follows.follow(VERA, "queue", QUEUE)
    with pytest.raises(NotFound):
        await follows.follow(ANNA, "queue", "other")


async def test_the_first_visit_of_an_approver_follows_the_queue_unless_they_stopped(portal: Telling) -> None:
    follows = portal.service.follows
    await follows.visit_queue(VERA)
    assert await follows.list(VERA) == []
    await follows.visit_queue(ANNA)
    assert await follows.follows(ANNA, "queue", QUEUE)
    await follows.stop(ANNA, "queue", QUEUE)
    await follows.visit_queue(ANNA)
    assert not await follows.follows(ANNA, "queue", QUEUE)
    await follows.follow(ANNA, "queue", QUEUE)
    assert await follows.follows(ANNA, "queue", QUEUE)


async def test_matching_reads_the_same_among_few_and_many_others(portal: Telling) -> None:
    wanted = await portal.service.subscriptions.create(VERA, PRICING)

    async def units() -> float:
        spent: list[float] = []
        portal.kit.store.observe(lambda seen: spent.append(seen.units))
        assert await _found(portal, "Atlas", "Pricing", "emea") == {wanted.subscription_id}
        portal.kit.store.observers.pop()
        return sum(spent)

    async def others(numbers: range) -> None:
        for number in numbers:
            other = Subscription(
                user_id=f"u{number}", subscription_id="s", product_suite=f"Suite {number % 50}",
                tags=(f"tag {number % 400}",), created_at="2026-01-01T00:00:00Z",
            )  # fmt: skip
            rows.extend([Put(other), *map(Put, schema.matches_of(other))])
        await portal.kit.store.batch_write(rows)
        rows.clear()

    rows: list[Any] = []
    await others(range(100))
    few = await units()
    await others(range(100, 5_000))
    assert await units() == few <= 8 * 0.5
