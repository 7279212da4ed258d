"""Markers: what an item holds in place of a value that lies in a file, in the fields that may be large."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.declarations import stored_as
from partita.table.errors import SchemaError
from partita.table.tables import Table

if TYPE_CHECKING:
    from partita.table.items import Item

_NAME = re.compile(r"[0-9a-f]{32}\.(txt|bin|json)")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Marker:
    """Names the file that holds a large value, and says how to tell whether it is whole."""

    name: str
    size: int
    sha256: str

    def wire(self) -> AttributeValue:
        return {"M": {"name": {"S": self.name}, "size": {"N": str(self.size)}, "sha256": {"S": self.sha256}}}


def as_marker(value: AttributeValue) -> Marker | None:
    """The marker a value is; None for any other value."""
    match value:
        case {"M": {"name": {"S": str(name)}, "size": {"N": str(size)}, "sha256": {"S": str(digest)}, **rest}}:
            if not rest and _NAME.fullmatch(name) and size.isdigit() and _SHA256.fullmatch(digest):
                return Marker(name, int(size), digest)
    return None


def large_fields(item_type: type[Item]) -> Mapping[str, int]:
    """Stored name → bytes beyond which a value goes to a file, of the fields that may be large."""
    return _large_fields(item_type)


@cache
def _large_fields(item_type: type[Item]) -> Mapping[str, int]:
    marked = {name: stored_as(item_type.model_fields[field]) for field, name in item_type.__layout__.names.items()}
    return {name: stored.large for name, stored in marked.items() if stored.large}


def check_large_fields(item_type: type[Item]) -> None:
    """A large field may be in a file, where DynamoDB cannot see it: no key can use it."""
    layout = item_type.__layout__
    keys = {key.name for index in layout.table.indexes for key in index.key_names} | {k.name for k in layout.table.keys}
    inputs = {field for made in (layout.pk, layout.sk) if made for field in made.fields}
    inputs |= {field for name in layout.derived_names() for field in layout.derived_from(name)}
    for name in large_fields(item_type):
        if name in keys or layout.fields_by_name[name] in inputs:
            raise SchemaError(f"{item_type.__name__}: {name} is large, so no key or derived attribute can use it")


def markers_in(item_type: type[Item], row: WireItem) -> dict[str, Marker]:
    """Stored name → marker, of the values of a row that lie in files."""
    markers = {name: as_marker(row[name]) for name in large_fields(item_type) if name in row}
    return {name: marker for name, marker in markers.items() if marker is not None}


def markers_of(table: Table, row: WireItem) -> dict[str, Marker]:
    """Stored name → marker, of a row of whichever type of its table."""
    kinds = [kind for kind in table.item_types if large_fields(kind) and kind.owns(row)]
    return {name: marker for kind in kinds for name, marker in markers_in(kind, row).items()}


def has_markers(item_type: type[Item], row: WireItem) -> bool:
    """Whether a value of a row lies in a file."""
    return bool(markers_in(item_type, row))


def files_of(item_types: Iterable[type[Item]], rows: Iterable[WireItem]) -> tuple[str, ...]:
    """The files that rows of these types name, to be loaded together."""
    kinds = [kind for kind in item_types if large_fields(kind)]
    return tuple(
        marker.name for row in rows for kind in kinds if kind.owns(row) for marker in markers_in(kind, row).values()
    )


def dropped_files(table: Table, old: WireItem | None, new: WireItem | None) -> frozenset[str]:
    """The files that an item named before a change and names no more: whoever follows the changes may delete them."""
    return _named(table, old) - _named(table, new)


def _named(table: Table, row: WireItem | None) -> frozenset[str]:
    # Only in fields that may be large: in any other, what looks like a marker is what somebody wrote there.
    return frozenset() if row is None else frozenset(files_of(table.item_types, (row,)))
