"""Clocks of machines: wrong ones, and a time of day that all share and that can be moved."""

from __future__ import annotations

import mmap
import struct
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from partita.kit.clock import SystemClock
from partita.store.dynamo import DynamoStore


class TimeOfDay:
    """How far the time of day is ahead, in a file that the tables and all machines look at: days pass for all at once,
    and seconds pass as ever."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            file.write_bytes(struct.pack("d", 0.0))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), 0)

    @property
    def ahead(self) -> float:
        seconds: float = struct.unpack("d", self._shared[:8])[0]
        return seconds

    def pass_by(self, hours: float) -> None:
        self._shared[:8] = struct.pack("d", self.ahead + hours * 3600)

    def now(self) -> float:
        return time.time() + self.ahead


def set_clock(ahead: Callable[[], float]) -> None:
    """Everything in this process that asks for the time of day is told one that is so many seconds ahead; seconds pass
    as ever."""
    now, now_ns = time.time, time.time_ns
    time.time = lambda: now() + ahead()
    time.time_ns = lambda: now_ns() + int(ahead() * 1e9)
    SystemClock.now = lambda self: datetime.now(UTC) + timedelta(seconds=ahead())  # type: ignore[method-assign]  # noqa: ARG005
    (DynamoStore.__init__.__kwdefaults__ or {})["clock"] = time.time  # it was loaded before
