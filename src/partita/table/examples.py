"""Example items: what tools put into a list to show it or to measure it.

A value comes from the request (what its key says), from the design document's own example if there is one, or from
the field's type. The same schema always makes the same items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError as PydanticError

from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.values import AttributeValue
from partita.table.errors import KeyPartError, SchemaError, invalid_fields, reasons
from partita.table.example_keys import bounded_part, finds, fixed_fields, inputs, key_fields, stems
from partita.table.example_ranges import Values
from partita.table.example_search import asked_of, candidates, hints, solve
from partita.table.example_values import Era, sample
from partita.table.items import Item
from partita.table.queries import BatchGet, Get, Query
from partita.table.tables import Index
from partita.table.writes import Check, Delete, Put, Transaction, Update

if TYPE_CHECKING:
    from partita.table.patterns import Pattern

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
Fields = dict[str, Any]
_ERAS: tuple[Era, ...] = ("now", "early", "late")
_IN_2100 = 4_102_444_800
"""When examples expire: what has expired already would not be found."""
_FAR = 20_000
"""An item so far into a list tells whether the whole list is found."""
_FEW = 100
_MISSES = 2_000
"""So many items in a row that a list does not find are its end."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What items must be like."""

    fixed: Fields = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    """Fields that must be there: an index finds only items that have its keys."""
    differing: frozenset[str] = frozenset()
    """Fields that differ from item to item besides the key, as times do if they can."""
    stems: Mapping[str, str] = field(default_factory=dict)
    """How the text of a field starts."""
    starts: Fields = field(default_factory=dict)
    """What the first item has in fields that differ from item to item."""
    within: Mapping[str, Values] = field(default_factory=dict)
    """The values of fields that a query has bounds for."""
    era: Era = "now"


