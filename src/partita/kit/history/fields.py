"""The fields of an item whose changes are recorded, and their changes as people read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

from partita.kit.history.changes import FieldChange, Value, Version, bounded, compare
from partita.kit.history.words import Piece

_LONG = 400


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name in the API, its label on the form, and where its value is."""

    name: str
    label: str
    value: str | Callable[[Any], Value]
    """The attribute of the item, or a function of the item."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """Stored value → as people read it."""
    time: bool = False

    def of(self, item: object) -> Value:
        """The value of an item."""
        found = attrgetter(self.value)(item) if isinstance(self.value, str) else self.value(item)
        return tuple(map(str, found)) if isinstance(found, list | tuple) else found


@dataclass(frozen=True, slots=True)
class ReadableChange:
    """A change of a field with its label, for a page."""

    label: str
    shape: Literal["text", "list", "value", "time", "left out"]
    pieces: tuple[Piece, ...] = ()
    """Of a text: in the order of the text. Of a list: only what was removed and added."""
    before: str = ""
    after: str = ""
    moved: tuple[str, ...] = ()
    """Entries of a list that are at another place now."""

    @property
    def long(self) -> bool:
        """Whether it takes more than a few lines."""
        return sum(len(piece.text) for piece in self.pieces) + len(self.before) + len(self.after) > _LONG


class Fields:
    """The recorded fields of one type of items."""

    def __init__(self, *fields: Field) -> None:
        self._fields = {field.name: field for field in fields}

    @property
    def labels(self) -> dict[str, str]:
        """Field → its label."""
        return {name: field.label for name, field in self._fields.items()}

    def choices(self, name: str) -> Mapping[str, str]:
        """Stored value → as people read it, of a field."""
        return self._fields[name].choices

    def version(self, item: object) -> dict[str, Value]:
        """What is recorded of an item."""
        return {name: field.of(item) for name, field in self._fields.items()}

    def changes(self, before: object, after: object) -> tuple[FieldChange, ...]:
        """What an entry keeps of the change from one to the other; empty if nothing that is recorded has changed."""
        return bounded(compare(self.version(before), self.version(after)))

    def differences(self, before: Version, after: Version) -> tuple[ReadableChange, ...]:
        """The same of two versions, whole and to be read."""
        return self.readable(compare(before, after))

    def readable(self, changes: Iterable[FieldChange]) -> tuple[ReadableChange, ...]:
        """Changes as people read them; a field that is no longer recorded has its name."""
        return tuple(readable(change, self._fields.get(change.name)) for change in changes)


def readable(change: FieldChange, field: Field | None = None) -> ReadableChange:
    """A change with the label and the words of its field."""
    label = field.label if field else change.name
    if change.left_out:
        return ReadableChange(label, "left out", before=change.before or "0", after=change.after or "0")
    if change.kind == "list":
        return _list(label, change, field.choices if field else {})
    if field is not None and (field.time or field.choices):
        # Pieces of a choice or a time would be pieces of its stored form, which nobody reads.
        before, after = _whole(change)
        shape: Literal["time", "value"] = "time" if field.time else "value"
        return ReadableChange(
            label, shape, before=field.choices.get(before, before), after=field.choices.get(after, after)
        )
    if change.kind == "text":
        return ReadableChange(label, "text", change.parts)
    words = {"true": "yes", "false": "no"} if change.kind == "flag" else {}
    before, after = change.before or "", change.after or ""
    return ReadableChange(label, "value", before=words.get(before, before), after=words.get(after, after))


def _whole(change: FieldChange) -> tuple[str, str]:
    if not change.pieces:
        return change.before or "", change.after or ""
    before = "".join(text for mark, text in change.parts if mark in "=-")
    return before, "".join(text for mark, text in change.parts if mark in "=+")


def _list(label: str, change: FieldChange, choices: Mapping[str, str]) -> ReadableChange:
    removed = [choices.get(piece.text, piece.text) for piece in change.parts if piece.mark == "-"]
    added = [choices.get(piece.text, piece.text) for piece in change.parts if piece.mark == "+"]
    moved = []
    for text in list(added):
        if text in removed:
            removed.remove(text)
            added.remove(text)
            moved.append(text)
    pieces = (*(Piece("-", text) for text in removed), *(Piece("+", text) for text in added))
    return ReadableChange(label, "list", pieces, moved=tuple(moved))
