"""What a query's key condition says of the items it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.values import AttributeValue
from partita.table.example_ranges import End, Values, inside
from partita.table.example_values import sample
from partita.table.items import Item
from partita.table.queries import Query
from partita.table.ranges import Bound, Range
from partita.table.reading import unsharded
from partita.table.tables import Index
from partita.table.template import Template
from partita.table.values import from_wire

Fields = dict[str, Any]


def fixed_fields(query: Query[Any], item_type: type[Item]) -> Fields:
    """The fields of an item that a query's key condition says, read back out of the key's templates."""
    fields: Fields = {}
    for key, value in (*query.partition, *query.leading):
        fields.update(key_parts(item_type, key.name, value) or {})
    if len(query.item_types) == 1:
        fields.update(_read(item_type, _begun(query.range)[0]))
    return {name: value for name, value in fields.items() if name in item_type.model_fields}


def key_parts(item_type: type[Item], name: str, value: AttributeValue) -> Fields | None:
    """The fields that a key attribute says; None if no item of the type has that key.

    Nothing is said by what a function makes: that takes a search for the fields it is made of.
    """
    layout = item_type.__layout__
    template = template_of(item_type, name)
    if template is not None and "S" in value:
        parts = template.parse(value["S"])
        return None if parts is None else _read(item_type, parts)
    computed = layout.computed.get(name)
    if computed is not None:
        return {} if computed.field is not None else {computed.fields[0]: from_wire(value)}
    field = template.fields[0] if template is not None else layout.fields_by_name.get(name)
    return None if field is None else {field: sample(item_type, field).read(from_wire(value))}


def _read(item_type: type[Item], parts: Mapping[str, str]) -> Fields:
    """The values of a key's parts."""
    known = item_type.model_fields
    return {name: sample(item_type, name).read(text) if name in known else text for name, text in parts.items()}


def template_of(item_type: type[Item], name: str) -> Template | None:
    """How a key attribute is made of fields by a template, if it is."""
    layout = item_type.__layout__
    if name in layout.texts:
        return layout.texts[name]
    if name == layout.table.pk.name:
        return layout.pk
    return layout.sk if layout.table.sk is not None and name == layout.table.sk.name else None


def stems(query: Query[Any]) -> Mapping[str, str]:
    """How a field starts, if the start of a sort key leaves it open."""
    return _begun(query.range)[1] if len(query.item_types) == 1 else {}


def _begun(key_range: Range | None) -> tuple[dict[str, str], dict[str, str]]:
    """The fields that the start of a sort key says whole, and the start of the one it breaks off in."""
    if key_range is None or key_range.template is None:
        return {}, {}
    whole: dict[str, str] = {}
    rest = max(key_range.prefix, key_range.stem, key=len)
    pieces = key_range.template.pieces
    for position, piece in enumerate(pieces):
        if isinstance(piece, str):
            if not rest.startswith(piece):
                break
            rest = rest[len(piece) :]
            continue
        following = pieces[position + 1] if position + 1 < len(pieces) else ""
        end = rest.find(following) if isinstance(following, str) and following else -1
        if end <= 0:
            return whole, {piece.field: rest} if rest else {}
        whole[piece.field], rest = rest[:end], rest[end:]
    return whole, {}


def bounded_part(query: Query[Any]) -> tuple[Fields, Mapping[str, Values]] | None:
    """The parts of a sort key on which both bounds agree, and values between the bounds for the one after them."""
    key_range = query.range
    if key_range is None or (key_range.low is None and key_range.high is None):
        return None
    item_type: type[Item] = query.item_types[0]
    names = [part.field for part in key_range.open_parts]
    if key_range.template is None:
        layout = item_type.__layout__
        names = list(layout.derived_from(key_range.key.name) or layout.inputs(key_range.key.name))
    low, high = key_range.low, key_range.high
    same = 0
    while low and high and same < min(len(low.at), len(high.at)) - 1 and low.at[same] == high.at[same]:
        same += 1
    if len(names) <= same or any(name not in item_type.model_fields for name in names[: same + 1]):
        return {}, {}  # a function makes it
    held = sample(item_type, names[same])
    values = inside(held, *(_end(bound, same, held.read) for bound in (low, high)))
    alike = _read(item_type, dict(zip(names[:same], low.at, strict=False))) if low else {}
    return alike, {} if values is None else {names[same]: values}


def _end(bound: Bound | None, position: int, read: Callable[[Any], Any]) -> End | None:
    if bound is None or position >= len(bound.at):
        return None
    at = bound.at[position]
    # With more parts after this one, its own value may be a step inside: that is always in the key_range.
    last = position == len(bound.at) - 1
    return End(read(from_wire(at) if isinstance(at, dict) else at), bound.included and last)


def inputs(item_type: type[Item], index: Index | None) -> Iterator[str]:
    """The fields that an item needs to be in an index; what functions make its keys of is searched for."""
    layout = item_type.__layout__
    for key in () if index is None else index.key_names:
        computed = layout.computed.get(key.name)
        if computed is None or computed.field is None:
            yield from layout.derived_from(key.name) or layout.inputs(key.name)


def key_fields(item_type: type[Item], index: Index) -> Iterator[str]:
    """The fields that the keys of an index are made of, also by functions."""
    layout = item_type.__layout__
    for key in index.key_names:
        yield from layout.derived_from(key.name) or layout.inputs(key.name)


def finds(query: Query[Any]) -> Callable[[Item], bool]:
    """Whether a query finds an item of one of its types."""
    sort = query.sort if len(query.item_types) == 1 else None
    keys = query.table.keys if query.index is None else query.index.key_names
    wanted = [(key.name, value) for key, value in (*query.partition, *query.leading)]
    spread = query.partition[0][0].name if query.partition and query.shards > 1 else None

    def found(item: Item) -> bool:
        row = item.to_row()
        if any(key.type not in row.get(key.name, {}) for key in keys):
            return False
        if spread is not None:
            row = {**row, spread: {"S": unsharded(row[spread]["S"])}}
        if any(row[name] != value for name, value in wanted):
            return False
        return sort is None or (holds(sort, row) and query.range is not None and query.range.admits(row))

    return found
