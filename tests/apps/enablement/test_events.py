"""Events: what counts as use, who may send what, and the log."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from partita.apps.enablement.inputs import EventBatch, EventInput, Retirement
from partita.apps.enablement.schema import Event, EventName
from partita.dynamo.values import checked_item
from partita.kit.answers import Json
from partita.kit.problems import Forbidden, Invalid
from tests.apps.enablement.conftest import ADMIN, ANNA, CARLA, VERA, Portal

pytestmark = pytest.mark.anyio


def batch(*names: EventName, content_id: str | None = None) -> EventBatch:
    return EventBatch(events=tuple(EventInput(event_name=name, content_id=content_id) for name in names))


async def names(portal: Portal) -> list[str]:
    return sorted([each.event_name async for each in portal.kit.store.scan_whole_table(Event)])


async def test_one_person_within_half_an_hour_is_one_view(portal: Portal) -> None:
    content = await portal.released()
    events = portal.service.events
    assert [await events.viewed(VERA, content) for _ in range(3)] == [True, False, False]
    assert await events.viewed(ANNA, content)
    portal.clock.on(minutes=29)
    assert not await events.viewed(VERA, content)
    portal.clock.on(minutes=2)
    assert await events.viewed(VERA, content)
    assert await events.downloaded(VERA, content)
    assert await names(portal) == ["content_downloaded", *["content_viewed"] * 3]


async def test_of_many_views_at_once_one_counts(portal: Portal) -> None:
    content = await portal.released()
    assert sum(await asyncio.gather(*(portal.service.events.viewed(VERA, content) for _ in range(16)))) == 1


async def test_the_owners_own_views_and_what_readers_do_not_have_are_no_use(portal: Portal) -> None:
    content, draft = await portal.released(), await portal.draft()
    assert not await portal.service.events.viewed(CARLA, content)
    assert not await portal.service.events.viewed(ANNA, draft)
    retired = await portal.service.lifecycle.retire(ANNA, content.content_id, Retirement(reason="Old."))
    assert not await portal.service.events.viewed(ANNA, retired)
    assert await names(portal) == []


async def test_the_server_says_who_and_when_and_how_long_it_is_kept(portal: Portal) -> None:
    content = await portal.released()
    assert await portal.service.events.record(VERA, batch("content_previewed", content_id=content.content_id)) == 1
    (event,) = [each async for each in portal.kit.store.scan_whole_table(Event)]
    assert (event.user_id, event.date_bucket) == (VERA.id, "2026-03-02")
    assert event.timestamp.startswith("2026-03-02T09:30")
    kept = timedelta(days=portal.kit.settings.enablement_event_days)
    assert abs((event.expires_at or 0) - (portal.clock.at + kept).timestamp()) < 2


async def test_views_that_a_program_sends_obey_the_same_rules(portal: Portal) -> None:
    content = await portal.released()
    sent = batch("content_viewed", "content_viewed", "search_opened", content_id=content.content_id)
    assert await portal.service.events.record(VERA, sent) == 2
    assert await portal.service.events.record(VERA, sent) == 1
    assert await portal.service.events.record(CARLA, batch("content_viewed", content_id=content.content_id)) == 0


async def test_events_about_what_one_may_not_know_of_are_refused_as_if_it_was_not_there(portal: Portal) -> None:
    draft = await portal.draft()
    for content_id in (draft.content_id, "nothing"):
        with pytest.raises(Invalid) as refused:
            await portal.service.events.record(VERA, batch("search_opened", "content_viewed", content_id=content_id))
        assert [each.field for each in refused.value.errors] == ["events.0.content_id", "events.1.content_id"]
        assert "There is no content" in refused.value.errors[0].message
    with pytest.raises(Invalid):
        await portal.service.events.record(VERA, batch("content_viewed"))
    assert await names(portal) == []


def test_names_are_listed_and_sizes_bounded() -> None:
    for wrong in (
        {"event_name": "made_up"},
        {"event_name": "search_done", "metadata": {"words": "x" * 9000}},
        {"event_name": "search_done", "user_id": "somebody"},
        {"event_name": "search_done", "timestamp": "2020-01-01T00:00:00Z"},
    ):
        with pytest.raises(ValidationError):
            EventInput.model_validate(wrong)
    with pytest.raises(ValidationError):
        EventBatch(events=tuple(EventInput(event_name="search_done") for _ in range(101)))


_NAMES = st.text(max_size=5) | st.sampled_from(["", "\ud83d", "words"])
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats().filter(lambda number: not 0 < abs(number) < 1e-99)
    | st.sampled_from([1e308, 1e-90, 2.5, -0.0, 10**40, 2**63 - 1, 2**63, "\udc00"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"in": [value]}
    return value


@given(st.dictionaries(_NAMES, _VALUES, max_size=4) | st.integers(0, 60).map(lambda levels: {"deep": _deep(levels)}))
def test_any_json_is_stored_and_given_back_equal_or_refused(metadata: dict[str, Any]) -> None:
    try:
        event = EventInput(event_name="search_done", metadata=metadata)
    except ValidationError:
        return
    stored = Event(
        date_bucket="2026-03-02",
        event_id="01",
        event_name="search_done",
        user_id="u",
        metadata=event.metadata,
        timestamp="2026-03-02T09:30:00.000Z",
        expires_at=1,
    )
    back = checked_item(stored.to_row())
    read = Event.from_row(back).metadata
    assert json.loads(bytes(Json(read).body)) == metadata


def test_usual_metadata_is_stored() -> None:
    metadata = {"seconds": 2.5, "share": -0.125, "count": 2**53, "names": ["a", None, True], "in": {"x": 1e15}}
    assert EventInput(event_name="search_done", metadata=metadata).metadata == metadata


async def test_the_log_is_for_administrators(portal: Portal) -> None:
    content = await portal.released()
    await portal.service.events.viewed(VERA, content)
    await portal.service.events.searched(VERA, "  two   words ", 0)
    assert [each.event_name for each in await portal.service.events.on(ADMIN, "2026-03-02")] == [
        "search_done",
        "content_viewed",
    ]
    (search, _) = await portal.service.events.of(ADMIN, VERA.id)
    assert search.metadata == {"words": "two words", "results": 0}
    for viewer in (VERA, ANNA):
        with pytest.raises(Forbidden):
            await portal.service.events.on(viewer, "2026-03-02")
        with pytest.raises(Forbidden):
            await portal.service.events.of(viewer, VERA.id)


SPREAD = """
import asyncio, json, tempfile
from pathlib import Path
from partita.apps.enablement.schema import EVENTS, Event
from partita.apps.enablement.system import build
from tests.apps.enablement.conftest import ADMIN, portal_in
from tests.apps.enablement.test_counting import READERS, recount, stored_numbers, use_for_days
from tests.apps.house import worker_of

