"""The index follows the tables: change by change, and all of them at once if it is missing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from partita.kit.changes import Change, Handler, Kept
from partita.kit.search.catalog import Catalog, Document, Text, Texts
from partita.kit.search.index import Search
from partita.store.store import AsyncStore
from partita.table import Query, Table


def following(search: Search, store: AsyncStore, catalog: Catalog[Any], name: str) -> Handler:
    """The handler that keeps the index of a catalog, by the changes of its items' table."""
    return _handler(search, store, catalog, name, catalog.tables[0])


def following_all(search: Search, store: AsyncStore, catalog: Catalog[Any], name: str) -> tuple[Handler, ...]:
    """The handlers that keep the index of a catalog whose texts are in other tables than its items: one per table."""
    first, *others = catalog.tables
    return (
        _handler(search, store, catalog, name, first),
        *(_handler(search, store, catalog, f"{name}.{table.name}", table) for table in others),
    )


def _handler(search: Search, store: AsyncStore, catalog: Catalog[Any], name: str, table: Table) -> Handler:
    main = table == catalog.tables[0]
    texts = [each for each in catalog.texts if each.item_type.__table__ == table]

    async def run(change: Change) -> None:
        if main:
            await _follow_item(search, catalog, change)
        for each in texts:
            await _follow_text(search, catalog, each, change)

    async def whole() -> bool:
        # What is missing is built once, by the handler of the items' table; changes that come meanwhile win.
        return not main or await search.built(catalog)

    async def build() -> int:
        return await build_anew(search, store, catalog)

    return Handler(name, table, run, Kept(whole, build))


async def _follow_item(search: Search, catalog: Catalog[Any], change: Change) -> None:
    old, new = change.read(catalog.item_type)
    if old is not None and new is not None and catalog.document(old) == catalog.document(new):
        return  # nothing has changed that can be found, such as who looked at it
    await search.apply(catalog, old, new, sequence=change.sequence)


async def _follow_text(search: Search, catalog: Catalog[Any], texts: Texts[Any], change: Change) -> None:
    old, new = (None if item is None else texts.text(item) for item in change.read(texts.item_type))
    text = new or old
    if text is not None and old != new:
        words = None if new is None else (await texts.words(new)).text
        await search.put_text(catalog, text.id, texts.field, text.part, words, sequence=change.sequence)


async def build_anew(
    search: Search, store: AsyncStore, catalog: Catalog[Any], progress: Callable[[int], None] = lambda _: None
) -> int:
    """Build the index of a catalog from the tables, while it is used; how many items were read.

    If it was interrupted less than twelve hours ago, it goes on with the first source that was not read to its end.
    """
    sources: dict[str, Callable[[], AsyncIterator[Document | tuple[str, Text] | None]]] = {}
    for number, query in enumerate(catalog.sources):
        sources[f"items {number}"] = partial(_documents, store, catalog, query)
    for texts in catalog.texts:
        for number, query in enumerate(texts.sources):
            sources[f"{texts.field} {texts.item_type.__name__} {number}"] = partial(_texts, store, texts, query)
    return await search.rebuild_from(catalog, sources, progress)


def source_queries(catalog: Catalog[Any]) -> tuple[Query[Any], ...]:
    """Everything that is read to build a catalog."""
    return (*catalog.sources, *(query for texts in catalog.texts for query in texts.sources))


async def _documents(store: AsyncStore, catalog: Catalog[Any], query: Query[Any]) -> AsyncIterator[Document | None]:
    async for item in store.stream(query):
        if catalog.expand is None:
            yield catalog.document(item)
        else:
            async for document in catalog.expand(item):
                yield document


async def _texts(store: AsyncStore, texts: Texts[Any], query: Query[Any]) -> AsyncIterator[tuple[str, Text] | None]:
    async for item in store.stream(query):
        text = texts.text(item)
        yield None if text is None else (texts.field, await texts.words(text))
