"""The index: SQLite's FTS5 in a file of its own, for any number of readers and the worker that follows the changes."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

import apsw

from partita.dynamo.errors import StorageFullError
from partita.kit.meaning import Meaning, WrongModelError
from partita.kit.search import finding, ranking, reads, tables, vocabulary, writes
from partita.kit.search.catalog import Catalog, Document, Text
from partita.kit.search.disks import full_disks_told
from partita.kit.search.finding import Asked, Match, Wanted
from partita.kit.search.making import VectorMaking
from partita.kit.search.memory import Answers
from partita.kit.search.nearest import Alike, Meant, Nearest
from partita.kit.search.ranking import Counts, Ranked
from partita.kit.search.reads import Ended
from partita.kit.search.results import FacetValue, SearchPage
from partita.kit.search.sets import Sets
from partita.kit.search.writes import DocumentChange, TextChange
from partita.private_files import close_to_others, private_file
from partita.store.reads import note_read
from partita.table import CursorKeys, Item

T = TypeVar("T")
I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type

_log = logging.getLogger(__name__)
_BUSY_MILLISECONDS = 10_000
_BATCH = 500
_BATCH_CHARACTERS = 1_000_000


class Search:
    """Finds documents by words. Each thread has a connection; reads see one moment and never wait for writes."""

    def __init__(
        self,
        file: Path,
        keys: CursorKeys,
        *,
        threads: int = 4,
        meaning: Meaning | None = None,
        durability: Literal["full", "normal", "off"] = "normal",
    ) -> None:
        """With a model (`meaning`), documents are found by what they mean too. The durability should be that of the
        tables: they say which changes the index has followed, and a power cut must not take those from the index."""
        self._durability = durability
        self._file = file
        self._keys = keys
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search")
        self._sets = Sets()
        self._counts = Counts()
        self._nearest = Nearest()
        self._meaning = meaning
        self._making = None if meaning is None else VectorMaking(meaning, self._connection)
        self._answers: WeakKeyDictionary[asyncio.AbstractEventLoop, Answers] = WeakKeyDictionary()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private_file(file)
        close_to_others(*(file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm")))

    def close(self) -> None:
        """Let go of the file."""
        if self._making is not None:
            self._making.close()
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
        match: Match = "all",
        sort: str | None = None,
        facets: Sequence[str] = (),
        most_values: int = 20,
        suggest: bool = False,
        limit: int = 20,
        cursor: str | None = None,
        ended: Ended | None = None,
        among: Collection[str] | None = None,
        without: Collection[str] | None = None,
    ) -> SearchPage:
        """What has the words of a text and fits the filters; without words, everything that fits.

        The text may hold "exact phrases", -words that must not be there, and filters, as in `tag:maps`. The last word
        may be the start of one. With `match="relaxed"`, if nothing has all words, what has some of them is found.

        A filter wants a text, all texts of a tuple, or any text of a frozenset. The best match comes first, or the
        first of a `sort`. `facets` are the filters whose values are counted, `most_values` of each; `suggest` is to
        correct typing errors if (almost) nothing is found. `ended` is a sort with a value, such as `("closes", now)`:
        documents that have at most that are neither found nor counted, though nothing was written since. `among` are
        the ids of the only documents that are wanted, such as those that somebody has rated, or `without` the ids of
        those that are not.
        """
        if among is not None and without is not None:
            raise ValueError("find takes either among or without")
        ids = without if among is None else among
        # Nothing to leave out is such a list too: it goes on when there is something.
        named = None if ids is None else (among is not None, tuple(sorted(ids)))
        asked = Asked.of(
            catalog,
            text,
            filters or {},
            match,
            sort,
            tuple(facets),
            most_values,
            suggest,
            limit,
            ended,
            named,
        )
        after = None if cursor is None else asked.place(self._keys, cursor)
        answers = await self._remembered()
        asked = answers.as_of_now(asked)

        def found_on(given: apsw.Connection | None) -> SearchPage:
            with full_disks_told():
                return finding.find(given or self._connection(), self._sets, asked, self._keys, after)

        page = await answers.get(asked, after, found_on)
        note_read(page)
        return page

    async def rank(
        self,
        catalog: Catalog[Any],
        words: Sequence[str],
        *,
        filters: Mapping[str, Wanted] | None = None,
        limit: int = 60,
    ) -> Ranked:
        """The documents that have most of the rarest of up to forty folded words, in any form, for programs that rank
        them by themselves; and how many documents hold each word."""
        catalog.check_filters(filters or {})
        chosen = finding.chosen(filters or {})
        found = await self._run(ranking.rank, self._counts, catalog, words, chosen, limit)
        note_read(found)
        return found

    async def nearest(
        self, catalog: Catalog[Any], text: str, *, filters: Mapping[str, Wanted] | None = None, limit: int = 60
    ) -> tuple[Alike, ...]:
        """The documents that mean most nearly what a text means, best first; nothing if there is no model, its files
        are damaged, or the text is in a language that it has not learnt."""
        catalog.check_filters(filters or {})
        meaning = self._meaning
        if meaning is None or catalog.meaning is None:
            return ()
        loop = asyncio.get_running_loop()
        try:
            meant = await loop.run_in_executor(self._pool, _meant, meaning, catalog, text)
        except (WrongModelError, OSError) as error:  # searching by words goes on
            _log.error("search: nothing is found by its meaning: %s", error)
            return ()
        if not meant.vector:
            return ()
        chosen = finding.chosen(filters or {})
        found = await self._run(self._nearest.find, catalog, meaning.name, meant, chosen, limit)
        note_read(found)
        return found

    async def values(self, catalog: Catalog[Any], sort: str, ids: Sequence[str]) -> Mapping[str, float | str]:
        """What some documents are sorted by, as far as they have a value: a copy that the change stream keeps."""
        catalog.check_sort(sort)
        found = await self._run(reads.values, catalog, sort, tuple(ids))
        note_read(found)
        return dict(found)

    async def state(self) -> int | None:
        """A number that differs after every write to the index, of this process or another; None if nobody knows."""
        try:
            return (await self._remembered()).state()
        except StorageFullError:  # it cannot be opened right now
            return None

    async def complete(
        self, catalog: Catalog[Any], start: str, *, filter: str = "", field: str = "", limit: int = 10
    ) -> tuple[FacetValue, ...]:
        """The values of a filter that begin like a text, or the words of a field like its last word; frequent first."""
        if bool(filter) == bool(field):
            raise ValueError("complete needs either a filter or a field")
        if filter:
            catalog.check_filters((filter,))
        elif field not in catalog.weights:
            raise ValueError(f"{catalog.name} has no field {field!r}; declared are {', '.join(catalog.weights)}")
        complete = vocabulary.complete_value if filter else vocabulary.complete_word
        completed = await self._run(complete, catalog, filter or field, start, limit)
        note_read(completed)
        return completed

    # -- keeping it

    async def apply(self, catalog: Catalog[I], old: I | None, new: I | None, *, sequence: str) -> None:
        """Follow one change; done twice, or after a later change of the same item, it changes nothing."""
        change = document_change(catalog, old, new, sequence)
        if change is not None:
            await self.apply_all(catalog, [change])

    async def apply_all(self, catalog: Catalog[Any], changes: Sequence[DocumentChange | TextChange]) -> None:
        """Follow many changes, which costs less than one after another; if one of them is refused, all are."""
        if changes:
            await self._run(writes.apply, catalog, changes)
            self.understand(catalog)

    def understand(self, catalog: Catalog[Any]) -> Future[int] | None:
        """Have the vectors made that are missing, in a thread of its own; None if there is no model."""
        if self._making is None or catalog.meaning is None:
            return None
        return self._making.begin(catalog)

    async def put(self, catalog: Catalog[Any], identity: str, document: Document | None, *, sequence: str) -> None:
        """Put a document in, or take it out (None), for catalogs whose documents are made of several items. Done twice,
        or after a later one, it changes nothing."""
        await self.apply_all(catalog, [DocumentChange(identity, document, in_order(sequence))])

    async def put_text(
        self, catalog: Catalog[Any], identity: str, field: str, part: str, text: str | None, *, sequence: str
    ) -> None:
        """Put one text of a document in, or take it out (None), without the rest of the document.

        Of each text the latest sequence counts. It may come before its document, which it waits for.
        """
        if field not in {each.field for each in catalog.texts}:
            raise ValueError(f"{catalog.name} declares no texts for {field!r}; add Texts({field!r}, …) to its texts")
        await self.apply_all(catalog, [TextChange(field, (identity, part), text, in_order(sequence))])

    async def rebuild(
        self, catalog: Catalog[I], items: AsyncIterable[I], progress: Callable[[int], None] = lambda _: None
    ) -> int:
        """Build the index of a catalog anew from its items, while it is used; changes that come meanwhile win."""
        if catalog.texts:
            raise ValueError(f"{catalog.name} has texts, which items alone cannot bring back; use following.build_anew")

        async def documents() -> AsyncIterator[Document | None]:
            async for item in items:
                yield catalog.document(item)

        return await self.rebuild_from(catalog, {"items": documents}, progress)

    async def rebuild_from(
        self,
        catalog: Catalog[Any],
        sources: Mapping[str, Callable[[], AsyncIterable[Document | tuple[str, Text] | None]]],
        progress: Callable[[int], None] = lambda _: None,
    ) -> int:
        """Build the index anew source by source: of documents, and of texts with their field.

        If it is interrupted and called again, it goes on with the first source that was not read to its end.
        Returns how many items were read.
        """
        generation, done = await self._run(writes.begin, catalog)
        total = sum(done.values())
        progress(total)
        for name, read in sources.items():
            if name in done:
                continue
            count = 0
            async for batch, number in _batches(read()):
                await self._run(writes.add, catalog, batch, generation)
                count += number
                progress(total + count)
            await self._run(writes.read, catalog, name, count, generation)
            total += count
        await self._run(writes.finish, catalog, generation)
        self.understand(catalog)
        return total

    async def forget(self, catalog: Catalog[Any], mark: str) -> None:
        """Let go of what is remembered of deleted documents whose ids contain a mark, such as a person's id, and of
        words that no document has any more."""
        await self._run(writes.forget, catalog, mark)

    async def built(self, catalog: Catalog[Any]) -> bool:
        """Whether the index of a catalog is there, has the shape that is declared now, and was built to its end."""
        return await self._run(writes.built, catalog)

    async def outdate(self, catalog: Catalog[Any]) -> None:
        """Note that changes were missed: it can be used, and counts as not built until it is built anew."""
        await self._run(writes.outdate, catalog)

    # -- connections

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:
        def done() -> T:
            with full_disks_told():
                return work(self._connection(), *arguments)

        return await asyncio.get_running_loop().run_in_executor(self._pool, done)

    async def _remembered(self) -> Answers:
        """The answers that this event loop has found lately."""
        loop = asyncio.get_running_loop()
        known = self._answers.get(loop)
        if known is None:
            watch = await loop.run_in_executor(self._pool, self._connect)
            watch.set_busy_timeout(0)  # the loop must not wait for anybody
            known = self._answers.setdefault(loop, Answers(watch, self._pool))
        return known

    def _connection(self) -> apsw.Connection:
        known: apsw.Connection | None = getattr(self._local, "connection", None)
        if known is None:
            known = self._local.connection = self._connect()
        return known

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._file))
        try:
            with full_disks_told():
                connection.set_busy_timeout(_BUSY_MILLISECONDS)
                _use_wal(connection)
                connection.execute(
                    f"PRAGMA synchronous = {self._durability}; PRAGMA fullfsync = ON; PRAGMA recursive_triggers = ON;"
                    "PRAGMA secure_delete = ON"  # what was deleted is nowhere in the file
                )
                tables.prepare(connection)
        except BaseException:
            connection.close()
            raise
        with self._guard:
            self._connections.append(connection)
        return connection


def _meant(meaning: Meaning, catalog: Catalog[Any], text: str) -> Meant:
    """What a question means; nothing in a language that the model has not learnt."""
    if not meaning.understands(text):
        return Meant(b"")
    return Meant(meaning.vector((text,)), meaning.words(text) if catalog.word_by_word else b"")


def _use_wal(connection: apsw.Connection) -> None:
    """The first connection of all switches the file to WAL; the others must wait for it, and SQLite does not do so by
    itself: its busy timeout does not hold for this."""
    until = time.monotonic() + _BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def document_change(catalog: Catalog[I], old: I | None, new: I | None, sequence: str) -> DocumentChange | None:
    """What a change of an item is to the index; None if the item was and is nothing that can be found."""
    wanted = None if new is None else catalog.document(new)
    before = wanted
    for image in (old, new):
        if before is None and image is not None:
            before = catalog.document(image)
    return None if before is None else DocumentChange(before.id, wanted, in_order(sequence))


def in_order(sequence: str) -> str:
    """Text of one width: the numbers of AWS are too long for SQLite's."""
    return sequence.zfill(40)


async def _batches(
    entries: AsyncIterable[Document | tuple[str, Text] | None],
) -> AsyncIterator[tuple[list[Document | tuple[str, Text]], int]]:
    """Some entries at a time, and how many were read for them; no transaction becomes too large."""
    batch: list[Document | tuple[str, Text]] = []
    count = characters = 0
    async for entry in entries:
        count += 1
        if entry is not None:
            batch.append(entry)
            characters += sum(map(len, entry.fields.values())) if isinstance(entry, Document) else len(entry[1].text)
        if count == _BATCH or characters > _BATCH_CHARACTERS:
            yield batch, count
            batch, count, characters = [], 0, 0
    if count:
        yield batch, count
