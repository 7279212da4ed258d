"""The demo is what the specification says: counts, states, people, files with text in them, and quickly filled."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.demo import fill
from partita.apps.enablement.demo.documents import file_of
from partita.apps.enablement.demo.stage import entries
from partita.apps.enablement.formats import today_of
from partita.apps.enablement.permissions import State
from partita.apps.enablement.schema import Collection, Content, Event, Import, MustRead, Proposal, Report, Version, Vote
from partita.apps.enablement.service.access import state_of
from partita.kit.files.content import DOCX, PDF, PNG, kind_of
from partita.kit.kit import Kit
from partita.kit.previews.texts import text_in
from tests.apps.demo_data import demo_text, reaches_nobody
from tests.apps.enablement.conftest import TABLES, with_roles
from tests.apps.house import kit_on

ITEMS = entries("content")
"""All but the three drafts that an import makes."""
FILES = [entry for entry in ITEMS if entry["kind"] != "text"]
LONGEST_SECONDS = 20


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A portal with the demo; filled once for all of these tests."""
    folder: Path = tmp_path_factory.mktemp("demo")
    with kit_on(folder, *TABLES) as kit:
        with_roles(kit)
        begun = time.monotonic()
        report = asyncio.run(fill(kit))
        yield kit, report, time.monotonic() - begun


async def _all(kit: Kit, *types: Any) -> AsyncIterator[Any]:
    async for row in kit.store.scan_whole_table(*types):
        yield row


@pytest.mark.anyio
async def test_there_are_62_items_in_the_states_that_the_specification_names(filled: tuple[Kit, str, float]) -> None:
    kit = filled[0]
    now = kit.clock.now()
    items: list[Content] = [each async for each in _all(kit, Content)]
    drafts = Counter(each.approval_state for each in items if each.status == "Draft")
    assert len(items) == 62
    assert Counter(state_of(each, now) for each in items) == {
        State.RELEASED: 40,
        State.SCHEDULED: 3,
        State.SOFT_EXPIRED: 5,
        State.HARD_EXPIRED: 2,
        State.RETIRED: 4,
        State.DRAFT: 8,
    }
    assert drafts == {"waiting": 3, "changes_requested": 2, None: 3}
    released = [each for each in items if state_of(each, now) is State.RELEASED]
    assert Counter(each.content_type for each in released) == {None: 15, PDF: 14, "text/csv": 4, PNG: 5, DOCX: 2}
    assert sum((each.review_due_date or "9") < today_of(now) for each in released) == 6
    assert all(each.superseded_by for each in items if each.status == "Deprecated")
    proposals = [each async for each in _all(kit, Proposal)]
    assert [each.approval_state for each in proposals] == ["waiting", "waiting"]


@pytest.mark.anyio
async def test_every_item_has_a_history_that_ends_before_now(filled: tuple[Kit, str, float]) -> None:
    kit = filled[0]
    for content in [each async for each in _all(kit, Content)]:
        history = [each async for each in kit.store.stream(schema.history_of(content.content_id))]
        moments = [each.changed_at for each in reversed(history)]
        assert moments
        assert all(earlier < later for earlier, later in pairwise(moments)), content.title
        assert history[-1].action == "created"
        assert all(each.changed_at <= kit.clock.now().isoformat() for each in history)


@pytest.mark.anyio
async def test_the_import_has_three_bad_rows(filled: tuple[Kit, str, float]) -> None:
    imports: list[Import] = [each async for each in _all(filled[0], Import)]
    assert [(each.state, each.row_count, each.bad_rows, each.done_rows) for each in imports] == [("done", 6, 3, 3)]


@pytest.mark.anyio
async def test_filling_it_is_quick_and_happens_once(filled: tuple[Kit, str, float]) -> None:
    kit, report, seconds = filled
    assert seconds < LONGEST_SECONDS
    assert "Sign in as greta" in report
    assert "nothing added" in await fill(kit)


@pytest.mark.anyio
async def test_everybody_has_their_role_and_one_has_left(filled: tuple[Kit, str, float]) -> None:
    kit = filled[0]
    people = entries("people")
    assert len(people) == 12
    assert Counter(entry["role"] for entry in people if not entry.get("left")) == {
        "admin": 1,
        "approver": 2,
        "contributor": 3,
        "viewer": 5,
    }
    for entry in people:
        assert reaches_nobody(entry["email"])
        account = await kit.accounts.people.by_username(entry["username"])
        assert account is not None
        assert account.suspended == bool(entry.get("left"))
        assert account.roles == (frozenset() if entry["role"] == "viewer" else {f"enablement:{entry['role']}"})


def test_suites_and_concepts_are_those_of_the_list_and_one_suite_is_empty() -> None:
    suites = {suite["name"]: suite["concepts"] for suite in entries("products")["suites"]}
    assert (len(suites), sum(map(len, suites.values()))) == (4, 14)
    assert all(entry["concept"] in suites[entry["suite"]] for entry in ITEMS)
    assert suites.keys() - {entry["suite"] for entry in ITEMS} == {"Aqua Polaris"}


