"""Example items: what tools put into a list to show it or to measure it.

A value comes from the request (what its key says), from the design document's own example where there is one, or from
the field's type. The same schema always makes the same items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError as PydanticError

from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.tree import BeginsWith, Path, Value
from partita.dynamo.python_values import to_python
from partita.dynamo.values import AttributeValue
from partita.table.errors import SchemaError
from partita.table.example_values import Era, sample
from partita.table.items import Item
from partita.table.queries import BatchGet, Get, Query
from partita.table.tables import Index
from partita.table.template import Template
from partita.table.writes import Check, Delete, Put, Transaction, Update

if TYPE_CHECKING:
    from partita.table.patterns import Pattern

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
Fields = dict[str, Any]
_ERAS: tuple[Era, ...] = ("now", "early", "late")
_IN_2100 = 4_102_444_800
"""When examples expire: what has expired already would not be found."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What items must be like."""

    fixed: Fields = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    """Fields that must be there: an index finds only items that have its keys."""
    differing: frozenset[str] = frozenset()
    """Fields that differ from item to item besides the key, as times do where they can."""
    stems: Mapping[str, str] = field(default_factory=dict)
    """How the text of a field starts."""
    era: Era = "now"


class Examples:
    """Makes example items; given the documents' examples, it makes items like those."""

    def __init__(self, documented: Iterable[Item] = ()) -> None:
        self._documented: dict[type[Item], Fields] = {type(item): dict(item) for item in documented}

    def arguments(self, pattern: Pattern) -> Fields:
        """Arguments to call a pattern with: its examples, and made-up items where it takes items."""
        found = dict(pattern.example)
        for name, parameter in pattern.signature.parameters.items():
            if name in found or parameter.default is not parameter.empty:
                continue
            # Under `from __future__ import annotations` an annotation is its text.
            kinds = [kind for kind in pattern.table.item_types if parameter.annotation in (kind, kind.__name__)]
            if not kinds:
                raise SchemaError(f"{pattern.label} has no example of {name}: give access_pattern(…, {name}=…)")
            found[name] = self.item(kinds[0])
        return found

    def item(self, item_type: type[I], **fixed: Any) -> I:
        """One item of a type."""
        return _made(item_type, self._fields(item_type, _Wish(fixed)))

    def before(self, write: Any) -> Item | None:
        """What a write finds: nothing where it makes something new, otherwise the item, with earlier times."""
        condition = write.condition
        if isinstance(write, Put) and (condition is None or holds(condition, {})):
            return None
        item_type, fixed = write.key.item_type, dict(write.key.parts)
        changed = frozenset(action.field for action in write.actions) if isinstance(write, Update) else frozenset()
        fields = self._fields(item_type, _Wish(fixed, needed=changed, era="early"))
        times = [name for name in fields if name not in fixed and sample(item_type, name).is_moment]
        earlier = {name: sample(item_type, name).numbered(fields[name], 0, "early") for name in times}
        found: Item = _made(item_type, fields | earlier)
        return found

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
        needed: Iterable[str] = (),
    ) -> Iterator[I]:
        """Items that share some fields and differ in their keys, their times and some more, as long as keys differ."""
        yield from self._numbered(item_type, _Wish(dict(fixed), frozenset(needed), frozenset(differing)))

    def _list(self, query: Query[Any]) -> Iterator[Item]:
        """Items of a list; of each type in turn where it has several."""
        lists = [self._list_of(query, item_type) for item_type in query.item_types]
        while lists:
            for each in list(lists):
                item = next(each, None)
                if item is None:
                    lists.remove(each)
                else:
                    yield item

    def _list_of(self, query: Query[Any], item_type: type[Item]) -> Iterator[Item]:
        wish = _Wish(
            fixed_fields(query, item_type),
            needed=frozenset(inputs(item_type, query.index)),
            differing=frozenset(_compared(query, item_type)),
            stems=_stems(query, item_type),
        )
        for era in _ERAS:
            wish = replace(wish, era=era)
            first = next(self._numbered(item_type, wish))
            if query.sort is None or len(query.item_types) > 1 or holds(query.sort, first.to_row()):
                yield from self._numbered(item_type, wish)
                return
        raise SchemaError(
            f"No example of {item_type.__name__} can be made that the request finds: give the pattern another example"
        )

    def _numbered(self, item_type: type[I], wish: _Wish) -> Iterator[I]:
        plain = self._fields(item_type, wish)
        differing = wish.differing.union(item_type.__layout__.key_fields)
        open_fields = [
            name
            for name, value in plain.items()
            if name not in wish.fixed and value is not None and (name in differing or sample(item_type, name).is_moment)
        ]
        seen: set[Any] = set()
        for number in count():
            values = {name: sample(item_type, name).numbered(plain[name], number, wish.era) for name in open_fields}
            item = _made(item_type, {**plain, **values})
            key = item.own_key
            if key in seen:
                return
            seen.add(key)
            yield item

    def _fields(self, item_type: type[Item], wish: _Wish) -> Fields:
        """Values for all fields. What only leads into an index that is not asked for is left out."""
        documented = self._documented.get(item_type)
        indexed = {field for index in item_type.__table__.indexes for field in inputs(item_type, index)}
        expiry = item_type.__layout__.fields_by_name.get(item_type.__table__.ttl or "")
        values: Fields = {}
        for name, info in item_type.model_fields.items():
            held = sample(item_type, name)
            if name in wish.fixed:
                values[name] = wish.fixed[name]
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


