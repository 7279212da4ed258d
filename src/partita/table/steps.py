"""Reads and writes as generators that yield requests and are sent responses.

They do no I/O. A store drives them, blocking or not, in process or over a network, so that both faces share one core.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Generic, Literal, TypeVar

from partita.dynamo import limits, requests
from partita.dynamo.errors import DynamoError, InternalServerError
from partita.dynamo.expressions.tree import And, Path, Projection
from partita.dynamo.frozen import dataclass
from partita.dynamo.requests import ItemRequest
from partita.dynamo.values import Item as WireItem
from partita.dynamo.values import order
from partita.table.cursors import CursorKeys, seal, unseal
from partita.table.effects import DeleteFiles, LoadFiles, Now, Pause, Response, SaveFiles, Unreadable
from partita.table.effects import Steps as Steps
from partita.table.errors import (
    ChangedMeanwhileError,
    ForeignItemError,
    InvalidCursorError,
    ModelError,
    TransactionTooLargeError,
)
from partita.table.expect import expect, expect_each
from partita.table.expiry import has_not_expired, unexpired
from partita.table.failures import explain_failure
from partita.table.items import Item
from partita.table.large import fetched, request_of
from partita.table.markers import files_of, large_fields
from partita.table.queries import BatchGet, Get, Query, key_names
from partita.table.tables import Table
from partita.table.views import view_of
from partita.table.writes import Delete, Key, Put, Transaction, Update, Write, identity

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
R = TypeVar("R")
Identity = tuple[Any, ...]

MOST_CALLS = 50
_MOST_TRIES = 10


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """A page of a list: full unless the list ends, whatever is filtered."""

    items: tuple[R, ...]
    next_cursor: str | None
    previous_cursor: str | None = None
    """The cursor of the page before this one; None at the start of the list."""
    total: int | None = None
    """How many there are on all pages, if somebody counts them."""

    def __iter__(self) -> Iterator[R]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def get(wanted: Get[I]) -> Steps[I | None]:
    """One item, or None."""
    expect("get", wanted)
    response = yield wanted.request()
    row = response.get("Item")
    if row is not None and wanted.expiry is not None and not (yield from _unexpired([row], wanted.expiry)):
        return None
    if row is not None and large_fields(wanted.key.item_type):
        row = yield from fetched(wanted.key.item_type, row)
    return None if row is None else wanted.key.item_type.from_row(row)


def read(item_type: type[I], row: WireItem) -> Steps[I | None]:
    """The item a row holds, with what lies in files; None for a row of another type."""
    whole = (yield from fetched(item_type, row, again=False)) if item_type.owns(row) else None
    return None if whole is None else item_type.from_row(whole)


def single_read_page(
    query: Query[R],
    keys: CursorKeys,
    limit: int,
    after: str | None = None,
    page_size: int | None = None,
    most_calls: int = MOST_CALLS,
) -> Steps[Page[R]]:
    """A page whose items are read from the rows that the query returns, with no second read by key.

    Pages of `page_size` rows are fetched until there are `limit` items, at most `most_calls` times.
    """
    if limit < 1:
        raise ModelError(f"A page has at least one item; limit was {limit}")
    position, back = begin(query), False
    if after is not None:
        starts, done, back = unseal(keys, query, after)
        if len(starts) != query.shards:
            raise InvalidCursorError("the number of shards has changed")
        position = Position([_Shard(start, start, over) for start, over in zip(starts, done, strict=True)])
    read = replace(query, forward=not query.forward) if back else query
    items = yield from single_read_items(read, position, limit=limit, page_size=page_size, most_calls=most_calls)
    ahead = None
    if not position.ended:
        starts = [_resume(query, shard) for shard in position.shards]
        ahead = seal(keys, query, starts, [shard.over for shard in position.shards], back=back)
    behind = None
    if after is not None and all(shard.looked or shard.exhausted for shard in position.shards):
        # The other way from here: from the first row that each shard gave, or from its position if it gave none yet.
        ends = [None if shard.exhausted else shard.fetch for shard in position.shards]
        firsts = [shard.first and _start_key(query, shard.first) for shard in position.shards]
        starts = [first or end for first, end in zip(firsts, ends, strict=True)]
        behind = seal(keys, query, starts, [False] * len(starts), back=not back)
    if back:
        return Page(tuple(reversed(items)), behind, ahead)
    return Page(tuple(items), ahead, behind)


@dataclass(slots=True)
class _Shard:
    """One partition of a list: where the next page of it starts, and the rows that are here already."""

    resume: WireItem | None = None
    fetch: WireItem | None = None
    exhausted: bool = False
    rows: list[WireItem] = field(default_factory=list)
    last: WireItem | None = None
    """The row that was used last, after which the next page starts."""
    first: WireItem | None = None
    """The row that was fetched first, before which the previous page ends."""
    looked: bool = False

    @property
    def over(self) -> bool:
        return self.exhausted and not self.rows


@dataclass(slots=True)
class Position:
    """How far a list has been read."""

    shards: list[_Shard]
    ended: bool = False


def begin(query: Query[Any]) -> Position:
    """The start of a list."""
    expect("page", query)
    return Position([_Shard() for _ in range(query.shards)])


def single_read_items(
    query: Query[R], position: Position, *, limit: int, page_size: int | None = None, most_calls: int = MOST_CALLS
) -> Steps[list[R]]:
    """The next items, read from the rows that the query returns. It looks for one more, to know when the list ends."""
    size = page_size or _page_size(query, limit)
    items: list[R] = []
    calls = 0
    large = any(large_fields(kind) for kind in query.item_types) and query.view is None
    loaded: dict[str, bytes] = {}
    alone = position.shards[0] if len(position.shards) == 1 and not large else None
    wanted = None if query.range is None or query.range.exact else query.range
    while True:
        for number, shard in enumerate(position.shards):
            while not shard.rows and not shard.exhausted:
                if calls == most_calls:
                    return items
                calls += 1
                response = yield query.request(limit=size, start=shard.fetch, shard=number)
                rows = response["Items"]
                if rows and shard.first is None:
                    shard.first = rows[0]
                shard.looked = True
                if query.expiry is not None:
                    rows = yield from _unexpired(rows, query.expiry)
                if wanted is not None:
                    rows = [row for row in rows if wanted.admits(row)]
                if large and query.shards == 1:
                    loaded.update((yield LoadFiles(files_of(query.item_types, rows[: limit - len(items)]))))
                shard.rows = rows[::-1]
                shard.fetch = response.get("LastEvaluatedKey")
                shard.exhausted = shard.fetch is None
                if not shard.rows and shard.fetch is not None:
                    shard.resume, shard.last = shard.fetch, None  # everything up to here was filtered away
        if alone is not None and alone.rows:
            enough, passed = _take(query, alone, items, limit)
            for each in passed:  # noqa: UP028 - a list cannot be sent the answers
                yield each
            if enough:
                return items
            continue
        ready = [shard for shard in position.shards if shard.rows]
        if not ready:
            position.ended = True
            return items
        shard = ready[0] if len(ready) == 1 else _first(query, ready)
        if len(items) == limit:
            if _of_interest(query, shard.rows[-1]):
                return items
            shard.last = shard.rows.pop()
            continue
        shard.last = shard.rows.pop()
        try:
            item = (yield from _read_whole(query, shard.last, loaded)) if large else _read(query, shard.last)
        except ForeignItemError as error:
            yield unreadable(query.table, query.item_types, shard.last, error)
            continue
        if item is not None:
            items.append(item)


def _take(query: Query[R], shard: _Shard, items: list[R], limit: int) -> tuple[bool, list[Unreadable]]:
    """Read the rows of an only shard, which is what most lists are; whether there are enough and one more."""
    rows = shard.rows
    one = query.item_types[0] if len(query.item_types) == 1 and query.view is None else None
    passed: list[Unreadable] = []
    while rows:
        if len(items) == limit:
            if _of_interest(query, rows[-1]):
                return True, passed
            shard.last = rows.pop()
            continue
        shard.last = rows.pop()
        try:
            item = _read(query, shard.last) if one is None else one.from_own_row(shard.last)
        except ForeignItemError as error:
            passed.append(unreadable(query.table, query.item_types, shard.last, error))
            continue
        if item is not None:
            items.append(item)
    return False, passed


def unreadable(table: Table, item_types: Sequence[type[Item]], row: WireItem, error: ForeignItemError) -> Unreadable:
    """The report of a row that a list passes over because it cannot be read."""
    kind = next((each for each in item_types if each.owns(row)), item_types[0])
    wrong = error.wrong or ((table.keys[-1].name, f"is the key of something else than a {kind.__name__}"),)
    return Unreadable(table.name, kind.__name__, kind.key_of(row), wrong)


def _page_size(query: Query[Any], limit: int) -> int:
    """A little more than wanted if a filter may drop rows, so that one call is usually enough."""
    return min(limit * 2 + 1, 1000) if query.filter is not None else limit + 1


def _first(query: Query[Any], shards: Sequence[_Shard]) -> _Shard:
    """The shard whose next row comes first in the list's order; among equals the first, or backwards the last."""
    best = shards[0]
    for other in shards[1:]:
        relation = _compare(query, other.rows[-1], best.rows[-1])
        if relation < 0 if query.forward else relation >= 0:
            best = other
    return best


