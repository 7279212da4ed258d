"""Items in the file: reading a row, and writing one with its index entries, stream record, history and counters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

import apsw
import orjson

from partita.dynamo.capacity import Capacity, write_units
from partita.dynamo.errors import SerializationError, ValidationError
from partita.dynamo.expressions.tree import SetAction, Update, Value
from partita.dynamo.limits import ITEM_BYTES, PARTITION_KEY_BYTES, SORT_KEY_BYTES, TTL_PAST_SECONDS
from partita.dynamo.size import item_size
from partita.dynamo.values import AttributeValue, Item, equal, type_of
from partita.engine import history, keys
from partita.engine.database import Connection, damaged
from partita.engine.definitions import Index, KeyAttribute, Table
from partita.engine.writer import Transaction

_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "
NO_KEY = "The provided key element does not match the schema"
_LONG = "x" * SORT_KEY_BYTES
_SURELY_FITS = SORT_KEY_BYTES // 16  # up to four attributes of up to four bytes a character


class EmptyKeyError(ValidationError):
    """An empty key of a table or an index: DynamoDB looks for one before it does anything of a transaction."""


class Row(NamedTuple):
    """An item in the file."""

    id: int
    size: int
    body: bytes

    @property
    def item(self) -> Item:
        item: Item = orjson.loads(self.body)
        return item


def find(connection: apsw.Connection, table: Table, key: bytes) -> Row | None:
    """The row with that stored key."""
    row = _one(connection, statements(table.id).find, key)
    return None if row is None else Row(row[0], row[1], sound(row[3], row[2]))


def body(connection: apsw.Connection, table: Table, key: bytes) -> bytes | None:
    """The item with that stored key, as JSON."""
    row = _one(connection, statements(table.id).body, key)
    return None if row is None else sound(row[1], row[0])


def _one(connection: apsw.Connection, statement: str, key: bytes) -> Any:
    if type(connection) is Connection:
        return connection.one(statement, (key,))
    return connection.execute(statement, (key,)).get


class Statements(NamedTuple):
    """What is run for nearly every request, made once for each table."""

    find: str
    body: str
    insert: str
    update: str
    delete: str


@lru_cache(maxsize=4096)
def statements(table: int) -> Statements:
    """The statements for the table with this id."""
    rows = f"items_{table}"
    return Statements(
        f"SELECT id, size, crc, body FROM {rows} WHERE key = ?",
        f"SELECT crc, body FROM {rows} WHERE key = ?",
        f"INSERT INTO {rows} (key, size, expires, crc, body) VALUES (?, ?, ?, ?, ?)",
        f"UPDATE {rows} SET size = ?, expires = ?, crc = ?, body = ? WHERE id = ?",
        f"DELETE FROM {rows} WHERE id = ?",
    )


@lru_cache(maxsize=4096)
def _entry_statements(index: int) -> tuple[str, str]:
    """How an entry is put into the index with this id, and deleted."""
    rows = f"index_{index}"
    return f"INSERT OR REPLACE INTO {rows} (key, item) VALUES (?, ?)", f"DELETE FROM {rows} WHERE key = ?"


def sound(body: bytes, crc: int) -> bytes:
    """The body, if its checksum is right: SQLite checks its structure but not its content."""
    if crc32(body) != crc:
        raise damaged("an item is not what was written")
    return body


def key_of_item(table: Table, item: Item) -> bytes:
    """The stored key of a whole item; refuses an item without its key."""
    quick = keys.of_texts(table.hash, table.range, item, table.spread)
    if quick is not None:
        return quick
    for name, kind in table.keys:
        value = item.get(name)
        if value is None:
            raise ValidationError(f"{_INVALID}Missing the key {name} in the item")
        if type_of(value) != kind:
            raise ValidationError(f"{_INVALID}Type mismatch for key {name} expected: {kind} actual: {type_of(value)}")
    return _stored_key(table, item)


def key_of_key(table: Table, key: Item) -> bytes:
    """The stored key of a request's key; refuses more, less or other attributes than the table's key."""
    if len(key) == (1 if table.range is None else 2):
        quick = keys.of_texts(table.hash, table.range, key, table.spread)
        if quick is not None:
            return quick
    if not _has_schema(table, key):
        raise ValidationError(NO_KEY)
    return _stored_key(table, key)


def _has_schema(table: Table, key: Item) -> bool:
    if len(key) != len(table.keys):
        return False
    for name, kind in table.keys:
        value = key.get(name)
        if value is None or type_of(value) != kind:
            return False
    return True


def has_key(table: Table, item: Item) -> bool:
    """Whether an item has every attribute of the table's key, of its type."""
    return all(name in item and type_of(item[name]) == kind for name, kind in table.keys)


