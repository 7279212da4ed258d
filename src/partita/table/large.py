"""Large values: a field may be too large for its item, and then lies in a file for which the item holds a marker.

A file is saved before the item that names it is written, under a name of its own: it belongs to one write of one field,
so it can be deleted as soon as no item names it. A name made of the content would not do. Whoever wrote a value again
could find its file there and go on, while another deletes it because the value had gone before.
"""

from __future__ import annotations

import re
import uuid
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import orjson

from partita.dynamo.expressions.tree import SetAction, Value
from partita.dynamo.frozen import dataclass
from partita.dynamo.requests import ConditionCheck, DeleteItem, GetItem, PutItem, TransactAction, UpdateItem
from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.actions import Action
from partita.table.declarations import stored_as
from partita.table.effects import LoadFiles, Steps
from partita.table.errors import LostValueError, SchemaError
from partita.table.tables import Table
from partita.table.writes import Check, Delete, Put, Update, Write

if TYPE_CHECKING:
    from partita.table.items import Item

_NAME = re.compile(r"[0-9a-f]{32}\.(txt|bin|json)")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_READS = 3


@dataclass(frozen=True, slots=True)
class Marker:
    """What an item holds in place of a large value."""

    name: str
    size: int
    sha256: str

    def wire(self) -> AttributeValue:
        return {"M": {"name": {"S": self.name}, "size": {"N": str(self.size)}, "sha256": {"S": self.sha256}}}


def _marker(value: AttributeValue) -> Marker | None:
    """The marker a value is; None for any other value."""
    match value:
        case {"M": {"name": {"S": str(name)}, "size": {"N": str(size)}, "sha256": {"S": str(digest)}, **rest}}:
            if not rest and _NAME.fullmatch(name) and size.isdigit() and _SHA256.fullmatch(digest):
                return Marker(name, int(size), digest)
    return None


# -- which fields


def large_fields(item_type: type[Item]) -> Mapping[str, int]:
    """Stored name → bytes beyond which a value goes to a file, of the fields that may be large."""
    return _large_fields(item_type)


@cache
def _large_fields(item_type: type[Item]) -> Mapping[str, int]:
    marked = {name: stored_as(item_type.model_fields[field]) for field, name in item_type.__layout__.names.items()}
    return {name: stored.large for name, stored in marked.items() if stored.large}


def check_large_fields(item_type: type[Item]) -> None:
    """A key must be where DynamoDB can see it."""
    layout = item_type.__layout__
    keys = {key.name for index in layout.table.indexes for key in index.key_names} | {k.name for k in layout.table.keys}
    inputs = {field for made in (layout.pk, layout.sk) if made for field in made.fields}
    inputs |= {field for name in layout.made_names() for field in layout.made_of(name)}
    for name in large_fields(item_type):
        if name in keys or layout.fields_by_name[name] in inputs:
            raise SchemaError(f"{item_type.__name__}: {name} is large, so nothing can be made of it")


# -- writing


Files: TypeAlias = MutableMapping[str, bytes]


@overload
def request_of(write: Put, files: Files) -> PutItem: ...
@overload
def request_of(write: Update, files: Files) -> UpdateItem: ...
@overload
def request_of(write: Delete, files: Files) -> DeleteItem: ...
@overload
def request_of(write: Check, files: Files) -> ConditionCheck: ...
def request_of(write: Write, files: Files) -> TransactAction:
    """A write's request with markers in place of what is too large, which comes to the files to be saved before."""
    if isinstance(write, Put):
        return write.request(_row(write.item, files) if large_fields(type(write.item)) else None)
    if isinstance(write, Update) and large_fields(write.key.item_type):
        return _with_markers(write, files).request()
    return write.request()


def _row(item: Item, files: Files) -> WireItem:
    row = item.unchecked_row()
    for name, most in large_fields(type(item)).items():
        if name in row:
            row[name] = _stored(row[name], most, files)
    return item.checked_row(row)


def _with_markers(update: Update, files: Files) -> Update:
    layout, large = update.key.item_type.__layout__, large_fields(update.key.item_type)

    def stored(action: Action[Any]) -> Action[Any]:
        most, tree = large.get(layout.stored_name(action.field)), action.action
        if most is None or not (isinstance(tree, SetAction) and isinstance(tree.operand, Value)):
            return action
        value = Value(_stored(tree.operand.value, most, files))
        return replace(action, action=SetAction(tree.path, value))

    return update.with_actions(*map(stored, update.actions))