def _compare(query: Query[Any], left: WireItem, right: WireItem) -> int:
    for key in query.sort_names():
        relation = order(left[key.name], right[key.name])
        if relation:
            return relation
    return 0


def _read(query: Query[R], row: WireItem) -> R | None:
    """The row as one of the query's types; None for a row of another type."""
    for item_type in query.item_types:
        item: R | None = (
            item_type.from_own_row(row)  # type: ignore[assignment]
            if query.view is None
            else view_of(item_type, query.view, row, whole=query.whole)
        )
        if item is not None:
            return item
    return None


def _read_whole(query: Query[R], row: WireItem, loaded: dict[str, bytes]) -> Steps[R | None]:
    for item_type in query.item_types:
        if item_type.owns(row):
            whole = yield from fetched(item_type, row, loaded)
            item: R | None = None if whole is None else item_type.from_row(whole)
            return item
    return None


def _of_interest(query: Query[Any], row: WireItem) -> bool:
    if not query.whole:
        return any(item_type.__layout__.reader.may_match(row) for item_type in query.item_types)
    return any(item_type.owns(row) for item_type in query.item_types)


def _resume(query: Query[Any], shard: _Shard) -> WireItem | None:
    return shard.resume if shard.last is None else _start_key(query, shard.last)


def _start_key(query: Query[Any], row: WireItem) -> WireItem:
    names = [key.name for key in (*query.table.keys, *(query.index.key_names if query.index is not None else ()))]
    return {name: row[name] for name in dict.fromkeys(names)}


