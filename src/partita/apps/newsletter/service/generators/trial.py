"""Trying a writer on a small section of its own: what it writes, how long it takes, what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from time import monotonic

from partita.apps.newsletter.service.generators.values import MadeWith, SectionTask
from partita.apps.newsletter.service.generators.writer import Writer, WriterFailed
from partita.apps.newsletter.service.writing.values import Edition, Library, Passage, Section, Story

_PASSAGES = (
    Passage(
        id="chunk-trial-1",
        source_id="trial-1",
        title="Seed trials in the dry lowlands",
        publisher="Partita",
        published="2026-01-15",
        text=(
            "Farmers in Marsabit tried three varieties of drought-tolerant sorghum on 240 plots last season. The early"
            " variety gave 1.8 tonnes a hectare, against 1.2 tonnes from the seed that they had kept before. Rain"
            " ended two weeks early, which made the difference larger than in a usual year. Two thirds of the farmers"
            " want to plant it again. Seed is sold by the cooperative in Laisamis at 180 shillings a kilogram."
        ),
    ),
    Passage(
        id="chunk-trial-2",
        source_id="trial-2",
        title="What farmers say about early sorghum",
        publisher="Partita",
        published="2026-01-20",
        text=(
            "In meetings with 86 households, women named cooking time as the reason to prefer the early sorghum. Birds"
            " eat more of it than of the red variety, because it ripens when nothing else does. Farmers who sowed in"
            " groups lost less grain than those who sowed alone. The extension office will lend nets to twelve groups"
            " before the next rains."
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """How a trial went."""

    text: str
    made_with: MadeWith
    seconds: float
    error: str = ""
    """Why there is no text of this writer's own, in a sentence; empty if it succeeded."""


def trial_task() -> SectionTask:
    """A section that any writer can write."""
    stories = (
        Story(
            title="Early sorghum yields more on dry plots",
            gist="The early variety gave 1.8 tonnes a hectare.",
            references=tuple(passage.id for passage in _PASSAGES),
            words=110,
            shape="finding",
            id="item-1-1",
        ),
    )
    section = Section("research_findings", "Research Findings", stories, topic="Research Findings", words=110)
    edition = Edition(
        title="Trial edition", today=date(2026, 1, 26), audience=("field_staff",), length="short", region="Kenya"
    )
    library = Library({passage.id: passage for passage in _PASSAGES})
    return SectionTask(edition, section, library, outline=(section,))


async def try_writer(writer: Writer, task: SectionTask | None = None) -> Trial:
    """What a writer makes of a section. What another one wrote in its place counts as failed."""
    begun = monotonic()
    try:
        written = await writer.section(task or trial_task())
    except WriterFailed as failed:
        seconds = round(monotonic() - begun, 2)
        return Trial("", MadeWith(writer.name, writer.model, seconds=seconds), seconds, str(failed))
    seconds = round(monotonic() - begun, 2)
    return Trial(written.draft.markdown, written.made_with, seconds, written.made_with.reason)
