"""The index: SQLite's FTS5 in a file of its own, for any number of readers and the worker that follows the changes."""

from __future__ import annotations

import asyncio
import hmac
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import AsyncIterable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import apsw
import orjson
from markupsafe import Markup

from partita.kit.search import statements
from partita.kit.search.catalog import Catalog, Document
from partita.kit.search.marks import marked
from partita.kit.search.words import match_expression
from partita.table import Item
from partita.table.errors import InvalidCursorError

T = TypeVar("T")
I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type

Wanted = str | tuple[str, ...] | frozenset[str]

_BUSY_MILLISECONDS = 10_000


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found; the texts are safe HTML with what matched in `<mark>`."""

    id: str
    score: float
    highlights: Mapping[str, Markup]


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of what was found, best first."""

    hits: tuple[Hit, ...]
    next_cursor: str | None
    total: int


class Search:
    """Finds documents by words. Each thread has a connection; reads see one moment and never wait for writes."""

    def __init__(self, file: Path, secret: bytes, *, threads: int = 4) -> None:
        self._file = file
        self._secret = secret
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search")
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def close(self) -> None:
        """Let go of the file."""
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
        filters: Mapping[str, Wanted] | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> SearchPage:
        """What has all the words, in any order; the last word may be the start of one. No words find nothing.

        A filter wants a text, all texts of a tuple, or any text of a frozenset.
        """
        expression = match_expression(text)
        if expression is None:
            return SearchPage((), None, 0)
        chosen = [_chosen(name, wanted) for name, wanted in sorted((filters or {}).items())]
        list_name = orjson.dumps([catalog.name, expression, chosen])
        after = None if cursor is None else self._opened(list_name, cursor)

        def look(connection: apsw.Connection) -> SearchPage:  # marking long texts takes time too
            rows, total = statements.find(connection, catalog, expression, chosen, after, limit)
            sealed = self._sealed(list_name, rows[limit - 1][:2]) if len(rows) > limit else None
            return SearchPage(tuple(_hit(catalog, text, row) for row in rows[:limit]), sealed, total)

        return await self._run(look)

    # -- keeping it

    async def apply(self, catalog: Catalog[I], old: I | None, new: I | None, *, sequence: str) -> None:
        """Follow one change; done twice, or after a later change of the same item, it changes nothing."""
        wanted = None if new is None else catalog.document(new)
        before = wanted
        for image in (old, new):
            if before is None and image is not None:
                before = catalog.document(image)
        if before is not None:
            # Text of one width: the numbers of AWS are too long for SQLite's.
            await self._run(statements.apply, catalog, before.id, wanted, sequence.zfill(40))

    async def rebuild(
        self, catalog: Catalog[I], items: AsyncIterable[I], progress: Callable[[int], None] = lambda _: None
    ) -> int:
        """Build the index of a catalog anew while it is used; changes that come meanwhile win."""
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
        """Whether the index of a catalog is there, has the shape that is declared now, and was built to its end."""
        return await self._run(statements.built, catalog)

    # -- connections, cursors

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: work(self._connection(), *arguments))

    def _connection(self) -> apsw.Connection:
        known: apsw.Connection | None = getattr(self._local, "connection", None)
        if known is None:
            known = apsw.Connection(str(self._file))
            known.set_busy_timeout(_BUSY_MILLISECONDS)
            known.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            statements.prepare(known)
            self._local.connection = known
            with self._guard:
                self._connections.append(known)
        return known

    def _sealed(self, list_name: bytes, position: tuple[float, int]) -> str:
        body = orjson.dumps(position)
        return urlsafe_b64encode(self._signature(list_name, body) + body).decode().rstrip("=")

    def _opened(self, list_name: bytes, cursor: str) -> tuple[float, int]:
        try:
            raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except (Base64Error, ValueError):
            raise InvalidCursorError("not base64") from None
        signature, body = raw[:16], raw[16:]
        if not hmac.compare_digest(signature, self._signature(list_name, body)):
            raise InvalidCursorError("altered, or of another search")
        score, rowid = orjson.loads(body)
        return score, rowid

    def _signature(self, list_name: bytes, body: bytes) -> bytes:
        return hmac.digest(self._secret, b"search\0" + list_name + b"\0" + body, "sha256")[:16]


def _chosen(name: str, wanted: Wanted) -> statements.Chosen:
    if isinstance(wanted, str):
        return name, "AND", (wanted,)
    return name, "OR" if isinstance(wanted, frozenset) else "AND", tuple(sorted(wanted))


def _hit(catalog: Catalog[Any], text: str, row: tuple[Any, ...]) -> Hit:
    score, _, identity, *texts = row
    return Hit(identity, -score, {name: marked(each, text) for name, each in zip(catalog.weights, texts, strict=True)})