def _unexpired(rows: list[WireItem], attribute: str) -> Steps[list[WireItem]]:
    """A filter would do the same, but then a cursor would belong to one moment."""
    now = yield Now()
    return unexpired(rows, attribute, now["Now"])


def count_by_keys(query: Query[Any]) -> Steps[int]:
    """How many rows of its types a list has, told by their keys: for items whose values lie in files."""
    if query.expiry is not None:
        now = yield Now()
        moment = has_not_expired(query.table, now["Now"])
        query = replace(query, filter=moment if query.filter is None else And((query.filter, moment)))
    keys = Projection(tuple(Path((name,)) for name in key_names(query)))
    total = 0
    for shard in range(query.shards):
        start: WireItem | None = None
        while True:
            response = yield replace(query.request(start=start, shard=shard), projection=keys)
            total += sum(_counts(query, row) for row in response["Items"])
            start = response.get("LastEvaluatedKey")
            if start is None:
                break
    return total


def _counts(query: Query[Any], row: WireItem) -> bool:
    return (query.range is None or query.range.admits(row)) and _of_interest(query, row)


def batch_get(wanted: BatchGet[I]) -> Steps[list[I | None]]:
    """Any number of items in the order of their keys; None for one that is missing or cannot be read."""
    rows = yield from rows_by_key(wanted)
    items: list[I | None] = []
    for key, row in zip(wanted.keys, rows, strict=True):
        try:
            items.append(None if row is None else key.item_type.from_row(row))
        except ForeignItemError as error:
            if row is None or wanted.strict:
                raise
            yield unreadable(key.item_type.__table__, (key.item_type,), row, error)
            items.append(None)
    return items


