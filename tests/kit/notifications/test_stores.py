"""A system may bring a table of its own: here the enablement portal's documented one, beside the house's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from partita.apps.enablement.schema import NOTIFICATIONS, create_notification, mark_read, notifications_of, unread_of
from partita.apps.enablement.schema import Notification as Documented
from partita.kit.notifications import Entry, Kind, Notification, Position, Words
from partita.store.store import AsyncStore
from tests.kit.notifications.conftest import KINDS, PUBLISHED, World, world_in

pytestmark = pytest.mark.anyio
REVIEWED = Kind("portal.reviewed", "Content", lambda data, _: Words(data["title"]), "You subscribed.", store="portal")


class _Known(Exception):
    pass


@dataclass(frozen=True)
class PortalStore:
    """The documented table: a notification is unread while it is in the sparse index."""

    store: AsyncStore
    name: str = "portal"

    async def add(self, notification: Notification) -> bool:
        row = Documented(
            user_id=notification.user_id,
            notification_id=notification.id,
            title=notification.data["title"],
            message="",
            created_at=notification.at,
        )
        with suppress(_Known):
            await self.store.write(create_notification(row).otherwise(_Known()))
        return True

    async def page(self, user_id: str, *, limit: int, before: Position | None) -> Sequence[Entry]:
        query = notifications_of(user_id)
        if before is not None:
            query = query.before(Documented.created_at(before.at), Documented.notification_id(before.id))
        return [_entry(row) for row in await self.store.page(query, limit=limit)]

    async def unread_count(self, user_id: str) -> int:
        return await self.store.count(unread_of(user_id))

    async def unread_among(self, user_id: str, causes: Mapping[str, str]) -> frozenset[str]:
        unread = {row.notification_id async for row in self.store.stream(unread_of(user_id))}
        return frozenset(cause for cause, note in causes.items() if note in unread)

    async def mark_read(self, user_id: str, id: str) -> Entry | None:
        async for row in self.store.stream(notifications_of(user_id)):
            if row.notification_id == id:
                await self.store.write(mark_read(user_id, row.created_at, id))
                return _entry(row)
        return None

    async def mark_all_read(self, user_id: str) -> None:
        async for row in self.store.stream(unread_of(user_id)):
            await self.store.write(mark_read(user_id, row.created_at, row.notification_id))


def _entry(row: Documented) -> Entry:
    data = {"title": row.title}
    return Entry(row.notification_id, REVIEWED.name, row.created_at, data, "", 1, not row.read)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path, NOTIFICATIONS) as made:
        yield made


async def test_the_bell_adds_up_and_the_page_merges_by_time(world: World) -> None:
    ada = await world.person("ada")
    viewer = await world.viewer(ada)
    process = world.process()
    process.use((*KINDS, REVIEWED), [PortalStore(world.store)])
    for number in range(12):
        kind = REVIEWED if number % 3 else PUBLISHED
        for _ in range(2):
            data = {"title": f"n{number:02}"}
            await process.tell(ada.user_id, kind, cause=f"c{number}", at=world.at(hours=number // 2), data=data)
    assert await process.unread_count(ada.user_id) == 12
    seen = []
    cursor = None
    while True:
        page = await process.page(viewer, limit=5, cursor=cursor)
        seen += list(page)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == 12
    assert [told.entry.position for told in seen] == sorted((told.entry.position for told in seen), reverse=True)
    assert {told.store for told in seen} == {"house", "portal"}
    for told in (seen[0], seen[-1], next(each for each in seen if each.store == "portal")):
        await process.read(viewer, told.store, told.entry.id)
    assert await process.unread_count(ada.user_id) == sum(told.entry.unread for told in await process.page(viewer))
    await process.read_all(viewer)
    assert await process.unread_count(ada.user_id) == 0


async def test_two_stores_cannot_have_one_name(world: World) -> None:
    with pytest.raises(ValueError, match="Two stores"):
        world.process().use(KINDS, [PortalStore(world.store, "house")])
