"""A table that the original program wrote: complete after it was adopted, and unchanged when it is adopted again."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_of, expires_at, major_of, today_of
from partita.apps.enablement.inputs import Approval, Retirement
from partita.apps.enablement.permissions import State
from partita.apps.enablement.schema import CONTENT, NOTIFICATIONS, SUBSCRIPTIONS, Content, Version, all_matching
from partita.apps.enablement.service.access import state_of
from partita.apps.enablement.service.adoption import ADOPTED
from partita.dynamo.python_values import item_from_python
from partita.kit.adoption import Report, adopt_all
from partita.store import EmbeddedStore
from partita.table.types import timestamp
from tests.apps.enablement.conftest import ANNA, BEGUN, CARLA, VERA, Portal, portal_in

TODAY = BEGUN.date()


def documented(content_id: str, **more: Any) -> dict[str, Any]:
    """A row as the document has it."""
    row = {
        "content_id": content_id,
        "status": "Approved",
        "title": f"Item {content_id}",
        "summary": "What it is for.",
        "owner_user_id": "carla",
        "version": "1.0",
        "last_updated": "2026-01-26T10:30:00Z",
        "tags": ["pricing"],
        **more,
    }
    row = {name: value for name, value in row.items() if value is not None}
    row["GSI1PK"], row["GSI1SK"] = row["status"], f"{row['status']}#{row['last_updated']}#{content_id}"
    if "product_suite" in row and "product_concept" in row:
        row["GSI2PK"] = f"{row['product_suite']}#{row['product_concept']}"
        row["GSI2SK"] = f"{row['last_updated']}#{content_id}"
    return row


def write(portal: Portal, table: str, row: dict[str, Any]) -> None:
    """Write a row as the original program does."""
    assert isinstance(portal.kit.tables, EmbeddedStore)
    portal.kit.tables.engine.call("PutItem", {"TableName": table, "Item": item_from_python(row)})


def rows(portal: Portal, table: str) -> list[Any]:
    assert isinstance(portal.kit.tables, EmbeddedStore)
    found: list[Any] = portal.kit.tables.engine.call("Scan", {"TableName": table})["Items"]
    return sorted(found, key=str)


async def adopt(portal: Portal, *, dry_run: bool = False) -> Report:
    return await adopt_all(portal.kit.store, portal.service.adoptions, dry_run=dry_run)


@pytest.mark.anyio
async def test_what_is_over_gets_today_and_the_clock_expires_it(portal: Portal) -> None:
    write(portal, CONTENT.name, documented("old", expiry_date="2025-06-30"))
    assert (await portal.service.clock.expire_due())["due"] == 0, "no index has it yet"
    await adopt(portal)
    old = await portal.service.changing.content("old")
    assert (old.expiry_day, old.expiry_date) == (today_of(BEGUN), "2025-06-30")
    assert (await portal.service.clock.expire_due())["expired"] == 1


@pytest.mark.anyio
async def test_what_begins_later_is_scheduled_and_released_on_its_day(portal: Portal) -> None:
    write(portal, CONTENT.name, documented("later", effective_date="2026-03-09"))
    await adopt(portal)
    later = await portal.service.changing.content("later")
    assert state_of(later, portal.clock.now()) is State.SCHEDULED
    assert later.due_key == "release#2026-03-09T00:00:00.000000Z#later"
    portal.clock.to("2026-03-09")
    await portal.service.clock.run_due()
    assert state_of(await portal.service.changing.content("later"), portal.clock.now()) is State.RELEASED


@pytest.mark.anyio
async def test_what_readers_have_can_be_compared_with_its_next_version(portal: Portal) -> None:
    write(portal, CONTENT.name, documented("c1", version="2.3", s3_uri="s3://elsewhere/text.md"))
    await adopt(portal)
    version = await portal.kit.store.get(schema.version_of("c1", 2))
    assert version is not None
    assert (version.fields.title, version.approved_by, version.written_by) == ("Item c1", ADOPTED, "carla")
    waiting = await portal.proposed("c1", summary="Another summary.")
    await portal.service.lifecycle.approve(ANNA, "c1", Approval(version=waiting.version))
    compared = await portal.service.history.compare(ANNA, "c1", 2, 3)
    assert set(compared.fields) == {"summary"}


@pytest.mark.anyio
async def test_subscriptions_are_found_and_unread_notifications_counted(portal: Portal) -> None:
    created = "2026-01-01T00:00:00Z"
    wishes: tuple[dict[str, Any], ...] = ({"product_suite": "Atlas"}, {"tags": ["Pricing", "News"]}, {})
    for number, wish in enumerate(wishes):
        sent: dict[str, Any] = {"user_id": "vera", "subscription_id": f"s{number}", "created_at": created, **wish}
        write(portal, SUBSCRIPTIONS.name, sent)
    for number, read in enumerate((False, True)):
        sent = {
            "user_id": "vera",
            "created_at#notification_id": f"{created}#n{number}",
            "notification_id": f"n{number}",
            "type": "info",
            "title": "New",
            "message": "Something is new.",
            "read": read,
            "created_at": created,
        }
        write(portal, NOTIFICATIONS.name, sent)
    assert (await adopt(portal, dry_run=True)).adopted == {"content item": 0, "subscription": 3, "notification": 1}
    assert (await adopt(portal)).adopted == {"content item": 0, "subscription": 3, "notification": 1}
    found = {
        match.matched_id
        for query in all_matching("Atlas", None, ("news",))
        async for match in portal.kit.store.stream(query)
    }
    assert found == {"s0", "s1", "s2"}
    unread = [each.notification_id async for each in portal.kit.store.stream(schema.unread_of("vera"))]
    assert unread == ["n0"]
    assert (await adopt(portal)).adopted.total() == 0


@pytest.mark.anyio
async def test_our_own_rows_are_left_as_they_are(portal: Portal) -> None:
    await portal.released(review_due_date="2026-09-01", expiry_date="2026-12-31")
    retired = await portal.released("Retired")
    await portal.service.lifecycle.retire(ANNA, retired.content_id, Retirement(reason="Over."))
    planned = await portal.waiting("Planned")
    approval = Approval(version=planned.version, release_on="2026-05-01")
    await portal.service.lifecycle.approve(ANNA, planned.content_id, approval)
    await portal.draft("A draft")
    before = rows(portal, CONTENT.name)
    assert (await adopt(portal)).adopted.total() == 0
    assert rows(portal, CONTENT.name) == before


# The law


def _days() -> st.SearchStrategy[str]:
    return st.integers(-500, 500).map(lambda days: (TODAY + timedelta(days=days)).isoformat())


def _moments() -> st.SearchStrategy[str]:
    return _days().map(lambda day: f"{day}T18:00:00Z")


NAMES = st.sampled_from(["Atlas", "Borealis", "A#B", "100 %", "ゾ"])
CONTENTS = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["Draft", "Approved", "Deprecated", "Expired"]),
        "version": st.sampled_from(["0.1", "1.0", "1", "v2", "3.12", "final"]),
        "last_updated": st.integers(0, 400).map(lambda n: timestamp(BEGUN - timedelta(days=n))),
    },
    optional={
        "product_suite": NAMES,
        "product_concept": NAMES,
        "audience_role": st.sampled_from(["Seller", "Engineer"]),
        "lifecycle_stage": st.just("Sell"),
        "tags": st.lists(st.sampled_from(["pricing", "News", "x"]), max_size=3, unique=True),
        "review_due_date": st.one_of(_days(), st.just("soon")),
        "effective_date": st.one_of(_days(), st.just("someday")),
        "expiry_date": st.one_of(_days(), _moments(), st.just("never")),
        "expiry_policy": st.sampled_from(["soft_expire", "hard_expire"]),
        "s3_uri": st.just("s3://elsewhere/text.md"),
        "file_name": st.just("a.pdf"),
        "size_bytes": st.integers(0, 10**8),
    },
)


def _separates(row: dict[str, Any]) -> bool:
    return any("#" in row.get(name, "") for name in ("product_suite", "product_concept"))


async def _law(folder: Path, given_rows: list[dict[str, Any]]) -> None:
    with portal_in(folder) as portal:
        for number, row in enumerate(given_rows):
            write(portal, CONTENT.name, documented(f"c{number}", **row))
        dry = await adopt(portal, dry_run=True)
        report = await adopt(portal)
        assert dry.adopted == report.adopted
        assert not report.unreadable
        assert dry.refused == report.refused
        refused = {
            number for number in range(len(given_rows)) if any(f"=c{number}:" in each for each in report.refused)
        }
        assert len(refused) == len(report.refused)
        assert all(_separates(given_rows[number]) for number in refused), "only names that could be taken for two"
        expected = [number for number in range(len(given_rows)) if number not in refused]
        now, today = portal.clock.now(), TODAY.isoformat()
        for number in expected:
            before = documented(f"c{number}", **given_rows[number])
            stored = await portal.row(f"c{number}")
            kept = {name: value for name, value in before.items() if not name.startswith("GSI")}
            assert {name: stored.get(name) for name in kept} == kept, "nothing is lost"
            await _complete(portal, f"c{number}", now, today)
        owned = [each.content_id async for each in portal.kit.store.stream(schema.content_of_owner("carla"))]
        assert set(owned) >= {f"c{number}" for number in expected}
        after = rows(portal, CONTENT.name)
        assert (await adopt(portal)).adopted.total() == 0
        assert rows(portal, CONTENT.name) == after, "twice changes nothing"


async def _complete(portal: Portal, content_id: str, now: Any, today: str) -> None:
    content = await portal.service.changing.content(content_id)
    assert not content.stale()
    approved = content.status == "Approved"
    ends = expires_at(content.expiry_date)
    if approved and ends is not None:
        on = await portal.kit.store.page(schema.expiring_on(max(ends[:10], today)), limit=100)
        assert content_id in {each.content_id for each in on}
    else:
        assert content.expiry_day is None
    if approved and day_of(content.review_due_date):
        due = await portal.kit.store.page(schema.review_due("2099-12-31"), limit=100)
        assert content_id in {each.content_id for each in due}
    if approved:
        later = (day_of(content.effective_date) or "") > today
        assert (content.released_at is None) == later
        assert (content.due_key or "").startswith("release#") == later
        version: Version | None = await portal.kit.store.get(
            schema.version_of(content_id, max(major_of(content.version), 1))
        )
        assert (version is not None) == (content.major > 0)
    look: Content = (await portal.service.content.look(CARLA if content.status == "Draft" else ANNA, content_id))[0]
    assert look.content_id == content_id
    assert state_of(content, now) is not None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(given_rows=st.lists(CONTENTS, min_size=1, max_size=8))
def test_any_documented_rows_are_complete_after_they_were_adopted(given_rows: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_law(Path(folder), given_rows))


@pytest.mark.anyio
async def test_a_reader_sees_the_same_before_and_after(portal: Portal) -> None:
    write(portal, CONTENT.name, documented("c1"))
    before = await portal.service.content.look(VERA, "c1")
    await adopt(portal)
    after = await portal.service.content.look(VERA, "c1")
    assert before[1] == after[1]
    assert (date.fromisoformat(after[0].last_updated[:10]), after[0].version) == (date(2026, 1, 26), "1.0")
