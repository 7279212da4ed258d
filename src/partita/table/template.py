"""Key templates: `USER#{user_id}` both ways, from parts to text and from text to parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from string import Formatter
from typing import Any

from partita.table.errors import KeyPartError, SchemaError

_PADDED = re.compile(r"0(\d+)d?\Z")


@dataclass(frozen=True, slots=True)
class Part:
    """A placeholder: which field, and how wide a number is padded (0: as it is)."""

    field: str
    width: int = 0


@dataclass(frozen=True, slots=True)
class Template:
    """Text with placeholders; every placeholder but the last stops at the text that follows it."""

    text: str
    pieces: tuple[str | Part, ...]
    pattern: re.Pattern[str]
    start: str
    parts: tuple[str, ...]
    trailing: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields the key is made of, in order."""
        return self.parts

    @property
    def simple(self) -> bool:
        """A fixed text, alone or before one field: whatever the field holds is read back as it was."""
        return self.trailing or not self.parts

    @property
    def shape(self) -> tuple[str | None, ...]:
        """The fixed texts and where something stands between them: what a key shows of its template."""
        return tuple(piece if isinstance(piece, str) else None for piece in self.pieces)

    @property
    def literals(self) -> int:
        """How much of the template is fixed: of two templates that fit a text, the one with more says what it is."""
        return sum(len(piece) for piece in self.pieces if isinstance(piece, str))

    def render(self, values: Mapping[str, Any]) -> str | None:
        """The key; None where an input is missing, since an index without a key is a sparse one."""
        text = ""
        for piece in self.pieces:
            if isinstance(piece, str):
                text += piece
                continue
            value = values.get(piece.field)
            if value is None:
                return None
            text += self._part(piece, value)
        return text

    def prefix(self, values: Mapping[str, Any]) -> tuple[str, bool]:
        """As much of the key as the values allow, and whether that is all of it."""
        text = ""
        for piece in self.pieces:
            if isinstance(piece, str):
                text += piece
            elif values.get(piece.field) is None:
                return text, False
            else:
                text += self._part(piece, values[piece.field])
        return text, True

    def parse(self, text: str) -> dict[str, str] | None:
        """The parts of a key, or None where the text is not made by this template."""
        # Nearly every template is a fixed text, or a fixed text and then one field: no pattern is needed for those.
        if not self.parts:
            return {} if text == self.start else None
        if self.trailing:
            length = len(self.start)
            return {self.parts[0]: text[length:]} if len(text) > length and text.startswith(self.start) else None
        match = self.pattern.fullmatch(text)
        return None if match is None else match.groupdict()

    def may_meet(self, other: Template) -> bool:
        """Whether a text could be made by both, as far as their fixed starts tell."""
        return self.start.startswith(other.start) or other.start.startswith(self.start)

    def _part(self, part: Part, value: Any) -> str:
        try:
            text = key_text(value, part.width)
        except KeyPartError as error:
            raise KeyPartError(f"{part.field} of {self.text!r}: {error}") from None
        if not text:
            raise KeyPartError(f"{part.field} is empty, and {self.text!r} needs it: keys have no empty parts")
        return text


def key_text(value: Any, width: int = 0) -> str:
    """A value the way keys spell it."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if width and (value < 0 or len(str(value)) > width):
            raise KeyPartError(f"{value} does not fit into {width} digits: text order would not be number order")
        return f"{value:0{width}d}" if width else str(value)
    if isinstance(value, str):
        return value
    raise KeyPartError(f"{value!r} ({type(value).__name__}) cannot be part of a key: use text or a whole number")


def template(text: str) -> Template:
    """Read a template."""
    pieces: list[str | Part] = []
    for literal, field, spec, _ in Formatter().parse(text):
        if literal:
            pieces.append(literal)
        if field is None:
            continue
        if not field.isidentifier():
            raise SchemaError(f"{text!r}: {field!r} is not the name of a field")
        if pieces and isinstance(pieces[-1], Part):
            raise SchemaError(f"{text!r}: two placeholders need text between them, or keys could not be read back")
        padded = _PADDED.match(spec or "")
        if spec and not padded:
            raise SchemaError(f"{text!r}: the only format is padding, as in {{{field}:08}}; not {spec!r}")
        pieces.append(Part(field, int(padded[1]) if padded else 0))
    parts = tuple(piece.field for piece in pieces if isinstance(piece, Part))
    start = pieces[0] if pieces and isinstance(pieces[0], str) else ""
    trailing = len(parts) == 1 and len(pieces) == (2 if start else 1) and isinstance(pieces[-1], Part)
    return Template(text, tuple(pieces), _pattern(tuple(pieces)), start, parts, trailing)


def _pattern(pieces: tuple[str | Part, ...]) -> re.Pattern[str]:
    pattern = ""
    seen: set[str] = set()
    for position, piece in enumerate(pieces):
        if isinstance(piece, str):
            pattern += re.escape(piece)
        elif piece.field in seen:
            pattern += f"(?P={piece.field})"
        else:
            seen.add(piece.field)
            # The last placeholder takes the rest, so that a tag may be `c#`; the others stop as early as they can.
            pattern += f"(?P<{piece.field}>.+{'' if position == len(pieces) - 1 else '?'})"
    return re.compile(pattern, re.DOTALL)
