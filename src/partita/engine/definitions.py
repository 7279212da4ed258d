"""Definitions of tables, indexes and streams, as the catalog stores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

import orjson

from partita.dynamo.frozen import dataclass
from partita.engine.spread import Spread

ProjectionType = Literal["ALL", "KEYS_ONLY", "INCLUDE"]
KeyAttribute = tuple[str, str]
"""An attribute of a key: its name and its type (S, N or B)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A secondary index; `id` is in the name of its table in the file."""

    id: int
    name: str
    local: bool
    hash: tuple[KeyAttribute, ...]
    range: tuple[KeyAttribute, ...]
    projection: ProjectionType
    included: tuple[str, ...] = ()
    status: Literal["ACTIVE", "CREATING"] = "ACTIVE"
    backfilled_to: int = 0
    throughput: Mapping[str, int] | None = None
    on_demand: Mapping[str, int] | None = None
    spread: Spread = "crc32"

    @property
    def rows(self) -> str:
        return f"index_{self.id}"

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in (*self.hash, *self.range))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A change stream; a stream that was switched off stays readable until its records are a day old."""

    id: int
    label: str
    view: Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
    created: float
    enabled: bool = True

    @property
    def rows(self) -> str:
        return f"stream_{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; `id` is in the names of its tables in the file."""

    id: int
    uuid: str
    name: str
    hash: KeyAttribute
    range: KeyAttribute | None
    created: float
    attributes: tuple[KeyAttribute, ...]
    billing: Literal["PROVISIONED", "PAY_PER_REQUEST"] = "PROVISIONED"
    throughput: Mapping[str, int] | None = None
    indexes: tuple[Index, ...] = ()
    streams: tuple[Stream, ...] = ()
    ttl_attribute: str | None = None
    ttl_filled_to: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    deletion_protection: bool = False
    table_class: str | None = None
    encryption: Mapping[str, Any] | None = None
    restored_from: Mapping[str, Any] | None = None
    restoring: int | None = None
    restoring_from: str | None = None
    """The file that a table is filled from, while it is."""
    recovery_days: int | None = None
    """For how many days changes are kept, so that the table can go back to any second; none if they are not."""
    on_demand_since: float | None = None
    """When the table last became on demand; none if it never was."""
    on_demand: Mapping[str, int] | None = None
    policies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Resource policies: the table's under an empty name, those of streams by their labels."""
    spread: Spread = "crc32"
    insights: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Contributor Insights that are on: the table's under an empty name, those of indexes by their names."""

    @property
    def rows(self) -> str:
        return f"items_{self.id}"

    @property
    def history(self) -> str:
        return f"history_{self.id}"

    @property
    def keys(self) -> tuple[KeyAttribute, ...]:
        return (self.hash,) if self.range is None else (self.hash, self.range)

    @property
    def stream(self) -> Stream | None:
        """The open stream."""
        if not self.streams:
            return None
        return next((stream for stream in self.streams if stream.enabled), None)

    def index(self, name: str) -> Index | None:
        return next((index for index in self.indexes if index.name == name), None)


def to_json(table: Table) -> str:
    """The JSON that the catalog stores."""
    return orjson.dumps(table).decode()


def from_json(stored: Mapping[str, Any]) -> Table:
    """A table from the catalog's JSON."""
    members = dict(stored)
    members["hash"] = _key(members["hash"])
    members["range"] = _key(members["range"]) if members["range"] else None
    members["attributes"] = tuple(map(_key, members["attributes"]))
    members["indexes"] = tuple(_index(index) for index in members["indexes"])
    members["streams"] = tuple(Stream(**stream) for stream in members["streams"])
    return Table(**members)


def _index(stored: Mapping[str, Any]) -> Index:
    members = dict(stored)
    members["hash"] = tuple(map(_key, members["hash"]))
    members["range"] = tuple(map(_key, members["range"]))
    members["included"] = tuple(members["included"])
    return Index(**members)


def _key(stored: Any) -> KeyAttribute:
    name, kind = stored
    return (name, kind)
