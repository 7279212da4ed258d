"""Tickets: what a browser carries between the password and the code. They allow nothing without the code."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from partita.kit.clock import Clock
from partita.kit.keys import signing_keys
from partita.kit.settings import Settings
from partita.table.sealing import BrokenSealError, seal, unseal

SECONDS = 600
"""How long somebody may look for their phone."""
_PURPOSE = b"sign-in\0"


@dataclass(frozen=True, slots=True)
class Ticket:
    """Whose password was right, and of which generation it was: a change of the password ends it."""

    user_id: str
    generation: int


class Tickets:
    """Signs tickets and reads them again."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def issue(self, ticket: Ticket) -> str:
        """A ticket as text."""
        until = int(self._clock.now().timestamp()) + SECONDS
        payload = orjson.dumps([ticket.user_id, ticket.generation, until])
        return seal(signing_keys(self._settings, "sign-in"), _PURPOSE, payload)

    def read(self, text: str) -> Ticket | None:
        """The ticket; None if we did not sign it, or its time is over."""
        try:
            payload = unseal(signing_keys(self._settings, "sign-in"), _PURPOSE, text)
        except BrokenSealError:
            return None
        user_id, generation, until = orjson.loads(payload)
        return Ticket(user_id, generation) if self._clock.now().timestamp() < until else None
