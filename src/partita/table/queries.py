"""Reads as values: one item, a stretch of a partition, several types at once, a batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Never, overload

from pydantic import BaseModel
from typing_extensions import TypeVar  # with defaults, which Python has from 3.13 on

from partita.dynamo import requests
from partita.dynamo.expressions.tree import And, Comparator, Compare, Path, Projection, Value
from partita.dynamo.expressions.tree import Condition as ConditionTree
from partita.dynamo.frozen import dataclass
from partita.dynamo.limits import PARTITION_KEY_BYTES
from partita.dynamo.values import AttributeValue
from partita.dynamo.values import Item as WireItem
from partita.table.attributes import AttributeOf, Given, plain_type
from partita.table.conditions import Condition, paths_in, tree_for
from partita.table.constraints import bare
from partita.table.errors import KeyPartError, SchemaError
from partita.table.layout import Layout, check_size, index_value
from partita.table.parts import check_index, check_parts, given_values, incomplete
from partita.table.ranges import Range, kinds_of
from partita.table.reading import sharded
from partita.table.spelling import key_text
from partita.table.tables import Index, KeyName, Table
from partita.table.template import Template, parse_template
from partita.table.views import view_names
from partita.table.writes import Key

if TYPE_CHECKING:
    from partita.table.items import Item

I_co = TypeVar("I_co", covariant=True, default=Any)
I = TypeVar("I", bound="Item")  # noqa: E741 - an item, as T is a type
M = TypeVar("M", bound=BaseModel)
A = TypeVar("A", bound="Item")
B = TypeVar("B", bound="Item")
C = TypeVar("C", bound="Item")
D = TypeVar("D", bound="Item")
F = TypeVar("F", bound="Item")
G = TypeVar("G", bound="Item")
Bound = Given[I] | tuple[Given[I], ...]
"""One end of a range: a part of the sort key, or several."""


J_co = TypeVar("J_co", bound="Item", covariant=True, default=Any)


@dataclass(frozen=True, slots=True)
class Get(Generic[J_co]):
    """Read one item."""

    key: Key[J_co]
    consistent: bool = False
    expired: bool = False

    def consistently(self) -> Get[J_co]:
        """See every write that was acknowledged before."""
        return replace(self, consistent=True)

    def with_expired(self) -> Get[J_co]:
        """Also return it if it has expired and is not deleted yet."""
        return replace(self, expired=True)

    @property
    def expiry(self) -> str | None:
        """The attribute by which an item is left out, if there is one."""
        return None if self.expired else self.key.item_type.__table__.ttl

    def request(self) -> requests.GetItem:
        """The request."""
        return requests.GetItem(table=self.key.item_type.__table__.name, key=self.key.wire, consistent=self.consistent)


@dataclass(frozen=True, slots=True)
class Query(Generic[I_co]):
    """Read a stretch of a partition; each row is read as one of the types, others are passed over."""

    item_types: tuple[type[Any], ...]
    table: Table
    index: Index | None
    partition: tuple[tuple[KeyName, AttributeValue], ...]
    leading: tuple[tuple[KeyName, AttributeValue], ...] = ()
    range: Range | None = None
    filter: ConditionTree | None = None
    forward: bool = True
    consistent: bool = False
    only: tuple[str, ...] = ()
    expired: bool = False
    view: type[BaseModel] | None = None
    """The smaller model that rows are read as, if there is one."""

    if TYPE_CHECKING:

        def _yields(self) -> I_co: ...

    @property
    def whole(self) -> bool:
        """Whether rows come with their discriminators; not if an index lacks them and their keys tell what they are."""
        constants = (name for item_type in self.item_types for name in item_type.__layout__.constants)
        return self.view is None or set(self.only).issuperset(constants)

    @property
    def sort(self) -> ConditionTree | None:
        """The condition on the sort key."""
        return None if self.range is None else self.range.condition()

    def descending(self) -> Query[I_co]:
        """From the end of the stretch to its start: the largest first."""
        return replace(self, forward=False)

    def newest_first(self) -> Query[I_co]:
        """From the end of a stretch that is sorted by time to its start."""
        return self.descending()

    def consistently(self) -> Query[I_co]:
        """See every write that was acknowledged before; not on a global index."""
        if self.index is not None and not self.index.local:
            raise SchemaError(f"{self.index!r} is a global index: it has no consistent reads")
        return replace(self, consistent=True)

    def with_expired(self) -> Query[I_co]:
        """Also return items that have expired and are not deleted yet."""
        return replace(self, expired=True)

    @property
    def expiry(self) -> str | None:
        """The attribute by which rows are left out, if there is one."""
        return None if self.expired else self.table.ttl

    def where(self: Query[I], condition: Condition[I]) -> Query[I]:
        """Keep only what the condition holds for. Rows that it drops are read and paid for all the same."""
        tree = tree_for(condition, *self.item_types)
        keys = {key.name for key in (self.table.keys if self.index is None else self.index.key_names)}
        in_key = sorted({str(path.parts[0]) for path in paths_in(tree)} & keys)
        if in_key:
            raise SchemaError(
                f"{', '.join(in_key)} is in the key of {self.index or self.table!r}, on which DynamoDB takes no "
                "filter: give it to query(…), or as a bound, as in .at_least(…) or .before(…)"
            )
        return replace(self, filter=tree if self.filter is None else And((self.filter, tree)))

    def at_least(self: Query[I], *parts: Given[I], **named: Never) -> Query[I]:
        """From here on, this included."""
        return self._compared(">=", parts, named)

    def after(self: Query[I], *parts: Given[I], **named: Never) -> Query[I]:
        """From here on, without this."""
        return self._compared(">", parts, named)

    def at_most(self: Query[I], *parts: Given[I], **named: Never) -> Query[I]:
        """Up to here, this included."""
        return self._compared("<=", parts, named)

    def before(self: Query[I], *parts: Given[I], **named: Never) -> Query[I]:
        """Up to here, without this."""
        return self._compared("<", parts, named)

    def between(self: Query[I], low: Bound[I], high: Bound[I]) -> Query[I]:
        """From one to the other, both included."""
        first = low if isinstance(low, tuple) else (low,)
        last = high if isinstance(high, tuple) else (high,)
        return self._compared(">=", first, {})._compared("<=", last, {})

    def starting_with(self, prefix: str) -> Query[I_co]:
        """Sort keys that start with this text."""
        return replace(self, range=self._range().starting_with(prefix))

    def shown_as(self, model: type[M]) -> Query[M]:
        """Only what a smaller model holds is fetched, and each row is read as one: its fields are named as the item's.

        class Title(BaseModel):
            title: str

        books_of("ada").shown_as(Title)
        """
        held = None if self.index is None or self.index.projection == "ALL" else held_by(self.table, self.index)
        names = [*_keys_alone(self), *view_names(self.item_types, model, held)]
        names += [] if self.expiry is None else [self.expiry]
        narrowed: Query[Any] = replace(self, only=tuple(dict.fromkeys(names)), view=model)
        return narrowed

    def request(self, *, limit: int | None = None, start: WireItem | None = None, shard: int = 0) -> requests.Query:
        """The request; to one of the shards, if there are several."""
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

    def _condition(self, shard: int) -> ConditionTree:
        terms: list[ConditionTree] = []
        for position, (key, value) in enumerate(self.partition):
            if position == 0 and self.shards > 1:
                value = {"S": sharded(value["S"], shard)}
            terms.append(Compare("=", Path((key.name,)), Value(value)))
        terms += [Compare("=", Path((key.name,)), Value(value)) for key, value in self.leading]
        sort = self.sort
        if sort is not None:
            terms.append(sort)
        return terms[0] if len(terms) == 1 else And(tuple(terms))

    def _projection(self) -> Projection | None:
        return Projection(tuple(Path((name,)) for name in self.only)) if self.only else None

    def _compared(self, operator: Comparator, parts: tuple[Given[Any], ...], named: Mapping[str, Any]) -> Query[Any]:
        key_range = self._range()
        return replace(self, range=key_range.bounded(operator, self._bound(key_range, parts, named)))

    def _range(self) -> Range:
        if self.range is not None:
            return self.range
        names = self.sort_names()
        if len(self.leading) >= len(names):
            raise SchemaError("The sort key is given in full already: there is nothing left to compare")
        return range_of(self.item_types[0], names[len(self.leading)], {})

    def _bound(self, within: Range, given: tuple[Given[Any], ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """The parts of an end of the range, in their order; what is left out at the end is left open."""
        item_type, key = self.item_types[0], within.key
        parts = given_values(item_type, given, named)
        inputs = item_type.__layout__.inputs(key.name)[within.fixed :]
        wanted = inputs[: len(parts)]
        if not parts or set(parts) != set(wanted):
            steps = ", ".join(f"{item_type.__name__}.{name}(…)" for name in wanted or inputs[:1])
            said = ", ".join(parts) or "nothing"
            problem = f"{key.name} is made of {', '.join(inputs)}, not {said}"
            raise KeyPartError(self._one_at_a_time(within, parts) or f"{problem}: give {steps}")
        for name, value in parts.items():
            if value is None:
                raise KeyPartError(f"{name} is None: {key.name} cannot be compared with nothing")
            within.check_comparable(name)
        if within.template is None:
            wire = index_value(item_type, key, parts)
            assert wire is not None  # no part is missing
            return (wire,)
        widths = {part.field: part.width for part in within.open_parts}
        return tuple(key_text(parts[name], widths[name]) for name in wanted)

    def _one_at_a_time(self, within: Range, parts: Mapping[str, Any]) -> str | None:
        """What to do if parts are of several attributes of a sort key; None if they are not."""
        item_type, names = self.item_types[0], self.sort_names()
        inputs = {key: item_type.__layout__.inputs(key.name) for key in names}
        compared = [key for key in names[len(self.leading) + 1 :] if set(inputs[key]) & set(parts)]
        if not compared or set(parts) <= set(inputs[within.key]):
            return None

        def given(keys: Iterable[KeyName]) -> str:
            return ", ".join(f"{item_type.__name__}.{name}(…)" for key in keys for name in inputs[key])

        last = names.index(compared[-1])
        return (
            f"{self.index!r} is sorted by {', '.join(key.name for key in names)}, of which one can be compared: "
            f"give {given(names[len(self.leading) : last])} in query(…), and {given(compared[-1:])} as the bound"
        )


def held_by(table: Table, index: Index) -> frozenset[str]:
    """The attributes that an index holds, if it does not hold all."""
    return frozenset((*(key.name for key in (*table.keys, *index.key_names)), *index.include))


def _keys_alone(query: Query[Any]) -> list[str]:
    return [key.name for key in (*query.table.keys, *(query.index.key_names if query.index else ()))]


def key_names(query: Query[Any]) -> tuple[str, ...]:
    """The attributes that tell a row's type and position: keys and discriminators."""
    names = _keys_alone(query)
    names += [name for item_type in query.item_types for name in item_type.__layout__.constants]
    return tuple(dict.fromkeys(names))