def _stored_key(table: Table, item: Item) -> bytes:
    for name, _ in table.keys:
        if next(iter(item[name].values())) == "":
            what = "string" if "S" in item[name] else "binary"
            raise EmptyKeyError(
                f"{_NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {what} value. Key: {name}"
            )
    hash_value = item[table.hash[0]]
    _check_key_sizes((hash_value,), () if table.range is None else (item[table.range[0]],))
    key = keys.partition((hash_value,), table.spread)
    return key if table.range is None else key + keys.encode(item[table.range[0]])


def _check_key_sizes(hash_values: tuple[AttributeValue, ...], range_values: tuple[AttributeValue, ...]) -> None:
    # Nearly every key is short text: counting characters is enough.
    if all(len(value.get("S") or _LONG) < _SURELY_FITS for value in (*hash_values, *range_values)):
        return
    if sum(map(keys.key_size, hash_values)) > PARTITION_KEY_BYTES:
        raise ValidationError(
            f"{_INVALID}Size of hashkey has exceeded the maximum size limit of{PARTITION_KEY_BYTES} bytes"
        )
    if sum(map(keys.key_size, range_values)) > SORT_KEY_BYTES:
        raise ValidationError(
            f"{_INVALID}Aggregated size of all range keys has exceeded the size limit of {SORT_KEY_BYTES} bytes"
        )


def index_key(index: Index, item: Item, key: bytes, *, updating: bool = False) -> bytes | None:
    """The stored key of an item's entry in an index; None if the item is not in the index."""
    if len(index.hash) == 1 and len(index.range) <= 1:
        quick = keys.of_texts(index.hash[0], index.range[0] if index.range else None, item, index.spread)
        if quick is not None:
            return quick + key
    for name, _ in (*index.hash, *index.range):
        if name not in item:
            # Sparse, but a wrong type is refused even if another part of the key is missing.
            for other, kind in (*index.hash, *index.range):
                if other in item:
                    _check_index_value(index, other, kind, item[other], updating=updating)
            return None
    hash_values = tuple(_index_value(index, attribute, item, updating=updating) for attribute in index.hash)
    range_values = tuple(_index_value(index, attribute, item, updating=updating) for attribute in index.range)
    _check_key_sizes(hash_values, range_values)
    return keys.partition(hash_values, index.spread) + b"".join(map(keys.encode, range_values)) + key


def fitting_key(index: Index, item: Item, key: bytes) -> bytes | None:
    """The same for an item that is older than the index: DynamoDB leaves it out if it does not fit."""
    try:
        return index_key(index, item, key)
    except ValidationError:
        return None


def _index_value(index: Index, attribute: KeyAttribute, item: Item, *, updating: bool) -> AttributeValue:
    name, kind = attribute
    value = item[name]
    _check_index_value(index, name, kind, value, updating=updating)
    return value


def _check_index_value(index: Index, name: str, kind: str, value: AttributeValue, *, updating: bool) -> None:
    if type_of(value) != kind:
        raise ValidationError(
            f"{_INVALID}Type mismatch for Index Key {name} Expected: {kind} Actual: {type_of(value)} "
            f"IndexName: {index.name}"
        )
    if value[kind] == "":
        what = "string" if kind == "S" else "binary"
        if updating:
            raise EmptyKeyError(
                f"{_NOT_VALID}The update expression attempted to update a secondary index key to a value that is not "
                f"supported. The AttributeValue for a key attribute cannot contain an empty {what} value."
            )
        raise EmptyKeyError(
            f"{_NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a key "
            f"attribute cannot contain an empty {what} value. IndexName: {index.name}, IndexKey: {name}"
        )


