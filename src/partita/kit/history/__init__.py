"""Who changed what: field by field, exact, and as people read it."""

from partita.kit.history.changes import FieldChange, Value, Version, applied, compare
from partita.kit.history.entries import Entry
from partita.kit.history.fields import Field, Fields, ReadableChange
from partita.kit.history.timeline import TimelineEntry
from partita.kit.history.words import Piece, word_diff

__all__ = [
    "Entry",
    "Field",
    "FieldChange",
    "Fields",
    "Piece",
    "ReadableChange",
    "TimelineEntry",
    "Value",
    "Version",
    "applied",
    "compare",
    "word_diff",
]
