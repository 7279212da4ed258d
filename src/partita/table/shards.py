"""Spreading an index: one value of its partition key becomes several partitions, which reading merges.

An index that is spread has a key attribute of its own, made of the documented one and a shard. The documented attribute
stays as it is, so that conditions on it hold, other indexes find it, and it may be a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from partita.table.codecs import Codec
from partita.table.computed import Computed
from partita.table.spelling import key_text
from partita.table.tables import Table


def shard_keys(table: Table, keys: Mapping[str, str], fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The spread keys of an item type and their templates: those of the keys it makes, without the shard."""
    for index in table.indexes:
        if index.spread is None:
            continue
        name = index.spread.name
        if name in keys:
            yield index.pk[0].name, keys[name]
        elif name in fields:
            yield index.pk[0].name, "{" + fields[name] + "}"


def computed_shard_keys(table: Table, computed: Mapping[str, Computed]) -> Iterator[Computed]:
    """The spread keys that are made by functions, without the shard: the same as text."""
    for index in table.indexes:
        if index.spread is not None and index.spread.name in computed:
            yield _as_text(computed[index.spread.name], index.pk[0].name)


def _as_text(made: Computed, name: str) -> Computed:
    def text(*values: Any) -> str | None:
        value = made.function(*values)
        return None if value is None else key_text(value)

    return replace(made, name=name, function=text, codec=Codec(made.what, str, []))
