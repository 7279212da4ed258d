"""A passage that a person has dropped is told nowhere from then on: not in an outline, a draft or other sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.inputs import NewCitation, NewItem, SectionEdit
from partita.apps.newsletter.schema import Chunk, ChunkKind, Source, Topics
from partita.apps.newsletter.service.drafting.values import (
    matches_of,
    neighbours_of,
    places_beside,
    without_dropped,
)
from partita.apps.newsletter.service.outline import outdated, plan_of
from partita.apps.newsletter.service.outlining import FOUND, PERSON, OutlineItem, OutlineSection, Plan
from partita.apps.newsletter.service.writing.values import Passage
from partita.kit.problems import Conflict
from partita.table import Put
from tests.apps.newsletter.conftest import ADA, Desk
from tests.apps.newsletter.found import FINDINGS, PASSAGES, content
from tests.apps.newsletter.test_drafting import draft_of, drafted, outlined, run

pytestmark = pytest.mark.anyio

_IDS = [f"chunk-{number}" for number in range(1, len(PASSAGES) + 1)]
_REFERENCES = st.lists(st.sampled_from(_IDS), unique=True, max_size=3).map(tuple)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Stories of the writer and of a person, some without passages."""
    stories = draw(st.lists(st.tuples(st.sampled_from([FOUND, PERSON]), _REFERENCES), max_size=6))
    items = tuple(
        OutlineItem(id=f"item-1-{number}", title="A story", source=source, rag_reference_ids=references)
        for number, (source, references) in enumerate(stories)
    )
    return Plan((OutlineSection(id="section-1", name="News", items=items),))


@given(plans(), st.sets(st.sampled_from(_IDS)))
def test_no_story_refers_to_what_was_dropped_and_no_other_one_is_lost(plan: Plan, dropped: set[str]) -> None:
    told = without_dropped(plan, dropped)
    assert not any(set(item.references) & dropped for item in told.items)
    for item in plan.items:
        kept = next((each for each in told.items if each.id == item.id), None)
        left = tuple(each for each in item.references if each not in dropped)
        if item.source == PERSON or left or not item.references:
            assert kept is not None
            assert kept.references == left
        else:
            assert kept is None
    assert without_dropped(plan, ()) == plan


@given(st.sets(st.sampled_from(_IDS)))
def test_writers_see_every_passage_but_those_that_were_dropped(dropped: set[str]) -> None:
    topics = Topics(
        newsletter_code="NL-20260126-A1B2",
        updated_at="2026-01-26T10:30:00.000000Z",
        retrieved_content=tuple(content()),
        excluded=tuple(dropped),
    )
    assert [each.passage.id for each in matches_of(topics, "en")] == [each for each in _IDS if each not in dropped]


async def test_a_passage_that_is_dropped_after_it_was_found_is_not_cited(desk: Desk) -> None:
    code = await outlined(desk)
    newsletter = await desk.service.newsletters.find(code)
    assert newsletter is not None
    plan = plan_of(await desk.service.outline.of(newsletter))
    assert any("chunk-1" in item.references for item in plan.items)
    topics = await desk.service.topics.mark(ADA, code, "chunk-1", "dropped")
    assert outdated(newsletter, topics, await desk.service.outline.of(newsletter)) == ("excluded passages",)

    await run(desk, code, "draft")  # of the outline as it was
    draft = await draft_of(desk, code)
    assert draft.citations
    assert "chunk-1" not in {each["chunk_id"] for each in draft.citations}
    assert "1.8 tonnes" not in draft.generated_content

    section = next(each for each in plan.sections if each.topic == FINDINGS)
    edit = SectionEdit(text=f"## {FINDINGS}", revision=draft.revision)
    await desk.service.draft.save_section(ADA, code, section.key, edit)
    offered = await desk.service.quality.sentences(ADA, code, section.key)
    assert offered
    assert all(each.citation.chunk_id != "chunk-1" for each in offered)
    with pytest.raises(Conflict) as refused:
        await desk.service.citations.add(ADA, code, NewCitation(chunk_id="chunk-1", quote="Rain ended"))
    assert refused.value.code == "excluded"

    await run(desk, code, "outline")
    anew = plan_of(await desk.service.outline.of(newsletter))
    assert not any("chunk-1" in item.references for item in anew.items)


