"""The demo's sources: texts with a head, whose days count back from the day on which they are filled in.

A text marks what the tests ask for: `## Heading {research}` says which topic is meant, and ‡ follows a fact that is
worth telling. `{-12}` is the day twelve days ago, in the language of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.phrases import day_in_words
from partita.kit.previews.blocks import Block

_FOLDER = Path(__file__).parent / "texts"
_HEAD = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_DAY = re.compile(r"\{([+-]\d+)\}")
_LABEL = re.compile(r" \{([a-z]+)\}$", re.MULTILINE)
_FACT = "‡"
TOPIC_IDS = {
    "news": "breaking_news",
    "policy": "policy_updates",
    "food": "food_security",
    "research": "research_findings",
    "technology": "technology_innovation",
    "climate": "climate_smart_agriculture",
    "market": "market_access",
    "projects": "project_updates",
    "livestock": "livestock",
    "funding": "funding_opportunities",
    "events": "events_conferences",
    "publications": "publications_resources",
}
"""Topics as the texts abbreviate them."""


@dataclass(frozen=True, slots=True)
class DemoSource:
    """A source as its file has it."""

    slug: str
    head: dict[str, str]
    body: str

    @property
    def title(self) -> str:
        return self.head["title"]

    @property
    def kind(self) -> str:
        return self.head["kind"]

    @property
    def language(self) -> str:
        return self.head.get("language", "en")

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(each.strip() for each in self.head["tags"].split(","))

    @property
    def facts(self) -> tuple[str, ...]:
        """The sentences that are worth telling, with days as they are marked."""
        return tuple(sentences(part)[-1].text for part in self.body.split(_FACT)[:-1])

    def published(self, today: date) -> date:
        """When it was published."""
        return today - timedelta(days=int(self.head["days"]))

    def markdown(self, today: date) -> str:
        """Its text, without marks."""
        return in_words(_LABEL.sub("", self.body).replace(_FACT, ""), self.language, today)

    def sections(self, today: date) -> Iterator[tuple[str, str, str]]:
        """Its sections: heading, topic (or nothing) and text."""
        for part in re.split(r"^## ", self.body, flags=re.MULTILINE)[1:]:
            first, _, text = part.partition("\n")
            label = _LABEL.search(first)
            plain = in_words(text.replace(_FACT, "").strip(), self.language, today)
            yield _LABEL.sub("", first), TOPIC_IDS[label[1]] if label else "", plain

    def blocks(self, today: date) -> tuple[Block, ...]:
        """Its text as blocks."""
        made = [Block("heading", self.title, 1)]
        for heading, _, text in self.sections(today):
            made.append(Block("heading", heading, 2))
            made += [Block("paragraph", each) for each in text.split("\n") if each.strip()]
        return tuple(made)


@cache
def sources() -> tuple[DemoSource, ...]:
    """All of them, by their names."""
    found = {file.stem: _read(file) for file in sorted(_FOLDER.glob("*.md"))}
    return tuple(_copied(each, found) for each in found.values())


def _read(file: Path) -> DemoSource:
    parts = _HEAD.fullmatch(file.read_text())
    if parts is None:
        raise ValueError(f"{file.name} needs a head between two lines of ---")
    head = dict(line.split(": ", 1) for line in parts[1].splitlines())
    return DemoSource(file.stem, head, parts[2].strip())


def _copied(source: DemoSource, others: dict[str, DemoSource]) -> DemoSource:
    """A near-duplicate has the text of another source with some words changed."""
    original = others.get(source.head.get("twin_of", ""))
    if original is None:
        return source
    body = original.body
    for line in source.body.splitlines():
        old, _, new = line.partition(" => ")
        if old not in body:
            raise ValueError(f"{source.slug} changes {old!r}, which {original.slug} does not say")
        body = body.replace(old, new)
    return DemoSource(source.slug, source.head, body.replace(_FACT, ""))


def in_words(text: str, language: str, today: date) -> str:
    return _DAY.sub(lambda found: day_in_words(today + timedelta(days=int(found[1])), language), text)
