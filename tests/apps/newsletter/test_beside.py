"""A save writes what it changes: what somebody else writes at the same moment, and counts no revision, stays."""

from __future__ import annotations

from typing import Any

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import NewProposal
from partita.apps.newsletter.schema import Draft, Outline, Proposal, Topics
from partita.apps.newsletter.service import outlining
from partita.apps.newsletter.service.bookkeeping import changed
from partita.apps.newsletter.service.draft import DraftText
from partita.apps.newsletter.service.draft_texts import Texts
from partita.apps.newsletter.service.outlining import Plan
from partita.apps.newsletter.service.proposals import OpenProposal, with_text
from partita.store import EmbeddedStore
from partita.table import ChangedMeanwhileError, Update
from tests.apps.newsletter.conftest import ADA, Desk
from tests.apps.newsletter.test_drafting import draft_of, drafted, outlined

pytestmark = pytest.mark.anyio

MADE: dict[str, Any] = {"s3_key": "newsletters/NL-20260126-A1B2/export.pdf", "file_size": 7}


def meanwhile(desk: Desk, write: Update[Any]) -> None:
    """Somebody else writes, between the read and the write of a save."""
    assert isinstance(desk.kit.tables, EmbeddedStore)
    desk.kit.tables.write(write)


async def test_a_draft_that_is_saved_while_an_export_ends_keeps_the_export(desk: Desk) -> None:
    code = await drafted(desk)

    def change(before: DraftText) -> tuple[Draft, Texts]:
        meanwhile(desk, Update(before.draft.own_key, Draft.exports["pdf"].set(MADE)))
        return before.draft, {**before.texts, next(iter(before.texts)): "A new beginning."}

    await desk.service.draft.change(ADA, code, "saved", change)
    draft = await draft_of(desk, code)
    assert draft.exports == {"pdf": MADE}
    assert "A new beginning." in draft.edited_sections.values()


async def test_a_draft_that_is_saved_while_one_is_written_keeps_its_status(desk: Desk) -> None:
    code = await drafted(desk)

    def change(before: DraftText) -> tuple[Draft, Texts]:
        meanwhile(desk, Update(before.draft.own_key, Draft.draft_status.set("processing")))
        return before.draft, {**before.texts, next(iter(before.texts)): "A new beginning."}

    await desk.service.draft.change(ADA, code, "saved", change)
    assert (await draft_of(desk, code)).draft_status == "processing"


async def test_a_proposal_that_is_saved_while_an_export_ends_keeps_the_export(desk: Desk) -> None:
    made = await desk.service.proposals.create(ADA, NewProposal(title="Fodder banks"))

    def change(before: OpenProposal) -> Proposal:
        meanwhile(desk, Update(made.own_key, Proposal.exports.set({"docx": MADE})))
        return with_text(before.proposal, "summary", "It is dry.")

    await desk.service.proposals.change(ADA, made.proposal_code, change, keep=True)
    after = await desk.kit.store.get(schema.proposal(made.proposal_code))
    assert after is not None
    assert (after.exports, after.text_inputs["summary"]) == ({"docx": MADE}, "It is dry.")


async def test_an_outline_that_is_edited_while_one_is_made_keeps_its_status(desk: Desk) -> None:
    code = await outlined(desk)

    def change(plan: Plan) -> Plan:
        key = Outline.key(Outline.newsletter_code(code))
        meanwhile(desk, Update(key, Outline.outline_status.set("processing")))
        return outlining.add_section(plan, "Mine")[0]

    await desk.service.outline.change_section(ADA, code, change)
    assert desk.row(f"NEWSLETTER#{code}", "OUTLINE")["outline_status"] == "processing"


async def test_the_next_version_is_written_once(desk: Desk) -> None:
    code = await outlined(desk)
    topics = await desk.kit.store.get(schema.topics(code).consistently())
    assert topics is not None
    await desk.kit.store.write(Update(topics.own_key, Topics.retrieval_status.set("processing")))
    await desk.kit.store.write(changed(topics, topics.model_copy(update={"pinned": ("chunk-1",)})))
    after = await desk.kit.store.get(schema.topics(code).consistently())
    assert after is not None
    assert (after.pinned, after.retrieval_status, after.revision) == (("chunk-1",), "processing", topics.revision + 1)
    with pytest.raises(ChangedMeanwhileError):
        await desk.kit.store.write(changed(topics, topics.model_copy(update={"pinned": ("chunk-2",)})))
