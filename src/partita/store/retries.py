"""Sending again: what is worth it, how often, and after which pauses. Both stores and both faces ask here."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from math import inf
from typing import ParamSpec, TypeVar

from partita.dynamo.errors import DynamoError, InternalServerError, TransactionCanceledError
from partita.dynamo.requests import ItemRequest, TransactWriteItems
from partita.store.answers import ConnectionFailedError
from partita.store.circuit import Circuit

P = ParamSpec("P")
R = TypeVar("R")

_PASSING = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
"""Reasons of a cancelled transaction that pass by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """A way to send again. The pauses have full jitter, so that those who collided part."""

    attempts: int
    first: float
    """Seconds that the first pause takes at most; the bound doubles with each."""
    longest: float
    """Seconds that no pause exceeds."""
    answers_get_lost: bool
    """Whether an error may hide that a request was done: transactions then carry a token and are done once."""
    seconds: float = inf
    """How long all of it may take; a blocking face ends what it is at first."""
    circuit: Circuit | None = None
    """Knows whether the other side answers; without one, it is asked whatever happened before."""

    def run(self, send: Callable[P, R], *args: P.args, **settings: P.kwargs) -> R:
        """Send, and again while that can help."""
        begun = time.monotonic() if self.circuit is None else self.circuit.enter()
        attempt = 0
        while True:
            try:
                answer = send(*args, **settings)
            except DynamoError as error:
                attempt += 1
                if not self._go_on(error, attempt) or time.monotonic() - begun > self.seconds:
                    self._leave(begun, error)
                    raise
            else:
                self._leave(begun, None)
                return answer
            time.sleep(self.pause(attempt))

    async def run_async(self, send: Callable[P, Awaitable[R]], *args: P.args, **settings: P.kwargs) -> R:
        """The same without blocking."""
        if self.circuit is None:
            return await self._send_again(send, *args, **settings)
        begun = self.circuit.enter()
        try:
            async with asyncio.timeout(self.seconds if self.seconds < inf else None):
                answer = await self._send_again(send, *args, **settings)
        except TimeoutError:
            late = ConnectionFailedError(f"No answer came within {self.seconds:g} seconds.")
            self._leave(begun, late)
            raise late from None
        except DynamoError as error:
            self._leave(begun, error)
            raise
        self._leave(begun, None)
        return answer

    async def _send_again(self, send: Callable[P, Awaitable[R]], *args: P.args, **settings: P.kwargs) -> R:
        attempt = 0
        while True:
            try:
                return await send(*args, **settings)
            except DynamoError as error:
                attempt += 1
                if not self._go_on(error, attempt):
                    raise
            await asyncio.sleep(self.pause(attempt))

    def repeatable(self, request: ItemRequest) -> ItemRequest:
        """The request in the form in which it can be sent again: a transaction keeps one token."""
        if self.answers_get_lost and type(request) is TransactWriteItems and request.token is None:
            return replace(request, token=str(uuid.uuid4()))
        return request

    def pause(self, attempt: int) -> float:
        """Seconds to wait after so many attempts."""
        return random.uniform(0, min(self.first * 2 ** min(attempt - 1, 60), self.longest))

    def worth_it(self, error: DynamoError) -> bool:
        """Throttling, conflicts and failures of the other side; never a condition that did not hold."""
        if isinstance(error, TransactionCanceledError):
            reasons = {reason["Code"] for reason in error.reasons} - {"None"}
            return bool(reasons) and reasons <= _PASSING
        if isinstance(error, InternalServerError):
            # In process, what fails is the disk or a closed engine: milliseconds do not mend it.
            return self.answers_get_lost
        return error.retryable

    def _leave(self, begun: float, error: DynamoError | None) -> None:
        if self.circuit is not None:
            self.circuit.leave(begun, error)

    def _go_on(self, error: DynamoError, attempt: int) -> bool:
        if not self.worth_it(error):
            return False
        if attempt < self.attempts:
            return True
        error.add_note(f"Sent {attempt} times.")
        return False


OVER_A_NETWORK = Retries(attempts=6, first=0.025, longest=5.0, answers_get_lost=True)
IN_PROCESS = Retries(attempts=12, first=0.0005, longest=0.02, answers_get_lost=False)