def range_of(item_type: type[Any], key: KeyName, parts: Mapping[str, Any]) -> Range:
    """All values of a sort key that begin with what is known of its parts."""
    hashable: Any = item_type
    template, kinds = _parts_of(hashable, key)
    if template is None:
        return Range(key, None)
    text, _ = template.prefix(parts)
    fixed = sum(parts.get(name) is not None for name in template.fields)
    return Range(key, template, text, fixed, kinds)


@cache
def _parts_of(item_type: Any, key: KeyName) -> tuple[Template | None, tuple[Any, ...]]:
    """How a text key is made, and of which types; one that is a field of its own is made of that field alone."""
    layout: Layout = item_type.__layout__
    template: Template | None = layout.texts.get(key.name) if key.type == "S" else None
    if key.type == "S" and template is None:
        inputs = layout.inputs(key.name)
        if key in layout.table.keys:
            template = layout.pk if key == layout.table.pk else layout.sk
        elif inputs:
            template = parse_template("{" + inputs[0] + "}")
    return template, () if template is None else kinds_of(template, _types(layout))


def _types(layout: Layout) -> dict[str, Any]:
    types = {name: info.annotation for name, info in layout.item_type.model_fields.items()}
    types |= {name: annotation for name, (_, annotation) in layout.item_type.__derived__.items()}
    return {name: bare(plain_type(annotation)) for name, annotation in types.items()}