def check_index_literals(table: Table, update: Update) -> None:
    """Refuse an update that sets a key of an index to a value which can be none, whatever the item holds."""
    literals = {
        action.path.parts[0]: action.operand.value
        for action in update.actions
        if type(action) is SetAction and type(action.operand) is Value and len(action.path.parts) == 1
    }
    if literals:
        for index in table.indexes:
            for name, kind in (*index.hash, *index.range):
                value = literals.get(name)
                if value is not None:
                    _check_index_value(index, name, kind, value, updating=True)


def projected_names(table: Table, index: Index) -> set[str]:
    """The attributes a KEYS_ONLY or INCLUDE index holds."""
    return {name for name, _ in table.keys}.union(index.key_names, index.included)


def projected(table: Table, index: Index, item: Item) -> Item:
    """The attributes of an item that an index projects."""
    if index.projection == "ALL":
        return item
    names = projected_names(table, index)
    return {name: value for name, value in item.items() if name in names}


@dataclass(slots=True)
class Change:
    """A write that has been checked."""

    table: Table
    key: bytes
    row: Row | None
    old: Item | None
    new: Item | None
    size: int
    body: bytes
    entries: tuple[tuple[Index, bytes | None, bytes | None], ...]


def plan(
    table: Table,
    key: bytes,
    row: Row | None,
    old: Item | None,
    new: Item | None,
    *,
    size: int | None = None,
    updating: bool = False,
    restoring: bool = False,
) -> Change:
    """Check a write completely: item size unless it is known, index keys, JSON; nothing is written yet."""
    body = b""
    if new is None:
        size = 0
    else:
        size = checked_size(new, updating=updating) if size is None else size
        body = _body(new)
    entries: tuple[tuple[Index, bytes | None, bytes | None], ...] = ()
    if table.indexes:
        if restoring and new is not None:
            entries = tuple(_fitting_entry(index, key, old, new) for index in table.indexes)
        else:
            entries = tuple([_entry(index, key, old, new, updating=updating) for index in table.indexes])
    return Change(table, key, row, old, new, size, body, entries)


def checked_size(item: Item, *, updating: bool = False) -> int:
    """The size of an item, unless it is too large."""
    size = item_size(item)
    if size > ITEM_BYTES:
        what = "Item size to update" if updating else "Item size"
        raise ValidationError(f"{what} has exceeded the maximum allowed size")
    return size


def _entry(
    index: Index, key: bytes, old: Item | None, new: Item | None, *, updating: bool
) -> tuple[Index, bytes | None, bytes | None]:
    if old is not None and new is not None and all(old.get(name) == new.get(name) for name in index.key_names):
        # An update that does not touch an index key may leave it invalid; a put must have a valid one.
        same = fitting_key(index, new, key) if updating else index_key(index, new, key)
        return index, same, same
    before = None if old is None else fitting_key(index, old, key)
    after = None if new is None else index_key(index, new, key, updating=updating)
    return index, before, after


def _fitting_entry(index: Index, key: bytes, old: Item | None, new: Item) -> tuple[Index, bytes | None, bytes | None]:
    """Of an item that may be older than the index."""
    return index, None if old is None else fitting_key(index, old, key), fitting_key(index, new, key)


def _body(item: Item) -> bytes:
    try:
        return orjson.dumps(item)
    except TypeError as error:
        raise SerializationError(f"The item is not valid UTF-8 text: {error}") from None


def perform(
    transaction: Transaction,
    change: Change,
    capacity: Capacity | None = None,
    *,
    service: bool = False,
    transactional: bool = False,
) -> None:
    """Do a planned write: the row, its index entries, the stream record, what it was before, the counters."""
    table, row = change.table, change.row
    if row is None and change.new is None:
        if capacity is not None:
            capacity.base += write_units(0, transactional=transactional)
        return
    row_id = _write_row(transaction, change)
    for index, before, after in change.entries:
        if index.status != "ACTIVE" and before is not None and not _has_entry(transaction, index, before):
            before = None  # the backfill has not reached this item: this write adds it to the index
        if before != after:
            insert, delete = _entry_statements(index.id)
            if before is not None:
                transaction.write(delete, (before,))
            if after is not None:
                transaction.write(insert, (after, row_id))
        _count_entry(transaction, change, index, before, after, capacity, transactional=transactional)
    if table.stream is not None:
        _record(transaction, change, service=service)
    if table.recovery_days is not None and (row is None or row.body != change.body):
        history.keep(transaction, table, change.key, None if row is None else row.body)
    old_size = 0 if row is None else row.size
    transaction.count(table.id, (change.new is not None) - (row is not None), change.size - old_size)
    if capacity is not None:
        capacity.base += write_units(max(change.size, old_size), transactional=transactional)


