"""Reading a whole table, in segments: for migrations, doctors and other tools. No page of a system does this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Generic, TypeVar

from partita.dynamo import requests
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item as WireItem
from partita.table.effects import Steps
from partita.table.errors import ForeignItemError, ModelError
from partita.table.items import Item
from partita.table.large import fetched
from partita.table.markers import large_fields
from partita.table.steps import unreadable

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
_ROWS = 500


@dataclass(frozen=True, slots=True)
class SegmentPage:
    """Some rows of a segment, and where it goes on; None at its end."""

    rows: tuple[WireItem, ...]
    after: WireItem | None


def segment_page(source: str, *, segment: int, segments: int, after: WireItem | None, limit: int) -> Steps[SegmentPage]:
    """The next rows of a segment."""
    response = yield requests.Scan(
        table=source, segment=segment, total_segments=segments, start=after, limit=limit, consistent=True
    )
    return SegmentPage(tuple(response["Items"]), response.get("LastEvaluatedKey"))


@dataclass(slots=True)
class Scan(Generic[I]):
    """How far the segments of a table have been read."""

    item_types: Sequence[type[I]]
    segments: int
    _after: dict[int, WireItem | None] = field(default_factory=dict)
    _done: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        tables = {item_type.__table__ for item_type in self.item_types}
        if len(tables) != 1:
            raise ModelError("A scan reads one table: give item types of one table")
        if not 1 <= self.segments <= 1000:
            raise ModelError(f"A scan has 1 to 1,000 segments, not {self.segments}")

    def open_segments(self) -> list[int]:
        """The segments that are not read to their end."""
        return [segment for segment in range(self.segments) if segment not in self._done]

    def next_items(self, segment: int) -> Steps[list[I]]:
        """The next items of a segment; rows of other types are passed over."""
        table = self.item_types[0].__table__
        page = yield from segment_page(
            table.name, segment=segment, segments=self.segments, after=self._after.get(segment), limit=_ROWS
        )
        self._after[segment] = page.after
        if page.after is None:
            self._done.add(segment)
        items: list[I] = []
        for row in page.rows:
            for item_type in self.item_types:
                try:
                    whole = row
                    if large_fields(item_type) and item_type.owns(row):
                        loaded = yield from fetched(item_type, row)
                        if loaded is None:
                            continue  # deleted meanwhile
                        whole = loaded
                    item = item_type.from_own_row(whole)
                except ForeignItemError as error:
                    yield unreadable(table, (item_type,), row, error)
                    continue
                if item is not None:
                    items.append(item)
        return items