async def main():
    with tempfile.TemporaryDirectory() as folder, portal_in(Path(folder)) as portal:
        contents = [await portal.released()]
        await use_for_days(portal, contents, rounds=2)
        await worker_of(portal.kit, build(portal.kit)).drain()
        listed, cursor = [], None
        while True:
            page = await portal.service.events.on(ADMIN, "2026-03-02", limit=7, cursor=cursor)
            listed += [each.timestamp + each.event_id for each in page]
            cursor = page.next_cursor
            if cursor is None:
                break
        there = [each async for each in portal.kit.store.scan_whole_table(Event) if each.date_bucket == "2026-03-02"]
        print(json.dumps({
            "shards": EVENTS.shards,
            "merged": listed == sorted((each.timestamp + each.event_id for each in there), reverse=True),
            "number": len(listed),
            "same": await stored_numbers(portal) == await recount(portal),
        }))

asyncio.run(main())
"""


def test_with_the_days_bucket_spread_by_a_setting_lists_are_merged_and_numbers_the_same() -> None:
    environment = {**os.environ, "PARTITA_SHARDS_EVENTS": "8"}
    done = subprocess.run([sys.executable, "-c", SPREAD], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["number"] > 20
    assert (told["shards"], told["merged"], told["same"]) == (8, True, True)