def _has_entry(transaction: Transaction, index: Index, key: bytes) -> bool:
    return any(transaction.execute(f"SELECT 1 FROM {index.rows} WHERE key = ?", (key,)))


def _write_row(transaction: Transaction, change: Change) -> int:
    table, row = change.table, change.row
    if change.new is None:
        assert row is not None  # deleting a missing item never gets here
        transaction.write(statements(table.id).delete, (row.id,))
        return row.id
    expires = None if table.ttl_attribute is None else expiry(table, change.new, transaction.now)
    body = change.body
    if row is not None:
        transaction.write(statements(table.id).update, (change.size, expires, crc32(body), body, row.id))
        return row.id
    transaction.write(statements(table.id).insert, (change.key, change.size, expires, crc32(body), body))
    return transaction.connection.last_insert_rowid()


def expiry(table: Table, item: Item, now: float) -> int | None:
    """When an item expires; DynamoDB ignores values that are not numbers or more than five years ago."""
    if table.ttl_attribute is None:
        return None
    value = item.get(table.ttl_attribute)
    if value is None or "N" not in value:
        return None
    whole = value["N"].partition(".")[0]
    if len(whole) > 15:
        return None
    seconds = int(whole or "0")
    return seconds if seconds > now - TTL_PAST_SECONDS else None


def _count_entry(
    transaction: Transaction,
    change: Change,
    index: Index,
    before: bytes | None,
    after: bytes | None,
    capacity: Capacity | None,
    *,
    transactional: bool,
) -> None:
    if before is None and after is None:
        return
    table = change.table
    if index.projection == "ALL":
        old_size = change.row.size if before is not None and change.row is not None else 0
        new_size = change.size if after is not None else 0
        if capacity is None:
            transaction.count(index.id, (after is not None) - (before is not None), new_size - old_size)
            return
        # Whole items are compared only if the capacity is asked for: it takes time.
        unchanged = change.old is not None and change.new is not None and _same(change.old, change.new)
    else:
        old = projected(table, index, change.old) if before is not None and change.old is not None else None
        new = projected(table, index, change.new) if after is not None and change.new is not None else None
        old_size = 0 if old is None else item_size(old)
        new_size = 0 if new is None else item_size(new)
        unchanged = old is not None and new is not None and _same(old, new)
    transaction.count(index.id, (after is not None) - (before is not None), new_size - old_size)
    if capacity is None or (before == after and unchanged):
        return
    if before is not None and after is not None and before != after:
        units = write_units(old_size, transactional=transactional) + write_units(new_size, transactional=transactional)
    else:
        units = write_units(max(old_size, new_size), transactional=transactional)
    capacity.add_index(index.name, units, local=index.local)


def _same(old: Item, new: Item) -> bool:
    return old.keys() == new.keys() and all(equal(old[name], new[name]) for name in old)


def _record(transaction: Transaction, change: Change, *, service: bool) -> None:
    """Append to the table's stream, unless nothing changed."""
    stream, old, new = change.table.stream, change.old, change.new
    assert stream is not None  # the caller has looked
    if old is not None and new is not None and _same(old, new):
        return
    event = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
    image: Any = new if new is not None else old
    key = {name: image[name] for name, _ in change.table.keys}
    old_body = (
        change.row.body if change.row is not None and stream.view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES") else None
    )
    new_body = change.body if new is not None and stream.view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES") else None
    old_size = change.row.size if old_body is not None and change.row is not None else 0
    size = item_size(key) + old_size + (change.size if new_body is not None else 0)
    keys_body = orjson.dumps(key)
    crc = crc32(record_bytes(keys_body, old_body, new_body))
    transaction.execute(
        f"INSERT INTO {stream.rows} (at, event, keys, old, new, crc, size, service) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (transaction.now, event, keys_body, old_body, new_body, crc, size, int(service)),
    )
    transaction.recorded = True


def record_bytes(keys: bytes, old: bytes | None, new: bytes | None) -> bytes:
    """What a stream record's checksum covers."""
    return b"|".join((keys, old or b"", new or b""))