def rows_by_key(wanted: BatchGet[Any]) -> Steps[list[WireItem | None]]:
    """The rows under keys, in their order; what is unprocessed is asked for again."""
    expect_each("batch_get", wanted.keys)
    rows_by_identity: dict[Identity, WireItem] = {}
    distinct = list({_name(key): key for key in wanted.keys}.values())
    for start in range(0, len(distinct), limits.BATCH_GET_KEYS):
        chunk: list[tuple[str, WireItem]] = [
            (key.item_type.__table__.name, key.wire) for key in distinct[start : start + limits.BATCH_GET_KEYS]
        ]
        tries = 0
        while chunk:
            if tries:
                yield from _pause(tries)
            tables: dict[str, requests.Keys] = {}
            for table in dict.fromkeys(name for name, _ in chunk):
                keys = tuple(key for name, key in chunk if name == table)
                tables[table] = requests.Keys(keys=keys, consistent=wanted.consistent)
            response = yield requests.BatchGetItem(tables=tables)
            for table, rows in response["Responses"].items():
                expiry = _expiry(wanted.keys, table)
                if expiry is not None and not wanted.expired:
                    rows = yield from _unexpired(rows, expiry)
                names = _key_names(wanted.keys, table)
                rows_by_identity.update((identity(table, {name: row[name] for name in names}), row) for row in rows)
            left = response.get("UnprocessedKeys") or {}
            chunk = [(table, key) for table, member in left.items() for key in member["Keys"]]
            tries += 1
    if any(large_fields(key.item_type) for key in distinct):
        yield from _fetch_all(distinct, rows_by_identity)
    return [rows_by_identity.get(_name(key)) for key in wanted.keys]


def transact_get(gets: Sequence[Get[Any]]) -> Steps[list[Any]]:
    """Several items as they are at one moment; None for one that is missing."""
    expect_each("transact_get", gets)
    if not 1 <= len(gets) <= limits.TRANSACTION_ACTIONS:
        raise TransactionTooLargeError(f"{len(gets)} reads; DynamoDB takes 1 to {limits.TRANSACTION_ACTIONS} at once")
    if len({_name(get.key) for get in gets}) < len(gets):
        raise ModelError("DynamoDB reads an item once in a transaction: leave out what is asked for twice")
    response = yield requests.TransactGetItems(gets=tuple(replace(get.request(), consistent=False) for get in gets))
    items: list[Any] = []
    for wanted, found in zip(gets, response["Responses"], strict=True):
        row = found.get("Item")
        if row is not None and wanted.expiry is not None and not (yield from _unexpired([row], wanted.expiry)):
            row = None
        if row is not None and large_fields(wanted.key.item_type):
            row = yield from fetched(wanted.key.item_type, row)
        items.append(None if row is None else wanted.key.item_type.from_row(row))
    return items


def _fetch_all(keys: Iterable[Key[Any]], rows_by_identity: dict[Identity, WireItem]) -> Steps[None]:
    """Put the values that lie in files into the rows; drop rows that were deleted meanwhile."""
    there = {name: key for key in keys if (name := _name(key)) in rows_by_identity}
    loaded = yield LoadFiles(files_of({key.item_type for key in there.values()}, rows_by_identity.values()))
    for name, key in there.items():
        whole = yield from fetched(key.item_type, rows_by_identity.pop(name), loaded)
        if whole is not None:
            rows_by_identity[name] = whole