class Examples:
    """Makes example items; given the documents' examples, it makes items like those."""

    def __init__(self, documented: Iterable[Item] = ()) -> None:
        self._documented: dict[type[Item], Fields] = {type(item): dict(item) for item in documented}

    def arguments(self, pattern: Pattern) -> Fields:
        """Arguments to call a pattern with: its examples, and made-up items if it takes items."""
        arguments = dict(pattern.example)
        for name, parameter in pattern.signature.parameters.items():
            if name in arguments or parameter.default is not parameter.empty:
                continue
            # Under `from __future__ import annotations` an annotation is its text.
            kinds = [kind for kind in pattern.table.item_types if parameter.annotation in (kind, kind.__name__)]
            if not kinds:
                raise SchemaError(f"{pattern.label} has no example of {name}: give access_pattern(…, {name}=…)")
            arguments[name] = self.item(kinds[0])
        return arguments

    def item(self, item_type: type[I], **fixed: Any) -> I:
        """One item of a type."""
        return _item(item_type, self._fields(item_type, _Wish(fixed)))

    def before(self, write: Any) -> Item | None:
        """What a write finds: nothing if it makes something new, otherwise the item, with earlier times."""
        condition = write.condition
        if isinstance(write, Put) and (condition is None or holds(condition, {})):
            return None
        known = write.known or {} if isinstance(write, Update) else {}
        item_type, fixed = write.key.item_type, {**known, **write.key.parts}
        changed = frozenset(action.field for action in write.actions) if isinstance(write, Update) else frozenset()
        fields = self._fields(item_type, _Wish(fixed, needed=changed, era="early"))
        times = [name for name in fields if name not in fixed and sample(item_type, name).is_moment]
        earlier = {name: sample(item_type, name).numbered(fields[name], 0, "early") for name in times}
        item: Item = _item(item_type, fields | earlier)
        return item

    def of(self, request: Any) -> Iterator[Item]:
        """The items that a request reads or writes, as many as there can be: one for a key, any number for a list."""
        match request:
            case Query():
                yield from islice(self._list(request), 1 if is_lookup(request) else None)
            case Get(key=key) | Update(key=key) | Delete(key=key) | Check(key=key):
                yield self.item(key.item_type, **key.parts)
            case Put(item=item):
                yield item
            case BatchGet(keys=keys):
                for key in keys:
                    yield self.item(key.item_type, **key.parts)
            case Transaction(writes=writes):
                for write in writes:
                    yield from self.of(write)
            case _:
                raise SchemaError(f"{request!r} is no request: return a Get, a Query, a BatchGet or a write")

    def numbered(
        self,
        item_type: type[I],
        fixed: Mapping[str, Any],
        *,
        differing: Iterable[str] = (),
    ) -> Iterator[I]:
        """Items that share some fields and differ in their keys, their times and some more, as long as keys differ."""
        yield from self._numbered(item_type, _Wish(dict(fixed), differing=frozenset(differing)))

    def members(
        self, item_type: type[Item], index: Index | None, partition: AttributeValue | None = None
    ) -> Iterator[Item]:
        """Items of a type that stand in an index, or in the table: in one partition, if it is said which."""
        table = item_type.__table__
        pk = table.pk if index is None else index.pk[0]
        key_range: Query[Any] = Query((item_type,), table, index, () if partition is None else ((pk, partition),))
        yield from self._list_of(key_range, item_type)

    def _list(self, query: Query[Any]) -> Iterator[Item]:
        """Items of a list; of each type in turn if it has several."""
        lists = [self._list_of(query, item_type) for item_type in query.item_types]
        while lists:
            for each in list(lists):
                item = next(each, None)
                if item is None:
                    lists.remove(each)
                else:
                    yield item

    def _list_of(self, query: Query[Any], item_type: type[Item]) -> Iterator[Item]:
        """Items that a query finds. Values from another time, or from between the query's bounds, are tried in turn."""
        wish = self._wish(query, item_type)
        wishes = [wish]
        bounded = bounded_part(query)
        if bounded is not None:
            same, within = bounded
            wishes = [replace(wish, era=era) for era in _ERAS]
            wishes.append(replace(wish, fixed={**wish.fixed, **same}, within=within))
        matches = finds(query)
        chosen = next((each for each in wishes if all(self._tried(item_type, each, matches, (0, _FAR)))), None)
        if chosen is None:
            # A short key_range, or a key that only some values lead to: the list is as long as it can be.
            last = reversed(wishes)
            chosen = next((each for each in last if any(self._tried(item_type, each, matches, range(_FEW)))), None)
        if chosen is None:
            raise SchemaError(
                f"No example of {item_type.__name__} can be made that the request finds: give the pattern another "
                "example, or the fields of its keys examples, as in attribute(examples=[…])"
            )
        misses = 0
        for item in self._numbered(item_type, chosen):
            misses = 0 if matches(item) else misses + 1
            if not misses:
                yield item
            elif misses > _MISSES:
                return

    def _wish(self, query: Query[Any], item_type: type[Item]) -> _Wish:
        fixed = fixed_fields(query, item_type)
        wish = _Wish(
            fixed,
            needed=frozenset(inputs(item_type, query.index)),
            differing=frozenset(_compared(query, item_type)),
            stems=stems(query),
        )
        asked = asked_of(query, item_type)
        if not asked:
            return wish
        documented, wanted = self._documented.get(item_type, {}), hints(query)
        found = solve(asked, fixed, lambda name: candidates(item_type, name, documented.get(name), wanted))
        if found is None:
            names = ", ".join(each.computed.field or each.computed.name for each in asked)
            of = ", ".join(dict.fromkeys(name for each in asked for name in each.computed.fields))
            raise SchemaError(
                f"No example of {item_type.__name__} has the {names} that the request asks for: give {of} examples "
                "that lead to it, as in attribute(examples=[…])"
            )
        bounded = bounded_part(query)
        if bounded is not None:  # values between the bounds are tried in turn
            found = {name: value for name, value in found.items() if name not in bounded[1]}
        keys = item_type.__layout__.key_fields
        if any(name not in found and name not in fixed for name in keys):
            return replace(wish, fixed={**fixed, **found})  # another part of the key tells the items apart
        starts = {name: value for name, value in found.items() if name in keys}
        others = {name: value for name, value in found.items() if name not in keys}
        return replace(wish, fixed={**fixed, **others}, starts=starts)

    def _tried(
        self, item_type: type[Item], wish: _Wish, matches: Callable[[Item], bool], numbers: Iterable[int]
    ) -> Iterator[bool]:
        """Whether a list finds the items with some numbers."""
        plain, open_fields = self._plain(item_type, wish)
        for number in numbers:
            try:
                yield matches(_item(item_type, _numbered(item_type, plain, open_fields, wish, number)))
            except KeyPartError:
                yield False  # a number that is too long for its place in the key

    def _plain(self, item_type: type[Item], wish: _Wish) -> tuple[Fields, list[str]]:
        """The fields of every item of a list, and those that differ from item to item."""
        plain = self._fields(item_type, wish)
        differing = wish.differing.union(item_type.__layout__.key_fields)
        return plain, [
            name
            for name, value in plain.items()
            if name not in wish.fixed and value is not None and (name in differing or sample(item_type, name).is_moment)
        ]

    def _numbered(self, item_type: type[I], wish: _Wish) -> Iterator[I]:
        plain, open_fields = self._plain(item_type, wish)
        seen: set[Any] = set()
        for number in count():
            item = _item(item_type, _numbered(item_type, plain, open_fields, wish, number))
            try:
                key = item.own_key
                item.to_row()
            except KeyPartError:
                if not seen:
                    raise
                return  # a number is too long for its place in a key, so the list ends here
            if key in seen:
                return
            seen.add(key)
            yield item

    def _fields(self, item_type: type[Item], wish: _Wish) -> Fields:
        """Values for all fields. What only leads into an index that is not asked for is left out."""
        documented = self._documented.get(item_type)
        indexed = {field for index in item_type.__table__.indexes for field in key_fields(item_type, index)}
        expiry = item_type.__layout__.fields_by_name.get(item_type.__table__.ttl or "")
        values: Fields = {}
        for name, info in item_type.model_fields.items():
            held = sample(item_type, name)
            if name in wish.fixed:
                values[name] = wish.fixed[name]
            elif name in wish.within and held.fits(bounded := wish.within[name](0)):
                values[name] = bounded
            elif name in wish.starts:
                values[name] = wish.starts[name]
            elif documented is not None and documented.get(name) is not None:
                values[name] = documented[name]
            elif name == expiry and info.is_required():
                values[name] = _IN_2100
            elif name in wish.needed or info.is_required():
                identity = name in item_type.__layout__.key_fields
                values[name] = held.value(identity=identity, moment=name in wish.differing, era=wish.era)
            elif documented is not None or (name in indexed and held.optional):
                continue  # the document's example has none, or it is the key of a sparse index
            elif held.kind not in (Any, bool, int) and not info.get_default(call_default_factory=True):
                values[name] = held.value(era=wish.era)
            stem = wish.stems.get(name)
            if stem is not None and not str(values.get(name, "")).startswith(stem):
                values[name] = next(text for text in (f"{stem}{values.get(name, '')}", stem) if held.fits(text))
        return values


