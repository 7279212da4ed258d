"""Sections of a proposal are drafted as a step, from passages that fit, and what people wrote is never lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import NewProposal, NewSource, ProposalSectionText
from partita.apps.newsletter.schema import Proposal
from partita.apps.newsletter.service.generators.choosing import Writers
from partita.apps.newsletter.service.generators.values import SectionTask
from partita.apps.newsletter.service.proposal_drafting import NOTHING
from partita.apps.newsletter.service.proposals import opened
from partita.apps.newsletter.service.proposing.frames import ProposalSection
from partita.apps.newsletter.service.proposing.purposes import chosen, fitting, purpose_words, words_for
from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.apps.newsletter.service.writing.retrieval import Statistics
from partita.apps.newsletter.service.writing.spans import sentences_with_citations
from partita.kit.problems import Conflict, NotFound
from partita.kit.search.following import build_anew
from tests.apps.newsletter.conftest import ADA, ADMIN, NOBODY, Desk
from tests.apps.newsletter.test_drafting import Watched, unreachable
from tests.apps.newsletter.writing.questions import passages

pytestmark = pytest.mark.anyio

DAMS = """# What sand dams do
Twenty-two sand dams supply water to 41,000 people in Karamoja. A sand dam stores water between grains of sand behind a
wall. Wells beside the dams held water through the whole dry season.

# What the villages lack
Sixty villages in Karamoja have no water from January to March. Women walk eleven kilometres to the next well. Conflicts
over water needed the police 37 times in a year.

