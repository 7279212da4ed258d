"""The index follows the tables: change by change, and all of them at once if it is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

from partita.kit.changes import Change, Handler, Kept
from partita.kit.search.catalog import Catalog, Document, Text, Texts
from partita.kit.search.index import Search, document_change, in_order
from partita.kit.search.writes import DocumentChange, TextChange
from partita.store.store import AsyncStore
from partita.table import Query, Table

_MOST_CHARACTERS = 2_000_000
"""Of texts in one transaction."""
_LOADED_AT_ONCE = 16


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
        await together([change])

    async def together(changes: Sequence[Change]) -> None:
        if main:
            await search.apply_all(catalog, _documents_of(catalog, changes))
        for each in texts:
            async for some in _texts_of(each, changes):
                await search.apply_all(catalog, some)

    async def whole() -> bool:
        # What is missing is built once, by the handler of the items' table; changes that come meanwhile win.
        return not main or await search.built(catalog)

    async def outdate() -> None:
        await search.outdate(catalog)

    async def build() -> int:
        if not main:  # it is always whole, so changes of its table were missed
            await outdate()
        return await build_anew(search, store, catalog)

    return Handler(name, table, run, Kept(whole, build, outdate if main else None), together)


def _documents_of(catalog: Catalog[Any], changes: Sequence[Change]) -> list[DocumentChange]:
    """What changes are to the index; of several of one document the last, which has it as it is."""
    documents: dict[str, DocumentChange] = {}
    for change in changes:
        old, new = change.read(catalog.item_type)
        if old is not None and new is not None and catalog.document(old) == catalog.document(new):
            continue  # nothing has changed that can be found, such as who looked at it
        document = document_change(catalog, old, new, change.sequence)
        if document is not None:
            documents[document.id] = document
    return list(documents.values())


async def _texts_of(texts: Texts[Any], changes: Sequence[Change]) -> AsyncIterator[list[TextChange]]:
    """The same for texts of documents: the last of each, some at a time so that no transaction becomes too large."""
    latest: dict[tuple[str, str], tuple[Text | None, str]] = {}
    for change in changes:
        old, new = (None if item is None else texts.text(item) for item in change.read(texts.item_type))
        text = new or old
        if text is not None and old != new:
            latest[text.id, text.part] = new, in_order(change.sequence)
    some: list[TextChange] = []
    characters = 0
    waiting = list(latest.items())
    for first in range(0, len(waiting), _LOADED_AT_ONCE):
        loading = waiting[first : first + _LOADED_AT_ONCE]
        loaded = await asyncio.gather(*(_words(texts, new) for _, (new, _) in loading))
        for (place, (_, sequence)), words in zip(loading, loaded, strict=True):
            some.append(TextChange(texts.field, place, words, sequence))
            characters += len(words or "")
        if characters > _MOST_CHARACTERS:
            yield some
            some, characters = [], 0
    yield some


async def _words(texts: Texts[Any], text: Text | None) -> str | None:
    return None if text is None else (await texts.words(text)).text


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
