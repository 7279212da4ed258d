"""What writing works on: passages of sources, the settings of an edition, an outline, a draft with its citations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Literal

Length = Literal["short", "mixed", "long"]
Frequency = Literal["daily", "weekly", "monthly", "quarterly", "custom"]
Language = Literal["en", "am", "ar"]
Shape = Literal["opening", "news", "finding", "opportunity", "event", "publication", "dates", "closing"]
Register = Literal["friendly", "neutral", "formal"]

WORDS: Mapping[Length, tuple[int, int]] = MappingProxyType(
    {"short": (400, 600), "mixed": (1000, 1500), "long": (2500, 3500)}
)
"""How many words an edition has, at least and at most."""
LENGTHS: Mapping[str, Length] = MappingProxyType(
    {
        "short": "short",
        "mixed": "mixed",
        "long": "long",
        "quick_read": "short",
        "standard": "mixed",
        "deep_dive": "long",
    }
)
"""Lengths by each of their names."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a source, as it is found, shown and cited."""

    id: str
    source_id: str
    text: str
    title: str = ""
    """The source's."""
    heading: str = ""
    page: int | None = None
    position: int = 0
    """Its place in the source: 0, 1, 2, …"""
    published: str | None = None
    """An ISO day."""
    language: str = "en"
    url: str | None = None
    publisher: str = ""
    kind: str = "text"
    """text, table or references."""
    own: bool = False
    """Whether somebody put its source on the shelf of this very newsletter or proposal."""


@dataclass(frozen=True, slots=True)
class Edition:
    """For whom and how: the settings of a newsletter that change its text."""

    title: str
    today: date
    audience: tuple[str, ...] = ()
    tone_professional: int = 50
    tone_technical: int = 50
    length: Length = "mixed"
    frequency: Frequency = "weekly"
    region: str = ""
    language: Language = "en"
    issue_label: str = ""

    @property
    def words(self) -> int:
        """How many words it should have."""
        fewest, most = WORDS[self.length]
        return (fewest + most) // 2

    @property
    def register(self) -> Register:
        """The tone of what we say ourselves."""
        if self.tone_professional < 40:
            return "friendly"
        return "formal" if self.tone_professional >= 70 else "neutral"


@dataclass(frozen=True, slots=True)
class Story:
    """An item of the outline: what is told, from which passages, in how many words."""

    title: str
    gist: str = ""
    references: tuple[str, ...] = ()
    """Ids of passages, the most important one first."""
    words: int = 80
    shape: Shape = "news"
    note: str = ""
    """A person's note to the writer."""
    id: str = ""
    source: str = "rag_content"
    """rag_content, ai_generated or user, as stored."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the outline; `key` is its name among the draft's sections."""

    key: str
    name: str
    stories: tuple[Story, ...]
    topic: str = ""
    """The label of its topic; empty for opening, closing and what a person added."""
    words: int = 0


@dataclass(frozen=True, slots=True)
class Citation:
    """What `[n]` stands for."""

    n: int
    chunk_id: str
    source_id: str
    title: str
    quote: str
    """The sentences that were used, one a line."""
    url: str | None = None
    date: str | None = None
    page: int | None = None
    publisher: str = ""
    heading: str = ""
    """The one that its passage is under."""


@dataclass(frozen=True, slots=True)
class SoFar:
    """What the sections before this one have used, so that nothing is told twice and numbers go on."""

    citations: tuple[Citation, ...] = ()
    sentences: tuple[str, ...] = ()
    spare_words: int = 0
    """Words that earlier sections could not use."""
    acronyms: frozenset[str] = frozenset()
    """Acronyms that were spelled out already."""


@dataclass(frozen=True, slots=True)
class SectionDraft:
    """A section as Markdown, and what is used up after it."""

    key: str
    markdown: str
    so_far: SoFar
    short_of: int = 0
    """How many words are missing because the sources had no more."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A whole edition: its sections in order, and what their numbers stand for."""

    sections: tuple[SectionDraft, ...]
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    """What the reader of the draft should know, such as sections that are short of sources."""

    @property
    def markdown(self) -> str:
        """All sections, one after the other."""
        return "\n\n".join(each.markdown for each in self.sections if each.markdown)


@dataclass(frozen=True, slots=True)
class Library:
    """The passages that a draft may use: those the outline refers to, and their neighbours in the sources."""

    passages: Mapping[str, Passage] = field(default_factory=dict)
    neighbours: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)
    """Passages before and after one in the same source, by its id."""