async def test_what_was_kept_of_a_draft_is_not_used_after_a_passage_was_dropped(desk: Desk) -> None:
    code = await drafted(desk)
    assert "chunk-1" in {each["chunk_id"] for each in (await draft_of(desk, code)).citations}
    await desk.service.topics.mark(ADA, code, "chunk-1", "dropped")
    await run(desk, code, "draft")
    assert "chunk-1" not in {each["chunk_id"] for each in (await draft_of(desk, code)).citations}


async def test_a_text_that_cites_what_was_dropped_later_is_still_proved(desk: Desk) -> None:
    code = await drafted(desk)
    draft = await draft_of(desk, code)
    newsletter = await desk.service.newsletters.find(code)
    assert newsletter is not None
    await desk.service.topics.mark(ADA, code, "chunk-1", "dropped")
    card = await desk.service.quality.card(newsletter, draft, draft.sections)
    assert card["faithful"] == draft.quality["faithful"]


async def test_an_own_story_has_other_sentences_of_the_passages_that_it_cites(desk: Desk) -> None:
    sentences = "A seed bank opened in Kitui. The bank has over 420 sorts. Farmers borrow one kilogram."
    source = Source(
        source_id="own", title="The seed bank", kind="text", created_by="ada", created_at="2026-01-26T10:30:00.000000Z"
    )
    chunk = Chunk(source_id="own", position=0, text=sentences, chunk_id="chunk-own")
    for row in (source, chunk):
        await desk.kit.store.write(Put(row))
    code = await outlined(desk)
    outline = await desk.service.outline.add_section(ADA, code, "A visit")
    section = next(each for each in plan_of(outline).sections if each.name == "A visit")
    await desk.service.outline.add_item(ADA, code, NewItem(section=section.id, title="A seed bank opened in Kitui"))
    await run(desk, code, "draft")
    draft = await draft_of(desk, code)
    text = f"{draft.sections.get(section.key, '## A visit')}\n\nA seed bank opened in Kitui. [40]"
    cited = {
        "n": 40,
        "chunk_id": "chunk-own",
        "source_id": "own",
        "position": 0,
        "title": "The seed bank",
        "quote": "A seed bank opened in Kitui.",
    }
    await desk.service.draft.change(
        ADA,
        code,
        "saved",
        lambda before: (
            before.draft.model_copy(update={"citations": (cited,)}),
            {**before.texts, section.key: text},
        ),
    )
    offered = await desk.service.quality.sentences(ADA, code, section.key)
    assert "The bank has over 420 sorts." in [each.text for each in offered]
    best = next(each for each in offered if each.text == "The bank has over 420 sorts.")
    assert best.citation.chunk_id == "chunk-own"
    number = await desk.service.citations.add(
        ADA,
        code,
        NewCitation(chunk_id="chunk-own", quote="The bank has over 420 sorts.", section=section.key, text=best.text),
    )
    assert number == 40
    after = await draft_of(desk, code)
    assert "The bank has over 420 sorts. [40]" in after.edited_sections[section.key]


def test_a_passage_beside_one_that_is_told_is_not_used_if_it_was_dropped() -> None:
    topics = Topics(
        newsletter_code="NL-20260126-A1B2",
        updated_at="2026-01-26T10:30:00.000000Z",
        retrieved_content=tuple(content()),
    )
    passage = matches_of(topics, "en")[0].passage
    beside = Chunk(source_id="source-1", position=2, text="The trial goes on.", chunk_id="chunk-beside")
    assert [each.id for each in neighbours_of([passage], [beside])[passage.id]] == ["chunk-beside"]
    assert neighbours_of([passage], [beside], {"chunk-beside"})[passage.id] == ()


@given(st.integers(0, 9), st.integers(0, 1), st.sampled_from(["", "Next steps", "Trees in rows"]))
def test_a_passage_brings_those_beside_it_and_the_beginning_of_its_source(at: int, begins: int, heading: str) -> None:
    passage = Passage("p", "s", "The council meets again.", heading=heading, position=at)
    kinds: list[ChunkKind] = ["references" if place < begins else "text" for place in range(12)]
    chunks = [
        Chunk(source_id="s", position=place, text="Goats.", chunk_id=f"c{place}", kind=kind)
        for place, kind in enumerate(kinds)
    ]
    asked = {place for _, place in places_beside([passage])}
    found = neighbours_of([passage], [chunks[place] for place in sorted(asked)])["p"]
    wanted = {at - 1, at + 1} | ({begins} if begins < at else set())
    assert [each.position for each in found] == [place for place in sorted(wanted) if begins <= place]
