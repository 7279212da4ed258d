"""A store that dies at a certain request, as a killed process does: before it is sent, or before it is answered."""

from __future__ import annotations

from typing import Any

from partita.dynamo.requests import ItemRequest
from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.store.embedded import EmbeddedTransport


class Killed(BaseException):
    """Nobody catches it, as nobody catches SIGKILL."""


class MortalTransport(EmbeddedTransport):
    """Requests of a process that has so many left."""

    def __init__(self, engine: Engine, requests_left: int, *, answered: bool) -> None:
        super().__init__(engine)
        self.requests_left = requests_left
        self._answered = answered

    def send(self, request: ItemRequest) -> dict[str, Any]:
        if self.requests_left <= 0:
            if not self._answered:
                super().send(request)
            raise Killed
        self.requests_left -= 1
        return super().send(request)


def mortal_store(engine: Engine, requests_left: int, *, answered: bool = True) -> Store:
    """`answered=False`: the last request is done, and its answer never comes."""
    like = EmbeddedStore(engine)
    return Store(MortalTransport(engine, requests_left, answered=answered), like.cursors, retries=like.retries)
