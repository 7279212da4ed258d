"""SQLite's log: it grows by zeros beforehand, and is written into the data file beside the writers.

To sync a file that has grown takes about three times as long as to sync one that was written over, since the file
system then writes the file's new size into a journal of its own. So with full durability room is made in steps. And
writing the log into the data file, which takes as long as some hundred writes, is left to a thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

import apsw

from partita.dynamo.errors import DynamoError

_FRAME = 24 + 4096
"""Of one page."""
_ZEROS = memoryview(bytes(4096))
_SPARE = 64 * _FRAME
"""Room that is there before a commit; one that needs more makes the log grow as it always did."""
_FIRST_STEP, _LARGEST_STEP = 512 * 1024, 2 * 1024 * 1024
PAGES = 2000
"""As many are in the log when it begins to be written into the file."""
MOST_PAGES = 4000
"""As many are there when a writer does it, since the thread is not done yet."""

_MORE_PAGES = 500


class WriteAheadLog:
    """The log of the connection that writes. Whoever calls these has the writer."""

    def __init__(
        self,
        writer: apsw.Connection,
        file: str,
        reading: Callable[[], AbstractContextManager[apsw.Connection]],
        *,
        room: bool,
        beside: bool,
    ) -> None:
        """`room` is made beforehand if each commit is synced; `beside` the writers there is a thread."""
        self._writer = writer
        self._file = file
        self._reading = reading
        self._makes_room = room
        self._room = 0
        self.pages = 0
        self._due = PAGES
        self.beside = beside
        self._handed_over = False
        self._nearly_done = False
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._closed = False
        writer.set_wal_hook(self._committed)

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self.pages = pages
        return apsw.SQLITE_OK

    def make_room(self) -> None:
        """For the commit that follows. The transaction has begun, so nobody else writes to the log."""
        end = self.pages * _FRAME + _SPARE
        if end <= self._room or not self._makes_room:
            return
        with suppress(OSError):  # such as a full disk: the commit will tell
            descriptor = os.open(self._file, os.O_WRONLY)
            try:
                self._room = os.fstat(descriptor).st_size
                if end > self._room and self._room < MOST_PAGES * _FRAME:
                    step = min(max(self._room, _FIRST_STEP), _LARGEST_STEP)
                    try:
                        write_zeros(descriptor, self._room, step)
                    except OSError:
                        os.ftruncate(descriptor, self._room)
                        raise
                    self._room += step
            finally:
                os.close(descriptor)

    def tend(self) -> None:
        """Write the log into the file if it has become long; SQLite begins it anew after that."""
        if self.pages < self._due and not self._nearly_done:
            return
        if self.beside and not self._handed_over:
            self._handed_over, self._due = True, max(MOST_PAGES, self.pages + PAGES)
            self._start()
            self._wake.set()
            return
        self._handed_over = self._nearly_done = False
        length, written = self.pages, 0
        with suppress(apsw.Error):  # such as a full disk: it is tried again, and the commits before it have not failed
            length, written = self._writer.wal_checkpoint()
        if written == length:
            self.pages, self._due = 0, PAGES
        else:
            self._due = self.pages + _MORE_PAGES  # somebody reads what was there before

    def _start(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._work, name="partita-log", daemon=True)
            with suppress(RuntimeError):  # the process ends, or may have no more threads: a writer does it
                thread.start()
                self._thread = thread

    def close(self) -> None:
        """Wait for the thread."""
        self._closed = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._closed:
                return
            with suppress(apsw.Error, DynamoError), self._reading() as connection:  # a writer does it in the end
                connection.wal_checkpoint()
                connection.wal_checkpoint()  # what came meanwhile; there is little left then
            self._nearly_done = True


def write_zeros(descriptor: int, offset: int, length: int) -> None:
    """Page by page: what is written at once the system keeps as one piece, and writes it again as one whenever any of
    it changes."""
    end = offset + length
    while offset < end:
        offset += os.pwrite(descriptor, _ZEROS[offset % len(_ZEROS) :][: end - offset], offset)
