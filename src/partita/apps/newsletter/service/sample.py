"""A sample: one story in the tone and length that somebody chooses, and a whole edition to leaf through. The offline
writer writes both, from passages of our own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from partita.apps.newsletter.service.writing.extractive import write_draft, write_section
from partita.apps.newsletter.service.writing.values import (
    LENGTHS,
    Draft,
    Edition,
    Library,
    Passage,
    Section,
    SoFar,
    Story,
)

_DAY = date(2026, 3, 2)
_STORY_WORDS: Mapping[str, int] = {"short": 45, "mixed": 90, "long": 150}
_PASSAGES = (
    Passage(
        "sample-1",
        "sample-a",
        "A sorghum variety that needs a third less water gave farmers in the eastern lowlands 2.4 tonnes per hectare,"
        " against 1.7 tonnes from the seed they had sown before. The trial ran on 312 farms over three seasons"
        " (2023 to 2025). Yields fell by only 9 percent in the dry season of 2025, when neighbouring fields lost"
        " 38 percent. Farmers said that the grain cooked faster and kept well in the store. The seed is sold by six"
        " cooperatives for 190 shillings a kilogram.",
        title="Sorghum trials in the eastern lowlands",
        heading="What the trial found",
        page=4,
        published="2026-02-20",
        publisher="Lowland Crops Programme",
    ),
    Passage(
        "sample-2",
        "sample-a",
        "The variety flowers after 61 days, eleven days earlier than the local landrace. Soil moisture at flowering was"
        " measured at 0.14 cubic metres per cubic metre. Plots with tied ridges held 18 percent more water than flat"
        " plots. Extension officers recommend sowing within a week of the first rain of 20 millimetres.",
        title="Sorghum trials in the eastern lowlands",
        heading="How it was measured",
        page=7,
        position=1,
        published="2026-02-20",
        publisher="Lowland Crops Programme",
    ),
    Passage(
        "sample-3",
        "sample-b",
        "Two border markets reopened in February after a pause of five months. Traders counted 4,200 head of cattle in"
        " the first week, twice as many as before the pause. Prices for a three-year-old bull settled at"
        " 410 dollars. A shared health certificate is accepted on both sides of the border since 1 February 2026.",
        title="Livestock markets, monthly note",
        heading="Markets reopen",
        page=1,
        published="2026-02-24",
        publisher="Border Markets Watch",
    ),
    Passage(
        "sample-4",
        "sample-c",
        "A fund for small irrigation opens on 1 April 2026. Groups of ten or more farmers can apply for up to"
        " 15,000 dollars for pumps, pipes and storage. Applications close on 15 May 2026. Half of the fund is kept for"
        " groups that are led by women.",
        title="Small irrigation fund: call",
        heading="Who can apply",
        page=2,
        published="2026-02-26",
        publisher="Water for Fields",
    ),
)
_LIBRARY = Library(
    {passage.id: passage for passage in _PASSAGES},
    {"sample-1": (_PASSAGES[1],), "sample-2": (_PASSAGES[0],)},
)


@lru_cache(maxsize=512)
def sample_story(
    tone_professional: int, tone_technical: int, length_preference: str, audience: tuple[str, ...] = ()
) -> str:
    """The Markdown of one story; tones are told apart in tens, as far as the text is."""
    edition = Edition(
        "Sample",
        _DAY,
        audience,
        tone_professional=tone_professional,
        tone_technical=tone_technical,
        length=LENGTHS[length_preference],
    )
    words = _STORY_WORDS[edition.length]
    story = Story("Sorghum that needs less rain", "", ("sample-1", "sample-2"), words, "finding", id="item-2-1")
    opening = Section("introduction", "Introduction", (Story("Welcome", words=30, shape="opening"),), words=30)
    finding = Section("research_findings", "Research Findings", (story,), "Research Findings", words)
    outline = (opening, finding)
    told = write_section(edition, finding, outline, _LIBRARY, SoFar())
    welcome = write_section(edition, opening, outline, _LIBRARY, told.so_far)
    return f"{welcome.markdown}\n\n{told.markdown}".strip()


@lru_cache(maxsize=1)
def sample_edition() -> Draft:
    """A short edition with its citations."""
    edition = Edition(
        "Lowland Field Notes", _DAY, ("farmers", "field_staff"), 45, 45, "short", "weekly", issue_label="No. 12"
    )
    outline = (
        Section("introduction", "Introduction", (Story("Welcome", words=40, shape="opening"),), words=40),
        Section(
            "research_findings",
            "Research Findings",
            (Story("Sorghum that needs less rain", "", ("sample-1", "sample-2"), 150, "finding"),),
            "Research Findings",
            150,
        ),
        Section(
            "livestock",
            "Livestock & Animal Health",
            (Story("Two border markets reopen", "", ("sample-3",), 90, "news"),),
            "Livestock & Animal Health",
            90,
        ),
        Section(
            "funding",
            "Funding Opportunities",
            (Story("Money for small irrigation", "", ("sample-4",), 80, "opportunity"),),
            "Funding Opportunities",
            80,
        ),
        Section("conclusion", "Conclusion", (Story("Closing", words=30, shape="closing"),), words=30),
    )
    return write_draft(edition, outline, _LIBRARY)