def _item(item_type: type[I], fields: Fields) -> I:
    try:
        return item_type(**fields)
    except PydanticError as error:
        why = reasons(invalid_fields(error))
        step = "give its fields examples, as in attribute(examples=[…])"
        raise SchemaError(f"No example of {item_type.__name__} can be made ({why}): {step}") from None


def is_lookup(request: Any) -> bool:
    """Whether a request is for single items: by key, or by an index without a sort key, which only looks things up."""
    return not isinstance(request, Query) or (request.index is not None and not request.index.sk)


def _numbered(item_type: type[Item], plain: Fields, open_fields: list[str], wish: _Wish, number: int) -> Fields:
    """The fields of the item with a number."""
    values = dict(plain)
    for name in open_fields:
        held = sample(item_type, name)
        if name in wish.within and held.fits(bounded := wish.within[name](number)):
            values[name] = bounded
        else:
            values[name] = held.numbered(plain[name], number, wish.era)
    return values


def _compared(query: Query[Any], item_type: type[Item]) -> Iterator[str]:
    """The fields of the sort key, if a query compares it and does not only say how it starts."""
    if query.range is None or (query.range.low is None and query.range.high is None):
        return
    layout = item_type.__layout__
    for name in layout.derived_from(query.range.key.name) or layout.inputs(query.range.key.name):
        if name in item_type.model_fields:
            yield name