def batch_write(writes: Iterable[Put | Delete]) -> Steps[int]:
    """Any number of writes without conditions, each for itself; what is left unprocessed is sent again."""
    files: dict[str, bytes] = {}
    given = tuple(writes)
    expect_each("batch_write", given)
    seen: set[Identity] = set()
    for each in given:
        name = _name(each.key)  # of an item, it is made anew each time
        if name in seen:
            raise ModelError(f"Two writes of {each.key.wire} in a batch, which has no order: leave one out")
        seen.add(name)
    waiting = [request_of(write, files) for write in given]
    if any(write.condition is not None for write in waiting):
        raise ModelError("A batch has no conditions: write those items one by one, or in a transaction")
    if files:
        yield SaveFiles(files)
    for start in range(0, len(waiting), limits.BATCH_WRITE_ITEMS):
        chunk: dict[str, tuple[requests.PutItem | requests.DeleteItem, ...]] = {}
        for write in waiting[start : start + limits.BATCH_WRITE_ITEMS]:
            chunk[write.table] = (*chunk.get(write.table, ()), write)
        tries = 0
        while chunk:
            if tries:
                yield from _pause(tries)
            response = yield requests.BatchWriteItem(tables=chunk)
            chunk = {
                table: tuple(_unprocessed(table, entry) for entry in entries)
                for table, entries in (response.get("UnprocessedItems") or {}).items()
            }
            tries += 1
    return len(waiting)


def write(wanted: Put[I] | Update[I] | Delete[I], returning: Literal["old", "new"] | None = None) -> Steps[I | None]:
    """One write; with `returning`, the item as it was before or is afterwards."""
    expect("write", wanted)
    files: dict[str, bytes] = {}
    request = request_of(wanted, files)
    if returning not in (None, "old", "new"):
        raise ModelError(f'returning={returning!r}: the "old" item, or the "new" one')
    if isinstance(request, requests.UpdateItem) and returning is not None:
        request = replace(request, returns="ALL_OLD" if returning == "old" else "ALL_NEW")
    elif returning == "old":
        request = replace(request, returns="ALL_OLD")
    response = yield from _written(request, files, (wanted,))
    if returning is None or (returning == "new" and isinstance(wanted, Delete)):
        return None
    if returning == "new" and isinstance(wanted, Put):
        return wanted.item
    row: WireItem | None = response.get("Attributes")
    item_type = wanted.key.item_type
    if row and large_fields(item_type):
        row = yield from fetched(item_type, row, again=returning == "new")
    return item_type.from_row(row) if row else None


def update(wanted: Update[I]) -> Steps[I]:
    """One update; the item as it is afterwards."""
    expect("update", wanted)
    item = yield from write(wanted, "new")
    if item is None:
        raise ChangedMeanwhileError(f"{wanted.key.item_type.__name__} {wanted.key.wire}")
    return item


def transact(wanted: Transaction) -> Steps[None]:
    """All writes or none."""
    expect("transact", wanted)
    files: dict[str, bytes] = {}
    request = wanted.request(tuple(request_of(write, files) for write in wanted.writes))
    yield from _written(request, files, wanted.writes)


def _written(request: ItemRequest, files: Mapping[str, bytes], writes: Sequence[Write]) -> Steps[Response]:
    """Send writes, their large values first; if a condition fails, raise the error it stands for."""
    if files:
        yield SaveFiles(files)
    try:
        response = yield request
    except DynamoError as error:
        if files and not isinstance(error, InternalServerError):
            yield DeleteFiles(tuple(files))  # nothing was written, so nothing names them
        yield from explain_failure(writes, error)
        raise
    return response


def _pause(tries: int) -> Generator[Pause, Response, None]:
    if tries > _MOST_TRIES:
        raise ModelError(f"The table left a part of a batch unprocessed {tries} times. Try again later.")
    yield Pause(tries)


def _unprocessed(table: str, entry: dict[str, Any]) -> requests.PutItem | requests.DeleteItem:
    if "PutRequest" in entry:
        return requests.PutItem(table=table, item=entry["PutRequest"]["Item"])
    return requests.DeleteItem(table=table, key=entry["DeleteRequest"]["Key"])


def _name(key: Key[Any]) -> Identity:
    return identity(key.item_type.__table__.name, key.wire)


def _expiry(keys: Iterable[Key[Any]], table: str) -> str | None:
    for key in keys:
        of_key: Table = key.item_type.__table__
        if of_key.name == table:
            return of_key.ttl
    return None


def _key_names(keys: Iterable[Key[Any]], table: str) -> tuple[str, ...]:
    for key in keys:
        if key.item_type.__table__.name == table:
            return tuple(key.wire)
    return ()
