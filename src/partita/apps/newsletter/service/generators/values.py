"""What writers are asked for and what they give back, beside the values of `writing`: the same for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from partita.apps.newsletter.service.proposing.assigning import Told
from partita.apps.newsletter.service.writing.retrieval import Match
from partita.apps.newsletter.service.writing.values import Edition, Library, Passage, Section, SectionDraft, SoFar

Wish = Literal["shorter", "simpler", "more formal"]
WISHES: tuple[Wish, ...] = ("shorter", "simpler", "more formal")


@dataclass(frozen=True, slots=True)
class OutlineTask:
    """An outline to make of what was found: passages with their topics, the best first."""

    edition: Edition
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class SectionTask:
    """A section to write, after those before it."""

    edition: Edition
    section: Section
    library: Library
    so_far: SoFar = field(default_factory=SoFar)
    outline: tuple[Section, ...] = ()
    """The whole outline: opening and closing speak of it."""
    told: tuple[Told, ...] = ()
    """Of a proposal: what the section tells, chosen and in order; the offline writer sets it as it is."""


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """A piece of a section to say in another way; its citations stay."""

    edition: Edition
    text: str
    wish: Wish
    passages: Mapping[int, Passage]
    """What the numbers in the text stand for."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a model has read and written for us."""

    read: int = 0
    written: int = 0
    estimated: bool = False
    """Whether the service did not say."""

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.read + other.read, self.written + other.written, self.estimated or other.estimated)


@dataclass(frozen=True, slots=True)
class MadeWith:
    """How a text was made, for the page and for whoever asks later."""

    writer: str
    model: str = ""
    prompt_version: int = 0
    """0 is the prompt that comes with the program."""
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0
    calls: int = 0
    instead_of: str = ""
    """The model writer that did not succeed, if there was one."""
    reason: str = ""
    """Why it did not, in a sentence for people."""


@dataclass(frozen=True, slots=True)
class WrittenOutline:
    """An outline."""

    sections: tuple[Section, ...]
    made_with: MadeWith


@dataclass(frozen=True, slots=True)
class WrittenSection:
    """A section in Markdown; every `[n]` in it is one of the citations so far."""

    draft: SectionDraft
    made_with: MadeWith


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text said in another way."""

    text: str
    made_with: MadeWith
