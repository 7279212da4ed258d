"""Entries of a history: who did what, and what it changed."""

from __future__ import annotations

from partita.kit.history.changes import MOST_CHANGES, FieldChange
from partita.table import Attribute, Item, attribute


class Entry(Item):
    """What every entry has. A system gives it a table, and keys that are in none of its document's indexes.

    An entry is written in the transaction of the change that it tells of, or by `following.foreign_changes`.
    """

    by: Attribute[str]
    action: Attribute[str]
    edits: Attribute[tuple[FieldChange, ...]] = attribute(default=(), max_length=MOST_CHANGES)
    """What changed; empty if the action says it all."""
