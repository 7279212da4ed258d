"""Key templates: `USER#{user_id}` both ways, from parts to text and from text to parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from partita.dynamo.frozen import dataclass
from partita.table.errors import KeyPartError, SchemaError
from partita.table.spelling import key_text

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
    simple: bool
    """A fixed text, alone or before one field: whatever the field holds is read back as it was."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields the key is made of, in order."""
        return self.parts

    @property
    def shape(self) -> tuple[str | None, ...]:
        """The fixed texts and where something stands between them: what a key shows of its template."""
        return tuple(piece if isinstance(piece, str) else None for piece in self.pieces)

    @property
    def literals(self) -> int:
        """How much of the template is fixed: of two templates that fit a text, the one with more says what it is."""
        return sum(len(piece) for piece in self.pieces if isinstance(piece, str))

    def render(self, values: Mapping[str, Any]) -> str | None:
        """The key; None if an input is missing, since an index without a key is a sparse one.

        Parts that would be read back as other parts are refused: two different things never have the same key.
        """
        text = ""
        for piece in self.pieces:
            if isinstance(piece, str):
                text += piece
                continue
            value = values.get(piece.field)
            if value is None:
                return None
            text += self._part(piece, value)
        if not self.simple and self.parse(text) != self._texts(values):
            raise self._ambiguous(values)
        return text

    def prefix(self, values: Mapping[str, Any]) -> tuple[str, bool]:
        """As much of the key as the values allow, and whether that is all of it."""
        text = ""
        for position, piece in enumerate(self.pieces):
            if isinstance(piece, str):
                text += piece
            elif values.get(piece.field) is None:
                return text, False
            else:
                part = self._part(piece, values[piece.field])
                self._check_stops(position, part, values)
                text += part
        return text, True

    def _texts(self, values: Mapping[str, Any]) -> dict[str, str]:
        return {piece.field: self._part(piece, values[piece.field]) for piece in self.pieces if isinstance(piece, Part)}

    def _check_stops(self, position: int, part: str, values: Mapping[str, Any]) -> None:
        """A part that another one follows ends where the text between them begins, and nowhere before."""
        if position + 2 >= len(self.pieces):
            return
        between = self.pieces[position + 1]
        assert isinstance(between, str)  # two placeholders have text between them
        if (part + between).find(between, 1) < len(part):
            raise self._ambiguous(values)

    def _ambiguous(self, values: Mapping[str, Any]) -> KeyPartError:
        given = ", ".join(
            f"{field}={values[field]!r}" for field in dict.fromkeys(self.parts) if values.get(field) is not None
        )
        return KeyPartError(
            f"{given} would have the same key as other parts, since one of them holds the text that {self.text!r} puts "
            "between two parts: take that text out, or give the template another one"
        )

    def parse(self, text: str) -> dict[str, str] | None:
        """The parts of a key, or None if the text is not made by this template."""
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


def parse_template(text: str) -> Template:
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
    return Template(text, tuple(pieces), _pattern(tuple(pieces)), start, parts, trailing, trailing or not parts)


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
            pattern += f"(?P<{piece.field}>{_part_pattern(pieces[position + 1 :])})"
    return re.compile(pattern, re.DOTALL)


def _part_pattern(following: tuple[str | Part, ...]) -> str:
    """The last placeholder takes the rest, so that a tag may be `c#`; one before another stops at the text between.

    It must not go on after that text even if the rest fits only then: a query for the shorter part would find it too.
    """
    if len(following) < 2:
        return ".+?" if following else ".+"
    between = re.escape(str(following[0]))
    return f".[^{between}]*" if len(str(following[0])) == 1 else f".(?:(?!{between}).)*"
