"""One process at a time: a lease with a number that grows with every owner, kept by a task of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from datetime import timedelta

from partita.dynamo.errors import DynamoError
from partita.kit.changes.schema import Lease, lease
from partita.kit.clock import Clock
from partita.store.store import AsyncStore
from partita.table import Put, Update
from partita.table.types import timestamp

_log = logging.getLogger(__name__)


class LeaseLostError(Exception):
    """Another process does this work now."""


class Tenancy:
    """This process's hold on a lease. Its `turn` is greater than that of every owner before, so that whatever is
    written with a turn can refuse an owner of the past."""

    def __init__(self, store: AsyncStore, clock: Clock, name: str, seconds: float) -> None:
        self.turn: int | None = None
        """None: somebody else has the lease, or nobody."""
        self._store = store
        self._clock = clock
        self._name = name
        self._seconds = seconds
        self._holder = secrets.token_hex(8)
        self._until = ""

    def check(self) -> None:
        """Refuse to go on if the lease is no longer mine, as far as this process can know."""
        if self.turn is None or timestamp(self._clock.now()) >= self._until:
            raise LeaseLostError("The lease has run out")

    async def take(self) -> bool:
        """Take the lease if nobody has it, its owner is gone, or it is mine already."""
        self.turn = None
        now = self._clock.now()
        known = await self._store.get(lease(self._name))
        if known is not None and known.holder != self._holder and known.until > timestamp(now):
            return False
        turn = 1 if known is None else known.turn + 1
        until = timestamp(now + timedelta(seconds=self._seconds))
        mine = Lease(name=self._name, holder=self._holder, until=until, turn=turn)
        if known is None:
            free = mine.own_key.absent()
        else:
            free = Lease.holder.equals(known.holder) & Lease.until.equals(known.until)
        try:
            await self._store.write(Put(mine).when(free).otherwise(LeaseLostError("Another process was faster")))
        except LeaseLostError:
            return False
        self.turn, self._until = turn, until
        return True

    async def keep(self) -> None:
        """Renew the lease as long as it is mine; raises `LeaseLostError` as soon as it is not."""
        while self.turn is not None:
            await asyncio.sleep(self._seconds / 4)
            try:
                await self._renew(timestamp(self._clock.now() + timedelta(seconds=self._seconds)))
            except (DynamoError, OSError) as error:
                _log.warning("changes: the lease could not be renewed: %s", error)
                if timestamp(self._clock.now()) >= self._until:
                    self.turn = None
                    raise LeaseLostError("The lease ran out while the tables could not be reached") from error
            except LeaseLostError:
                self.turn = None
                raise

    async def _renew(self, until: str) -> None:
        taken = LeaseLostError("Another process follows the streams now")
        mine = Lease.holder.equals(self._holder) & Lease.turn.equals(self.turn or 0)
        renewed = Update(Lease.key(Lease.name(self._name)), Lease.until.set(until))
        await self._store.write(renewed.when(mine).otherwise(taken))
        self._until = until

    async def give_back(self) -> None:
        """Let the next process begin at once. The item stays, since it has the number of turns."""
        if self.turn is None:
            return
        try:
            with contextlib.suppress(LeaseLostError):
                await self._renew(timestamp(self._clock.now()))
        finally:
            self.turn = None
