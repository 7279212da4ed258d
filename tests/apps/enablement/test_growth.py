"""What the portal's pages read does not grow with content, people and what they do; `make growth` tries it with much
of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from partita.apps.enablement.inputs import ContentEdit, NewCollection, Submission
from partita.apps.enablement.schema import (
    CONTENT,
    EVENTS,
    NOTIFICATIONS,
    SUBSCRIPTIONS,
    Content,
    ContentChange,
    Event,
    Follow,
    MustRead,
    Notification,
    Reader,
    Report,
    Series,
    Stats,
    Subscription,
    Version,
    Vote,
    matches_of,
)
from partita.apps.enablement.service.proposals import fields_with
from partita.kit.clock import SystemClock, stamp
from partita.kit.search.following import build_anew
from partita.store import EmbeddedStore
from partita.table import Item
from tests.apps.enablement.conftest import NOTE, TABLES
from tests.apps.enablement.served import ServedPortal, Somebody, serve
from tests.apps.filling import Like, fill, partition_hash
from tests.apps.growth import check_growth, sizes, units_of_pages
from tests.apps.house import kit_on

pytestmark = pytest.mark.anyio
SIZES = sizes("400,500")
"""How many items, at least so many that every page is full; there are as many people, subscriptions and events."""
_BELL = 4
"""What the number beside the bell may cost on every page."""
LIMITS = {
    "library": 20,
    "library, approver": 20,
    "library, filtered": 20,
    "library, words": 20,
    "library, newest of one product": 20,
    "content": 8 + _BELL,
    "content, owner": 20,
    "content, approver": 20,
    "versions": 10,
    "compare": 10,
    "history": 15,
    "editor": 10,
    "my desk": 40,
    "queue": 40,
    "reviews": 75,
    "manage": 30,
    "notifications": 25,
    "following": 20,
    "reading list": 35,
    "who has read it": 40,
    "reports of an item": 20,
    "collections": 20,
    "a collection": 20,
    "analytics": 15 + _BELL,
    "event log": 30,
    "audit": 30,
    "products": 40,
}
"""Read units on the portal's tables; those of the library, of content for readers and of analytics are specified."""
_NOW = stamp(SystemClock())
_TODAY = _NOW[:10]
_EARLIER = "2026-01-01T00:00:00.000000Z"
"""Of what is not in this month's audit."""
_OWN_REPORTS = 500
"""An owner's desk looks for its own among so many."""
_ASKED = 300
"""Who must read one item are all on one page, which therefore grows with them."""
_SOME, _SUITE = 9_999_999, "Suite 99"


@dataclass(frozen=True, slots=True)
class World:
    """What is in the tables beside a few items that were made by hand: of everything as much as there is content, and
    as much again about the one item that is looked at."""

    items: int
    looked_at: str
    pattern: Content
    waiting: Content
    reader: str
    """Who must read much and is told much."""

    def contents(self) -> Iterator[Item | Like]:
        released = self.pattern.model_copy(update={**_OTHER, "content_id": _id(_SOME), "title": _title(_SOME)})
        submitted = self.waiting.model_copy(update={"content_id": _id(_SOME), "title": _title(_SOME), "s3_uri": None})
        change = ContentChange(
            history_of=_id(_SOME), change_id=_change(_SOME), changed_at=_NOW, changed_by="anna", action="approved"
        )
        version = Version(
            of_content=_id(_SOME), major=1, fields=fields_with(released, None), version="1.0", approved_at=_NOW,
            approved_by="anna", written_by="carl",
        )  # fmt: skip
        texts = (_id(_SOME), _title(_SOME), _SUITE, _change(_SOME))
        for number in sorted(range(self.items), key=lambda each: partition_hash(_id(each))):
            new = (_id(number), _title(number), f"Suite {number % 7:02}", _change(number))
            yield Like(submitted if number % 5 == 0 else released, texts, new)
            yield Like(change, texts, new)
            yield Like(version, texts, new)
        for number in range(self.items):
            of, who = self.looked_at, _person(number)
            yield Vote(of_content=of, voter=who, helped=True, voted_at=_NOW)
            yield ContentChange(
                history_of=of, change_id=f"x{number:07}", changed_at=_EARLIER, changed_by="anna", action="comment",
                comment="So true.",
            )  # fmt: skip

        for number in range(max(self.items, _OWN_REPORTS)):
            yield Report(
                of_content=self.looked_at, report_id=_id(number), text="Old prices.", reported_by=_person(number),
                reported_at=_NOW,
            )  # fmt: skip

    def subscriptions(self) -> Iterator[Item]:
        for number in range(self.items):
            who = _person(number)
            wish = Subscription(
                user_id=who, subscription_id="s", created_at=_NOW, product_suite=f"Suite {number % 7:02}", tags=("x",)
            )
            yield from (wish, *matches_of(wish))
            yield Follow(kind="content", followed_id=self.looked_at, person=who, since=_NOW)
            asked = MustRead(
                of_content=self.looked_at, reader=who, read_by="2030-01-01", asked_at=_NOW, asked_by="anna",
                open_reader=who,
            )  # fmt: skip
            if number < _ASKED:
                yield asked
            mine = (MustRead.of_content(_id(number)), MustRead.reader(self.reader), MustRead.open_reader(self.reader))
            yield asked.with_(*mine)

    def notifications(self) -> Iterator[Item]:
        for number in range(self.items):
            for who in (self.reader, _person(number)):
                yield Notification(
                    user_id=who, notification_id=_id(number), title="New: Guide", message="", created_at=_NOW,
                    content_id=_id(number),
                )  # fmt: skip

    def events(self) -> Iterator[Item]:
        for number in range(self.items):
            who = _person(number)
            yield Event(
                date_bucket=_TODAY, event_id=_id(number), event_name="content_viewed", user_id=who,
                content_id=self.looked_at, metadata={"major": 1}, timestamp=_NOW,
            )  # fmt: skip
            yield Reader(of_content=self.looked_at, person=who, first_viewed=_NOW, last_viewed=_NOW)
            yield Stats(of_content=_id(number), views=1, last_viewed_day=_TODAY, stats_of="released")
            yield Series(of_content=_id(number), day=_TODAY, views=1)