# What dams cost
One sand dam cost 28,000 dollars, of which the villages gave a quarter in labour. Maintenance costs 40 dollars a year.
"""
COFFEE = "# Coffee\nExporters have mapped 1.7 million coffee plots. Buyers paid eleven cents more per pound for them."


async def _proposal(desk: Desk, **more: str) -> str:
    new = NewProposal(title="Sand dams for 60 villages", frame="concept_note", **more)  # type: ignore[arg-type]
    worker = desk.worker()
    code = (await desk.service.proposals.create(ADA, new)).proposal_code
    for title, text in (("Sand dams in Karamoja", DAMS), ("Coffee", COFFEE)):
        await desk.service.sources.add(ADA, NewSource(title=title, text=text, shelf=code))
    await worker.drain()
    return code


async def _stored(desk: Desk, code: str) -> Proposal:
    found = await desk.kit.store.get(schema.proposal(code).consistently())
    assert found is not None
    return found


async def _drafted(desk: Desk, code: str, key: str = "") -> Proposal:
    await desk.service.proposal_drafting.start(ADA, code, key)
    await desk.worker().drain()
    assert (await desk.service.steps.look(code, "proposal")).state == "done"
    return await _stored(desk, code)


async def test_each_section_is_told_from_what_fits_it_in_the_order_of_the_source_with_numbers(desk: Desk) -> None:
    code = await _proposal(desk)
    proposal = await _drafted(desk, code)
    texts = {key: str(text) for key, text in proposal.text_inputs.items() if text}
    assert "have no water from January to March" in texts["background_and_problem"]
    assert "28,000 dollars" in texts["budget"]
    assert not any("coffee" in text.casefold() or "#" in text for text in texts.values())
    sources = {sentence.text for line in DAMS.split("\n\n") for sentence in sentences(" ".join(line.split("\n")[1:]))}
    summary = texts.pop("summary")
    told = [sentence for text in texts.values() for sentence, _ in sentences_with_citations(text)]
    assert {sentence for sentence, _ in sentences_with_citations(summary)} <= set(told), "it says what the others say"
    assert set(told) <= sources
    assert len(told) == len(set(told)), "nothing is told twice"
    order = [sentence.text for sentence in sentences(DAMS.replace("\n", " "))]
    whole = " ".join(order)
    for text in texts.values():
        places = [whole.index(sentence) for sentence, _ in sentences_with_citations(text)]
        assert places == sorted(places)
        assert all(numbers for _, numbers in sentences_with_citations(text))
    numbers = {int(each["n"]) for each in proposal.citations}
    assert {int(number) for text in texts.values() for number in re.findall(r"\[(\d+)\]", text)} == numbers
    versions = [each async for each in desk.kit.store.stream(schema.text_versions(code))]
    assert [each.action for each in versions] == ["generated"]


async def test_sections_for_which_nothing_was_found_are_named(desk: Desk) -> None:
    code = await _proposal(desk)
    proposal = await _drafted(desk, code)
    there = opened(proposal)
    empty = [each.title for each in there.sections if not each.text.strip()]
    assert 0 < len(empty) < len(there.sections)
    message = (await desk.service.steps.look(code, "proposal")).message
    written = len(there.sections) - len(empty)
    assert message.startswith(f"{written} sections written from your sources. The sources say nothing about: ")
    assert all(title in message for title in empty)
    assert "Partners and experience (the organisation, its people and partners)" in message


async def test_if_nothing_fits_the_next_step_is_named_as_the_page_names_it(desk: Desk) -> None:
    worker = desk.worker()
    new = NewProposal(title="Sand dams for 60 villages", frame="concept_note")
    code = (await desk.service.proposals.create(ADA, new)).proposal_code
    await desk.service.proposal_drafting.start(ADA, code)
    await worker.drain()
    look = await desk.service.steps.look(code, "proposal")
    assert (look.state, look.error) == ("failed", NOTHING)
    assert "Edit details" in NOTHING


async def test_a_proposal_says_which_sections_a_model_could_not_draft(desk: Desk) -> None:
    code = await _proposal(desk)
    desk.service.generators.writers = unreachable(desk)
    await desk.service.generators.choose(ADMIN, "openai")
    proposal = await _drafted(desk, code)
    written = {key for key, text in proposal.text_inputs.items() if text}
    told = {key: how["fallback"] for key, how in proposal.made_with.items()}
    assert told
    assert set(told) <= written
    assert {each["instead_of"] for each in told.values()} == {"openai"}
    look = await desk.service.steps.look(code, "proposal")
    assert "written by the offline writer instead of a model: " in look.message
    gone = next(iter(told))
    await desk.service.proposals.remove_section(ADA, code, gone)
    assert gone not in (await _stored(desk, code)).made_with


async def test_what_a_person_has_written_is_left_alone_and_one_section_is_written_below_it(desk: Desk) -> None:
    code = await _proposal(desk)
    mine = ProposalSectionText(text="My own words.", revision=1)
    there = await desk.service.proposals.save_section(ADA, code, "background_and_problem", mine)
    proposal = await _drafted(desk, code, "background_and_problem")
    text = str(proposal.text_inputs["background_and_problem"])
    assert text.startswith("My own words.\n\n")
    assert word_count(text) > word_count("My own words.")
    assert there.proposal.revision < proposal.revision
    await desk.service.proposal_drafting.start(ADA, code)
    await desk.worker().drain()
    assert (await _stored(desk, code)).text_inputs["background_and_problem"] == text


async def test_what_is_written_while_the_writer_works_stays(desk: Desk) -> None:
    code = await _proposal(desk)
    writer = Watched()
    desk.service.generators.writers = Writers(desk.kit.settings, writer)

    async def edit(task: SectionTask) -> None:
        if task.section.key == "budget":
            now = await _stored(desk, code)
            new = ProposalSectionText(text="Typed meanwhile.", revision=now.revision)
            await desk.service.proposals.save_section(ADA, code, "background_and_problem", new)

    writer.before = edit
    proposal = await _drafted(desk, code)
    assert proposal.text_inputs["background_and_problem"] == "Typed meanwhile."
    assert proposal.text_inputs["budget"]
    numbers = {int(each["n"]) for each in proposal.citations}
    used = {int(n) for text in proposal.text_inputs.values() for n in re.findall(r"\[(\d+)\]", str(text))}
    assert used == numbers
    assert "background_and_problem" in writer.asked, "the writer in use wrote it"


async def test_a_run_that_is_taken_up_again_goes_on_with_the_next_section(desk: Desk) -> None:
    code = await _proposal(desk)
    writer = Watched()
    desk.service.generators.writers = Writers(desk.kit.settings, writer)
    failed: list[str] = []

    async def fail(task: SectionTask) -> None:
        if len(writer.asked) == 3 and not failed:
            failed.append(task.section.key)
            raise RuntimeError("the machine stops")

    writer.before = fail
    await desk.service.proposal_drafting.start(ADA, code)
    for _ in range(3):
        await desk.worker().drain()
        desk.clock.on(seconds=120)
    assert (await desk.service.steps.look(code, "proposal")).state == "done"
    assert sorted(writer.asked) == sorted([*dict.fromkeys(writer.asked), failed[0]]), (
        "each once, but for the failed one"
    )


async def test_a_second_press_starts_nothing_and_a_cancel_changes_nothing(desk: Desk) -> None:
    code = await _proposal(desk)
    first = await desk.service.proposal_drafting.start(ADA, code)
    again = await desk.service.proposal_drafting.start(ADA, code)
    assert first.run is not None
    assert again.run is not None
    assert first.run.run_id == again.run.run_id
    with pytest.raises(Conflict, match="under way"):
        await desk.service.proposal_drafting.start(ADA, code, "budget")
    await desk.service.steps.cancel(ADA, code, "proposal")
    await desk.worker().drain()
    assert (await _stored(desk, code)).text_inputs == {}
    with pytest.raises(NotFound):
        await desk.service.proposal_drafting.start(NOBODY, code)


async def test_a_full_section_and_a_submitted_proposal_are_refused(desk: Desk) -> None:
    code = await _proposal(desk)
    long = ProposalSectionText(text="word " * 245, revision=1)
    await desk.service.proposals.save_section(ADA, code, "summary", long)
    with pytest.raises(Conflict, match="as long as it may be"):
        await desk.service.proposal_drafting.start(ADA, code, "summary")
    for status in ("in_review", "ready", "submitted"):
        await desk.service.proposals.set_status(ADA, code, status)
    with pytest.raises(Conflict, match="submitted"):
        await desk.service.proposal_drafting.start(ADA, code)


@given(st.text(max_size=40), st.sampled_from(["Budget", "Risks", "Gender and inclusion", "Context", "ስጋት"]), st.text())
def test_passages_fit_the_brief_and_none_is_a_copy_of_another(brief: str, title: str, guidance: str) -> None:
    section = ProposalSection("s", title, guidance)
    some = passages()
    found = chosen(fitting(section, f"sand dams {brief}", (), some, Statistics(len(some), {})))
    assert len(found) <= 5
    assert len({each.text for each in found}) == len(found)
    assert all(each.kind == "text" for each in found)


@given(st.integers(0, 5000), st.integers(0, 6000))
def test_a_draft_fits_into_its_section(limit: int, there: int) -> None:
    words = words_for(ProposalSection("s", "T", "", limit), there)
    assert words >= 0
    assert not limit or there + words <= max(limit, there)


def test_purposes_are_known_by_title_and_else_by_guidance() -> None:
    assert "cost" in purpose_words(ProposalSection("b", "Budget"))
    assert "women" in purpose_words(ProposalSection("x", "Chapter 4", "Say how gender is respected."))
    assert purpose_words(ProposalSection("x", "Annex")) == ""


FARMING = """# Results of the project
In the villages of Baringo, maize yields rose by 40 percent and 1,200 farmers earned more. Children read rain gauges.

