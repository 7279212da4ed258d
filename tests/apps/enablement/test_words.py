"""Sentences with a time in them read right for every age: just now, 3 minutes ago, 5 days ago, 26 Jan 2026."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.enablement import system
from partita.apps.enablement.schema import Content
from partita.table import Update
from partita.web.templates import ago
from tests.apps.enablement.served import ServedPortal

pytestmark = pytest.mark.anyio
TEMPLATES = sorted((Path(system.__file__).parent / "templates").glob("**/*.html"))
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
_FORMS = r"(just now|[1-9]\d* (minute|hour|day)s? ago|\d{1,2} [A-Z][a-z]{2} \d{4})"
_NOT_BEFORE_AN_AGE = {"since", "for", "until", "by", "at", "on", "from", "before", "after", "in", "it", "read"}
"""“Since 3 days ago” and “on just now” are no English."""


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 400 * 86_400))
def test_an_age_is_told_in_one_of_three_forms(seconds: int) -> None:
    assert re.fullmatch(_FORMS, re.sub(r"<[^>]*>", "", ago((NOW - timedelta(seconds=seconds)).isoformat(), NOW)))


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_no_word_before_an_age_is_wrong_for_one_of_them(file: Path) -> None:
    text = re.sub(r"<[^>]*>", " ", file.read_text())
    before = re.findall(r"(\w+)\s*\{\{[^}]*\|ago\b", text)
    assert not {word.lower() for word in before} & _NOT_BEFORE_AN_AGE


async def test_what_waits_says_for_every_age_when_it_was_submitted(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor", "Carla"), await served.person("approver", "Anna")
    waiting = await served.draft(carla)
    path = f"/enablement/content/{waiting.content_id}"
    await carla.api("POST", f"/content/{waiting.content_id}/submit", {})
    row = await served.service.changing.content(waiting.content_id)
    for days, words in ((0, "just now"), (0.01, "14 minutes ago"), (2, "2 days ago"), (60, r"\d+ \w+ \d{4}")):
        at = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        moved = Update(row.own_key, Content.submitted_at.set(at)).knowing(Content.approval_state("waiting"))
        await served.kit.store.write(moved)
        for who, page, begin in (
            (carla, path, "It waits for approval: submitted"),
            (carla, "/enablement/mine", "submitted"),
            (anna, "/enablement/queue", "submitted"),
        ):
            shown = re.sub(r"<[^>]*>", "", (await who.get(page)).text)
            assert re.search(rf"{begin} {words}", shown), (page, days)
