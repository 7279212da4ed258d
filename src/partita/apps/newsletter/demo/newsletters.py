"""The demo's newsletters: one at each step, two exported, one with edits and notes, and one whose step has failed."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter.demo.people import AUTHOR, EDITOR
from partita.apps.newsletter.demo.stage import Stage
from partita.apps.newsletter.formats import TOPICS
from partita.apps.newsletter.inputs import NewNewsletter, NewNote, NewShare, SectionEdit, TopicsEdit
from partita.apps.newsletter.schema import Newsletter, StepName

_ALL: tuple[StepName, ...] = ("retrieval", "outline", "draft")


async def fill(stage: Stage) -> str:
    """Make them, one after the other."""
    made = [
        await _series(stage),
        await _arabic(stage),
        await _reviewed(stage),
        await _outlined(stage),
        await _planned(stage),
        await _configured(stage),
        await _failed(stage),
    ]
    return f"{len(made) + 1} newsletters"


async def _series(stage: Stage) -> Newsletter:
    """Two issues of a digest; the second one tells of other topics, and is exported."""
    first = await _new(
        stage,
        AUTHOR,
        title="Dryland Digest",
        description="Research and policy for those who work in the drylands of East Africa.",
        target_audience=["researchers", "policy_makers"],
        tone_professional=60,
        frequency="monthly",
        geographic_focus="East Africa",
        issue_label="No. 1",
        theme="journal",
        format_type="pdf",
    )
    await _choose(stage, first, "policy_updates", "research_findings", "climate_smart_agriculture", "livestock")
    await _run(stage, first, *_ALL)
    second = await stage.service.newsletters.next_issue(stage.viewers[AUTHOR], first.newsletter_code)
    topics = ("food_security", "technology_innovation", "market_access", "project_updates", "funding_opportunities")
    await _choose(stage, second, *topics)
    await _run(stage, second, *_ALL)
    for form in ("pdf", "docx", "html"):
        await stage.service.exports.start(stage.viewers[AUTHOR], second.newsletter_code, form)
    await stage.work()
    return second


async def _arabic(stage: Stage) -> Newsletter:
    made = await _new(
        stage,
        EDITOR,
        title="نشرة القرن الأفريقي",
        target_audience=["development_partners"],
        tone_professional=80,
        length_preference="short",
        frequency="monthly",
        language="ar",
        theme="bulletin",
        format_type="web",
    )
    topics = ("food_security", "research_findings", "climate_smart_agriculture", "market_access", "livestock")
    await _choose(stage, made, *topics, "funding_opportunities", "events_conferences")
    await _run(stage, made, *_ALL)
    await stage.service.exports.start(stage.viewers[EDITOR], made.newsletter_code, "html")
    await stage.work()
    return made


async def _reviewed(stage: Stage) -> Newsletter:
    """A draft with edits of a person, notes of a colleague, and a review asked for."""
    made = await _new(
        stage,
        AUTHOR,
        title="Herders' News",
        target_audience=["farmers", "field_staff"],
        tone_professional=25,
        tone_technical=25,
        length_preference="short",
        frequency="weekly",
        geographic_focus="Kenya",
        theme="field",
    )
    await _choose(stage, made, "breaking_news", "livestock", "market_access", "project_updates")
    await _run(stage, made, *_ALL)
    selam, omar, code = stage.viewers[AUTHOR], stage.viewers[EDITOR], made.newsletter_code
    text = await stage.service.draft.read(selam, code)
    closing = text.sections[-1]
    added = f"{closing.text}\n\nThe office is closed next Friday. Call us on any other day."
    await stage.service.draft.save_section(
        selam, code, closing.key, SectionEdit(text=added, revision=text.draft.revision)
    )
    await stage.service.shares.share(selam, code, NewShare(to=EDITOR, role="editor", review=True))
    notes = stage.service.notes
    await notes.add(omar, code, NewNote(section_key=text.sections[1].key, text="Can we say which number to call?"))
    await notes.add(omar, code, NewNote(text="Reads well. Please add a picture of the market in Isiolo."))
    return made


async def _outlined(stage: Stage) -> Newsletter:
    made = await _new(
        stage,
        AUTHOR,
        title="Partner Mail",
        target_audience=["development_partners"],
        frequency="quarterly",
        geographic_focus="Uganda",
        theme="letter",
    )
    topics = ("food_security", "technology_innovation", "market_access", "project_updates", "publications_resources")
    await _choose(stage, made, *topics)
    await _run(stage, made, "retrieval", "outline")
    return made


async def _planned(stage: Stage) -> Newsletter:
    made = await _new(stage, AUTHOR, title="የእርሻ ዜና", language="am", length_preference="short", frequency="monthly")
    await _choose(stage, made, "research_findings", "market_access", "livestock", "food_security")
    await _run(stage, made, "retrieval")
    return made


async def _configured(stage: Stage) -> Newsletter:
    return await _new(
        stage, AUTHOR, title="Quarterly Review", target_audience=["researchers"], length_preference="long"
    )


async def _failed(stage: Stage) -> Newsletter:
    """What was found is no text that could be told, so the outline fails and says what to do."""
    made = await _new(stage, AUTHOR, title="Offers of the week", frequency="weekly", length_preference="short")
    only = (stage.sources["hostile-post"],)
    words = {TOPICS["breaking_news"]: "instructions assistant prompt editors product"}
    await _choose(stage, made, "breaking_news", search_words=words, source_ids=only)
    await _run(stage, made, "retrieval", "outline")
    return made


async def _new(stage: Stage, owner: str, **fields: Any) -> Newsletter:
    return await stage.service.newsletters.create(stage.viewers[owner], NewNewsletter(**fields))


async def _choose(stage: Stage, made: Newsletter, *topics: str, **more: Any) -> None:
    owner = _owner(stage, made)
    labels = tuple(TOPICS[each] for each in topics)
    await stage.service.topics.edit(owner, made.newsletter_code, TopicsEdit(selected_types=labels, **more))


async def _run(stage: Stage, made: Newsletter, *steps: StepName) -> None:
    """Steps, one after the other, each to its end."""
    await stage.service.steps.start(_owner(stage, made), made.newsletter_code, steps[0], then=steps[1:])
    for _ in steps:
        await stage.work()


def _owner(stage: Stage, made: Newsletter) -> Any:
    return next(each for each in stage.viewers.values() if each.user_id == made.user_id)
