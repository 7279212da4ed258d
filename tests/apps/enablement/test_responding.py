"""What readers add: votes, reports, and what they have read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import Approval, MustReadRequest, NewReport, ReportAnswer, Retirement, VoteInput
from partita.apps.enablement.permissions import VIEWER
from partita.apps.enablement.schema import Vote
from partita.apps.enablement.service.reports import public_id
from partita.apps.enablement.system import build
from partita.kit.permissions import Policy, Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from tests.apps.enablement.conftest import ADMIN, ANNA, CARL, CARLA, VERA, Portal, portal_in
from tests.apps.house import BAD_WEATHER, jobs_of, person, worker_of

pytestmark = pytest.mark.anyio

YES, NO = VoteInput(helped=True), VoteInput(helped=False)
REPORT = NewReport(text="The price on page 3 is from last year.")
ANSWER = ReportAnswer(answer="Thank you: mended.")


class TestVotes:
    async def test_one_vote_per_person_and_the_last_word_counts(self, portal: Portal) -> None:
        content = await portal.released()
        for viewer, vote in ((VERA, YES), (VERA, YES), (ANNA, YES), (VERA, NO), (CARL, NO)):
            await portal.service.votes.vote(viewer, content.content_id, vote)
        stats = await portal.kit.store.get(schema.stats(content.content_id))
        assert stats is not None
        assert (stats.helped, stats.not_helped) == (1, 2)
        mine = await portal.service.votes.mine(VERA, content.content_id)
        assert mine is not None
        assert (mine.helped, mine.about_major) == (False, 1)

    @pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
    async def test_totals_equal_the_votes_of_many_at_once(self, tmp_path: Path, weather: Any) -> None:
        with portal_in(tmp_path, faults=weather) as portal:
            content = await portal.released()
            voters = [person(f"v{number % 6}", "enablement:content:read") for number in range(24)]
            await asyncio.gather(
                *(
                    portal.service.votes.vote(voter, content.content_id, YES if number % 3 else NO)
                    for number, voter in enumerate(voters)
                ),
                worker_of(portal.kit, build(portal.kit)).drain(),
            )
            votes = [each async for each in portal.kit.store.scan_whole_table(Vote)]
            stats = await portal.kit.store.get(schema.stats(content.content_id))
            assert stats is not None
            assert len(votes) == 6
            assert (stats.helped, stats.helped + stats.not_helped) == (sum(each.helped for each in votes), 6)

    async def test_nobody_votes_on_what_they_do_not_see(self, portal: Portal) -> None:
        draft = await portal.draft()
        with pytest.raises(NotFound):
            await portal.service.votes.vote(VERA, draft.content_id, YES)
        with pytest.raises(Conflict):
            await portal.service.votes.vote(ANNA, draft.content_id, YES)


class TestReports:
    async def test_a_report_is_open_until_owner_or_approver_answers_it(self, portal: Portal) -> None:
        content = await portal.released()
        report = await portal.service.reports.add(VERA, content.content_id, REPORT)
        assert [each.report for each in await portal.service.reports.queue(ANNA)] == [report]
        assert await portal.service.reports.open_of(CARLA, content.content_id) == (report,)
        for stranger in (VERA, CARL):
            with pytest.raises(Forbidden):
                await portal.service.reports.close(stranger, public_id(report), ANSWER)
        closed = await portal.service.reports.close(CARLA, public_id(report), ANSWER)
        assert (closed.answer, closed.closed_by) == (ANSWER.answer, CARLA.id)
        assert (await portal.service.reports.queue(ANNA)).items == ()
        with pytest.raises(Conflict):
            await portal.service.reports.close(ANNA, public_id(report), ANSWER)

    async def test_the_history_tells_of_it(self, portal: Portal) -> None:
        content = await portal.released()
        report = await portal.service.reports.add(VERA, content.content_id, REPORT)
        await portal.service.reports.close(ANNA, public_id(report), ANSWER)
        closed, reported, *_ = await portal.service.history.entries(CARLA, content.content_id)
        assert (reported.action, reported.change_id, reported.changed_by) == ("reported", report.report_id, VERA.id)
        assert (closed.action, closed.comment) == ("report_closed", ANSWER.answer)

    async def test_of_many_answers_one_is_kept(self, portal: Portal) -> None:
        content = await portal.released()
        report = await portal.service.reports.add(VERA, content.content_id, REPORT)
        answers = [
            portal.service.reports.close(who, public_id(report), ANSWER)
            for who in (ANNA, CARLA, ADMIN)
            for _ in range(4)
        ]
        results = await asyncio.gather(*answers, return_exceptions=True)
        assert sum(not isinstance(result, Exception) for result in results) == 1
        assert {type(result) for result in results if isinstance(result, Exception)} == {Conflict}

    @pytest.mark.parametrize("wrong", ["", "x", "x.", ".y", "a.b.c", "x#y.z"])
    async def test_a_report_that_is_not_there_is_not_found(self, portal: Portal, wrong: str) -> None:
        with pytest.raises(NotFound):
            await portal.service.reports.close(ADMIN, wrong, ANSWER)

    async def test_only_approvers_see_all_reports(self, portal: Portal) -> None:
        for viewer in (VERA, CARLA):
            with pytest.raises(Forbidden):
                await portal.service.reports.queue(viewer)


class _Groups:
    """A source of groups, as fus is one."""

    def __init__(self, members: dict[str, list[str]]) -> None:
        self.members = members

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        return frozenset()

    async def reasons_for(self, user_id: str) -> list[Any]:
        return []

    async def holders(self, permission: str) -> list[str]:
        return []

    async def members_of(self, group: str) -> list[str] | None:
        return self.members.get(group)

    async def groups_named(self, start: str, limit: int) -> list[str]:
        return [each for each in self.members if each.startswith(start)][:limit]


@pytest.fixture
async def people(portal: Portal) -> dict[str, Viewer]:
    """Accounts: vera, mara and ole; mara and ole are in the group sales."""
    found: dict[str, Viewer] = {}
    for name in ("vera", "mara", "ole"):
        made = await portal.kit.accounts.registration.create(
            name, f"{name}@example.org", name.title(), "a-long-password-1"
        )
        found[name] = Viewer(user_id=made.user_id, username=name, name=name, permissions=VIEWER, via="session")
    policy = Policy(labels={}, roles={}, members=VIEWER)
    portal.kit.accounts.use(policy, (_Groups({"sales": [found["ole"].id, found["mara"].id], "none": []}),))
    return found


def asked(*usernames: str, groups: tuple[str, ...] = (), read_by: str = "2026-03-20") -> MustReadRequest:
    return MustReadRequest(read_by=read_by, usernames=usernames, groups=groups)


async def _to_read(portal: Portal, viewer: Viewer) -> list[str]:
    return [each.content.content_id for each in await portal.service.reading.mine(viewer)]


class TestReading:
    async def test_people_and_groups_are_asked_and_one_click_confirms(
        self, portal: Portal, people: dict[str, Viewer]
    ) -> None:
        content = await portal.released()
        content_id = content.content_id
        after = await portal.service.reading.ask(ANNA, content_id, asked("vera", groups=("sales",)))
        assert (after.must_read_by, after.last_updated) == ("2026-03-20", content.last_updated)
        for viewer in people.values():
            assert await _to_read(portal, viewer) == [content_id]
        row = await portal.service.reading.confirm(people["mara"], content_id)
        assert row.confirmed_major == 1
        assert await _to_read(portal, people["mara"]) == []
        assert [each.content.content_id for each in await portal.service.reading.confirmed(people["mara"])] == [
            content_id
        ]
        report = await portal.service.reading.readers(CARLA, content_id)
        assert (len(report.confirmed), report.total) == (1, 3)
        assert {each.reader for each in report.missing} == {people["vera"].id, people["ole"].id}

    async def test_the_most_urgent_comes_first(self, portal: Portal, people: dict[str, Viewer]) -> None:
        late, soon = await portal.released("Late"), await portal.released("Soon")
        await portal.service.reading.ask(ANNA, late.content_id, asked("vera", read_by="2026-04-20"))
        await portal.service.reading.ask(ANNA, soon.content_id, asked("vera", read_by="2026-03-05"))
        assert await _to_read(portal, people["vera"]) == [soon.content_id, late.content_id]

    async def test_every_wrong_name_is_told(self, portal: Portal, people: dict[str, Viewer]) -> None:
        content = await portal.released()
        with pytest.raises(Invalid) as refused:
            await portal.service.reading.ask(ANNA, content.content_id, asked("nobody", "vera", groups=("sales", "x")))
        assert [each.field for each in refused.value.errors] == ["usernames.0", "groups.1"]
        for request in (asked(groups=("none",)), asked("vera", read_by="2026-03-01")):
            with pytest.raises(Invalid):
                await portal.service.reading.ask(ANNA, content.content_id, request)
        assert (await portal.service.reading.readers(ANNA, content.content_id)).total == 0

    async def test_only_approvers_ask_and_readers_do_not_see_who_has_read(
        self, portal: Portal, people: dict[str, Viewer]
    ) -> None:
        content, draft = await portal.released(), await portal.draft()
        for viewer in (CARLA, people["vera"]):
            with pytest.raises(Forbidden):
                await portal.service.reading.ask(viewer, content.content_id, asked("vera"))
        with pytest.raises(Forbidden):
            await portal.service.reading.readers(people["vera"], content.content_id)
        with pytest.raises(NotFound):
            await portal.service.reading.confirm(people["vera"], draft.content_id)

    async def test_reminding_is_once_a_day(self, portal: Portal, people: dict[str, Viewer]) -> None:
        content_id = (await portal.released()).content_id
        await portal.service.reading.ask(ANNA, content_id, asked("vera", "ole"))
        await portal.service.reading.confirm(people["ole"], content_id)
        reminders = await asyncio.gather(
            *(portal.service.reading.remind(ANNA, content_id) for _ in range(8)), return_exceptions=True
        )
        assert [each for each in reminders if not isinstance(each, Exception)] == [1]
        assert (await portal.service.reading.readers(ANNA, content_id)).reminded_today
        portal.clock.on(days=1)
        assert not (await portal.service.reading.readers(ANNA, content_id)).reminded_today
        assert await portal.service.reading.remind(ANNA, content_id) == 1
        await portal.service.reading.confirm(people["vera"], content_id)
        with pytest.raises(Conflict, match="Everybody has read"):
            await portal.service.reading.remind(ANNA, content_id)

    async def test_asking_no_more_keeps_what_was_confirmed(self, portal: Portal, people: dict[str, Viewer]) -> None:
        content_id = (await portal.released()).content_id
        await portal.service.reading.ask(ANNA, content_id, asked("vera", "ole"))
        await portal.service.reading.confirm(people["ole"], content_id)
        after = await portal.service.reading.withdraw(ANNA, content_id)
        assert after.must_read_by is None
        report = await portal.service.reading.readers(ANNA, content_id)
        assert ([each.reader for each in report.confirmed], report.missing) == ([people["ole"].id], ())
        assert await _to_read(portal, people["vera"]) == []
        with pytest.raises(Conflict):
            await portal.service.reading.withdraw(ANNA, content_id)

    @pytest.mark.parametrize("again", [True, False])
    async def test_a_new_version_asks_again_only_if_the_approver_says_so(
        self, portal: Portal, people: dict[str, Viewer], again: bool
    ) -> None:
        content_id = (await portal.released()).content_id
        await portal.service.reading.ask(ANNA, content_id, asked("vera", "ole"))
        await portal.service.reading.confirm(people["vera"], content_id)
        portal.clock.to("2026-03-19")
        proposal = await portal.proposed(content_id)
        approval = Approval(version=proposal.version, ask_again=again)
        await portal.service.lifecycle.approve(ANNA, content_id, approval)
        system = build(portal.kit)
        jobs = jobs_of(portal.kit, system)
        for _ in range(2):
            await worker_of(portal.kit, system).drain()
            await jobs.drain()
        assert await _to_read(portal, people["vera"]) == ([content_id] if again else [])
        content = await portal.service.changing.content(content_id)
        assert content.must_read_by == ("2026-04-02" if again else "2026-03-20")
        row = await portal.service.reading.confirm(people["vera"], content_id)
        assert row.confirmed_major == 2

    async def test_whoever_was_not_asked_may_confirm_and_is_counted_apart(
        self, portal: Portal, people: dict[str, Viewer]
    ) -> None:
        content_id = (await portal.released()).content_id
        await portal.service.reading.confirm(people["vera"], content_id)
        report = await portal.service.reading.readers(ANNA, content_id)
        assert (report.total, [each.reader for each in report.unasked]) == (0, [people["vera"].id])
        await portal.service.reading.ask(ANNA, content_id, asked("vera"))
        report = await portal.service.reading.readers(ANNA, content_id)
        assert (len(report.confirmed), report.total) == (1, 1)

    async def test_what_is_no_longer_there_to_read_leaves_the_list(
        self, portal: Portal, people: dict[str, Viewer]
    ) -> None:
        content_id = (await portal.released()).content_id
        await portal.service.reading.ask(ANNA, content_id, asked("vera"))
        await portal.service.lifecycle.retire(ANNA, content_id, Retirement(reason="Old."))
        assert await _to_read(portal, people["vera"]) == []
