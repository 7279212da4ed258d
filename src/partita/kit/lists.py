"""Finding one item, and pages of items that refer to others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar

from partita.kit.cursors import seal, unseal
from partita.kit.problems import Problem
from partita.store.store import AsyncStore
from partita.table import CursorKeys, Get, Item, KeyPartError, Page, Query

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
T = TypeVar("T")
R = TypeVar("R")
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
    query: Query[R],
    follow: Callable[[Sequence[R]], Awaitable[Sequence[T]]],
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


def page_of(
    keys: CursorKeys,
    list_name: object,
    entries: Sequence[T],
    identity: Callable[[T], str],
    *,
    limit: int,
    cursor: str | None,
) -> Page[T]:
    """A page of a list that was read whole, with the total. It goes on after the last entry of the page before, or at
    its place if that entry is gone."""
    start = 0
    if cursor is not None:
        place, last = unseal(keys, list_name, cursor)
        start = next((number for number, each in enumerate(entries, 1) if identity(each) == last), int(place) - 1)
    end = min(max(start, 0) + limit, len(entries))
    shown = tuple(entries[max(start, 0) : end])
    more = seal(keys, list_name, [end, identity(shown[-1])]) if shown and end < len(entries) else None
    return Page(shown, more, total=len(entries))
