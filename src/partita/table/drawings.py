"""Item collections drawn as tables: what stands together under one partition key, of the table or of an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cmp_to_key
from itertools import islice

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue, order
from partita.dynamo.values import Item as WireItem
from partita.table.cost import index_entry
from partita.table.errors import SchemaError
from partita.table.example_keys import key_parts
from partita.table.examples import Examples
from partita.table.items import Item
from partita.table.reading import unsharded
from partita.table.tables import Index, KeyName, Table

_ROWS_OF_A_TYPE = 2
_MOST_TABLES = 2
_ATTRIBUTES = 5
_LONGEST_KEY = 56
_LONGEST_VALUE = 32


@dataclass(frozen=True, slots=True)
class Drawing:
    """A partition as a table: its rows in their order, each with its type and some of its attributes."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    types: int


def draw(table: Table, examples: Examples) -> list[Drawing]:
    """The partitions of a table and of its indexes where most types meet: two of the table, one of an index."""
    own = [] if table.sk is None else _partitions(table, None, examples)
    others = [drawing for index in table.indexes for drawing in _partitions(table, index, examples)]
    if not own:
        return _best(others, _MOST_TABLES + 1)
    return [*_best(own, _MOST_TABLES), *_best([each for each in others if each.types > 1], 1)]


def _best(drawings: Sequence[Drawing], count: int) -> list[Drawing]:
    return sorted(drawings, key=lambda drawing: -drawing.types)[:count]


def _partitions(table: Table, index: Index | None, examples: Examples) -> list[Drawing]:
    """One example of each partition that a type writes to, with all types that may stand in it."""
    drawings: list[Drawing] = []
    drawn: set[type[Item]] = set()
    pk = table.pk if index is None else index.pk[0]
    for kind in table.item_types:
        if kind in drawn or not all(kind.__layout__.makes(key.name) for key in (index.key_names if index else ())):
            continue
        try:
            first = next(examples.members(kind, index)).to_row()
        except SchemaError:
            continue  # nothing tells what its fields are like
        shards = table.shards if index is None else index.shards
        value = first[pk.name] if shards == 1 else {"S": unsharded(first[pk.name]["S"])}
        rows = [row for other in table.item_types for row in _rows(other, pk, value, index, examples)]
        if rows:
            drawn.update(kind for kind, _ in rows)
            drawings.append(_drawing(table, index, rows))
    return drawings


def _rows(
    kind: type[Item], pk: KeyName, value: AttributeValue, index: Index | None, examples: Examples
) -> Iterator[tuple[type[Item], WireItem]]:
    """Some items of a type that stand in a partition."""
    made = all(kind.__layout__.makes(key.name) for key in (index.key_names if index else ()))
    if not made or key_parts(kind, pk.name, value) is None:
        return
    try:
        items = list(islice(examples.members(kind, index, value), _ROWS_OF_A_TYPE))
    except SchemaError:
        return  # the value is none that this type's fields lead to
    yield from ((kind, item.to_row()) for item in items)


def _drawing(table: Table, index: Index | None, rows: list[tuple[type[Item], WireItem]]) -> Drawing:
    sort = table.keys[1:] if index is None else index.sk
    keys = tuple(dict.fromkeys((*(index.key_names if index else ()), *table.keys)))

    def compare(left: tuple[type[Item], WireItem], right: tuple[type[Item], WireItem]) -> int:
        return next((found for key in sort if (found := order(left[1][key.name], right[1][key.name]))), 0)

    ordered = sorted(rows, key=cmp_to_key(compare))
    cells = []
    for position, (kind, row) in enumerate(ordered):
        names = [_value(row[key.name], _LONGEST_KEY) for key in keys]
        if position:
            names[0] = ""  # the partition key is said once
        cells.append((*names, kind.__name__, _attributes(kind, index_entry(row, table, index), keys)))
    where = "" if index is None else f"{index.name}: "
    heads = (*(key.name for key in keys), "item", "attributes")
    title = f"{where}{keys[0].name} = {_value(rows[0][1][keys[0].name], _LONGEST_KEY)}"
    return Drawing(title, heads, tuple(cells), len({kind for kind, _ in rows}))


def _attributes(kind: type[Item], row: WireItem, keys: tuple[KeyName, ...]) -> str:
    key_names = {key.name for key in keys}
    names = [name for name in (*kind.__layout__.names.values(), *kind.__layout__.derived_names()) if name in row]
    others = [name for name in names if name not in key_names]
    parts = [f"{name}={_value(row[name])}" for name in others[:_ATTRIBUTES]]
    return ", ".join(parts) + (" …" if len(others) > _ATTRIBUTES else "")


def _value(value: AttributeValue, longest: int = _LONGEST_VALUE) -> str:
    """A value, cut if it is long."""
    ((kind, content),) = value.items()
    if kind in ("L", "SS", "NS", "BS"):
        return f"[{len(content)}]"
    text = "null" if kind == "NULL" else f"{{{', '.join(content)}}}" if kind == "M" else str(content)
    return text if len(text) <= longest else text[: longest - 1] + "…"
