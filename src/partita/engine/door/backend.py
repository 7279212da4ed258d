"""What the server needs from an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from partita.dynamo.errors import DynamoError


class Backend(Protocol):
    """Runs operations; the server itself does not parse their JSON."""

    def answer(
        self, operation: str, body: bytes, done: Callable[[bytes | DynamoError], None], key: str | None = None
    ) -> None:
        """Run one operation given its JSON body and call `done` exactly once, here and now or later from any thread.

        `key` is the id of the access key that signed the request, if requests are signed.
        """
        ...
