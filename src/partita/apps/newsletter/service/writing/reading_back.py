"""A draft's Markdown read back: its headings, paragraphs and sentences, with the numbers that they cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from partita.apps.newsletter.service.writing.spans import Span, sentences_with_citations

Kind = Literal["heading", "text", "item", "quote", "line"]
_MARKS = re.compile(r"\s*\[(\d{1,4})\](?!\()")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_RUN_IN = re.compile(r"^\*\*(.+?)\*\*\s*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of a draft."""

    section: str
    kind: Kind
    text: str
    """Without marks of Markdown and numbers."""
    cited: tuple[int, ...] = ()
    label: str = ""
    """What stands in bold at its beginning."""
    story: str = ""
    """The headline that it is under."""
    spans: tuple[Span, ...] = ()
    """Its sentences, each with the numbers that it rests on."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences."""
        return tuple(text for text, _ in self.spans)


def pieces(sections: Mapping[str, str]) -> tuple[Piece, ...]:
    """The blocks of some sections, in order."""
    return tuple(piece for key, markdown in sections.items() for piece in _of_section(key, markdown))


def _of_section(key: str, markdown: str) -> list[Piece]:
    found: list[Piece] = []
    story = ""
    for block in re.split(r"\n\s*\n", markdown.strip()):
        lines = [line for line in block.splitlines() if line.strip()]
        while lines and lines[0].lstrip().startswith("#"):
            marks, _, text = lines.pop(0).lstrip().partition(" ")
            story = text.strip() if len(marks) > 2 else ""
            found.append(Piece(key, "heading", plain(text), story=story))
        if not lines:
            continue
        if _BULLET.match(lines[0]):
            found += [_piece(key, "item", _BULLET.sub("", line), story) for line in lines]
        elif lines[0].lstrip().startswith(">"):
            found.append(_piece(key, "quote", " ".join(line.lstrip(" >") for line in lines), story))
        else:
            found.append(_piece(key, "text", " ".join(line.strip() for line in lines), story))
    return found


def _piece(key: str, kind: Kind, text: str, story: str) -> Piece:
    cited = tuple(int(number) for number in _MARKS.findall(text))
    label = _RUN_IN.match(text)
    rest = text[label.end() :] if label else text
    bare = plain(_MARKS.sub("", rest))
    if label and not bare:
        return Piece(key, "line", plain(label[1]), cited, plain(label[1]), story)
    spans = tuple(sentences_with_citations(plain(rest)))
    return Piece(key, kind, bare, cited, plain(label[1]).rstrip(":.።") if label else "", story, spans)


def plain(text: str) -> str:
    """Text without links and emphasis."""
    return _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text)).strip()
