"""The one writer: concurrent writes commit in groups, each group with one fsync.

Whoever finds the writer free leads: it runs everything that waits, commits once, and wakes the others. A write alone
therefore costs no thread switch, and 32 writers share their fsyncs. Writes that nobody blocks on (from an event loop)
are led by a thread of the writer's own.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import apsw

from partita.dynamo.errors import DynamoError
from partita.engine import catalog
from partita.engine.catalog import Catalog
from partita.engine.database import STORAGE_ERRORS, Connection, Database, closed
from partita.engine.place import Place

T = TypeVar("T")
_log = logging.getLogger(__name__)
_GROUP = 256
_GATHERINGS = 3
_GATHER_SECONDS = 0.00005
_COUNT = "UPDATE counters SET items = items + ?, bytes = bytes + ? WHERE owner = ?"


class Transaction:
    """What a write works with: an open transaction, the current catalog, and counters to update."""

    __slots__ = ("_counts", "catalog", "changed", "connection", "execute", "moment", "now", "recorded", "write")

    def __init__(self, connection: Connection, tables: Catalog, clock: Callable[[], float]) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.write = connection.write
        self.catalog = tables
        self.now = clock()
        self.changed = False
        self.recorded = False
        self.moment: int | None = None
        """The number of this second in the history, once something was kept."""
        self._counts: dict[int, list[int]] = {}

    def count(self, owner: int, items: int, size: int) -> None:
        """Remember a change of a table's or index's number of items and bytes."""
        counts = self._counts.get(owner)
        if counts is None:
            self._counts[owner] = [items, size]
        else:
            counts[0] += items
            counts[1] += size

    def reload(self) -> None:
        """Look at the catalog again after changing it."""
        self.catalog = catalog.load(self.connection, self.catalog.place)

    def settle(self) -> None:
        """Write the counters, once per commit."""
        changed = [(items, size, owner) for owner, (items, size) in self._counts.items() if items or size]
        if changed:
            self.connection.write_many(_COUNT, changed)


Job = Callable[[Transaction], Any]


class _Entry:
    """One waiting write."""

    __slots__ = ("done", "error", "job", "on_committed", "result", "wake")

    def __init__(self, job: Job, on_committed: Callable[[_Entry], None] | None) -> None:
        self.job = job
        self.on_committed = on_committed
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.wake: threading.Lock | None = None
        """What its thread waits for; most lead themselves, and never wait."""

    def finish(self) -> None:
        self.done = True
        if self.on_committed is not None:
            self.on_committed(self)
        elif self.wake is not None:
            self.rouse()

    def wait(self) -> None:
        """Until somebody rouses it. The first time it returns at once: who looked for it before it was to be seen did
        not rouse it, so its thread looks again whether it is done, or free to lead."""
        if self.wake is None:
            wake = threading.Lock()
            wake.acquire()
            self.wake = wake
        else:
            self.wake.acquire()

    def rouse(self) -> None:
        if self.wake is not None:
            with suppress(RuntimeError):  # already released
                self.wake.release()


class _Group:
    """Writes that are committed together, and how far that has come: Ctrl-C may interrupt it anywhere."""

    __slots__ = ("entries", "settled")

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.settled = 0
        """How many of them are written, or refused."""


class Writer:
    """Runs writes one after another and commits them in groups."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        committed: Callable[[Transaction], None],
        place: Place,
    ) -> None:
        self._database = database
        self._place = place
        self._clock = clock
        self._committed = committed
        self._lead = threading.RLock()
        self._queue: deque[_Entry] = deque()
        self._poke = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._crowd = 1
        self._interrupt: BaseException | None = None
        """Ctrl-C in the middle of a group: raised when everybody's writes are done."""
        self.catalog = catalog.EMPTY
        self._state: int | None = None
        """The file as of the last commit here: as long as nobody else writes, the catalog is the one of then."""

    def run(self, job: Callable[[Transaction], T]) -> T:
        """Run a write and return when it is safely on disk."""
        entry = _Entry(job, None)
        try:
            self._enqueue(entry)
            while not entry.done:
                if self._lead.acquire(blocking=False):
                    try:
                        self._gather()
                        if not entry.done:
                            self._commit_waiting()
                        interrupt, self._interrupt = self._interrupt, None
                    finally:
                        self._lead.release()
                    self._pass_on()
                    if interrupt is not None:
                        raise interrupt
                else:
                    entry.wait()
        except BaseException:
            self._leave(entry)
            raise
        if entry.error is not None:
            raise entry.error
        result: T = entry.result
        return result

    def submit(self, job: Job, on_committed: Callable[[Any, BaseException | None], None]) -> None:
        """Run a write in the background; `on_committed` is called, in another thread, when it is safely on disk."""
        self._enqueue(_Entry(job, lambda entry: on_committed(entry.result, entry.error)))
        if self._thread is None:
            self._start()
        if not self._poke.is_set():
            self._poke.set()

    def close(self) -> None:
        """Finish waiting writes and accept no more."""
        with self._lead:
            self._closed = True
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            self._poke.set()
            thread.join()
        with self._lead:
            while self._queue:
                self._commit_waiting()

    def _enqueue(self, entry: _Entry) -> None:
        self._check_open()
        self._queue.append(entry)
        try:
            self._check_open()
        except DynamoError:
            # Closed meanwhile: remove the entry, unless the last round has taken it and will finish it.
            with suppress(ValueError):
                self._queue.remove(entry)
                raise

    def _check_open(self) -> None:
        if self._closed:
            raise closed()

    def _start(self) -> None:
        with self._lead:
            if self._thread is None and not self._closed:
                thread = threading.Thread(target=self._background, name="partita-writer", daemon=True)
                thread.start()
                self._thread = thread

    def _background(self) -> None:
        while not self._closed:
            self._poke.wait()
            self._poke.clear()
            while self._queue:
                with self._lead:
                    self._gather()
                    self._commit_waiting()

    def _leave(self, entry: _Entry) -> None:
        """Ctrl-C, here or while waiting: the next in the queue must be somebody who waits, and free to lead."""
        with suppress(RuntimeError):  # if it is not ours
            self._lead.release()
        with suppress(ValueError):  # if it was not queued, or is being written
            self._queue.remove(entry)
        self._pass_on()

    def _pass_on(self) -> None:
        """Let a waiting thread lead next: this one's own write is done, and it should not serve others forever."""
        try:
            entry = self._queue[0]
        except IndexError:
            return
        if entry.on_committed is None:
            entry.rouse()
        else:
            self._poke.set()

    def _gather(self) -> None:
        """If many writes come at once, wait a moment for more of them.

        Everybody who was just answered is on the way back with the next write. Letting them arrive first makes one
        group instead of two, and leaves Python's lock to the leader while it works.
        """
        for _ in range(_GATHERINGS if self._crowd > 1 else 0):
            if len(self._queue) >= self._crowd:
                return
            time.sleep(_GATHER_SECONDS)

    def _commit_waiting(self) -> None:
        """Commit a group. Ctrl-C in the middle of it is kept until everybody has an answer."""
        group = _Group()
        while True:
            try:
                self._take(group)
                self._settle(group)
                self._answer(group)
                self._database.log.tend()
            except Exception:
                raise
            except BaseException as interrupt:
                self._interrupt = interrupt  # and it goes on where it was
            else:
                return

    def _take(self, group: _Group) -> None:
        if group.settled:
            return
        entries, waiting = group.entries, (self._queue,)
        try:
            while self._queue and len(entries) < _GROUP:
                # In one call that Ctrl-C cannot come between: what is out of the queue is in the group.
                entries.extend(map(deque.popleft, waiting))
        except IndexError:
            pass  # somebody has left meanwhile

    def _settle(self, group: _Group) -> None:
        """Write what is not written yet."""
        count = len(group.entries)
        if group.settled == count:
            return
        self._crowd = max(count, self._crowd // 2)
        if not self._commit(group, count):
            # An unexpected error: run each write alone, so that only the one that caused it fails.
            while group.settled < count:
                self._commit(group, group.settled + 1, alone=True)

    def _answer(self, group: _Group) -> None:
        for entry in group.entries:
            if entry.done and entry.on_committed is not None:
                continue  # called before Ctrl-C; to wake somebody twice does no harm
            try:
                entry.finish()
            except Exception:
                # An error in a callback must not keep others from being called: the writes are done.
                _log.exception("a listener of a write failed")

    def _commit(self, group: _Group, end: int, *, alone: bool = False) -> bool:
        """Run the entries up to one in a transaction; False when it had to be rolled back for a group."""
        connection = self._database.writer
        entries = group.entries[group.settled : end]
        begun = False
        try:
            unchanged = connection.total_changes()
            connection.write("BEGIN IMMEDIATE")
            begun = True
            if connection.data_version() != self._state and catalog.version(connection) != self.catalog.version:
                self.catalog = catalog.load(connection, self._place)
            transaction = Transaction(connection, self.catalog, self._clock)
            for entry in entries:
                before = connection.total_changes()
                entry.error = None  # of a run that was rolled back
                try:
                    entry.result = entry.job(transaction)
                except DynamoError as error:
                    if connection.total_changes() != before:
                        raise  # refused after it had written something: roll back
                    entry.error = error
            transaction.settle()
            self._database.check_before_commit()
            self._database.log.make_room()
            connection.write("COMMIT")
            group.settled = end
            self._state = connection.data_version()
        except BaseException as error:
            interrupted = not isinstance(error, Exception)
            if interrupted:
                self._interrupt = error
            if not interrupted or not begun or connection.in_transaction:
                self._roll_back(connection)
                if not alone and len(entries) > 1:
                    return False
                entries[0].error = self._explained(error)
                group.settled = end
                return True
            group.settled = end  # it came after the commit: the writes are done
        if self._database.troubles.any and connection.total_changes() != unchanged:
            self._database.troubles.over()
        self.catalog = transaction.catalog
        self._committed(transaction)
        return True

    def _roll_back(self, connection: apsw.Connection) -> None:
        with suppress(apsw.Error):  # SQLite rolls back by itself when the disk is full; or the engine was closed
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        self.catalog = catalog.EMPTY
        self._state = None

    def _explained(self, error: BaseException) -> BaseException:
        return self._database.failure(error) if isinstance(error, STORAGE_ERRORS) else error
