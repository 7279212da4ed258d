"""The life cycle as a law: whatever people and the clock do, in any order."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_after, expires_at, major_of, today_of, version_number
from partita.apps.enablement.inputs import (
    Approval,
    ChangesRequest,
    ContentEdit,
    NewComment,
    Retirement,
    Submission,
    Validity,
)
from partita.apps.enablement.schema import Content, ContentChange, Proposal
from partita.apps.enablement.service.bookkeeping import due_steps
from partita.kit.permissions import Viewer
from partita.kit.problems import Problem
from partita.table.types import timestamp
from tests.apps.enablement.conftest import ADMIN, ANNA, CARL, CARLA, NOTE, VERA, portal_in

PEOPLE = st.sampled_from([CARLA, CARL, ANNA, ADMIN, VERA])
DAYS = st.integers(-2, 40)
MOVES = {
    ("Draft", "Draft"),
    ("Draft", "Approved"),
    ("Approved", "Approved"),
    ("Approved", "Deprecated"),
    ("Approved", "Expired"),
    ("Deprecated", "Approved"),
    ("Expired", "Draft"),
    *((status, status) for status in ("Deprecated", "Expired")),
}


class LifeCycle(RuleBasedStateMachine):
    """One content item in the hands of five people and the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.closing = ExitStack()
        folder = self.closing.enter_context(tempfile.TemporaryDirectory())
        self.portal = self.closing.enter_context(portal_in(Path(folder)))
        self.loop = asyncio.new_event_loop()
        self.content_id = ""
        self.transitions: list[tuple[str, str | None, str | None]] = []
        """Action, status and version after each write of the item that succeeded."""

    def teardown(self) -> None:
        self.loop.close()
        self.closing.close()

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    def content(self) -> Content:
        found: Content = self.do(self.portal.service.changing.content(self.content_id))
        return found

    def proposal(self) -> Proposal | None:
        found: Proposal | None = self.do(self.portal.service.changing.proposal(self.content_id))
        return found

    def attempt(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something; if it is refused, nothing has changed but what the clock should have done already."""
        before, entries = self.content(), len(self.history())
        try:
            self.do(work)
        except Problem:
            after = self.content()
            if after != before:
                assert (before.status, after.status) == ("Approved", "Expired")
                assert len(self.history()) == entries + 1
            else:
                assert len(self.history()) == entries
        else:
            assert len(self.history()) > entries

    def history(self) -> list[ContentChange]:
        async def entries() -> list[ContentChange]:
            return [each async for each in self.portal.kit.store.stream(schema.history_of(self.content_id))]

        found: list[ContentChange] = self.do(entries())
        return found[::-1]

    def day(self, days: int | None) -> str | None:
        return None if days is None else day_after(today_of(self.portal.clock.at), days)

    @initialize(days=st.none() | DAYS)
    def begin(self, days: int | None) -> None:
        self.content_id = self.do(self.portal.draft(product_suite="Atlas", expiry_date=self.day(days))).content_id

    @rule(who=PEOPLE, number=st.integers(0, 5), days=st.none() | DAYS)
    def edit(self, who: Viewer, number: int, days: int | None) -> None:
        edit = ContentEdit(title=f"Title {number}", expiry_date=self.day(days), text=f"Text {number}")
        self.attempt(self.portal.service.content.edit(who, self.content_id, edit))

    @rule(who=PEOPLE)
    def submit(self, who: Viewer) -> None:
        self.attempt(self.portal.service.lifecycle.submit(who, self.content_id, Submission(note=NOTE)))

    @rule(who=PEOPLE)
    def withdraw(self, who: Viewer) -> None:
        self.attempt(self.portal.service.lifecycle.withdraw(who, self.content_id))

    @rule(who=PEOPLE)
    def request_changes(self, who: Viewer) -> None:
        asked = ChangesRequest(comment="Please.")
        self.attempt(self.portal.service.lifecycle.request_changes(who, self.content_id, asked))

    @rule(who=st.sampled_from([ANNA, ADMIN]), days=st.none() | DAYS)
    def approve(self, who: Viewer, days: int | None) -> None:
        content, proposal = self.content(), self.proposal()
        current = content.version if content.status == "Draft" or proposal is None else proposal.version
        approval = Approval(version=current, release_on=self.day(days), note=NOTE)
        self.attempt(self.portal.service.lifecycle.approve(who, self.content_id, approval))

    @rule(who=PEOPLE, what=st.sampled_from(["confirm", "expire", "renew", "reinstate"]))
    def move(self, who: Viewer, what: str) -> None:
        verb: Callable[..., Coroutine[Any, Any, Any]] = getattr(self.portal.service.lifecycle, what)
        self.attempt(verb(who, self.content_id))

    @rule(who=PEOPLE)
    def retire(self, who: Viewer) -> None:
        self.attempt(self.portal.service.lifecycle.retire(who, self.content_id, Retirement(reason="Old.")))

    @rule(who=PEOPLE, days=DAYS, review=DAYS)
    def plan(self, who: Viewer, days: int, review: int) -> None:
        validity = Validity(expiry_date=self.day(days), review_due_date=self.day(review))
        self.attempt(self.portal.service.lifecycle.plan(who, self.content_id, validity))

    @rule(who=PEOPLE)
    def comment(self, who: Viewer) -> None:
        self.attempt(self.portal.service.history.comment(who, self.content_id, NewComment(comment="Well.")))

    @rule(who=PEOPLE)
    def discard(self, who: Viewer) -> None:
        self.attempt(self.portal.service.proposals.discard(who, self.content_id))

    @rule(days=st.integers(0, 20), hours=st.integers(0, 23))
    def time_passes(self, days: int, hours: int) -> None:
        self.portal.clock.at += timedelta(days=days, hours=hours)
        expired = self.do(self.portal.service.clock.expire_due())
        due = self.do(self.portal.service.clock.run_due())
        assert (expired["errors"], due["errors"]) == (0, 0)
        again = self.do(self.portal.service.clock.expire_due())
        assert again["expired"] == 0

    @invariant()
    def versions_are_given_once_and_the_history_equals_the_transitions(self) -> None:
        if not self.content_id:
            return
        content = self.content()
        written = [each for each in self.history() if each.to_version is not None]
        numbers = [version_number(str(each.to_version)) for each in written]
        assert numbers == sorted(set(numbers))
        assert str(numbers[-1]) == content.version
        assert written[-1].to_status == content.status
        for before, after in pairwise(written):
            assert after.from_status == before.to_status
            assert (after.from_status, after.to_status) in MOVES
            # A proposal counts the major up when the clock releases it, a draft when it was scheduled.
            grew = major_of(str(after.to_version)) - major_of(str(before.to_version))
            assert grew in (0, 1)
            assert grew == (after.action in ("approved", "scheduled")) or (after.action == "released" and grew)
        assert all(each.to_version is not None for each in self.history() if each.action in ("expired", "retired"))

    @invariant()
    def every_major_has_its_snapshot(self) -> None:
        if not self.content_id:
            return
        content = self.content()
        majors = tuple(range(1, content.major + 2))
        found = self.do(self.portal.kit.store.batch_get(schema.versions_of(self.content_id, majors).keys))
        assert [each is not None for each in found] == [True] * content.major + [False]

    @invariant()
    def the_row_has_the_keys_that_follow_from_it_and_no_others(self) -> None:
        if not self.content_id:
            return
        content, row = self.content(), self.do(self.portal.row(self.content_id))
        approved = content.status == "Approved"
        assert (row["GSI1PK"], row["GSI1SK"]) == (
            content.status,
            f"{content.status}#{content.last_updated}#{self.content_id}",
        )
        assert row["GSI2SK"] == f"{content.last_updated}#{self.content_id}"
        assert "GSI2PK" not in row
        assert row["status_suite"] == f"{content.status}#Atlas"
        ends = expires_at(content.expiry_date)
        assert row.get("expiry_key") == (f"{ends}#{self.content_id}" if approved and ends else None)
        assert ("expiry_day" in row) == ("expiry_key" in row)
        assert ("review_key" in row) == ("review_state" in row) == bool(approved and content.review_due_date)
        assert ("approval_key" in row) == ("approval_state" in row)
        assert (row.get("approval_state") == "scheduled") == (approved and content.released_at is None)
        assert ("due_day" in row) == ("due_key" in row)
        assert not row.get("due_key") or approved
        assert row.get("approval_state") not in ("waiting", "changes_requested") or content.status == "Draft"

    @invariant()
    def the_clock_is_never_behind(self) -> None:
        if not self.content_id:
            return
        content = self.content()
        today = today_of(self.portal.clock.at)
        future = sorted(due.key(self.content_id) for due in due_steps(content) if due.day > today)
        if future:
            assert content.due_key is not None
        proposal = self.proposal()
        if proposal is not None:
            assert (proposal.approval_state == "scheduled") == (proposal.due_key is not None)

    @invariant()
    def the_original_program_lists_it_under_its_status(self) -> None:
        if not self.content_id:
            return
        content = self.content()
        page = self.do(self.portal.kit.store.page(schema.content_with_status(content.status)))
        assert [each.content_id for each in page] == [self.content_id]
        assert content.last_updated <= timestamp(self.portal.clock.at)


LifeCycle.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestLifeCycle = LifeCycle.TestCase
