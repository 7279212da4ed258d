"""Proposals: one item, sections, checklist, files, exports; no newsletter among them."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from datetime import date
from io import BytesIO
from typing import Any

import pytest

from partita.apps.newsletter.inputs import (
    BrandEdit,
    NewProposal,
    NewProposalSection,
    NewRequirement,
    NewSource,
    ProposalEdit,
    ProposalSectionEdit,
    ProposalSectionText,
    RequirementEdit,
)
from partita.apps.newsletter.schema import Proposal, Share
from partita.apps.newsletter.service.documents.markdown import write_document
from partita.apps.newsletter.service.documents.model import Table, plain
from partita.apps.newsletter.service.draft import TextChanged
from partita.apps.newsletter.service.proposal_exports import document_of
from partita.apps.newsletter.service.proposals import OpenProposal, opened
from partita.apps.newsletter.service.proposing.requirements import Requirement
from partita.kit.files import UploadedFile
from partita.kit.files.content import kind_of
from partita.kit.inputs import StaleEdit
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound, TooLarge
from partita.table import Delete, Put
from tests.apps.newsletter.conftest import ABEL, ADA, ADMIN, EDDA, NOBODY, Desk
from tests.apps.newsletter.reading.samples import CALL_LINES, call_for_proposals
from tests.kit.previews.samples import docx, paragraph

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def kinds(desk: Desk) -> None:
    desk.worker()


async def _made(desk: Desk, **fields: Any) -> OpenProposal:
    made = await desk.service.proposals.create(ADA, NewProposal(title="Fodder banks", **fields))
    return await desk.service.proposals.read(ADA, made.proposal_code)


async def _sent(desk: Desk, data: bytes, called: str) -> UploadedFile:
    kind = kind_of(data) or "application/octet-stream"
    return UploadedFile(await desk.kit.uploads.keep("newsletter/sources", data, kind), kind, len(data), called)


async def test_a_proposal_begins_with_the_sections_of_its_frame(desk: Desk) -> None:
    there = await _made(desk, frame="concept_note", funder="The Fund", deadline=date(2026, 6, 30), amount=1000)
    assert [each.key for each in there.sections][:2] == ["summary", "background_and_problem"]
    assert (there.words, there.done, there.deadline) == (0, 0, "2026-06-30")
    row = desk.row(f"PROPOSAL#{there.proposal.proposal_code}", "METADATA")
    assert row["GSI1SK"].startswith("PROPOSAL#")
    assert (row["dueAt"], row["metadata"]["funder"], row["status"]) == ("2026-06-30", "The Fund", "draft")


async def test_no_newsletter_is_among_proposals_and_no_proposal_among_newsletters(desk: Desk) -> None:
    await desk.newsletter()
    there = await _made(desk)
    for sort in ("touched", "created"):
        page = await desk.service.proposals.page(ADA, sort)
        assert [each.proposal_code for each in page] == [there.proposal.proposal_code]
    assert len((await desk.service.newsletters.mine(ADA)).items) == 1


async def test_lists_are_by_deadline_and_say_what_is_open(desk: Desk) -> None:
    late = await _made(desk, deadline=date(2026, 9, 1))
    soon = await _made(desk, deadline=date(2026, 4, 1))
    never = await _made(desk)
    codes = [each.proposal_code for each in await desk.service.proposals.page(ADA, "due")]
    assert codes == [soon.proposal.proposal_code, late.proposal.proposal_code]
    (without,) = (await desk.service.proposals.without_deadline(ADA)).items
    assert (without.proposal_code, without.sections, without.done) == (never.proposal.proposal_code, 7, 0)
    assert (await desk.service.proposals.page(ADA, "due")).items[0].overdue("2026-04-02")


async def test_a_section_is_saved_and_a_late_edit_gets_both_texts(desk: Desk) -> None:
    there = await _made(desk)
    code, revision = there.proposal.proposal_code, there.proposal.revision
    saved = await desk.service.proposals.save_section(
        ADA, code, "summary", ProposalSectionText(text="It is dry.", revision=revision)
    )
    assert saved.one("summary").text == "It is dry."
    with pytest.raises(TextChanged) as refused:
        await desk.service.proposals.save_section(
            ADMIN, code, "summary", ProposalSectionText(text="It rains.", revision=revision, base="")
        )
    assert (refused.value.mine, refused.value.theirs, refused.value.status) == ("It rains.", "It is dry.", 409)
    other = await desk.service.proposals.save_section(
        ADMIN, code, "budget", ProposalSectionText(text="Little.", revision=revision, base="")
    )
    assert (other.one("summary").text, other.one("budget").text) == ("It is dry.", "Little.")


async def test_history_keeps_versions_and_restores_one(desk: Desk) -> None:
    there = await _made(desk)
    code = there.proposal.proposal_code
    for text in ("One.", "Two.", "Three."):
        there = await desk.service.proposals.save_section(
            ADA, code, "summary", ProposalSectionText(text=text, revision=there.proposal.revision)
        )
        desk.clock.on(minutes=6)
    versions = (await desk.service.proposals.history(ADA, code)).items
    assert len(versions) == 2  # two of the same ten minutes are one
    first = await desk.service.proposals.version(ADA, code, versions[-1].revision)
    restored = await desk.service.proposals.restore(ADA, code, first.revision)
    assert restored.one("summary").text == first.sections["summary"] != "Three."
    assert len((await desk.service.proposals.history(ADA, code)).items) == 3


async def test_sections_are_added_renamed_moved_ticked_and_removed(desk: Desk) -> None:
    proposals = desk.service.proposals
    code = (await _made(desk, frame="letter_of_interest")).proposal.proposal_code
    key = await proposals.add_section(ADA, code, NewProposalSection(title="Opening", word_limit=10))
    assert key == "opening_2"
    await proposals.edit_section(ADA, code, key, ProposalSectionEdit(title="Risks", done=True, move="up"))
    there = await proposals.read(ADA, code)
    assert [each.key for each in there.sections][-2:] == ["opening_2", "closing"]
    assert (there.one(key).title, there.done) == ("Risks", 1)
    there = await proposals.save_section(
        ADA, code, key, ProposalSectionText(text="word " * 12, revision=there.proposal.revision)
    )
    assert there.one(key).over == 2
    assert "“Risks” has 2 words too many." in there.warnings
    there = await proposals.remove_section(ADA, code, key)
    assert key not in {each.key for each in there.sections}
    assert key not in there.proposal.text_inputs
    with pytest.raises(NotFound):
        await proposals.edit_section(ADA, code, key, ProposalSectionEdit(done=True))


async def test_the_status_goes_where_it_may_and_what_was_sent_stays(desk: Desk) -> None:
    proposals = desk.service.proposals
    there = await _made(desk)
    code = there.proposal.proposal_code
    with pytest.raises(Conflict, match="not “Submitted”"):
        await proposals.set_status(ADA, code, "submitted")
    for status in ("in_review", "draft", "in_review", "ready", "submitted"):
        there = await proposals.set_status(ADA, code, status)
    with pytest.raises(Conflict, match="stays as it is"):
        await proposals.save_section(
            ADA, code, "summary", ProposalSectionText(text="Late.", revision=there.proposal.revision)
        )
    assert (await proposals.set_status(ADA, code, "accepted")).proposal.status == "accepted"
    assert (await proposals.set_status(ADA, code, "archived")).proposal.status == "archived"


async def test_a_call_becomes_a_checklist_and_offers_its_facts(desk: Desk) -> None:
    there = await _made(desk, frame="full_proposal")
    code = there.proposal.proposal_code
    with pytest.raises(Conflict, match="Add the call first"):
        await desk.service.calls.start(ADA, code)
    await desk.service.proposal_files.add(ADA, code, "call", await _sent(desk, call_for_proposals(), "call.pdf"))
    with pytest.raises(Conflict, match="still being read"):
        await desk.service.calls.start(ADA, code)
    await desk.worker().drain()
    await desk.service.calls.start(ADA, code)
    await desk.worker().drain()
    there = await desk.service.proposals.read(ADA, code)
    assert [each.text for each in there.requirements] == CALL_LINES
    assert {each.page for each in there.requirements} == {2}
    assert there.open_requirements == 5
    gender = next(each for each in there.requirements if "gender" in each.text)
    assert gender.section == "gender_and_inclusion"
    await desk.service.proposals.edit_requirement(ADA, code, gender.id, RequirementEdit(done=True))
    there = await desk.service.calls.take_offer(ADA, code)
    assert (there.deadline, there.metadata["amount"], there.metadata["currency"]) == ("2031-06-30", 250_000, "USD")
    await desk.service.calls.start(ADA, code)
    await desk.worker().drain()
    assert (await desk.service.proposals.read(ADA, code)).open_requirements == 4


async def test_files_are_on_a_shelf_of_their_own_and_go_with_the_proposal(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code
    file = await _sent(desk, call_for_proposals(), "call.pdf")
    source = await desk.service.proposal_files.add(ADA, code, "call", file)
    await desk.worker().drain()
    there = await desk.service.proposals.read(ADA, code)
    (entry,) = there.files["call"]
    assert (entry["name"], entry["s3_key"], entry["source_id"]) == ("call.pdf", file.name, source.source_id)
    assert (await desk.service.sources.page(ADA)).items == ()
    with pytest.raises(NotFound):
        await desk.service.sources.get(ABEL, source.source_id)
    await desk.service.proposal_files.remove(ADA, code, file.name)
    await desk.worker().drain()
    assert (await desk.service.proposals.read(ADA, code)).files == {}
    assert not await desk.kit.files.exists(file.name)
    await desk.service.proposal_files.add(ADA, code, "annex", await _sent(desk, call_for_proposals(), "call.pdf"))
    await desk.worker().drain()
    await desk.service.proposal_removals.delete(ADA, code)
    with pytest.raises(NotFound):
        await desk.service.proposals.read(ADA, code)
    await desk.worker().drain()
    await desk.worker().drain()
    assert desk.everything() == []


async def test_passages_for_a_section_and_a_first_text_with_its_sources(desk: Desk) -> None:
    code = (await _made(desk, frame="full_proposal")).proposal.proposal_code
    text = (
        "# Gender in dryland herding\n\nWomen and girls in 62 percent of households decide on the sale of milk. "
        "Inclusion of women in grazing committees raised attendance to 48 percent in 2025.\n\n"
        "# Roads\n\nThe road to the border was closed for nine weeks because of the floods in the delta region."
    )
    await desk.service.sources.add(ADA, NewSource(text=text, title="Herding 2025", shelf=code))
    await desk.worker().drain()
    found = await desk.service.proposal_passages.suggestions(ADA, code, "gender_and_inclusion")
    assert found[0].chunk.heading == "Gender in dryland herding"
    await desk.service.proposal_drafting.start(ADA, code, "gender_and_inclusion")
    await desk.worker().drain()
    there = await desk.service.proposals.read(ADA, code)
    written = there.one("gender_and_inclusion").text
    assert "Inclusion of women in grazing committees raised attendance to 48 percent in 2025. [1]" in written
    (citation,) = there.proposal.citations
    assert (citation["title"], citation["n"]) == ("Herding 2025", 1)
    # Cut, saved without, put back: [1] leads where it led; meanwhile the export does not name the source.
    for text in ("Mine.", written):
        there = await desk.service.proposals.save_section(
            ADA, code, "gender_and_inclusion", ProposalSectionText(text=text, revision=there.proposal.revision)
        )
        assert there.proposal.citations == (citation,)
        assert there.one("gender_and_inclusion").unresolved == ()
        assert [each.title for each in document_of(there).sources] == (["Herding 2025"] if text == written else [])
    other = (await _made(desk)).proposal.proposal_code
    await desk.service.proposal_drafting.start(ADA, other, "summary")
    await desk.worker().drain()
    look = await desk.service.steps.look(other, "proposal")
    assert look.state == "failed"
    assert "Nothing in your files" in (look.error or "")


async def test_headings_of_a_text_stand_below_that_of_its_section(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code
    text = "# Where\n\nIn the north.\n\n## When\n\nSoon.\n\n### By whom\n\nBy us."
    await desk.service.proposals.save_section(ADA, code, "summary", ProposalSectionText(text=text, revision=1))
    headings = document_of(await desk.service.proposals.read(ADA, code)).headings
    assert [(plain(each.pieces), each.level) for each in headings] == [
        ("Summary", 1),
        ("Where", 2),
        ("When", 2),
        ("By whom", 3),
    ]


async def test_a_word_document_is_exported_with_the_checklist_as_annex(desk: Desk) -> None:
    await desk.service.brand.save(BrandEdit(sign_off="Until next week"), ADA)
    there = await _made(desk, funder="The Fund", applicant="Dryland Institute", annex="yes")
    code = there.proposal.proposal_code
    await desk.service.proposals.save_section(
        ADA, code, "summary", ProposalSectionText(text="It is **dry**.\n\n## Where\n\nIn the north.", revision=1)
    )
    await desk.service.proposals.add_requirement(
        ADA, code, NewRequirement(text="Two letters of support", section="summary")
    )
    with pytest.raises(NotFound):
        await desk.service.proposal_exports.start(ADA, code, "eml")
    await desk.service.proposal_exports.start(ADA, code, "docx")
    await desk.worker().drain()
    file, name = await desk.service.proposal_exports.file(ADA, code, "docx")
    assert name == "Fodder banks.docx"
    with zipfile.ZipFile(BytesIO(file.data)) as archive:
        words = archive.read("word/document.xml").decode()
    for told in (
        "The Fund",
        "Dryland Institute",
        "Summary",
        "In the north",
        "Annex: checklist of the call",
        "Two letters of support",
    ):
        assert told in words
    assert "Until next week" not in words, "a proposal takes no leave of a newsletter's readers"
    made = (await desk.service.proposals.read(ADA, code)).proposal.exports["docx"]
    assert any("requirement" in each for each in made["warnings"])
    assert made["s3_key"] == f"proposals/{code}/export.docx"


async def test_a_frame_of_a_documents_headings(desk: Desk) -> None:
    template = docx(
        paragraph("Aims", "Heading1")
        + paragraph("Say why.")
        + paragraph("Means", "Heading1")
        + paragraph("Money", "Heading1")
    )
    sections = await desk.service.proposal_files.template(await _sent(desk, template, "form.docx"))
    assert [each.title for each in sections] == ["Aims", "Means", "Money"]
    with pytest.raises(Invalid):
        await desk.service.proposal_files.template(await _sent(desk, b"Just a text.", "text.txt"))


async def test_facts_are_edited_on_condition_and_metadata_is_bounded(desk: Desk) -> None:
    there = await _made(desk, deadline=date(2026, 6, 30))
    code = there.proposal.proposal_code
    edited = await desk.service.proposals.edit(ADA, code, ProposalEdit(title="New", deadline=None, revision=1))
    assert (edited.proposal.title, edited.deadline) == ("New", None)
    with pytest.raises(StaleEdit):
        await desk.service.proposals.edit(ADA, code, ProposalEdit(title="Late", revision=1))

    async def fill() -> None:
        for number in range(40):
            new = NewProposalSection(title=f"Section {number}", guidance="ሀ" * 1000)
            await desk.service.proposals.add_section(ADA, code, new)

    with pytest.raises(TooLarge, match="60,000"):
        await fill()


async def test_only_those_who_may_see_it_read_a_proposal(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code
    for attempt in (desk.service.proposals.read(ABEL, code), desk.service.calls.start(ABEL, code)):
        with pytest.raises(NotFound):
            await attempt
    with pytest.raises(Forbidden):
        await desk.service.proposals.create(NOBODY, NewProposal(title="Mine"))
    assert (await desk.service.proposals.read(ADMIN, code)).proposal.title == "Fodder banks"


async def test_a_row_of_another_program_is_read_and_written_without_loss(desk: Desk) -> None:
    row = {
        "PK": "PROPOSAL#PROP-20260126-A1B2",
        "SK": "METADATA",
        "GSI1PK": "USER#ada",
        "GSI1SK": "PROPOSAL#2026-01-26T10:30:00Z",
        "id": "x",
        "proposalCode": "PROP-20260126-A1B2",
        "title": "Old one",
        "status": "waiting for the board",
        "user_id": "ada",
        "uploaded_files": {"rfp": ["call.pdf"], "reference": [{"name": "a.pdf", "size": 3}]},
        "text_inputs": {"problem_statement": "It is dry."},
        "metadata": {"theirs": {"deep": [1, 2]}, "sections": "none"},
        "created_at": "2026-01-26T10:30:00Z",
        "updated_at": "2026-01-26T10:30:00Z",
    }
    desk.put(row)
    there = await desk.service.proposals.read(ADA, "PROP-20260126-A1B2")
    assert there.one("problem_statement").text == "It is dry."
    assert there.files["rfp"] == [{"name": "call.pdf"}]
    await desk.service.proposals.save_section(
        ADA,
        "PROP-20260126-A1B2",
        "problem_statement",
        ProposalSectionText(text="It is wet.", revision=there.proposal.revision),
    )
    after = desk.row("PROPOSAL#PROP-20260126-A1B2", "METADATA")
    assert after["metadata"]["theirs"] == {"deep": [1, 2]}
    assert after["uploaded_files"] == row["uploaded_files"]
    assert after["status"] == "waiting for the board"
    assert isinstance((await desk.service.proposals.read(ADA, "PROP-20260126-A1B2")).proposal, Proposal)


async def test_the_annex_is_there_if_the_checklist_has_entries_unless_somebody_leaves_it_out(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code

    async def annexed() -> bool:
        written = document_of(await desk.service.proposals.read(ADA, code))
        return any("checklist" in plain(each.pieces) for each in written.headings)

    assert not await annexed()
    await desk.service.proposals.add_requirement(ADA, code, NewRequirement(text="Two letters of support"))
    assert await annexed()
    await desk.service.proposals.edit(ADA, code, ProposalEdit(annex="no"))
    assert not await annexed()
    await desk.service.proposals.edit(ADA, code, ProposalEdit(annex="yes"))
    assert await annexed()


async def test_the_annex_has_pages_of_the_call_only_if_it_has_any(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code
    await desk.service.proposals.add_requirement(ADA, code, NewRequirement(text="Two letters of support"))
    there = await desk.service.proposals.read(ADA, code)
    found = replace(there.requirements[0], text="A budget", page=3)

    def table(*requirements: Requirement) -> list[list[str]]:
        blocks = document_of(replace(there, requirements=requirements)).blocks
        made = next(each for each in blocks if isinstance(each, Table))
        return [[plain(cell) for cell in row] for row in (made.head, *made.rows)]

    assert table(*there.requirements) == [
        ["Requirement", "Answered in", "Done"],
        ["Two letters of support", "", "Open"],
    ]
    assert table(*there.requirements, found) == [
        ["Requirement", "Page", "Answered in", "Done"],
        ["Two letters of support", "", "", "Open"],
        ["A budget", "3", "", "Open"],
    ]


@pytest.mark.parametrize("language", ["am", "ar"])
async def test_whatever_we_add_to_a_proposal_is_in_its_language(desk: Desk, language: str) -> None:
    facts: dict[str, Any] = {"funder": "ዓለም", "call_url": "https://call.example", "deadline": date(2026, 6, 30)}
    there = await _made(desk, frame="full_proposal", language=language, amount=5, **facts)
    code, proposals = there.proposal.proposal_code, desk.service.proposals
    for each in there.sections:
        edit = ProposalSectionText(text="12.", revision=there.proposal.revision, base=each.text)
        there = await proposals.save_section(ADA, code, each.key, edit)
    for text in ("1", "2"):
        there = await proposals.add_requirement(ADA, code, NewRequirement(text=text, section="risks"))
    there = await proposals.edit_requirement(ADA, code, there.requirements[0].id, RequirementEdit(done=True))
    written = document_of(there)
    _, _, body = write_document(written).partition("\n---\n")
    body = body.replace("Fodder banks", "").replace("https://call.example", "").replace("Ada", "")
    labels = " ".join(label for label, _ in written.facts)
    assert len(written.facts) == 5
    assert not re.search("[A-Za-z]", labels + body), body
    assert [each.key for each in there.sections][:2] == ["executive_summary", "context_and_needs"]


async def test_the_applicant_is_on_the_cover_and_a_person_if_no_organisation_is_named(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code

    async def applicant() -> str:
        return dict(document_of(await desk.service.proposals.read(ADA, code)).facts)["Applicant"]

    assert await applicant() == ADA.name
    await desk.service.proposals.edit(ADA, code, ProposalEdit(applicant="Dryland Institute"))
    assert await applicant() == "Dryland Institute"
    await desk.service.proposals.edit(ADA, code, ProposalEdit(applicant=""))
    assert await applicant() == ADA.name


async def test_more_pages_than_the_call_allows_are_a_warning(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code
    limit = NewRequirement(text="The proposal must not exceed two pages.")
    await desk.service.proposals.add_requirement(ADA, code, limit)
    there = await desk.service.proposals.read(ADA, code)
    assert not any("pages" in each for each in there.warnings)
    long = ProposalSectionText(text="Many words. " * 500, revision=there.proposal.revision)
    there = await desk.service.proposals.save_section(ADA, code, "summary", long)
    about = "The call allows 2 pages, and 1,000 words take about 4. Create the PDF to see."
    assert about in there.warnings
    made = {"pdf": {"pages": 5, "revision": there.proposal.revision}}
    printed = opened(there.proposal.model_copy(update={"exports": made}))
    assert "The call allows 2 pages, and the PDF has 5 with its cover." in printed.warnings
    made["pdf"]["revision"] -= 1
    older = opened(there.proposal.model_copy(update={"exports": made}))
    assert about in older.warnings, "a PDF of an older text says nothing of this one"


async def test_a_proposal_that_nobody_has_edited_can_be_deleted(desk: Desk) -> None:
    code = (await _made(desk)).proposal.proposal_code
    await desk.service.proposal_removals.delete(ADA, code)
    with pytest.raises(NotFound):
        await desk.service.proposals.read(ADA, code)


async def test_the_day_that_a_source_states_is_in_the_list_of_sources_and_not_that_of_its_file(desk: Desk) -> None:
    worker = desk.worker()
    new = NewProposal(title="Village reading van", frame="concept_note")
    code = (await desk.service.proposals.create(ADA, new)).proposal_code
    page = (
        "<!doctype html><html lang=en><head><title>Reading</title>"
        "<meta property='article:published_time' content='2026-03-02T08:00:00Z'></head><body><main><h1>The need</h1>"
        "<p>Prepared by the Village Reading Trust, 14 February 2026</p>"
        "<p>Twelve villages have no reading van, and 300 children suffer from it.</p></main></body></html>"
    )
    await desk.service.proposal_files.add(ADA, code, "reference", await _sent(desk, page.encode(), "reading.html"))
    await worker.drain()
    await desk.service.proposal_drafting.start(ADA, code)
    await worker.drain()
    await desk.service.proposal_exports.start(ADA, code, "md")
    await worker.drain()
    made, _ = await desk.service.proposal_exports.file(ADA, code, "md")
    listed = made.data.decode().partition("sources:")[2].partition("---")[0]
    assert "2026-02-14" in listed
    assert "2026-03-02" not in listed


async def _share(desk: Desk, code: str, at: int) -> None:
    shared_at = f"2026-03-01T10:{at // 60:02}:{at % 60:02}.000000Z"
    await desk.kit.store.write(Put(Share(code=code, user_id=ABEL.id, shared_by=ADA.id, shared_at=shared_at)))


async def test_every_shared_proposal_is_listed_and_found_however_much_else_is_shared(desk: Desk) -> None:
    made = [await _made(desk, description=f"Valley-of-{number}-rivers") for number in range(7)]
    codes = [each.proposal.proposal_code for each in made]
    for number, code in enumerate(codes):
        await _share(desk, code, number)
    for number in range(60):  # newsletters shared since, as of another program
        await _share(desk, f"NL-20260126-{number:04}", 60 + number)
    await desk.kit.store.write(Delete(made[3].proposal.own_key))
    left = [code for code in reversed(codes) if code != codes[3]]
    listed: list[str] = []
    cursor = None
    while True:
        page = await desk.service.proposals.shared(ABEL, limit=2, cursor=cursor)
        listed += [each.proposal_code for each in page]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert listed == left
    found = await desk.service.finding.everything(ABEL, "fodder valley-of-5-rivers")
    assert [code for code, _, _ in found.proposals] == [codes[5]]
    assert (await desk.service.finding.everything(ADA, "valley-of-5")).proposals == found.proposals
    assert (await desk.service.finding.everything(EDDA, "valley-of-5")).proposals == ()


async def test_lists_and_search_read_no_texts(desk: Desk) -> None:
    there = await _made(desk)
    code = there.proposal.proposal_code
    await desk.service.proposals.save_section(
        ADA, code, "summary", ProposalSectionText(text="dry " * 40_000, revision=1)
    )
    await _share(desk, code, 1)
    lying = [each for each in (desk.kit.settings.data / "large").rglob("*") if each.is_file()]
    assert lying  # long texts
    for file in lying:
        file.unlink()
    assert [each.proposal_code for each in await desk.service.proposals.shared(ABEL)] == [code]
    assert len((await desk.service.finding.everything(ABEL, "fodder")).proposals) == 1


async def test_proposals_without_a_deadline_go_on_after_a_page(desk: Desk) -> None:
    codes = {(await _made(desk)).proposal.proposal_code for _ in range(5)}
    await _made(desk, deadline=date(2026, 9, 1))
    listed: list[str] = []
    cursor = None
    for _ in range(3):
        page = await desk.service.proposals.without_deadline(ADA, limit=2, cursor=cursor)
        listed += [each.proposal_code for each in page]
        cursor = page.next_cursor
    assert (cursor, len(listed), set(listed)) == (None, 5, codes)
