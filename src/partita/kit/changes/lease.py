"""One process at a time: a lease with a number that grows with every owner, kept by a task of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta

from partita.dynamo.errors import DynamoError
from partita.kit.changes.schema import Lease, lease
from partita.kit.clock import Clock, stamp
from partita.kit.leases import Watch
from partita.store.store import AsyncStore
from partita.table import Action, Put, Update
from partita.table.types import expires_in, timestamp

_log = logging.getLogger(__name__)

LOOKS = 8
"""How often others look at a lease in the time of one, and twice as often as it is renewed."""
_OVER = 0.75
"""The share of its time after which a lease is over: with a look before and one after, others have it in time."""
_FREE = ""
"""Whose lease it is that was given back."""


class LeaseLostError(Exception):
    """Another process does this work now."""


class Tenancy:
    """This process's hold on a lease. Its `turn` is greater than that of every owner before, so that whatever is
    written with a turn can refuse an owner of the past."""

    def __init__(
        self,
        store: AsyncStore,
        clock: Clock,
        name: str,
        seconds: float,
        *,
        kept: timedelta | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Another process takes over within so many `seconds`. A lease that is `kept` only for a while is deleted when
        nobody has had it for so long."""
        self.turn: int | None = None
        """None: somebody else has the lease, or nobody."""
        self._store = store
        self._clock = clock
        self._name = name
        self._seconds = seconds
        self._kept = kept
        self._monotonic = monotonic
        self._holder = secrets.token_hex(8)
        self._watch = Watch(seconds * _OVER, clock, monotonic)
        self._renewed_at = 0.0

    def check(self) -> None:
        """Refuse to go on if the lease is no longer mine, as far as this process can know."""
        if self.turn is None or self._ran_out():
            raise LeaseLostError("The lease has run out")

    async def take(self, before: Callable[[Lease | None], Awaitable[None]] | None = None) -> bool:
        """Take the lease if nobody has it, its owner is gone, or it is mine already. `before` that, somebody may look
        at the lease as it was."""
        self.turn = None
        known = await self._store.get(lease(self._name))
        if known is not None and known.holder not in (self._holder, _FREE) and not self._is_over(known):
            return False
        if before is not None:
            await before(known)
        turn, beats = (1, 0) if known is None else (known.turn + 1, known.beats + 1)
        mine = Lease(name=self._name, holder=self._holder, until=self._until(), turn=turn, beats=beats)
        if self._kept is not None:
            mine = mine.with_(Lease.expires_at(expires_in(self._kept, self._clock.now())))
        if known is None:
            taking = Put(mine).if_new(or_expired_at=self._clock.now().timestamp())
        else:
            taking = Put(mine).when(Lease.holder.equals(known.holder) & Lease.until.equals(known.until))
        begun = self._monotonic()
        try:
            await self._store.write(taking.otherwise(LeaseLostError("Another process was faster")))
        except LeaseLostError:
            return False
        self.turn, self._renewed_at = turn, begun
        return True

    async def keep(self) -> None:
        """Renew the lease as long as it is mine; raises `LeaseLostError` as soon as it is not."""
        while self.turn is not None:
            await asyncio.sleep(self._seconds * 2 / LOOKS)
            begun = self._monotonic()
            try:
                async with asyncio.timeout(self._seconds * 2 / LOOKS):
                    await self._write(Lease.until.set(self._until()))
                self._renewed_at = begun
            except (DynamoError, OSError) as error:
                _log.warning("changes: the lease could not be renewed: %r", error)
                if self._ran_out():
                    self.turn = None
                    raise LeaseLostError("The lease ran out while the tables could not be reached") from error
            except LeaseLostError:
                self.turn = None
                raise

    async def give_back(self) -> None:
        """Let the next process begin at once. The item stays, since it has the number of turns."""
        if self.turn is None:
            return
        try:
            with contextlib.suppress(LeaseLostError):
                await self._write(Lease.until.set(stamp(self._clock)), Lease.holder.set(_FREE))
        finally:
            self.turn = None

    def _is_over(self, known: Lease) -> bool:
        return self._watch.is_over(self._name, (known.holder, known.turn, known.beats, known.until), known.until)

    def _ran_out(self) -> bool:
        return self._monotonic() - self._renewed_at >= self._seconds * _OVER

    def _until(self) -> str:
        """When it ends, for people and for those who look a day later."""
        return timestamp(self._clock.now() + timedelta(seconds=self._seconds))

    async def _write(self, *actions: Action[Lease]) -> None:
        taken = LeaseLostError("Another process follows the streams now")
        mine = Lease.holder.equals(self._holder) & Lease.turn.equals(self.turn or 0)
        if self._kept is not None:
            actions = (*actions, Lease.expires_at.set(expires_in(self._kept, self._clock.now())))
        renewed = Update(Lease.key(Lease.name(self._name)), Lease.beats.add(1), *actions)
        await self._store.write(renewed.when(mine).otherwise(taken))
