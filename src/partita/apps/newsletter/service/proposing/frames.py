"""Frames: which sections a proposal begins with, and what belongs into each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from partita.apps.newsletter.formats import section_key
from partita.apps.newsletter.service.proposing.frame_titles import title_in

Frame = Literal["concept_note", "full_proposal", "letter_of_interest", "document"]
MOST_SECTIONS = 40


@dataclass(frozen=True, slots=True)
class ProposalSection:
    """A section of a proposal; its text is stored under its key."""

    key: str
    title: str
    guidance: str = ""
    limit: int = 0
    """The most words it may have; 0 if nobody has said."""
    done: bool = False

    def stored(self, order: int) -> dict[str, Any]:
        """As the proposal's metadata keeps it."""
        return {
            "key": self.key,
            "title": self.title,
            "guidance": self.guidance,
            "word_limit": self.limit,
            "order": order,
            "done": self.done,
        }


@dataclass(frozen=True, slots=True)
class FrameFacts:
    """A frame for people."""

    name: Frame
    title: str
    purpose: str
    sections: tuple[tuple[str, str, int], ...] = ()
    """Title, guidance, most words."""


FRAMES: dict[Frame, FrameFacts] = {
    each.name: each
    for each in (
        FrameFacts(
            "concept_note",
            "Concept note",
            "Two to four pages that win an invitation.",
            (
                ("Summary", "The problem, what you will do, for whom, and what changes, in a paragraph each.", 250),
                ("Background and problem", "What is wrong, for how many, where; figures with their source.", 400),
                ("Objectives", "One overall objective, and two to four that can be checked.", 200),
                ("Approach", "What will be done, in which order, and why it works.", 500),
                ("Expected results", "What will be different at the end, in numbers.", 250),
                ("Partners and experience", "Who does what, and what you have done like it.", 250),
                ("Budget", "A table with one line for each kind of cost and a total.", 150),
            ),
        ),
        FrameFacts(
            "full_proposal",
            "Full proposal",
            "Everything a funder needs to decide.",
            (
                ("Executive summary", "Written last, read first: problem, approach, results, cost.", 400),
                ("Context and needs", "The situation with figures and dates, and what has been tried.", 800),
                ("Goal and objectives", "The goal, and objectives that can be measured.", 300),
                ("Activities and method", "Work package by work package: what, how, who, when.", 1500),
                ("Results and indicators", "Each result with its indicator, baseline and target.", 500),
                ("Monitoring, evaluation and learning", "Who measures what, how often, and who learns from it.", 500),
                ("Risks", "What may go wrong, how likely, and what you do about it.", 300),
                ("Sustainability", "What stays when the money ends.", 300),
                ("Gender and inclusion", "Who takes part, who decides, who benefits.", 300),
                ("Organisation and team", "Who you are, who leads, what you have done.", 500),
                ("Work plan", "A table of activities by quarter.", 300),
                ("Budget", "A table with one line for each kind of cost and a total.", 400),
            ),
        ),
        FrameFacts(
            "letter_of_interest",
            "Letter of interest",
            "One page that says why you.",
            (
                ("Opening", "Which call, and in one sentence what you propose.", 80),
                ("What we propose", "The idea, the place, the people, the result.", 200),
                ("Why us", "What you have done that shows you can.", 150),
                ("Cost and time", "The amount asked for, and from when to when.", 80),
                ("Closing", "What you would like to happen next, and whom to call.", 60),
            ),
        ),
        FrameFacts(
            "document", "Headings of a document", "A Word template of the funder: its headings become sections."
        ),
    )
}


def sections_of_frame(frame: Frame, language: str = "en") -> tuple[ProposalSection, ...]:
    """The sections of a frame, each with a key of its own; their titles are in the proposal's language."""
    made: list[ProposalSection] = []
    for title, guidance, limit in FRAMES[frame].sections:
        key = section_key(title, [each.key for each in made])
        made.append(ProposalSection(key, title_in(language, title), guidance, limit))
    return tuple(made)


def sections_of_headings(headings: Iterable[str]) -> tuple[ProposalSection, ...]:
    """A section for each heading of a document."""
    made: list[ProposalSection] = []
    for heading in headings:
        title = " ".join(heading.split())[:200]
        if title and len(made) < MOST_SECTIONS:
            made.append(ProposalSection(section_key(title, [each.key for each in made]), title))
    return tuple(made)


def read_sections(metadata: Mapping[str, Any], texts: Mapping[str, Any]) -> tuple[ProposalSection, ...]:
    """The sections of a proposal as it is stored; texts of other programs that no section names are sections too."""
    listed = metadata.get("sections")
    rows = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, Sequence) else []
    rows.sort(key=lambda row: _number(row.get("order")))
    found: dict[str, ProposalSection] = {}
    for row in rows:
        key = str(row.get("key") or "")
        if key and key not in found:
            title = str(row.get("title") or key.replace("_", " ").capitalize())
            limit = _number(row.get("word_limit"))
            done = row.get("done") is True
            found[key] = ProposalSection(key, title, str(row.get("guidance") or ""), limit, done)
    for key in texts:
        if key not in found:
            found[key] = ProposalSection(key, key.replace("_", " ").capitalize())
    return tuple(found.values())


def stored_sections(sections: Iterable[ProposalSection]) -> list[dict[str, Any]]:
    """Sections as the metadata keeps them, in their order."""
    return [section.stored(order) for order, section in enumerate(sections, 1)]


def _number(value: Any) -> int:
    try:
        return max(0, int(value or 0))
    except (TypeError, ValueError):
        return 0
