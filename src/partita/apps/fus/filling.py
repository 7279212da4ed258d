"""Pages of things that lead to other things: full unless the list ends, though some lead nowhere any more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from partita.store.store import AsyncStore
from partita.table import Item, Query

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Filled(Generic[T]):
    """A page of what was led to."""

    entries: tuple[T, ...]
    next_cursor: str | None


async def filled(
    store: AsyncStore,
    query: Query[I],
    follow: Callable[[Sequence[I]], Awaitable[Sequence[T]]],
    *,
    limit: int,
    after: str | None,
) -> Filled[T]:
    """Follow items of a list until there are enough; `follow` leaves out those that lead nowhere."""
    found: list[T] = []
    while True:
        page = await store.page(query, limit=limit - len(found), after=after)
        found += await follow(page.items)
        after = page.next_cursor
        if after is None or len(found) == limit:
            return Filled(tuple(found), after)
