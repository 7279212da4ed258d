"""What the door needs of an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from partita.dynamo.errors import DynamoError


class Backend(Protocol):
    """Runs operations; the door neither reads nor writes JSON requests itself."""

    def answer(self, operation: str, body: bytes, done: Callable[[bytes | DynamoError], None]) -> None:
        """Run one operation given its JSON body and call `done` exactly once, here and now or later from any thread."""
        ...
