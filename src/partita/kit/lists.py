"""Finding one item, and pages of items that refer to others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar

from partita.kit.problems import Problem
from partita.store.store import AsyncStore
from partita.table import Get, Item, KeyPartError, Page, Query

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """An entry of a list, with its texts as a search highlighted them."""

    item: T
    marks: Mapping[str, Any] = field(default_factory=dict)


def without_marks(page: Page[Match[T]]) -> Page[T]:
    """The same page for those who do not show what a search marked."""
    return Page(tuple(match.item for match in page), page.next_cursor, total=page.total)


async def find(store: AsyncStore, get: Callable[P, Get[I]], *args: P.args, **kwargs: P.kwargs) -> I | None:
    """The item that an access pattern reads, or None; also None if a URL holds an id that cannot exist."""
    try:
        read = get(*args, **kwargs)
    except KeyPartError:
        return None
    return await store.get(read.consistently())


async def find_or(
    missing: Problem, store: AsyncStore, get: Callable[P, Get[I]], *args: P.args, **kwargs: P.kwargs
) -> I:
    """The item that an access pattern reads; otherwise raises `missing`."""
    found = await find(store, get, *args, **kwargs)
    if found is None:
        raise missing
    return found


async def follow_page(
    store: AsyncStore,
    query: Query[I],
    follow: Callable[[Sequence[I]], Awaitable[Sequence[T]]],
    *,
    limit: int,
    after: str | None,
) -> Page[T]:
    """A page of the things that items refer to; full unless the list ends, though `follow` may leave some out."""
    found: list[T] = []
    while True:
        page = await store.page(query, limit=limit - len(found), after=after)
        found += await follow(page.items)
        after = page.next_cursor
        if after is None or len(found) == limit:
            return Page(tuple(found), after)