_OTHER = {"due_day": None, "due_key": None, "s3_uri": None, "product_suite": _SUITE}


def _id(number: int) -> str:
    return f"c{number:07}"


def _change(number: int) -> str:
    return f"h{number:07}"


def _person(number: int) -> str:
    return f"person{number:07}"


def _title(number: int) -> str:
    return f"Guide to prices, number {number:07}"


async def _made(portal: ServedPortal, size: int) -> dict[str, tuple[Somebody, str]]:
    """Fill the portal; the pages to look at."""
    vera, carla = await portal.person("", "Vera"), await portal.person("contributor", "Carla")
    anna, xenia = await portal.person("approver", "Anna"), await portal.person("admin", "Xenia")
    carl = await portal.person("contributor", "Carl")
    fields = {"product_suite": _SUITE, "tags": ("x",), "review_due_date": "2026-03-05"}
    mine = await portal.released(carla, anna, "What I look at", **fields)
    await portal.service.content.edit(carla.viewer, mine.content_id, ContentEdit(summary="Other prices."))
    await portal.service.lifecycle.submit(carla.viewer, mine.content_id, Submission(note=NOTE))
    pattern = await portal.released(carl, anna, "Another", **fields)
    draft = await portal.draft(carl, "Waits")
    waiting = await portal.service.lifecycle.submit(carl.viewer, draft.content_id, Submission())
    assert isinstance(waiting, Content)
    world = World(size, mine.content_id, pattern, waiting, vera.viewer.id)
    assert isinstance(portal.kit.tables, EmbeddedStore)
    engine = portal.kit.tables.engine
    fill(engine, CONTENT.name, world.contents())
    fill(engine, SUBSCRIPTIONS.name, world.subscriptions())
    fill(engine, NOTIFICATIONS.name, world.notifications())
    fill(engine, EVENTS.name, world.events())
    await build_anew(portal.kit.search, portal.kit.store, portal.service.library.catalog)
    entries = tuple({"content_id": _id(number)} for number in range(1, 5))
    made = NewCollection.model_validate({"title": "First days", "entries": entries})
    collection = await portal.service.collections.create(anna.viewer, made)
    await portal.service.summaries.make(30)
    path = f"/enablement/content/{mine.content_id}"
    return {
        "library": (vera, "/enablement"),
        "library, approver": (anna, "/enablement"),
        "library, filtered": (vera, "/enablement?suite=Suite+01&tag=x"),
        "library, words": (vera, "/enablement?q=guide+prices"),
        "library, newest of one product": (vera, "/enablement?suite=Suite+02&sort=newest"),
        "content": (vera, path),
        "content, owner": (carla, path),
        "content, approver": (anna, path),
        "versions": (carla, f"{path}/versions"),
        "compare": (anna, f"{path}/compare?from=1"),
        "history": (carla, f"{path}/history"),
        "editor": (carla, f"{path}/edit"),
        "my desk": (carla, "/enablement/mine"),
        "queue": (anna, "/enablement/queue"),
        "reviews": (anna, "/enablement/review"),
        "manage": (anna, "/enablement/manage"),
        "notifications": (vera, "/enablement/notifications"),
        "following": (vera, "/enablement/following"),
        "reading list": (vera, "/enablement/reading"),
        "who has read it": (anna, f"{path}/readers"),
        "reports of an item": (carla, f"{path}/reports"),
        "collections": (vera, "/enablement/collections"),
        "a collection": (vera, f"/enablement/collections/{collection.collection_id}"),
        "analytics": (anna, "/enablement/analytics?days=30"),
        "event log": (xenia, "/enablement/log"),
        "audit": (xenia, "/enablement/log/audit"),
        "products": (xenia, "/enablement/products"),
    }


@pytest.mark.timeout(20_000 if max(SIZES) > 1000 else 300)
async def test_what_pages_read_does_not_grow_with_content_people_and_what_they_do(tmp_path: Path) -> None:
    measured: dict[int, dict[str, float]] = {}
    for size in SIZES:
        with kit_on(tmp_path / str(size), *TABLES) as kit:
            portal = serve(kit)
            measured[size] = await units_of_pages(kit, await _made(portal, size), *TABLES)
            print(f"{size:,} items: {measured[size]}", flush=True)
    check_growth(measured, LIMITS)
