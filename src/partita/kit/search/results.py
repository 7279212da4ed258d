"""What a search gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from markupsafe import Markup

V = TypeVar("V")


class Named(Mapping[str, V]):
    """Values by name that cannot change and can be compared, so that a page made of them can be kept."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, V] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, name: str) -> V:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found; the texts are safe HTML with what matched in `<mark>`, none if no words were given."""

    id: str
    score: float
    """How well it matches; 0 if no words were given."""
    highlights: Mapping[str, Markup]


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a filter, and how many documents one would see with it."""

    value: str
    count: int
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of what was found."""

    hits: tuple[Hit, ...]
    next_cursor: str | None
    total: int
    facets: Named[tuple[FacetValue, ...]] = Named()  # noqa: RUF009 - it cannot change
    relaxed: bool = False
    """Nothing had all the words, so these have some of them."""
    suggestion: str | None = None
    """What may have been meant: the query with its typing errors corrected, which finds more."""

    def __hash__(self) -> int:
        """Of what is cheap to look at: a page of the site is looked up by what was read for it."""
        return hash((self.total, self.next_cursor, len(self.hits)))
