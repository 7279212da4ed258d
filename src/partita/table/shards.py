"""Spreading an index: one value of its partition key becomes several partitions, which reading merges.

An index that is spread has a key attribute of its own, made of the documented one and a shard. The documented attribute
stays as it is, so that conditions on it hold, other indexes find it, and it may be a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
