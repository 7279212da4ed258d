"""A save writes what it changes: what somebody else writes at the same moment, and counts no revision, stays; and so do
citations that no text uses for the moment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import NewProposal
from partita.apps.newsletter.schema import Draft, Outline, Proposal, Topics
from partita.apps.newsletter.service import outlining
from partita.apps.newsletter.service.bookkeeping import changed
from partita.apps.newsletter.service.draft import DraftText, with_citation
from partita.apps.newsletter.service.draft_texts import Texts
from partita.apps.newsletter.service.editing.citations import cited
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


TEXTS = st.lists(st.sampled_from(["It is dry.", "[1]", "[2]", "[3]", "[4]", "[5]"]), max_size=4).map(" ".join)
CITED: tuple[dict[str, Any], ...] = tuple({"n": n, "chunk_id": f"chunk-{n}"} for n in (1, 2, 3))


def _proposal(text: str) -> Proposal:
    now = "2026-01-26T10:30:00.000000Z"
    return Proposal(
        id="1",
        proposal_code="PROP-20260126-A1B2",
        title="Fodder banks",
        user_id="ada",
        created_at=now,
        updated_at=now,
        text_inputs={"summary": text},
        citations=CITED,
    )


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_number_of_a_proposal_means_one_source_whatever_is_saved(texts: list[str]) -> None:
    proposal = _proposal("It is dry. [1] [2] [3]")
    for text in texts:
        proposal = with_text(proposal, "summary", text)
        assert proposal.citations == CITED


@given(TEXTS, st.integers(1, 6))
def test_a_new_citation_has_a_number_that_no_text_cites(text: str, new: int) -> None:
    number, citations = with_citation(CITED, {"chunk_id": f"chunk-{new}", "quote": "It rained."}, cited(text))
    if new <= len(CITED):
        assert number == new
    else:
        assert number not in {*cited(text), 1, 2, 3}
    assert {each["n"]: each["chunk_id"] for each in citations} == {1: "chunk-1", 2: "chunk-2", 3: "chunk-3"} | {
        number: f"chunk-{new}"
    }


async def test_a_version_of_a_proposal_that_is_restored_cites_what_it_cited_and_takes_no_number(desk: Desk) -> None:
    made = await desk.service.proposals.create(ADA, NewProposal(title="Fodder banks"))
    code = made.proposal_code

    async def saved(text: str, *citations: dict[str, Any]) -> None:
        desk.clock.on(minutes=11)
        await desk.service.proposals.change(
            ADA,
            code,
            lambda before: with_text(before.proposal, "summary", text).model_copy(update={"citations": citations}),
            keep=True,
        )

    await saved("It was dry. [1]", CITED[0])
    await saved("It rained. [1]", {"n": 1, "chunk_id": "chunk-9"}, CITED[1])
    versions = (await desk.service.proposals.history(ADA, code)).items
    there = await desk.service.proposals.restore(ADA, code, versions[-1].revision)
    means = {int(each["n"]): each["chunk_id"] for each in there.proposal.citations}
    assert means == {1: "chunk-9", 2: "chunk-2", 3: "chunk-1"}
    assert there.one("summary").text == "It was dry. [3]"


async def test_a_text_of_a_proposal_that_another_program_has_written_is_kept(desk: Desk) -> None:
    made = await desk.service.proposals.create(ADA, NewProposal(title="Fodder banks"))
    code = made.proposal_code

    async def save(text: str) -> None:
        desk.clock.on(minutes=11)
        await desk.service.proposals.change(
            ADA, code, lambda before: with_text(before.proposal, "summary", text), keep=True
        )

    await save("Ours.")
    await desk.kit.store.write(Update(made.own_key, Proposal.text_inputs.set({"summary": "Theirs."})))
    await save("Ours again.")
    kept = (await desk.service.proposals.history(ADA, code)).items
    texts = [(await desk.service.proposals.version(ADA, code, each.revision)).sections["summary"] for each in kept]
    assert texts == ["Ours again.", "Theirs.", "Ours."]
    assert [each.by_name for each in kept] == [ADA.name, "another program", ADA.name]