def test_titles_are_hard_to_lay_out() -> None:
    titles = [entry["title"] for entry in ITEMS]
    assert len(set(titles)) == len(titles)
    assert max(map(len, titles)) == 180
    assert sum(any("\u0600" <= letter <= "\u06ff" for letter in title) for title in titles) == 1
    assert sum(any("\u3040" <= letter <= "\u30ff" for letter in title) for title in titles) == 1
    assert max(len(entry["fileName"]) for entry in FILES) > 150


def test_pdfs_have_3_to_18_pages() -> None:
    pages = {}
    for entry in FILES:
        if entry["kind"] in ("pdf", "slides"):
            with pdfium.PdfDocument(file_of(entry["kind"], entry["title"], entry["body"])[0]) as document:
                pages[entry["key"]] = len(document)
    assert len(pages) == 14
    assert (min(pages.values()), max(pages.values())) == (3, 18)
    assert sum(entry["kind"] == "slides" for entry in FILES) == 6


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry["key"])
def test_a_file_is_what_it_says(entry: dict[str, Any]) -> None:
    data, content_type = file_of(entry["kind"], entry["title"], entry["body"])
    assert kind_of(data) == content_type
    assert file_of(entry["kind"], entry["title"], entry["body"])[0] == data, "the same file each time"


@pytest.mark.anyio
@pytest.mark.parametrize("key", ["lumen-manual", "slides-tara", "word-sop"])
async def test_search_can_find_what_is_in_a_file(key: str) -> None:
    entry = next(each for each in FILES if each["key"] == key)
    found = " ".join((await text_in(file_of(entry["kind"], entry["title"], entry["body"])[0])).plain.split())
    for heading in [line[2:] for line in entry["body"].split("\n") if line.startswith("# ")]:
        assert heading in found


@pytest.mark.parametrize("name", ["people", "products", "content", "import", "collections", "reports", "searches"])
def test_a_file_reads_well_as_a_diff(name: str) -> None:
    text = demo_text("enablement", f"{name}.json")
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"


def test_what_refers_to_content_names_content_that_is_there() -> None:
    keys = {entry["key"] for entry in ITEMS}
    people = {entry["username"] for entry in entries("people")}
    collections, reports = entries("collections"), entries("reports")
    assert {each["content"] for each in reports} <= keys
    assert {each["content"] for collection in collections for each in collection["entries"]} <= keys
    assert {each["by"] for each in (*reports, *collections)} <= people
    assert {entry["replacement"] for entry in ITEMS if "replacement" in entry} <= keys
    assert (len(collections), len(reports), len(set(entries("searches")))) == (3, 6, 25)
    assert sum(bool(entry.get("mustRead")) for entry in ITEMS) == 2


# Readers


@pytest.mark.anyio
async def test_two_must_reads_are_confirmed_by_half(filled: tuple[Kit, str, float]) -> None:
    rows: list[MustRead] = [each async for each in _all(filled[0], MustRead)]
    assert sorted(Counter(each.of_content for each in rows).values()) == [6, 6]
    for content_id in {each.of_content for each in rows}:
        confirmed = [each.confirmed_at is not None for each in rows if each.of_content == content_id]
        assert sum(confirmed) == 3


@pytest.mark.anyio
async def test_there_are_three_collections_and_six_reports_of_which_two_are_answered(
    filled: tuple[Kit, str, float],
) -> None:
    kit = filled[0]
    assert len([each async for each in _all(kit, Collection)]) == 3
    reports: list[Report] = [each async for each in _all(kit, Report)]
    assert Counter(each.closed_at is None for each in reports) == {True: 4, False: 2}
    assert len([each async for each in _all(kit, Vote)]) > 40


@pytest.mark.anyio
async def test_there_are_ninety_days_of_events_with_quiet_weekends_and_25_searches_in_vain(
    filled: tuple[Kit, str, float],
) -> None:
    kit = filled[0]
    events: list[Event] = [each async for each in _all(kit, Event)]
    released = {(each.of_content, each.major): each.approved_at async for each in _all(kit, Version)}
    days = Counter(each.date_bucket for each in events)
    weekends = [days[day] for day in days if date.fromisoformat(day).weekday() >= 5]
    workdays = [days[day] for day in days if date.fromisoformat(day).weekday() < 5]
    assert len(workdays) >= 60
    assert (date.fromisoformat(max(days)) - date.fromisoformat(min(days))).days >= 85
    assert sum(weekends) / 26 < sum(workdays) / 64 / 3
    assert sum(each.event_name == "search_done" and (each.metadata or {}).get("results") == 0 for each in events) == 25
    used = [each for each in events if each.content_id is not None]
    assert all(each.timestamp >= released[each.content_id, (each.metadata or {})["major"]] for each in used)
    assert len({(each.metadata or {})["major"] for each in used}) == 2
