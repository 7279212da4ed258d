"""Reading the schemas for trouble: hot partitions, unbounded collections, keys nothing writes, second reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from annotated_types import MaxLen

from partita.dynamo import limits
from partita.table.attributes import Attribute
from partita.table.errors import ModelError
from partita.table.explain import warnings
from partita.table.items import Item
from partita.table.large import large_fields
from partita.table.queries import Query
from partita.table.suggest import instead_of
from partita.table.tables import Index, Table

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know about a schema."""

    level: Level
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.level}: {self.where}: {self.what}"


def check(tables: Iterable[Table]) -> Iterator[Finding]:
    """Everything worth saying about some tables; errors are what cannot work."""
    for table in tables:
        for index in table.indexes:
            yield from _index(table, index)
        for item_type in table.item_types:
            yield from _item(table, item_type)
        yield from _expiry(table)
        yield from _patterns(table)


def _index(table: Table, index: Index) -> Iterator[Finding]:
    writers = [kind for kind in table.item_types if all(kind.__layout__.makes(key.name) for key in index.key_names)]
    if not writers:
        yield Finding("error", repr(index), _unwritten(table, index))
        return
    for kind in writers:
        choices = _choices(kind, index.pk[0].name)
        if choices and index.shards == 1:
            shown = ", ".join(map(str, choices[:4])) + ("…" if len(choices) > 4 else "")
            yield Finding(
                "warning",
                repr(index),
                f"all {kind.__name__} items share {len(choices)} partition{'s' if len(choices) > 1 else ''} ({shown}): "
                "a partition takes 1,000 writes and 3,000 reads a second. Declare shards=… when it grows beyond that.",
            )
    if index.projection == "KEYS_ONLY":
        yield Finding("warning", repr(index), "KEYS_ONLY: whoever needs the items reads them a second time by key")


def _expiry(table: Table) -> Iterator[Finding]:
    if table.ttl is None:
        return
    if not any(kind.__layout__.makes(table.ttl) for kind in table.item_types):
        yield Finding("warning", table.name, f"no item type has a field {table.ttl}: nothing ever expires")
    for index in table.indexes:
        if index.projection != "ALL" and table.ttl not in index.include:
            yield Finding(
                "warning", repr(index), f"does not hold {table.ttl}: what has expired shows until it is deleted"
            )


def _unwritten(table: Table, index: Index) -> str:
    """Which keys no type writes, and how they were probably meant to be spelt."""
    layouts = [kind.__layout__ for kind in table.item_types]
    written = [name for layout in layouts for name in (*layout.names.values(), *layout.derived)]
    keys = {key.name for key in table.keys}
    missing = [key.name for key in index.key_names if key.name not in (*written, *keys)]
    if not missing:
        return f"no item type writes all of {', '.join(key.name for key in index.key_names)}: it stays empty"
    guesses = [f"{name}: {instead_of(name, dict.fromkeys(written))}" for name in missing]
    return f"no item type writes its key, so it stays empty; {'; '.join(guesses)}"


def _choices(kind: type[Item], name: str) -> tuple[Any, ...]:
    """The values an attribute can have, where they are few enough to be listed in its type."""
    made = kind.__layout__.derived.get(name)
    if made is not None:
        if not made.fields:
            return (made.text,)
        if len(made.fields) > 1:
            return ()
        return _literals(kind, made.fields[0])
    field = kind.__layout__.fields_by_name.get(name)
    return () if field is None else _literals(kind, field)


def _literals(kind: type[Item], field: str) -> tuple[Any, ...]:
    annotation = kind.model_fields[field].annotation
    if get_origin(annotation) is Attribute:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    inner = [part for part in get_args(annotation) if get_origin(part) is Literal]
    if annotation is bool:
        return (True, False)
    return get_args(inner[0]) if inner else ()


def _item(table: Table, kind: type[Item]) -> Iterator[Finding]:
    bound = 0
    for field, name in kind.__layout__.names.items():
        info = kind.model_fields[field]
        if name in large_fields(kind):
            bound += large_fields(kind)[name]
            continue
        longest = next((entry.max_length for entry in info.metadata if isinstance(entry, MaxLen)), None)
        annotation = info.annotation
        if get_origin(annotation) is Attribute:
            annotation = get_args(annotation)[0]
        if longest is not None and str in (annotation, *get_args(annotation)):
            bound += longest * 4
        elif get_origin(annotation) in (dict, tuple, list) and longest is None:
            yield Finding(
                "warning", f"{kind.__name__}.{name}", "has no bound: an item over 400 KB is refused when it is written"
            )
    if bound > limits.ITEM_BYTES:
        yield Finding("warning", kind.__name__, f"its text alone may reach {bound // 1024} KB; DynamoDB takes 400 KB")
    if table.sk is not None and kind.__layout__.pk.text and not kind.__layout__.pk.fields:
        yield Finding("warning", kind.__name__, "all items share one partition key: an unbounded item collection")


def _patterns(table: Table) -> Iterator[Finding]:
    for pattern in table.patterns:
        try:
            request = pattern.request()
        except ModelError as error:
            yield Finding("error", pattern.label, str(error))
            continue
        for warning in warnings(request):
            yield Finding("warning", pattern.label, warning)
        if isinstance(request, Query) and request.filter is not None:
            yield Finding("warning", pattern.label, "a filter discards rows: give the list an index of its own")
