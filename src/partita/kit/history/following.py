"""What other programs change: recorded from the change stream, once per change."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.changes import Change, Handler
from partita.kit.history.changes import FieldChange
from partita.kit.history.entries import Entry
from partita.kit.history.fields import Fields
from partita.store.store import AsyncStore
from partita.table import Item, Put, Table
from partita.table.types import timestamp

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type

ANOTHER_PROGRAM = "another program"
_DIGITS = 40
"""Sequence numbers have up to 40 digits; as many, so that they sort as texts."""


def foreign_changes(
    name: str,
    table: Table,
    item_type: type[I],
    fields: Fields,
    store: AsyncStore,
    entry: Callable[[I, str, str, tuple[FieldChange, ...]], Entry],
) -> Handler:
    """Records what other programs write, once per change of the stream.

    What we write ourselves has its entry in the same transaction, and counts the item's `revision` up by one: that is
    how the two are told apart. `entry` makes one of the item, the time, an id and the changes; the id is that of the
    change, so that a change that is told again has the same entry.
    """

    async def record(change: Change) -> None:
        old, new = change.read(item_type)
        if old is None or new is None or _revision(new) == _revision(old) + 1:
            return
        edits = fields.changes(old, new)
        if edits:
            made = entry(new, timestamp(change.at), change.sequence.zfill(_DIGITS), edits)
            with suppress(ConditionalCheckFailedError):  # it is there already
                await store.write(Put(made).if_new())

    return Handler(name, table, record)


def _revision(item: Any) -> int:
    return int(item.revision)
