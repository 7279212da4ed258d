"""Large values: a field may be too large for its item, and then lies in a file for which the item holds a marker.

A file is saved before the item that names it is written, under a name of its own: it belongs to one write of one field,
so it can be deleted as soon as no item names it. A name made of the content would not do. Whoever wrote a value again
could find its file there and go on, while another deletes it because the value had gone before.
"""

from __future__ import annotations

import uuid
from base64 import b64decode, b64encode
from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import orjson

from partita.dynamo.expressions.tree import SetAction, Value
from partita.dynamo.requests import ConditionCheck, DeleteItem, GetItem, PutItem, TransactAction, UpdateItem
from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.actions import Action
from partita.table.effects import LoadFiles, Steps
from partita.table.errors import LostValueError
from partita.table.markers import Marker, as_marker, large_fields, markers_in
from partita.table.writes import Check, Delete, Put, Update, Write

if TYPE_CHECKING:
    from partita.table.items import Item
    from partita.table.tables import Table

_MOST_READS = 3


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
    return item.checked_row(marked(type(item), item.unchecked_row(), files))


def marked(item_type: type[Item], row: WireItem, files: Files) -> WireItem:
    """A row with markers in place of what is too large, which comes to the files to be saved before."""
    large = {name: most for name, most in large_fields(item_type).items() if name in row}
    return {**row, **{name: _stored(row[name], most, files) for name, most in large.items()}}


def _with_markers(update: Update, files: Files) -> Update:
    layout, large = update.key.item_type.__layout__, large_fields(update.key.item_type)

    def stored(action: Action[Any]) -> Action[Any]:
        most, tree = large.get(layout.stored_name(action.field)), action.action
        if most is None or not (isinstance(tree, SetAction) and isinstance(tree.operand, Value)):
            return action
        value = Value(_stored(tree.operand.value, most, files))
        return replace(action, action=SetAction(tree.path, value))

    return update.with_actions(*map(stored, update.actions))


def stored_anew(table: Table, row: WireItem, values: Mapping[str, AttributeValue], files: Files) -> WireItem:
    """Values of a row as they are stored: with a marker for what is too large, which comes to the files."""
    kinds = [kind for kind in table.item_types if kind.owns(row)]
    large = {name: most for kind in kinds for name, most in large_fields(kind).items()}
    return {name: _stored(value, large[name], files) if name in large else value for name, value in values.items()}


def _stored(value: AttributeValue, most: int, files: Files) -> AttributeValue:
    content, kind = _encoded(value)
    # What looks like a marker and is none would be read as one: only a file can hold it.
    if len(content) <= most and as_marker(value) is None:
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


def fetched(
    item_type: type[Item], row: WireItem, loaded: Mapping[str, bytes] | None = None, *, again: bool = True
) -> Steps[WireItem | None]:
    """A row with the values that lie in files; None if the item was deleted meanwhile.

    A file that is gone belongs to a version of the item that is gone too: the row is read `again`.
    """
    contents: dict[str, bytes] = dict(loaded or {})
    for _ in range(_MOST_READS):
        markers = markers_in(item_type, row)
        unknown = tuple(marker.name for marker in markers.values() if marker.name not in contents)
        if unknown:
            contents.update((yield LoadFiles(unknown)))
        lost = [f"{name} ({marker.name})" for name, marker in markers.items() if marker.name not in contents]
        if not lost:
            return {**row, **{name: _value(item_type, name, marker, contents) for name, marker in markers.items()}}
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


def with_files(table: Table, row: WireItem) -> Steps[WireItem | None]:
    """A row of whichever type with the values that lie in files; None if it was deleted meanwhile."""
    kind = next((each for each in table.item_types if each.owns(row) and markers_in(each, row)), None)
    if kind is None:
        return row
    return (yield from fetched(kind, row))


def _value(item_type: type[Item], name: str, marker: Marker, contents: Mapping[str, bytes]) -> AttributeValue:
    from hashlib import sha256

    content = contents[marker.name]
    if len(content) != marker.size or sha256(content).hexdigest() != marker.sha256:
        raise LostValueError(
            f"{item_type.__name__}: the file {marker.name} of {name} is damaged: it has {len(content):,} bytes, not "
            f"{marker.size:,}, or others. Restore it from a copy."
        )
    return _decoded(marker.name, content)
