"""Keeps the index up to date with the tables, change by change, and rebuilds it if it is missing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from partita.kit.changes import Change, Handler, Kept
from partita.kit.search.catalog import Catalog
from partita.kit.search.index import Search
from partita.store.store import AsyncStore
from partita.table import Item

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type


def following(search: Search, store: AsyncStore, catalog: Catalog[Any], name: str) -> Handler:
    """The handler that keeps the index of a catalog."""

    async def run(change: Change) -> None:
        old, new = change.read(catalog.item_type)
        if old is not None and new is not None and catalog.document(old) == catalog.document(new):
            return  # nothing in the index changed; for example only the views did
        await search.apply(catalog, old, new, sequence=change.sequence)

    async def whole() -> bool:
        return await search.built(catalog)

    async def build() -> int:
        return await build_anew(search, store, catalog)

    return Handler(name, catalog.item_type.__table__, run, Kept(whole, build))


async def build_anew(
    search: Search, store: AsyncStore, catalog: Catalog[Any], progress: Callable[[int], None] = lambda _: None
) -> int:
    """Rebuild the index of a catalog from the tables, while it is in use; returns how many items were read."""
    return await search.rebuild(catalog, _items(store, catalog), progress)


async def _items(store: AsyncStore, catalog: Catalog[I]) -> AsyncIterator[I]:
    for source in catalog.sources:
        async for item in store.stream(source):
            yield item
