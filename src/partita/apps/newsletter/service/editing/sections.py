"""The sections of a draft as one document, and a document as sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from partita.apps.newsletter.formats import section_key
from partita.apps.newsletter.service.editing.paragraphs import joined, paragraphs

_TITLE = re.compile(r"#[ \t]+(.*?)[ \t]*#*$")
_HEADING = re.compile(r"##[ \t]+(.*?)[ \t]*#*$")


@dataclass(frozen=True, slots=True)
class Section:
    """One section: the key of its text, its heading, and its Markdown without the heading."""

    key: str
    heading: str
    """Empty if it has none, as an introduction may."""
    body: str

    @property
    def text(self) -> str:
        """The section as the draft stores it."""
        return joined([part for part in (f"## {self.heading}" if self.heading else "", self.body) if part])


def section(key: str, text: str) -> Section:
    """A section of its stored text."""
    parts = paragraphs(text)
    if not parts:
        return Section(key, "", "")
    first, _, rest = parts[0].partition("\n")
    found = _HEADING.fullmatch(first.strip())
    if found is None:
        return Section(key, "", joined(parts))
    return Section(key, found[1], joined(paragraphs(joined([rest, *parts[1:]]))))


def document(title: str, texts: Iterable[str]) -> str:
    """The whole newsletter as one Markdown document."""
    return joined([part for part in (f"# {title}" if title else "", *(text.strip("\n") for text in texts)) if part])


def split(whole: str, known: Mapping[str, str]) -> dict[str, str]:
    """A document as sections: key → text. `known` are the sections that the document was made of.

    A part with the heading of a known section has its key; so has one at the place of a section whose heading is gone,
    for it was renamed. Others get a key of their heading.
    """
    parts = _parts(whole)
    headings = {key: section(key, text).heading for key, text in known.items()}
    keys: list[str | None] = []
    for heading, _ in parts:
        keys.append(next((key for key, there in headings.items() if there == heading and key not in keys), None))
    free = [key for key in headings if key not in keys]
    if len(parts) == len(headings):
        order = list(headings)
        keys = [order[place] if key is None and order[place] in free else key for place, key in enumerate(keys)]
    found: dict[str, str] = {}
    for key, (heading, text) in zip(keys, parts, strict=True):
        found[key or section_key(heading, {*found, *headings})] = text
    return found


def in_order(texts: Mapping[str, str], whole: str, outline: Sequence[str] = ()) -> tuple[str, ...]:
    """The keys of sections in the order of the document they were joined to; those it lacks follow as the outline says.

    A map of DynamoDB has no order.
    """
    places: dict[str, int] = {}
    whole = f"\n\n{whole.strip()}\n\n"
    for key, text in texts.items():
        place = whole.find(f"\n\n{text.strip()}\n\n") if text.strip() else -1
        if place < 0:
            heading = section(key, text).heading
            place = whole.find(f"\n## {heading}\n") if heading else -1
        if place >= 0:
            places[key] = place
    planned = {key: place for place, key in enumerate(outline)}
    return tuple(
        sorted(
            texts,
            key=lambda key: (0, places[key], key) if key in places else (1, planned.get(key, len(planned)), key),
        )
    )


def _parts(whole: str) -> list[tuple[str, str]]:
    """Heading and text of each part of a document, without its title."""
    found: list[tuple[str, list[str]]] = []
    for place, part in enumerate(paragraphs(whole)):
        first, _, rest = part.partition("\n")
        if place == 0 and _TITLE.fullmatch(first):
            if not rest:
                continue
            part = first = rest
        heading = _HEADING.fullmatch(first)
        if heading is not None:
            found.append((heading[1], [part]))
        elif found:
            found[-1][1].append(part)
        else:
            found.append(("", [part]))
    return [(heading, joined(parts)) for heading, parts in found]
