"""What can be found: which items of a table, by which of their words."""

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
    """What is known of one item: its words by field, and what lists can be narrowed by."""

    id: str
    fields: Mapping[str, str]
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalog(Generic[I]):
    """One index: fields with the weight a match in them has, filters, and how an item becomes a document."""

    name: str
    """`kelifax.resources`."""
    item_type: type[I]
    document: Callable[[I], Document | None]
    """None for items that must not be found; the id must depend on the item's key alone."""
    weights: Mapping[str, float]
    sources: tuple[Query[I], ...]
    """Queries that together read every item, for building the index anew."""
    filters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.weights, *self.filters):
            if not _NAME.match(name):
                raise ValueError(f"{self.name}: {name!r} is no name for a field or filter; use a-z, 0-9 and _")

    @property
    def slug(self) -> str:
        """The name as tables of the index file spell it."""
        return re.sub(r"[^a-z0-9]", "_", self.name)

    @property
    def shape(self) -> str:
        """Changes when the index must be built anew."""
        told: Any = (self.name, tuple(self.weights), self.filters)
        return sha256(repr(told).encode()).hexdigest()[:16]
