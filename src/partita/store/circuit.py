"""An endpoint that does not answer is not asked by everybody: for a moment by nobody, and then by one who tries."""

from __future__ import annotations

import time
from collections.abc import Callable

from partita.dynamo.errors import DynamoError
from partita.store.answers import ConnectionFailedError

REST_SECONDS = 2.0


class NotAnsweringError(ConnectionFailedError):
    """The endpoint did not answer a moment ago, so it was not asked."""


class Circuit:
    """Knows whether an endpoint answers. It belongs to all who ask it, in whichever thread: they only set numbers."""

    def __init__(self, rest: float = REST_SECONDS, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rest = rest
        self._monotonic = monotonic
        self._again_at: float | None = None
        """When somebody may try; None while it answers."""
        self._answered_at = float("-inf")

    @property
    def answers(self) -> bool:
        """Whether the last one who asked was answered."""
        return self._again_at is None

    def enter(self) -> float:
        """Refuse to ask if it did not answer a moment ago; when this was asked."""
        now = self._monotonic()
        if self._again_at is not None:
            if now < self._again_at:
                raise NotAnsweringError("The endpoint does not answer; it is tried again in a moment.")
            self._again_at = now + self._rest  # the others wait for what this one finds
        return now

    def leave(self, begun: float, error: DynamoError | None) -> None:
        """Note how it went. If others were answered meanwhile, one that was not may have waited for its turn."""
        if not isinstance(error, ConnectionFailedError):
            self._answered_at = self._monotonic()
            self._again_at = None
        elif self._answered_at < begun:
            self._again_at = self._monotonic() + self._rest
