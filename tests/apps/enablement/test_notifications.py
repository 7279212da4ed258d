"""Notifications on the documented table: the bell counts them, the house's list shows them, one by one and all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import NewSubscription
from partita.apps.enablement.schema import NOTIFICATIONS, Notification
from partita.apps.enablement.service.inbox import MOST_COUNTED, NEWS
from partita.dynamo.python_values import item_from_python
from partita.kit.problems import NotFound
from partita.store import EmbeddedStore
from partita.table import Put
from partita.table.types import timestamp
from tests.apps.enablement.conftest import CARLA, VERA
from tests.apps.enablement.telling import Telling, telling_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Telling]:
    with telling_in(tmp_path) as made:
        yield made


async def _news(portal: Telling, *titles: str) -> None:
    await portal.service.subscriptions.create(VERA, NewSubscription())
    for title in titles:
        await portal.released(title)
    await portal.catch_up()


async def test_the_bell_and_the_list_of_the_house_have_them(portal: Telling) -> None:
    await _news(portal, "One", "Two", "Three")
    house, own = portal.kit.notifications, portal.service.notifications
    assert await house.unread_count(VERA.id) == await own.unread_count(VERA) == 3
    page = await house.page(VERA, limit=2)
    assert [told.words.title for told in page] == ["New: “Three”", "New: “Two”"]
    assert page.next_cursor is not None
    rest = await house.page(VERA, limit=2, cursor=page.next_cursor)
    assert [told.words.title for told in rest] == ["New: “One”"]
    first = next(iter(page))
    assert first.words.text.endswith("Because you follow everything.")
    await house.read(VERA, first.store, first.entry.id)
    assert await own.unread_count(VERA) == 2
    await house.read_all(VERA)
    assert await house.unread_count(VERA.id) == 0


async def test_one_is_read_by_its_id_and_only_by_its_owner(portal: Telling) -> None:
    await _news(portal, "One", "Two")
    own = portal.service.notifications
    newest, oldest = (await own.list(VERA)).items
    assert await own.get(VERA, oldest.notification_id) == oldest
    for act in (own.get, own.read):
        with pytest.raises(NotFound):
            await act(CARLA, oldest.notification_id)
    read = await own.read(VERA, oldest.notification_id)
    assert read.read
    assert [row.notification_id for row in await own.list(VERA, show="unread")] == [newest.notification_id]
    stored = await own.get(VERA, oldest.notification_id)
    assert (stored.read, stored.title) == (True, oldest.title)


async def test_mark_all_read_leaves_what_came_since_even_if_its_cause_is_older(portal: Telling) -> None:
    await _news(portal, "One")
    await portal.released("Two")  # happened before the list is shown, and is told afterwards
    portal.clock.on(minutes=1)
    shown_at = timestamp(portal.clock.now())
    portal.clock.on(minutes=1)
    await portal.catch_up()
    own = portal.service.notifications
    assert await own.unread_count(VERA) == 2
    assert await own.read_all(VERA, shown_at) == 1
    assert [row.title for row in await own.list(VERA, show="unread")] == ["New: “Two”"]


async def test_rows_of_the_original_program_are_news_like_all_others(portal: Telling) -> None:
    assert isinstance(portal.kit.tables, EmbeddedStore)
    row = {
        "user_id": "vera",
        "created_at#notification_id": "2026-03-01T10:00:00Z#n1",
        "notification_id": "n1",
        "created_at": "2026-03-01T10:00:00Z",
        "type": "info",
        "title": "Welcome",
        "message": "Look around.",
        "read": False,
    }
    portal.kit.tables.engine.call("PutItem", {"TableName": NOTIFICATIONS.name, "Item": item_from_python(row)})
    (told,) = await portal.kit.notifications.page(VERA)
    assert (told.words.title, told.words.text, told.entry.kind) == ("Welcome", "Look around.", NEWS.name)
    assert (await portal.service.notifications.read(VERA, "n1")).read


async def test_the_number_of_unread_ones_costs_little_and_ends_at_99(portal: Telling) -> None:
    def row(number: int) -> Notification:
        return Notification(
            user_id="vera",
            notification_id=f"{number:032x}",
            title="A title of some length, as they are",
            message="What changed. " * 20,
            created_at=f"2026-03-01T10:{number % 60:02}:00.{number:06}Z",
            reason="because you follow Atlas · Pricing",
            expires_at=1_900_000_000,
        )

    async def unread() -> tuple[int, float]:
        units: list[float] = []
        portal.kit.store.observe(lambda seen: units.append(seen.units))
        found = await portal.service.notifications.unread_count(VERA)
        portal.kit.store.observers.pop()
        return found, sum(units)

    await portal.kit.store.batch_write(Put(row(number)) for number in range(99))
    count, units = await unread()
    assert count == 99
    assert units <= 4
    await portal.kit.store.batch_write(Put(row(number)) for number in range(99, 1_000))
    count, units = await unread()
    assert count == MOST_COUNTED  # the bell says 99+
    assert units <= 4
    assert await portal.service.notifications.read_all(VERA) == 1_000
    assert await unread() == (0, 0.5)


async def test_there_is_one_row_under_a_cause_and_person_whoever_stores_it(portal: Telling) -> None:
    await _news(portal, "One")
    (row,) = await portal.told(VERA)
    again = await portal.kit.store.page(schema.notification(row.notification_id))
    assert [each.user_id for each in again] == ["vera"]
    assert row.cause is not None
    assert row.cause.endswith(" for vera")