def query(item_type: type[I], index: Index | None, parts: Mapping[str, Any]) -> Query[I]:
    """The items of one type that share a partition; fields of the sort key narrow it down from the left."""
    table = item_type.__table__
    check_index(table, index)
    layout = item_type.__layout__
    check_parts(item_type, index, parts)
    partition = []
    for key in (table.pk,) if index is None else index.pk:
        value = index_value(item_type, key, parts)
        if value is None:
            where = table.name if index is None else repr(index)
            raise incomplete(item_type, f"{where}.{key.name}", layout.inputs(key.name))
        check_size(key, value, PARTITION_KEY_BYTES)
        partition.append((key, value))
    return _narrowed(item_type, index, tuple(partition), parts)


def _narrowed(
    item_type: type[I],
    index: Index | None,
    partition: tuple[tuple[KeyName, AttributeValue], ...],
    parts: Mapping[str, Any],
) -> Query[I]:
    """Use what is known of the sort key: whole attributes as equal, the fixed start of the next as a prefix."""
    leading: list[tuple[KeyName, AttributeValue]] = []
    layout, table = item_type.__layout__, item_type.__table__
    key_range: Range | None = None
    for key in table.keys[1:] if index is None else index.sk:
        inputs = layout.inputs(key.name)
        if all(parts.get(name) is not None for name in inputs) and layout.makes(key.name):
            value = index_value(item_type, key, parts)
            if value is None:
                break
            leading.append((key, value))
            continue
        if layout.makes(key.name):
            key_range = range_of(item_type, key, parts)
        break
    if key_range is not None and not key_range.prefix:
        key_range = None
    return Query((item_type,), table, index, partition, tuple(leading), key_range)


