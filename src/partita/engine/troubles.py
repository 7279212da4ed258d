"""Tells the log that the data file cannot be read or written: at once, then once a minute, and when it can again.

Whoever asked is told as well, but often nobody reads those answers, and a full disk makes thousands of them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from partita.dynamo.errors import DynamoError

_log = logging.getLogger(__name__)
_AGAIN_SECONDS = 60.0
_QUIET_SECONDS = 5.0


class Troubles:
    """Of one data file."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._clock = clock
        self._lock = threading.Lock()
        self._told: dict[str, float] = {}
        """When each kind of trouble was told last."""
        self._failed = 0
        self._failed_at = 0.0

    @property
    def any(self) -> bool:
        """Whether something failed, and it is not over."""
        return self._failed > 0

    def tell(self, error: DynamoError) -> None:
        """Something failed."""
        kind, now = type(error).__name__, self._clock()
        with self._lock:
            self._failed += 1
            self._failed_at = now
            if now - self._told.get(kind, float("-inf")) < _AGAIN_SECONDS:
                return
            self._told[kind], failed = now, self._failed
        so_far = f" ({failed:,} requests have failed so far)" if failed > 1 else ""
        _log.error("%s: %s%s", self._file, error.message, so_far)

    def over(self) -> None:
        """A write worked. On a full disk some do, such as deletes: hence only after a while without failure."""
        with self._lock:
            if self._clock() - self._failed_at < _QUIET_SECONDS:
                return
            failed, self._failed = self._failed, 0
            self._told.clear()
        if failed:
            _log.warning("%s: writes work again; %s requests failed meanwhile", self._file, f"{failed:,}")
