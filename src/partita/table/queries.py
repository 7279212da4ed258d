"""Reads as values: one item, a stretch of a partition, several types at once, a batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from partita.dynamo import requests
from partita.dynamo.expressions.tree import (
    And,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Path,
    Projection,
    Value,
)
from partita.dynamo.limits import PARTITION_KEY_BYTES
from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import Attribute
from partita.table.bounds import bounded
from partita.table.errors import KeyPartError, SchemaError
from partita.table.layout import check_size, index_value
from partita.table.parts import check_index, check_parts, incomplete
from partita.table.reading import sharded
from partita.table.tables import Index, KeyName, Table

if TYPE_CHECKING:
    from partita.table.items import Item
    from partita.table.writes import Key

I_co = TypeVar("I_co", bound="Item", covariant=True)


@dataclass(frozen=True, slots=True)
class Get(Generic[I_co]):
    """Read one item."""

    key: Key[I_co]
    consistent: bool = False
    expired: bool = False

    def consistently(self) -> Get[I_co]:
        """See every write that was acknowledged before."""
        return replace(self, consistent=True)

    def with_expired(self) -> Get[I_co]:
        """Also where it has expired and is not deleted yet."""
        return replace(self, expired=True)

    @property
    def expiry(self) -> str | None:
        """The attribute by which an item is left out, where there is one."""
        return None if self.expired else self.key.item_type.__table__.ttl

    def request(self) -> requests.GetItem:
        """What is sent."""
        return requests.GetItem(table=self.key.item_type.__table__.name, key=self.key.wire, consistent=self.consistent)


@dataclass(frozen=True, slots=True)
class Query(Generic[I_co]):
    """Read a stretch of a partition; each row is read as one of the types, others are passed over."""

    item_types: tuple[type[I_co], ...]
    table: Table
    index: Index | None
    partition: tuple[tuple[KeyName, AttributeValue], ...]
    leading: tuple[tuple[KeyName, AttributeValue], ...] = ()
    sort: Condition | None = None
    filter: Condition | None = None
    forward: bool = True
    consistent: bool = False
    only: tuple[str, ...] = ()
    expired: bool = False

    def newest_first(self) -> Query[I_co]:
        """From the end of the stretch to its start."""
        return replace(self, forward=False)

    def consistently(self) -> Query[I_co]:
        """See every write that was acknowledged before; not on a global index."""
        if self.index is not None and not self.index.local:
            raise SchemaError(f"{self.index!r} is a global index: it has no consistent reads")
        return replace(self, consistent=True)

    def with_expired(self) -> Query[I_co]:
        """Also what has expired and is not deleted yet."""
        return replace(self, expired=True)

    @property
    def expiry(self) -> str | None:
        """The attribute by which rows are left out, where there is one."""
        return None if self.expired else self.table.ttl

    def where(self, condition: Condition) -> Query[I_co]:
        """Keep only what the condition holds for. Rows that it drops are read and paid for all the same."""
        if not isinstance(condition, Condition):
            raise SchemaError(f"{condition!r} is no condition: make one from an attribute, as in Book.stars > 3")
        joined = condition if self.filter is None else And((self.filter, condition))
        return replace(self, filter=joined)

    def at_least(self, **parts: Any) -> Query[I_co]:
        """From here on, this included."""
        return self._compared(">=", parts)

    def after(self, **parts: Any) -> Query[I_co]:
        """From here on, without this."""
        return self._compared(">", parts)

    def at_most(self, **parts: Any) -> Query[I_co]:
        """Up to here, this included."""
        return self._compared("<=", parts)

    def before(self, **parts: Any) -> Query[I_co]:
        """Up to here, without this."""
        return self._compared("<", parts)

    def between(self, low: Mapping[str, Any], high: Mapping[str, Any]) -> Query[I_co]:
        """From one to the other, both included."""
        key = self._sort_key()
        bounds = Value(self._bound(key, low)), Value(self._bound(key, high))
        return replace(self, sort=Between(Path((key.name,)), *bounds))

    def starting_with(self, prefix: str) -> Query[I_co]:
        """Sort keys that start with this text."""
        key = self._sort_key()
        return replace(self, sort=BeginsWith(Path((key.name,)), Value({"S": prefix})))

    def request(self, *, limit: int | None = None, start: WireItem | None = None, shard: int = 0) -> requests.Query:
        """What is sent, to one of the shards where there are several."""
        return requests.Query(
            table=self.table.name,
            index=None if self.index is None else self.index.name,
            condition=self._condition(shard),
            filter=self.filter,
            projection=self._projection(),
            forward=self.forward,
            limit=limit,
            start=start,
            consistent=self.consistent,
        )

    @property
    def shards(self) -> int:
        """How many partitions the stretch is spread over."""
        return self.table.shards if self.index is None or self.index.local else self.index.shards

    def sort_names(self) -> tuple[KeyName, ...]:
        """The attributes the stretch is ordered by."""
        if self.index is not None:
            return self.index.sk
        return () if self.table.sk is None else (self.table.sk,)

    def _condition(self, shard: int) -> Condition:
        terms: list[Condition] = []
        for position, (key, value) in enumerate(self.partition):
            if position == 0 and self.shards > 1:
                value = {"S": sharded(value["S"], shard)}
            terms.append(Compare("=", Path((key.name,)), Value(value)))
        terms += [Compare("=", Path((key.name,)), Value(value)) for key, value in self.leading]
        if self.sort is not None:
            terms.append(self.sort)
        return terms[0] if len(terms) == 1 else And(tuple(terms))

    def _projection(self) -> Projection | None:
        return Projection(tuple(Path((name,)) for name in self.only)) if self.only else None

    def _compared(self, operator: Comparator, parts: Mapping[str, Any]) -> Query[I_co]:
        key = self._sort_key()
        bound = self._bound(key, parts)
        path = Path((key.name,))
        if isinstance(self.sort, BeginsWith) and isinstance(self.sort.prefix, Value):
            start: str = self.sort.prefix.value["S"]
            return replace(self, sort=bounded(start, path, operator, bound["S"]))
        return replace(self, sort=Compare(operator, path, Value(bound)))

    def _sort_key(self) -> KeyName:
        names = self.sort_names()
        if len(self.leading) >= len(names):
            raise SchemaError("The sort key is given in full already: there is nothing left to compare")
        return names[len(self.leading)]

    def _bound(self, key: KeyName, parts: Mapping[str, Any]) -> AttributeValue:
        """A value of the sort key, from the fields it is made of; what is left out at the end is left open."""
        layout = self.item_types[0].__layout__
        made = layout.derived.get(key.name)
        if made is None and self.index is None:
            made = layout.sk
        inputs = layout.inputs(key.name)
        given = inputs[: len(parts)]
        if not parts or set(parts) != set(given):
            wanted = ", ".join(f"{name}=…" for name in given or inputs[:1])
            named = ", ".join(parts) or "nothing"
            raise KeyPartError(f"{key.name} is made of {', '.join(inputs)}, not {named}: give {wanted}")
        for name, value in parts.items():
            if value is None:
                raise KeyPartError(f"{name} is None: {key.name} cannot be compared with nothing")
        if made is not None and key.type == "S":
            text, _ = made.prefix(parts)
            return {"S": text}
        wire = index_value(self.item_types[0], key, parts)
        assert wire is not None  # no part is missing
        return wire


def query(item_type: type[I_co], index: Index | None, parts: Mapping[str, Any]) -> Query[I_co]:
    """The items of one type that share a partition; fields of the sort key narrow it down from the left."""
    table = item_type.__table__
    check_index(table, index)
    layout = item_type.__layout__
    check_parts(item_type, index, parts)
    if index is None:
        pk_text = layout.pk.render(parts)
        if pk_text is None:
            raise incomplete(item_type, f"{table.name}.{table.pk.name}", layout.pk.fields)
        pk_value: AttributeValue = {"S": pk_text}
        if table.pk.type == "N":
            pk_value = {"N": pk_text}
        check_size(table.pk, pk_value, PARTITION_KEY_BYTES)
        return _narrowed(item_type, None, ((table.pk, pk_value),), parts)
    partition = []
    for key in index.pk:
        value = index_value(item_type, key, parts)
        if value is None:
            raise incomplete(item_type, f"{index!r}.{key.name}", layout.inputs(key.name))
        check_size(key, value, PARTITION_KEY_BYTES)
        partition.append((key, value))
    return _narrowed(item_type, index, tuple(partition), parts)


def _narrowed(
    item_type: type[I_co],
    index: Index | None,
    partition: tuple[tuple[KeyName, AttributeValue], ...],
    parts: Mapping[str, Any],
) -> Query[I_co]:
    """Use what is known of the sort key: whole attributes as equal, the fixed start of the next as a prefix."""
    leading: list[tuple[KeyName, AttributeValue]] = []
    layout, table = item_type.__layout__, item_type.__table__
    sort: Condition | None = None
    for key in table.keys[1:] if index is None else index.sk:
        made = layout.derived.get(key.name) or (layout.sk if index is None else None)
        if made is None or key.type != "S":
            inputs = layout.inputs(key.name)
            if not inputs or parts.get(inputs[0]) is None:
                break
            value = index_value(item_type, key, parts)
            if value is None:
                break
            leading.append((key, value))
            continue
        text, complete = made.prefix(parts)
        if complete:
            leading.append((key, {"S": text}))
            continue
        if text:
            sort = BeginsWith(Path((key.name,)), Value({"S": text}))
        break
    return Query((item_type,), table, index, partition, tuple(leading), sort)


def collection(*queries: Query[Any]) -> Query[Any]:
    """Several types of one partition in one query, each row read as its own type; the sort key is not narrowed."""
    if not queries:
        raise SchemaError("A collection reads one partition: give at least one query of it")
    first = queries[0]
    for other in queries[1:]:
        if (other.table, other.index, other.partition) != (first.table, first.index, first.partition):
            raise SchemaError(f"A collection reads one partition: {_where(first)} and {_where(other)} are two")
    types = tuple(dict.fromkeys(item_type for each in queries for item_type in each.item_types))
    return replace(first, item_types=types, leading=(), sort=None)


def _where(query: Query[Any]) -> str:
    values = ", ".join(f"{key.name}={next(iter(value.values()))}" for key, value in query.partition)
    return f"{query.index or query.table} {values}"


@dataclass(frozen=True, slots=True)
class BatchGet(Generic[I_co]):
    """Read any number of items by key; the answer keeps the order, with None where nothing is."""

    keys: tuple[Key[I_co], ...]
    consistent: bool = False

    def __iter__(self) -> Iterator[Key[I_co]]:
        return iter(self.keys)

    def request(self) -> requests.BatchGetItem:
        """What is sent, where a hundred keys are enough: a store sends more in several requests."""
        tables: dict[str, list[WireItem]] = {}
        for key in self.keys:
            tables.setdefault(key.item_type.__table__.name, []).append(key.wire)
        return requests.BatchGetItem(
            tables={name: requests.Keys(keys=tuple(keys), consistent=self.consistent) for name, keys in tables.items()}
        )


def projected(query: Query[I_co], *attributes: Attribute[Any]) -> Query[I_co]:
    """Only these attributes (and the keys) are returned; the items must be readable without the others."""
    table, index = query.table, query.index
    names = [key.name for key in (*table.keys, *(index.key_names if index else ()))]
    names += [name for item_type in query.item_types for name in item_type.__layout__.constants]
    names += [attribute.name for attribute in attributes]
    names += [] if query.expiry is None else [query.expiry]
    return replace(query, only=tuple(dict.fromkeys(names)))