@overload
def collection(one: Query[A], /) -> Query[A]: ...
@overload
def collection(one: Query[A], two: Query[B], /) -> Query[A | B]: ...
@overload
def collection(one: Query[A], two: Query[B], three: Query[C], /) -> Query[A | B | C]: ...
@overload
def collection(one: Query[A], two: Query[B], three: Query[C], four: Query[D], /) -> Query[A | B | C | D]: ...
@overload
def collection(
    one: Query[A], two: Query[B], three: Query[C], four: Query[D], five: Query[F], /
) -> Query[A | B | C | D | F]: ...
@overload
def collection(
    one: Query[A], two: Query[B], three: Query[C], four: Query[D], five: Query[F], six: Query[G], /
) -> Query[A | B | C | D | F | G]: ...
@overload
def collection(*queries: Query[A]) -> Query[A]: ...
def collection(*queries: Query[Any]) -> Query[Any]:
    """Several types of one partition in one query, each row read as its own type; the sort key is not narrowed."""
    if not queries:
        raise SchemaError("A collection reads one partition: give at least one query of it")
    first = queries[0]
    for other in queries[1:]:
        if (other.table, other.index, other.partition) != (first.table, first.index, first.partition):
            raise SchemaError(f"A collection reads one partition: {_where(first)} and {_where(other)} are two")
    types = tuple(dict.fromkeys(item_type for each in queries for item_type in each.item_types))
    return replace(first, item_types=types, leading=(), range=None)


def _where(query: Query[Any]) -> str:
    values = ", ".join(f"{key.name}={next(iter(value.values()))}" for key, value in query.partition)
    return f"{query.index or query.table} {values}"


@dataclass(frozen=True, slots=True)
class BatchGet(Generic[J_co]):
    """Read any number of items by key; the answer keeps the order, with None for missing ones."""

    keys: tuple[Key[J_co], ...]
    consistent: bool = False
    expired: bool = False
    strict: bool = False
    """Whether a row that cannot be read is an error, and not passed over as in a list."""

    def with_expired(self) -> BatchGet[J_co]:
        """Also return items that have expired and are not deleted yet."""
        return replace(self, expired=True)

    def __iter__(self) -> Iterator[Key[J_co]]:
        return iter(self.keys)

    def request(self) -> requests.BatchGetItem:
        """The request for up to a hundred keys; a store sends several for more."""
        tables: dict[str, list[WireItem]] = {}
        for key in self.keys:
            tables.setdefault(key.item_type.__table__.name, []).append(key.wire)
        return requests.BatchGetItem(
            tables={name: requests.Keys(keys=tuple(keys), consistent=self.consistent) for name, keys in tables.items()}
        )


def projected(query: Query[I], *attributes: AttributeOf[I, Any]) -> Query[I]:
    """Only these attributes (and the keys) are returned; the items must be readable without the others.

    What is not fetched reads as its default, so it must not be looked at: `shown_as` gives a model that has only what
    was fetched.
    """
    names = [*key_names(query), *(attribute.stored_name for attribute in attributes)]
    names += [] if query.expiry is None else [query.expiry]
    return replace(query, only=tuple(dict.fromkeys(names)))
