"""Trouble with indexes and partitions: keys nothing writes, lists nobody reads, partitions everything meets in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from partita.dynamo import limits
from partita.table.computed import Computed
from partita.table.errors import ModelError
from partita.table.example_keys import template_of
from partita.table.example_values import choices_of, sample
from partita.table.examples import Examples
from partita.table.findings import Finding
from partita.table.items import Item
from partita.table.queries import Query
from partita.table.settings import shards_variable
from partita.table.spelling import key_text
from partita.table.suggest import instead_of
from partita.table.tables import Index, KeyName, Table
from partita.table.template import Template

_FEW = 20
_TRIES = 1_000
_TODAY = "today"
_LIMIT = "a partition takes 1,000 writes and 3,000 reads a second"


def findings(table: Table, examples: Examples) -> Iterator[Finding]:
    """What there is to say about a table's partitions and indexes."""
    if sum(not index.local for index in table.indexes) > limits.GLOBAL_INDEXES:
        yield Finding(
            "too-many-indexes",
            table.name,
            table.name,
            f"{len(table.indexes)} global indexes; DynamoDB makes {limits.GLOBAL_INDEXES} for a table",
            "Let item types share an index, as GSI1PK and GSI1SK do, or move some types to another table.",
        )
    yield from _table_partitions(table)
    read = _read_indexes(table, examples)
    for index in table.indexes:
        writers = [kind for kind in table.item_types if all(kind.__layout__.makes(key.name) for key in index.key_names)]
        if not writers:
            yield Finding("unwritten-key", repr(index), index.name, *_unwritten(table, index))
            continue
        yield from _hot(index, writers)
        if index not in read:
            yield Finding(
                "unused-index",
                repr(index),
                index.name,
                "no access pattern reads it, and every write of its items pays for it",
                "Name the function that reads it with access_pattern(…), or take the index away.",
            )


def _read_indexes(table: Table, examples: Examples) -> set[Index]:
    indexes: set[Index] = set()
    for pattern in table.patterns:
        try:
            request = pattern.request(examples)
        except ModelError:
            continue  # said where patterns are looked at
        if isinstance(request, Query) and request.index is not None:
            indexes.add(request.index)
    return indexes


def _unwritten(table: Table, index: Index) -> tuple[str, str]:
    """Which keys no type writes, and how they were probably meant to be spelt."""
    layouts = [kind.__layout__ for kind in table.item_types]
    written = [name for layout in layouts for name in (*layout.names.values(), *layout.derived_names())]
    keys = {key.name for key in table.keys}
    missing = [key.name for key in index.key_names if key.name not in (*written, *keys)]
    if not missing:
        whole = ", ".join(key.name for key in index.key_names)
        return f"no item type writes all of {whole}: it stays empty", "Give one type all of them."
    guesses = [f"{name}: {instead_of(name, dict.fromkeys(written))}" for name in missing]
    return "no item type writes its key: it stays empty", "; ".join(guesses)


def _hot(index: Index, writers: list[type[Item]]) -> Iterator[Finding]:
    if index.shards > 1:
        return
    shared = [(kind, values) for kind in writers if (values := few_values(kind, index.pk))]
    if shared:
        sharing = "; ".join(_sharing(f"{kind.__name__} items", values) for kind, values in shared)
        variable = shards_variable(index.table.default_name, index.name)
        step = (
            f"{_spread(variable)} If there is an index {index.name} already, declare shards=8 under another name, with "
            f'replaces=("{index.name}",) and backfill=True.'
        )
        yield Finding("hot-partition", repr(index), index.name, f"{sharing}: {_LIMIT}", step)


