"""What can be searched: items of a table, and their fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Generic, TypeVar

from partita.table import Item, Query

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Document:
    """One item in the index: its texts by field, and the values of its filters."""

    id: str
    fields: Mapping[str, str]
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalog(Generic[I]):
    """One index: its fields with their weights, its filters, and how an item becomes a document."""

    name: str
    """`kelifax.resources`."""
    item_type: type[I]
    document: Callable[[I], Document | None]
    """None for items that must not be found; the id must depend only on the item's key."""
    weights: Mapping[str, float]
    sources: tuple[Query[I], ...]
    """Queries that together read every item, to rebuild the index."""
    filters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.weights, *self.filters):
            if not _NAME.match(name):
                raise ValueError(f"{self.name}: {name!r} is not a valid name of a field or filter; use a-z, 0-9 and _")

    @property
    def slug(self) -> str:
        """The name in table names of the index file."""
        return re.sub(r"[^a-z0-9]", "_", self.name)

    @property
    def shape(self) -> str:
        """A digest that changes when the index must be rebuilt."""
        declared: Any = (self.name, tuple(self.weights), self.filters)
        return sha256(repr(declared).encode()).hexdigest()[:16]
