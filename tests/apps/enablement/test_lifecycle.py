"""From draft to release and beyond: each step as the specification says it, and what each writes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import (
    Approval,
    ChangesRequest,
    ContentEdit,
    NewComment,
    NewContent,
    Reason,
    Retirement,
    Submission,
    Transfer,
    Validity,
)
from partita.apps.enablement.schema import Content, Proposal
from partita.apps.enablement.service.access import visible_to
from partita.apps.enablement.service.content import ContentExists
from partita.apps.enablement.service.history import words_between
from partita.apps.enablement.system import build
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from partita.kit.suite import policy_of
from partita.table import Put, Update
from tests.apps.enablement.conftest import ADMIN, ANNA, ARNO, CARL, CARLA, NOTE, VERA, Portal
from tests.apps.house import person

pytestmark = pytest.mark.anyio


async def _actions(portal: Portal, content_id: str) -> list[str]:
    """What the history tells, oldest first."""
    return [entry.action async for entry in portal.kit.store.stream(schema.history_of(content_id))][::-1]


async def test_a_draft_is_written_submitted_and_released(portal: Portal) -> None:
    draft = await portal.draft(product_suite="Atlas", product_concept="Pricing", tags=("Price",))
    assert (draft.status, draft.version, draft.approval_state) == ("Draft", "0.1", None)
    waiting = await portal.service.lifecycle.submit(CARLA, draft.content_id, Submission())
    assert (waiting.version, waiting.approval_state) == ("0.2", "waiting")
    released = await portal.service.lifecycle.approve(ANNA, draft.content_id, Approval(version="0.2"))
    assert (released.status, released.version, released.approval_state) == ("Approved", "1.0", None)
    assert released.released_at == released.last_updated
    assert await _actions(portal, draft.content_id) == ["created", "submitted", "approved"]
    assert visible_to(VERA, released, portal.clock.now()).page == "whole"


async def test_what_is_written_is_what_the_original_program_reads(portal: Portal) -> None:
    released = await portal.released(product_suite="Atlas", product_concept="Pricing")
    row = await portal.row(released.content_id)
    updated = released.last_updated
    assert row["GSI1PK"] == row["status"] == "Approved"
    assert row["GSI1SK"] == f"Approved#{updated}#{released.content_id}"
    assert (row["GSI2PK"], row["GSI2SK"]) == ("Atlas#Pricing", f"{updated}#{released.content_id}")
    assert row["s3_uri"].startswith("s3://local/enablement/texts/")
    assert await portal.service.content.text(released) == "# Prices\n\nAtlas costs 100."


async def test_submitting_names_everything_that_is_missing(portal: Portal) -> None:
    empty = await portal.service.content.create(CARLA, NewContent(title="T"))
    with pytest.raises(Invalid) as refused:
        await portal.service.lifecycle.submit(CARLA, empty.content_id, Submission())
    assert {error.field for error in refused.value.errors} == {"summary", "text"}


async def test_submitting_twice_or_withdrawing_what_was_not_submitted_is_a_conflict(portal: Portal) -> None:
    waiting = await portal.waiting()
    with pytest.raises(Conflict):
        await portal.service.lifecycle.submit(CARLA, waiting.content_id, Submission())
    back = await portal.service.lifecycle.withdraw(CARLA, waiting.content_id)
    assert back.approval_state is None
    with pytest.raises(Conflict):
        await portal.service.lifecycle.withdraw(CARLA, waiting.content_id)


async def test_an_import_that_is_resumed_makes_no_second_draft(portal: Portal) -> None:
    file = {"file_name": "a.pdf", "content_type": "application/pdf", "size_bytes": 3, "s3_bucket": "local"}
    file |= {"s3_key": "enablement/files/a.pdf", "uploaded_at": "2026-03-02T00:00:00Z"}
    new = NewContent(title="T", summary="S")
    made = await portal.service.content.create(CARLA, new, content_id="i1-7", file=file)
    assert (made.content_id, made.file_name, made.size_bytes) == ("i1-7", "a.pdf", 3)
    with pytest.raises(ContentExists):
        await portal.service.content.create(CARLA, new, content_id="i1-7", file=file)
    assert await _actions(portal, "i1-7") == ["created"]
    waiting = await portal.service.lifecycle.submit(CARLA, "i1-7", Submission())
    assert waiting.approval_state == "waiting"


class TestFourEyes:
    async def test_nobody_approves_what_they_own(self, portal: Portal) -> None:
        mine = await portal.service.content.create(ANNA, NewContent(title="T"))
        with pytest.raises(Forbidden, match="your own work"):
            await portal.service.lifecycle.approve(ANNA, mine.content_id, Approval(version="0.1"))
        approved = await portal.service.lifecycle.approve(ARNO, mine.content_id, Approval(version="0.1"))
        assert approved.version == "1.0"

    async def test_nobody_approves_what_they_changed_last_even_if_they_gave_it_away(self, portal: Portal) -> None:
        draft = await portal.draft()
        given = draft.with_(Content.changed_by("anna"))
        await portal.kit.store.write(Put(given))
        with pytest.raises(Forbidden, match="your own work"):
            await portal.service.lifecycle.approve(ANNA, draft.content_id, Approval(version="0.1"))

    async def test_administrators_may_approve_their_own_work(self, portal: Portal) -> None:
        mine = await portal.service.content.create(ADMIN, NewContent(title="T"))
        assert (await portal.service.lifecycle.approve(ADMIN, mine.content_id, Approval(version="0.1"))).major == 1


class TestDecisions:
    async def test_an_approval_of_what_has_changed_meanwhile_is_refused(self, portal: Portal) -> None:
        waiting = await portal.waiting()
        await portal.service.content.edit(CARLA, waiting.content_id, ContentEdit(summary="Other prices."))
        with pytest.raises(Conflict, match=r"version 0\.3 now"):
            await portal.service.lifecycle.approve(ANNA, waiting.content_id, Approval(version=waiting.version))

    async def test_changes_are_requested_with_a_comment_and_submitted_again(self, portal: Portal) -> None:
        waiting = await portal.waiting()
        asked = ChangesRequest(comment="Add the prices of next year.")
        back = await portal.service.lifecycle.request_changes(ANNA, waiting.content_id, asked)
        assert back.approval_state == "changes_requested"
        again = await portal.service.lifecycle.submit(CARLA, waiting.content_id, Submission())
        assert again.approval_state == "waiting"
        entries = (await portal.service.history.entries(CARLA, waiting.content_id)).items
        assert [entry.comment for entry in entries if entry.action == "changes_requested"] == [asked.comment]

    async def test_the_queue_has_the_longest_waiting_first(self, portal: Portal) -> None:
        first = await portal.released("First")
        waiting = await portal.waiting("Second")
        await portal.proposed(first.content_id)
        queue = (await portal.kit.store.page(schema.in_approval("waiting"))).items
        assert [type(item) for item in queue] == [Content, Proposal]
        assert queue[0].own_key == waiting.own_key

    async def test_approved_for_a_day_it_is_scheduled_and_invisible_until_the_clock_releases_it(
        self, portal: Portal
    ) -> None:
        waiting = await portal.waiting()
        approval = Approval(version=waiting.version, release_on="2026-03-09")
        scheduled = await portal.service.lifecycle.approve(ANNA, waiting.content_id, approval)
        assert (scheduled.status, scheduled.approval_state, scheduled.released_at) == ("Approved", "scheduled", None)
        assert (scheduled.due_day, scheduled.version) == ("2026-03-09", "1.0")
        assert visible_to(VERA, scheduled, portal.clock.now()).page == "none"
        portal.clock.to("2026-03-09", hour=0)
        assert (await portal.service.clock.run_due())["done"] == 1
        released = await portal.service.changing.content(waiting.content_id)
        assert (released.approval_state, released.version) == (None, "1.1")
        assert released.released_at == released.last_updated >= "2026-03-09"
        assert visible_to(VERA, released, portal.clock.now()).page == "whole"

    async def test_what_is_over_already_is_not_released(self, portal: Portal) -> None:
        waiting = await portal.waiting(expiry_date="2026-03-01")
        with pytest.raises(Invalid, match="last valid day"):
            await portal.service.lifecycle.approve(ANNA, waiting.content_id, Approval(version=waiting.version))


class TestProposals:
    async def test_readers_keep_what_is_released_until_a_change_is_approved(self, portal: Portal) -> None:
        released = await portal.released()
        proposal = await portal.proposed(released.content_id, title="New title", text="New text.")
        kept = await portal.service.changing.content(released.content_id)
        assert kept == released
        merged = await portal.service.lifecycle.approve(ANNA, released.content_id, Approval(version=proposal.version))
        assert (merged.title, merged.version, merged.change_note) == ("New title", "2.0", NOTE)
        assert await portal.service.content.text(merged) == "New text."
        assert await portal.service.changing.proposal(released.content_id) is None
        versions = await portal.service.history.versions(CARLA, released.content_id)
        assert [(each.major, each.fields.title) for each in versions] == [(2, "New title"), (1, released.title)]

    async def test_from_the_second_version_on_a_note_for_readers_is_needed(self, portal: Portal) -> None:
        released = await portal.released()
        await portal.service.content.edit(CARLA, released.content_id, ContentEdit(summary="New."))
        with pytest.raises(Invalid) as refused:
            await portal.service.lifecycle.submit(CARLA, released.content_id, Submission())
        assert [error.field for error in refused.value.errors] == ["note"]

    async def test_what_changes_meanwhile_beside_the_proposal_stays(self, portal: Portal) -> None:
        released = await portal.released()
        proposal = await portal.proposed(released.content_id, title="New title")
        confirmed = await portal.service.lifecycle.confirm(CARLA, released.content_id)
        planned = await portal.service.lifecycle.plan(ANNA, released.content_id, Validity(expiry_date="2027-01-01"))
        merged = await portal.service.lifecycle.approve(ANNA, released.content_id, Approval(version=proposal.version))
        assert (merged.review_due_date, merged.expiry_date) == (confirmed.review_due_date, planned.expiry_date)

    async def test_a_scheduled_proposal_is_merged_by_the_clock(self, portal: Portal) -> None:
        released = await portal.released()
        proposal = await portal.proposed(released.content_id, title="New title")
        approval = Approval(version=proposal.version, release_on="2026-03-09")
        same = await portal.service.lifecycle.approve(ANNA, released.content_id, approval)
        assert same == released
        portal.clock.to("2026-03-08")
        await portal.service.clock.run_due()
        assert (await portal.service.changing.content(released.content_id)).title == released.title
        portal.clock.to("2026-03-09", hour=1)
        await portal.service.clock.run_due()
        merged = await portal.service.changing.content(released.content_id)
        assert (merged.title, merged.version) == ("New title", "2.0")
        (latest, _) = await portal.service.history.versions(CARLA, released.content_id)
        assert latest.approved_by == "anna"

    async def test_a_scheduled_proposal_that_is_edited_must_be_approved_again(self, portal: Portal) -> None:
        released = await portal.released()
        proposal = await portal.proposed(released.content_id, title="New title")
        approval = Approval(version=proposal.version, release_on="2026-03-09")
        await portal.service.lifecycle.approve(ANNA, released.content_id, approval)
        await portal.service.content.edit(CARLA, released.content_id, ContentEdit(title="Something else"))
        portal.clock.to("2026-03-10")
        await portal.service.clock.run_due()
        assert (await portal.service.changing.content(released.content_id)).title == released.title
        current = await portal.service.proposals.proposal(CARLA, released.content_id)
        with pytest.raises(Conflict, match="not submitted"):
            await portal.service.lifecycle.approve(ANNA, released.content_id, Approval(version=current.version))

    async def test_a_scheduled_proposal_of_what_was_retired_meanwhile_loses_its_day(self, portal: Portal) -> None:
        released = await portal.released()
        proposal = await portal.proposed(released.content_id, title="New title")
        approval = Approval(version=proposal.version, release_on="2026-03-09")
        await portal.service.lifecycle.approve(ANNA, released.content_id, approval)
        await portal.service.lifecycle.retire(ANNA, released.content_id, Retirement(reason="No longer sold."))
        portal.clock.to("2026-03-09")
        await portal.service.clock.run_due()
        left = await portal.service.changing.proposal(released.content_id)
        assert left is not None
        assert (left.approval_state, left.due_day) == (None, None)

    async def test_a_proposal_can_be_given_up(self, portal: Portal) -> None:
        released = await portal.released()
        await portal.proposed(released.content_id)
        await portal.service.proposals.discard(CARLA, released.content_id)
        with pytest.raises(NotFound):
            await portal.service.proposals.proposal(CARLA, released.content_id)
        with pytest.raises(Conflict, match="nobody has proposed"):
            await portal.service.lifecycle.submit(CARLA, released.content_id, Submission(note=NOTE))

    async def test_the_owner_decides_on_no_proposal(self, portal: Portal) -> None:
        released = await portal.released()
        proposal = await portal.proposed(released.content_id)
        owner = person("carla", *ANNA.permissions)
        with pytest.raises(Forbidden, match="your own work"):
            await portal.service.lifecycle.approve(owner, released.content_id, Approval(version=proposal.version))


class TestWhileItIsReleased:
    async def test_still_correct_is_no_news_and_moves_the_review(self, portal: Portal) -> None:
        released = await portal.released(review_every_days=30)
        confirmed = await portal.service.lifecycle.confirm(CARLA, released.content_id)
        assert (confirmed.review_due_date, confirmed.version) == ("2026-04-01", "1.1")
        assert confirmed.last_updated == released.last_updated
        assert (confirmed.due_day, confirmed.due_key) == (
            "2026-03-18",
            f"review#2026-03-18T00:00:00.000000Z#{released.content_id}",
        )
        row = await portal.row(released.content_id)
        assert (row["review_state"], row["review_key"]) == ("open", f"2026-04-01#{released.content_id}")

    async def test_the_suites_rhythm_is_the_default(self, portal: Portal) -> None:
        await portal.kit.store.write(Put(schema.Products(suites=(schema.Suite(name="Atlas", review_days=10),))))
        released = await portal.released(product_suite="Atlas")
        confirmed = await portal.service.lifecycle.confirm(ANNA, released.content_id)
        assert confirmed.review_due_date == "2026-03-12"
        other = await portal.released("Other")
        assert (await portal.service.lifecycle.confirm(ANNA, other.content_id)).review_due_date == "2026-08-29"

    async def test_the_review_calendar_includes_the_last_day_asked_for(self, portal: Portal) -> None:
        released = await portal.released(review_due_date="2026-03-31")
        due = await portal.kit.store.page(schema.review_due("2026-03-31"))
        assert [item.content_id for item in due] == [released.content_id]
        assert not (await portal.kit.store.page(schema.review_due("2026-03-30"))).items

    async def test_the_release_day_of_what_is_scheduled_can_be_moved(self, portal: Portal) -> None:
        waiting = await portal.waiting()
        approval = Approval(version=waiting.version, release_on="2026-03-09")
        await portal.service.lifecycle.approve(ANNA, waiting.content_id, approval)
        moved = await portal.service.lifecycle.plan(ANNA, waiting.content_id, Validity(release_on="2026-03-20"))
        assert (moved.due_day, moved.effective_date) == ("2026-03-20", "2026-03-20")
        now = await portal.service.lifecycle.plan(ANNA, waiting.content_id, Validity(release_on="2026-03-02"))
        assert (now.approval_state, now.due_day) == (None, None)
        assert now.released_at is not None
        with pytest.raises(Conflict):
            await portal.service.lifecycle.plan(ANNA, waiting.content_id, Validity(release_on="2026-03-20"))

    async def test_a_comment_is_a_row_of_the_history_and_no_version(self, portal: Portal) -> None:
        released = await portal.released()
        await portal.service.history.comment(ANNA, released.content_id, NewComment(comment="Is this right?"))
        assert (await portal.service.changing.content(released.content_id)) == released
        newest = (await portal.service.history.entries(CARLA, released.content_id)).items[0]
        assert (newest.action, newest.comment, newest.to_version) == ("comment", "Is this right?", None)
        with pytest.raises(Forbidden):
            await portal.service.history.comment(VERA, released.content_id, NewComment(comment="Hello"))

    async def test_what_the_background_adds_during_an_edit_stays(self, portal: Portal) -> None:
        draft = await portal.draft()
        ready = Update(draft.own_key, Content.cover_key.set("enablement/covers/a.webp"), Content.page_count.set(3))
        await portal.kit.store.write(ready)
        edited = await portal.service.content.edit(CARLA, draft.content_id, ContentEdit(title="New", version="0.1"))
        assert isinstance(edited, Content)
        assert (edited.title, edited.cover_key, edited.version) == ("New", "enablement/covers/a.webp", "0.2")


class TestLeaving:
    async def test_a_retired_item_names_its_replacement(self, portal: Portal) -> None:
        old, new = await portal.released("Old"), await portal.released("New")
        retirement = Retirement(reason="Atlas 1 is no longer sold.", superseded_by=new.content_id)
        retired = await portal.service.lifecycle.retire(ANNA, old.content_id, retirement)
        assert (retired.status, retired.superseded_by) == ("Deprecated", new.content_id)
        _, seen = await portal.service.content.look(VERA, old.content_id)
        assert seen.page == "short"
        back = await portal.service.lifecycle.reinstate(ANNA, old.content_id)
        assert (back.status, back.superseded_by, back.retired_because) == ("Approved", None, None)
        assert back.version == "1.2"

    async def test_replacements_exist_and_make_no_circle(self, portal: Portal) -> None:
        one, two, three = [await portal.released(name) for name in "ABC"]
        gone = Retirement(reason="Old.", superseded_by="nothing")
        with pytest.raises(Invalid, match="There is no content"):
            await portal.service.lifecycle.retire(ANNA, one.content_id, gone)
        for old, new in ((one, two), (two, three)):
            retirement = Retirement(reason="Old.", superseded_by=new.content_id)
            await portal.service.lifecycle.retire(ANNA, old.content_id, retirement)
        back = Retirement(reason="Old.", superseded_by=one.content_id)
        with pytest.raises(Invalid, match="leads back"):
            await portal.service.lifecycle.retire(ANNA, three.content_id, back)

    async def test_expired_content_is_renewed_as_a_draft_that_readers_do_not_see(self, portal: Portal) -> None:
        released = await portal.released(expiry_date="2026-03-05")
        expired = await portal.service.lifecycle.expire(ANNA, released.content_id, Reason(comment="Too early."))
        assert (expired.status, expired.expiry_day, expired.expiry_date) == ("Expired", None, "2026-03-05")
        renewed = await portal.service.lifecycle.renew(CARLA, released.content_id)
        assert (renewed.status, renewed.released_at, renewed.version) == ("Draft", None, "1.2")
        with pytest.raises(NotFound):
            await portal.service.content.look(VERA, released.content_id)

    async def test_a_waiting_proposal_becomes_the_renewal(self, portal: Portal) -> None:
        released = await portal.released()
        await portal.proposed(released.content_id, title="New title")
        await portal.service.lifecycle.expire(ANNA, released.content_id)
        renewed = await portal.service.lifecycle.renew(CARLA, released.content_id)
        assert (renewed.title, renewed.approval_state, renewed.change_note) == ("New title", "waiting", NOTE)
        assert await portal.service.changing.proposal(released.content_id) is None
        again = await portal.service.lifecycle.approve(ANNA, released.content_id, Approval(version=renewed.version))
        assert again.version == "2.0"

    async def test_what_is_over_is_expired_before_anybody_does_something_with_it(self, portal: Portal) -> None:
        released = await portal.released(expiry_date="2026-03-05", expiry_policy="hard_expire")
        portal.clock.to("2026-03-06")
        with pytest.raises(Conflict):
            await portal.service.content.edit(CARLA, released.content_id, ContentEdit(title="New"))
        assert (await portal.service.lifecycle.renew(CARLA, released.content_id)).status == "Draft"
        assert await _actions(portal, released.content_id) == [
            *("created", "submitted", "approved", "expired", "renewed")
        ]


class TestHandingOver:
    @staticmethod
    async def _account(portal: Portal, name: str, *roles: str) -> Viewer:
        portal.kit.accounts.use(policy_of((build(portal.kit),)))
        new = await portal.kit.accounts.administration.create_account(
            portal.kit.accounts.operator(), name, f"{name}@example.org", name.title(), roles=roles
        )
        return replace(person(name, *CARLA.permissions), user_id=new.account.user_id)

    async def test_a_colleague_who_may_write_gets_it_and_it_is_no_news(self, portal: Portal) -> None:
        released = await portal.released()
        mara = await self._account(portal, "mara", "enablement:contributor")
        given = await portal.service.lifecycle.hand_over(CARLA, released.content_id, Transfer(to="mara"))
        assert (given.owner_user_id, given.version) == (mara.id, "1.1")
        assert given.last_updated == released.last_updated
        owned = await portal.kit.store.page(schema.content_of_owner(mara.id))
        assert [item.content_id for item in owned] == [released.content_id]
        assert not (await portal.kit.store.page(schema.content_of_owner("carla"))).items
        with pytest.raises(Forbidden):
            await portal.service.lifecycle.hand_over(CARLA, released.content_id, Transfer(to="mara"))

    @pytest.mark.parametrize("to", ["nobody-here", "reader"])
    async def test_somebody_who_may_not_write_gets_nothing(self, portal: Portal, to: str) -> None:
        released = await portal.released()
        await self._account(portal, "reader", "enablement:viewer")
        with pytest.raises(Invalid, match="contributor or above"):
            await portal.service.lifecycle.hand_over(CARLA, released.content_id, Transfer(to=to))

    async def test_approvers_hand_over_what_has_no_owner_any_more(self, portal: Portal) -> None:
        mara = await self._account(portal, "mara", "enablement:contributor")
        mine = await portal.service.content.create(mara, NewContent(title="T"))
        await self._account(portal, "nora", "enablement:contributor")
        with pytest.raises(Forbidden):
            await portal.service.lifecycle.hand_over(ANNA, mine.content_id, Transfer(to="nora"))
        await portal.kit.accounts.administration.suspend(portal.kit.accounts.operator(), mara.id)
        given = await portal.service.lifecycle.hand_over(ANNA, mine.content_id, Transfer(to="nora"))
        assert given.owner_user_id != mara.id


def test_words_that_differ_are_marked_and_the_rest_is_the_same() -> None:
    assert words_between("Atlas costs 100.\nAs ever.\n", "Atlas costs 120.\nAs ever.\n") == (
        ("same", "Atlas costs "),
        ("removed", "100"),
        ("added", "120"),
        ("same", ".\nAs ever.\n"),
    )


TEXTS = st.lists(st.sampled_from(["a", "b", " ", "\n", "word", ".", "ä", "\u2028", "\r\n"]), max_size=30).map("".join)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_out_of_what_differs(before: str, after: str) -> None:
    pieces = words_between(before, after) or (("same", before),)
    assert "".join(text for mark, text in pieces if mark != "added") == before
    assert "".join(text for mark, text in pieces if mark != "removed") == after
    assert all(text for _, text in pieces) or not before


async def test_two_versions_are_compared_by_fields_text_and_file(portal: Portal) -> None:
    released = await portal.released()
    pending = await portal.proposed(released.content_id, title="New title", text="# Prices\n\nAtlas costs 120.\n")
    compared = await portal.service.history.pending(ANNA, released.content_id)
    assert {name: (each.before, each.after) for name, each in compared.fields.items()} == {
        "title": (released.title, "New title")
    }
    assert ("added", "120") in compared.text
    assert not compared.file_changed
    await portal.service.lifecycle.approve(ANNA, released.content_id, Approval(version=pending.version))
    assert (await portal.service.history.compare(CARLA, released.content_id, 1, 2)).text == compared.text
    with pytest.raises(NotFound):
        await portal.service.history.compare(CARLA, released.content_id, 1, 9)
    with pytest.raises(Forbidden):
        await portal.service.history.compare(CARL, released.content_id, 1, 2)