def _table_partitions(table: Table) -> Iterator[Finding]:
    """Item types that meet in few partitions of the table itself; without a sort key every item has its own."""
    for kind in table.item_types if table.sk is not None else ():
        where = f"{table.name}: {kind.__name__}"
        values = few_values(kind, (table.pk,))
        if table.sk is not None and few_values(kind, (table.sk,)):
            continue  # there are only a few such items, not a list that grows
        if values and not kind.__layout__.pk.fields:
            yield Finding(
                "unbounded-collection",
                where,
                kind.__name__,
                f"{_sharing('items', values)}, which grows with every item: {_LIMIT}",
                "Put something that differs from item to item into the partition key.",
            )
        elif values and table.shards == 1:
            variable = shards_variable(table.default_name, None)
            yield Finding(
                "hot-partition",
                where,
                kind.__name__,
                f"{_sharing('items', values)}: {_LIMIT}",
                f"{_spread(variable)} Items that are there already would not be found: copy them into a new table.",
            )
    if any(index.local for index in table.indexes):
        yield Finding(
            "unbounded-collection",
            table.name,
            table.name,
            "it has local indexes, so that all items of a partition together may take 10 GB and no more",
            "Use a global index where a partition can grow.",
        )


def few_values(kind: type[Item], keys: tuple[KeyName, ...]) -> tuple[str, ...]:
    """The values of a key if its types allow only a few; nothing if there may be many."""
    halves: list[tuple[str, ...]] = []
    for key in keys:
        values = _key_values(kind, key)
        if not values:
            return ()
        halves.append(values)
    partitions = tuple("|".join(parts) for parts in product(*halves))
    return partitions if len(partitions) <= _FEW else ()


def _key_values(kind: type[Item], key: KeyName) -> tuple[str, ...]:
    layout = kind.__layout__
    computed, template = layout.computed.get(key.name), template_of(kind, key.name)
    if computed is not None:
        return _computed_values(kind, computed)
    if template is not None:
        return _template_values(kind, template)
    field = layout.fields_by_name.get(key.name)
    return () if field is None else tuple(map(key_text, _values(kind, field)))


def _computed_values(kind: type[Item], computed: Computed) -> tuple[str, ...]:
    """What a function can make: as its type says, or of all values of its fields if those are few."""
    if choices := choices_of(computed.codec.annotation):
        return tuple(map(key_text, choices))
    pools = [_values(kind, field) for field in computed.fields]
    if not all(pools):
        return ()
    pools = [
        (*pool, None) if sample(kind, field).optional else pool
        for field, pool in zip(computed.fields, pools, strict=True)
    ]
    results = []
    for chosen in islice(product(*pools), _TRIES):
        try:
            results.append(computed.value(dict(zip(computed.fields, chosen, strict=True))))
        except ModelError:
            return ()  # it fails for values that its fields can have, so nothing is known of it
    return tuple(dict.fromkeys(key_text(value) for value in results if value is not None))


def _template_values(kind: type[Item], template: Template) -> tuple[str, ...]:
    choices = [_values(kind, field) for field in template.fields]
    if not all(choices):
        return ()
    texts = (template.render(dict(zip(template.fields, values, strict=True))) for values in product(*choices))
    return tuple(text for text in texts if text is not None)


def _values(kind: type[Item], field: str) -> tuple[Any, ...]:
    """What a field can hold, if that is little; a day is one value for all who write on it."""
    held = sample(kind, field)
    return held.choices or ((_TODAY,) if held.is_day else ())


def _sharing(items: str, values: tuple[str, ...]) -> str:
    """Which items meet: of a key with a day, those of one day."""
    which = f"{items} of one day" if all(_TODAY in value for value in values) else items
    return f"all {which} share {_listed(values)}"


def _spread(variable: str) -> str:
    return (
        f"Before it is created, declare shards=8 or set {variable}=8: each is spread over 8 partitions, which reading "
        "merges."
    )


def _listed(values: tuple[str, ...]) -> str:
    examples = ", ".join(values[:4]) + ("…" if len(values) > 4 else "")
    return f"{len(values)} partition{'s' if len(values) > 1 else ''} ({examples})"
