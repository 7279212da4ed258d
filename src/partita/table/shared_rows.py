"""Rows that were read before: the same stored bytes make the same row, so they are parsed once."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Never

from partita.dynamo.values import AttributeValue
from partita.table.recent import Recent

if TYPE_CHECKING:
    from partita.table.items import Item
    from partita.table.reading import Reader


_ROW_BYTES = 1_000
"""What a row takes beside its length, however short it is."""


class SharedRow(dict[str, AttributeValue]):
    """A row that whoever reads it shares with others, with the items that were made of it, or None for each type that
    it is not of; it cannot be changed."""

    __slots__ = ("items_read",)

    def __init__(self, row: dict[str, AttributeValue]) -> None:
        super().__init__(row)
        self.items_read: dict[Reader, Item | None] = {}

    def _refuse(self, *_arguments: Any, **_named: Any) -> Never:
        raise TypeError("Others read this row too: change a copy of it, dict(row)")

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, AttributeValue]:
        return deepcopy(dict(self), memo)

    def __copy__(self) -> dict[str, AttributeValue]:
        return dict(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


class RowCache:
    """The rows that were read last, by the bytes they are stored as: a row that has changed is another one."""

    def __init__(self, most_bytes: int) -> None:
        self._rows: Recent[bytes, SharedRow] = Recent(most_bytes)

    def get(self, stored: bytes) -> SharedRow | None:
        """The row, if it was read not long ago."""
        return self._rows.get(stored)

    def add(self, stored: bytes, row: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
        """The row to go on with: one that is remembered, unless it is too long for that."""
        size = len(stored) + _ROW_BYTES
        if not self._rows.takes(size):
            return row
        shared = SharedRow(row)
        self._rows.add(stored, shared, size)
        return shared