def _stored(value: AttributeValue, most: int, files: Files) -> AttributeValue:
    content, kind = _encoded(value)
    # What looks like a marker and is none would be read as one: only a file can hold it.
    if len(content) <= most and _marker(value) is None:
        return value
    from hashlib import sha256

    marker = Marker(f"{uuid.uuid4().hex}.{kind}", len(content), sha256(content).hexdigest())
    files[marker.name] = content
    return marker.wire()


def _encoded(value: AttributeValue) -> tuple[bytes, str]:
    """A value as the content of a file: text and bytes as they are, anything else in DynamoDB's JSON."""
    if "S" in value:
        return value["S"].encode(), "txt"
    if "B" in value:
        return b64decode(value["B"]), "bin"
    return orjson.dumps(value), "json"


def _decoded(name: str, content: bytes) -> AttributeValue:
    if name.endswith(".txt"):
        return {"S": content.decode()}
    if name.endswith(".bin"):
        return {"B": b64encode(content).decode()}
    value: AttributeValue = orjson.loads(content)
    return value


# -- reading


def _markers(item_type: type[Item], row: WireItem) -> dict[str, Marker]:
    found = {name: _marker(row[name]) for name in large_fields(item_type) if name in row}
    return {name: marker for name, marker in found.items() if marker is not None}


def has_markers(item_type: type[Item], row: WireItem) -> bool:
    """Whether a value of a row lies in a file."""
    return bool(_markers(item_type, row))


def files_of(item_types: Iterable[type[Item]], rows: Iterable[WireItem]) -> tuple[str, ...]:
    """The files that rows of these types name, to be loaded together."""
    kinds = [kind for kind in item_types if large_fields(kind)]
    return tuple(
        marker.name for row in rows for kind in kinds if kind.owns(row) for marker in _markers(kind, row).values()
    )


def fetched(
    item_type: type[Item], row: WireItem, loaded: Mapping[str, bytes] | None = None, *, again: bool = True
) -> Steps[WireItem | None]:
    """A row with the values that lie in files; None where the item was deleted meanwhile.

    A file that is gone belongs to a version of the item that is gone too: the row is read `again`.
    """
    known: dict[str, bytes] = dict(loaded or {})
    for _ in range(_MOST_READS):
        markers = _markers(item_type, row)
        unknown = tuple(marker.name for marker in markers.values() if marker.name not in known)
        if unknown:
            known.update((yield LoadFiles(unknown)))
        lost = [f"{name} ({marker.name})" for name, marker in markers.items() if marker.name not in known]
        if not lost:
            return {**row, **{name: _value(item_type, name, marker, known) for name, marker in markers.items()}}
        if not again:
            break
        key = {each.name: row[each.name] for each in item_type.__table__.keys}
        response = yield GetItem(table=item_type.__table__.name, key=key, consistent=True)
        if "Item" not in response:
            return None
        unchanged = row == response["Item"]
        row = response["Item"]
        if unchanged:
            break
    raise LostValueError(f"{item_type.__name__}: the file store has lost {', '.join(lost)}. Restore it from a copy.")


def _value(item_type: type[Item], name: str, marker: Marker, known: Mapping[str, bytes]) -> AttributeValue:
    from hashlib import sha256

    content = known[marker.name]
    if len(content) != marker.size or sha256(content).hexdigest() != marker.sha256:
        raise LostValueError(
            f"{item_type.__name__}: the file {marker.name} of {name} is damaged: it has {len(content):,} bytes, not "
            f"{marker.size:,}, or others. Restore it from a copy."
        )
    return _decoded(marker.name, content)


# -- deleting


def dropped_files(table: Table, old: WireItem | None, new: WireItem | None) -> frozenset[str]:
    """The files that an item named before a change and names no more: whoever follows the changes may delete them."""
    return _named(table, old) - _named(table, new)


def _named(table: Table, row: WireItem | None) -> frozenset[str]:
    # Only in fields that may be large: in any other, what looks like a marker is what somebody wrote there.
    return frozenset() if row is None else frozenset(files_of(table.item_types, (row,)))