# The need
Two in three villages suffer from drought and have lost 60 percent of their harvest. Farmers lack seed.

# What it costs
Seed for one village cost 3,000 dollars. The budget of the programme was 90,000 dollars.
"""
READING = """# The need
Of the children of the hill villages, 71 percent cannot read a sentence at the age of ten. No reading van comes to 40
villages, and they lack books.

# Results
A reading van in Kitui raised reading by 30 percent.
"""


async def _reading_van(desk: Desk, *, own: str = "") -> str:
    worker = desk.worker()
    new = NewProposal(title="Village reading van", frame="concept_note", description="Books for children.")
    code = (await desk.service.proposals.create(ADA, new)).proposal_code
    for title, text in (("Maize in Baringo", FARMING), ("Reading in the hills", READING)):
        await desk.service.sources.add(ADMIN, NewSource(title=title, text=text))
    if own:
        await desk.service.sources.add(ADA, NewSource(title="Our van", text=own, shelf=code))
    await worker.drain()
    await build_anew(desk.kit.search, desk.kit.store, desk.service.passages.catalog)
    return code


async def test_shared_sources_are_told_as_the_need_alone_and_only_if_they_are_about_the_subject(desk: Desk) -> None:
    code = await _reading_van(desk)
    proposal = await _drafted(desk, code)
    texts = {key: str(text) for key, text in proposal.text_inputs.items() if text}
    assert set(texts) <= {"background_and_problem", "summary"}
    assert "71 percent cannot read" in texts["background_and_problem"]
    assert not any(word in " ".join(texts.values()) for word in ("maize", "drought", "Seed", "dollars", "Kitui"))
    message = (await desk.service.steps.look(code, "proposal")).message
    assert message.endswith(" Shared sources used: “Reading in the hills”.")


async def test_with_files_of_ones_own_shared_sources_are_used_only_when_asked_for(desk: Desk) -> None:
    own = "# The problem\n\nOur 12 villages have no library, and 300 children suffer from it.\n"
    code = await _reading_van(desk, own=own)
    there = await desk.service.proposals.read(ADA, code)
    assert await desk.service.proposal_drafting.has_own(there)
    text = str((await _drafted(desk, code)).text_inputs["background_and_problem"])
    assert "300 children suffer" in text
    assert "71 percent" not in text
    assert "hared source" not in (await desk.service.steps.look(code, "proposal")).message
    await desk.service.proposal_drafting.start(ADA, code, "background_and_problem", shared=True)
    await desk.worker().drain()
    text = str((await _stored(desk, code)).text_inputs["background_and_problem"])
    assert "71 percent" in text
    assert "“Reading in the hills”" in (await desk.service.steps.look(code, "proposal")).message


async def test_a_summary_is_drafted_from_what_people_have_written_even_without_sources(desk: Desk) -> None:
    worker = desk.worker()
    new = NewProposal(title="Sand dams for 60 villages", frame="concept_note", currency="USD")
    code = (await desk.service.proposals.create(ADA, new)).proposal_code
    written = {
        "budget": "| Cost | Amount |\n| --- | --- |\n| Dams | 90,000 |\n| Total | 90,000 |",
        "objectives": "We will build 22 dams by 2028.",
        "background_and_problem": "Sixty villages have no water in March.",
    }
    for key, text in written.items():
        now = await _stored(desk, code)
        await desk.service.proposals.save_section(ADA, code, key, ProposalSectionText(text=text, revision=now.revision))
    await desk.service.proposal_drafting.start(ADA, code, "summary")
    await worker.drain()
    assert (await _stored(desk, code)).text_inputs["summary"] == (
        "Sixty villages have no water in March.\n\nWe will build 22 dams by 2028.\n\nThe budget comes to 90,000 USD."
    )


async def test_sections_that_are_hardly_written_are_flagged_before_finishing(desk: Desk) -> None:
    code = await _proposal(desk)
    short = ProposalSectionText(text="Water is scarce.", revision=1)
    there = await desk.service.proposals.save_section(ADA, code, "summary", short)
    assert "“Summary” has 3 of about 250 words." in there.warnings
    long = ProposalSectionText(text="word " * 63, revision=there.proposal.revision)
    there = await desk.service.proposals.save_section(ADA, code, "summary", long)
    assert not any("of about" in each for each in there.warnings)
