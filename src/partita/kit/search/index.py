"""The search index: SQLite's FTS5 in a file of its own, with many readers and one writer, the change worker."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import apsw
from markupsafe import Markup

from partita.kit.cursors import seal, unseal
from partita.kit.search import statements
from partita.kit.search.catalog import Catalog, Document
from partita.kit.search.marks import marked
from partita.kit.search.words import match_expression
from partita.store.reads import note_read
from partita.table import CursorKeys, Item

T = TypeVar("T")
I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type

FilterValue = str | tuple[str, ...] | frozenset[str]

_BUSY_MILLISECONDS = 10_000


@dataclass(frozen=True, slots=True)
class Hit:
    """One match; its texts are safe HTML with the matching words in `<mark>`."""

    id: str
    score: float
    highlights: Mapping[str, Markup]


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of matches, best first."""

    hits: tuple[Hit, ...]
    next_cursor: str | None
    total: int


class Search:
    """Finds documents by words. Each thread has its connection; reads see a snapshot and never wait for writes."""

    def __init__(self, file: Path, keys: CursorKeys, *, threads: int = 4) -> None:
        self._file = file
        self._keys = keys
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search")
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def close(self) -> None:
        """Close the file."""
        self._pool.shutdown()
        with self._guard:
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    # -- finding

    async def find(
        self,
        catalog: Catalog[Any],
        text: str,
        *,
        filters: Mapping[str, FilterValue] | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> SearchPage:
        """Documents with all the words, in any order; the last word may be incomplete. No words match nothing.

        A filter is a text, a tuple of which all must match, or a frozenset of which any must match.
        """
        expression = match_expression(text)
        if expression is None:
            return SearchPage((), None, 0)
        conditions = [_condition(name, value) for name, value in sorted((filters or {}).items())]
        list_name = ["search", catalog.name, expression, conditions]
        after = None if cursor is None else unseal(self._keys, list_name, cursor)

        def look(connection: apsw.Connection) -> SearchPage:  # highlights in the thread too: it takes time
            rows, total = statements.find(connection, catalog, expression, conditions, after, limit)
            sealed = seal(self._keys, list_name, rows[limit - 1][:2]) if len(rows) > limit else None
            return SearchPage(tuple(_hit(catalog, text, row) for row in rows[:limit]), sealed, total)

        page = await self._run(look)
        note_read(page)
        return page

    # -- keeping it

    async def apply(self, catalog: Catalog[I], old: I | None, new: I | None, *, sequence: str) -> None:
        """Apply one change; a second time, or after a later change of the same item, it does nothing."""
        after = None if new is None else catalog.document(new)
        either = after
        for image in (old, new):
            if either is None and image is not None:
                either = catalog.document(image)
        if either is not None:
            # As text of fixed width: sequence numbers of AWS are too large for SQLite's integers.
            await self._run(statements.apply, catalog, either.id, after, sequence.zfill(40))

    async def rebuild(
        self, catalog: Catalog[I], items: AsyncIterable[I], progress: Callable[[int], None] = lambda _: None
    ) -> int:
        """Rebuild the index of a catalog while it is in use; changes that come meanwhile win."""
        generation = await self._run(statements.begin, catalog)
        count = 0
        waiting: list[Document] = []
        async for item in items:
            document = catalog.document(item)
            if document is not None:
                waiting.append(document)
            count += 1
            if len(waiting) == 500:
                await self._run(statements.add, catalog, waiting, generation)
                waiting = []
                progress(count)
        await self._run(statements.add, catalog, waiting, generation)
        await self._run(statements.finish, catalog, generation)
        progress(count)
        return count

    async def built(self, catalog: Catalog[Any]) -> bool:
        """Whether the index of a catalog is complete and fits its current declaration."""
        return await self._run(statements.built, catalog)

    # -- connections

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: work(self._connection(), *arguments))

    def _connection(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = apsw.Connection(str(self._file))
            connection.set_busy_timeout(_BUSY_MILLISECONDS)
            connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            statements.prepare(connection)
            self._local.connection = connection
            with self._guard:
                self._connections.append(connection)
        return connection


def _condition(name: str, value: FilterValue) -> statements.Condition:
    if isinstance(value, str):
        return name, "AND", (value,)
    return name, "OR" if isinstance(value, frozenset) else "AND", tuple(sorted(value))


def _hit(catalog: Catalog[Any], text: str, row: tuple[Any, ...]) -> Hit:
    score, _, identity, *texts = row
    return Hit(identity, -score, {name: marked(each, text) for name, each in zip(catalog.weights, texts, strict=True)})
