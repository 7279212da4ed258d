"""Searches that were answered before: the same question to the same index has the same answer, so it is asked once.

Nothing is out of date: SQLite tells a connection whether any other one, of this process or another, has committed
since, and every question begins with asking for that. It costs a few microseconds; counting facets costs hundreds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import apsw

from partita.kit.search.finding import Asked
from partita.kit.search.reads import NamedIds, latest_ended
from partita.kit.search.results import SearchPage
from partita.kit.search.tables import made
from partita.table.recent import Recent

Place = tuple[bool, list[Any]] | None
"""What a cursor holds."""
Find = Callable[[apsw.Connection | None], SearchPage]
"""Finds an answer on a connection; on that of the thread it runs in, if none is given."""
Waiting = dict[Hashable, list[asyncio.Future[SearchPage]]]

MEMORY_BYTES = 8_000_000
"""How much memory answers may take; one alone no more than a 64th of that."""
QUICK_SECONDS = 0.002
_QUICK_BYTES = 256_000
_PAGE_BYTES = 1_000
_ENTRY_BYTES = 200


class Answers:
    """What was found lately. It belongs to one event loop, and forgets everything when the index changes.

    A question without words that took next to nothing the last time is asked on the loop itself: a busy loop comes back
    to what a thread has found only after everything else that waits, twice over.
    """

    def __init__(self, watch: apsw.Connection, pool: Executor, most_bytes: int = MEMORY_BYTES) -> None:
        """`watch` is a connection that writes nothing: SQLite does not tell a connection of its own commits."""
        self._watch = watch
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._most_bytes = most_bytes
        self._state: int | None = None
        self._quick: Recent[Hashable, bool] = Recent(_QUICK_BYTES)
        self._forget()

    def as_of_now(self, asked: Asked) -> Asked:
        """The question, with the moment that it names taken back to the last one at which anything ended: so it is the
        same one until something else ends, and its answer can be remembered."""
        if asked.ended is None:
            return asked
        try:
            there = made(self._watch, asked.catalog)
            return replace(asked, ended=latest_ended(self._watch, asked.catalog, asked.ended) if there else None)
        except apsw.BusyError:
            return asked

    async def get(self, asked: Asked, place: Place, find: Find) -> SearchPage:
        """The answer to a question: remembered, being found for somebody else, or found now."""
        if not self._same_index():
            self._forget()
        key = _key(asked, place)
        remembered = self._found.get(key)
        if remembered is not None:
            return remembered
        if self._quick.get(key):
            with suppress(apsw.BusyError):
                return self._note(key, asked, self._found, *_timed(find, self._watch))
        answer: asyncio.Future[SearchPage] = self._loop.create_future()
        if key in self._finding:
            self._finding[key].append(answer)
        else:
            self._finding[key] = [answer]
            self._in_a_thread(key, asked, find)
        return await answer

    def state(self) -> int | None:
        """A number that differs after every commit; None while the file is being recovered, since nobody knows then."""
        try:
            return int(self._watch.execute("PRAGMA data_version").get)
        except apsw.BusyError:
            return None

    def _in_a_thread(self, key: Hashable, asked: Asked, find: Find) -> None:
        """Find it for all who wait. What was asked of an earlier state of the index goes to them and to nobody else."""
        found, finding = self._found, self._finding

        def settle(done: Future[tuple[SearchPage, float]]) -> None:
            error = done.exception()
            page = None if error is not None else self._note(key, asked, found, *done.result())
            for answer in finding.pop(key):
                if answer.cancelled():
                    continue  # whoever went away takes nothing from the others
                if error is not None:
                    answer.set_exception(error)
                elif page is not None:
                    answer.set_result(page)

        def done(work: Future[tuple[SearchPage, float]]) -> None:
            with suppress(RuntimeError):  # the loop has been closed, so nobody waits
                self._loop.call_soon_threadsafe(settle, work)

        self._pool.submit(_timed, find, None).add_done_callback(done)

    def _note(
        self, key: Hashable, asked: Asked, found: Recent[Hashable, SearchPage], page: SearchPage, seconds: float
    ) -> SearchPage:
        found.add(key, page, _size(page))
        self._quick.add(key, not asked.query.wanted and seconds < QUICK_SECONDS, _ENTRY_BYTES)
        return page

    def _same_index(self) -> bool:
        state = self.state()
        same = state is not None and state == self._state
        self._state = state
        return same

    def _forget(self) -> None:
        self._found: Recent[Hashable, SearchPage] = Recent(self._most_bytes)
        self._finding: Waiting = {}


def _timed(find: Find, connection: apsw.Connection | None) -> tuple[SearchPage, float]:
    """The answer and the seconds of this thread alone: how busy others are says nothing about the question."""
    begun = time.thread_time()
    page = find(connection)
    return page, time.thread_time() - begun


def _key(asked: Asked, place: Place) -> Hashable:
    """Everything that an answer depends on, beside the index. A cursor's place holds numbers and texts only."""
    after = None if place is None else (place[0], *place[1])
    options = (asked.match, asked.sort, asked.facets, asked.most_values, asked.suggest, asked.limit, asked.ended)
    return asked.catalog, asked.text, asked.chosen, options, _digest(asked.named), after


def _digest(named: NamedIds | None) -> Hashable:
    """A thousand ids would take more memory than their answer."""
    return None if named is None else (named[0], blake2b("\0".join(named[1]).encode(errors="replace")).digest())


def _size(page: SearchPage) -> int:
    marked = sum(len(text) for hit in page.hits for text in hit.highlights.values())
    entries = len(page.hits) + sum(map(len, page.facets.values()))
    return _PAGE_BYTES + entries * _ENTRY_BYTES + 4 * marked