def _made(item_type: type[I], fields: Fields) -> I:
    try:
        return item_type(**fields)
    except PydanticError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise SchemaError(
            f"No example of {item_type.__name__} can be made ({wrong}): give its fields examples, as in "
            "attribute(examples=[…])"
        ) from None


def is_lookup(request: Any) -> bool:
    """Whether a request is for single items: by key, or by an index without a sort key, which only looks things up."""
    return not isinstance(request, Query) or (request.index is not None and not request.index.sk)


def fixed_fields(query: Query[Any], item_type: type[Item]) -> Fields:
    """The fields of an item that a query's key condition says, read back out of the key's templates."""
    layout = item_type.__layout__
    found: Fields = {}
    for key, value in (*query.partition, *query.leading):
        found.update(key_parts(item_type, key.name, value) or {})
    found.update(_begun(query, item_type)[0])
    return {name: value for name, value in found.items() if name in layout.item_type.model_fields}


def key_parts(item_type: type[Item], name: str, value: AttributeValue) -> Fields | None:
    """The fields that a key attribute of an item says; None where no item of the type has that key."""
    made = _template(item_type, name)
    if made is not None:
        found = made.parse(str(next(iter(value.values()))))
        return None if found is None else dict(found)
    field = item_type.__layout__.fields_by_name.get(name)
    return None if field is None else {field: to_python(value)}


def _stems(query: Query[Any], item_type: type[Item]) -> Mapping[str, str]:
    """How a field starts, where the start of a sort key leaves it open."""
    return _begun(query, item_type)[1]


def _begun(query: Query[Any], item_type: type[Item]) -> tuple[Fields, dict[str, str]]:
    """The fields that the start of a sort key says whole, and the start of the one it breaks off in."""
    match query.sort:
        case BeginsWith(operand=Path(parts=(str(name),)), prefix=Value(value={"S": prefix})):
            made = _template(item_type, name)
            field = item_type.__layout__.fields_by_name.get(name)
            if made is not None:
                return _prefix_parts(made, prefix)
            return {}, {} if field is None else {field: prefix}
    return {}, {}


def _prefix_parts(made: Template, prefix: str) -> tuple[Fields, dict[str, str]]:
    found: Fields = {}
    rest = prefix
    pieces = made.pieces
    for position, piece in enumerate(pieces):
        if isinstance(piece, str):
            if not rest.startswith(piece):
                break
            rest = rest[len(piece) :]
            continue
        following = pieces[position + 1] if position + 1 < len(pieces) else ""
        end = rest.find(following) if isinstance(following, str) and following else -1
        if end <= 0:
            return found, {piece.field: rest} if rest else {}
        found[piece.field], rest = rest[:end], rest[end:]
    return found, {}


def _template(item_type: type[Item], name: str) -> Template | None:
    layout = item_type.__layout__
    if name in layout.derived:
        return layout.derived[name]
    if name == layout.table.pk.name:
        return layout.pk
    return layout.sk if layout.table.sk is not None and name == layout.table.sk.name else None


def inputs(item_type: type[Item], index: Index | None) -> Iterator[str]:
    """The fields that the keys of an index are made of."""
    for key in () if index is None else index.key_names:
        yield from item_type.__layout__.inputs(key.name)


def _compared(query: Query[Any], item_type: type[Item]) -> Iterator[str]:
    """The fields of the sort key, where a query compares it and does not only say how it starts."""
    if query.sort is None or isinstance(query.sort, BeginsWith):
        return
    for key in query.sort_names()[len(query.leading) :][:1]:
        yield from item_type.__layout__.inputs(key.name)
