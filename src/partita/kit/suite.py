"""The suite: the kit and the systems that live on it. Made in `bootstrap`, served by `web`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from partita.kit.kit import Kit
from partita.kit.permissions import House, Policy
from partita.kit.system import System

if TYPE_CHECKING:
    from partita.kit.changes import ChangeWorker, ChangeWorkers, Handler


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that runs."""

    kit: Kit
    systems: tuple[System, ...]
    handlers: tuple[Handler, ...]
    """Everything that reacts to changes of the tables."""
    worker: ChangeWorker | ChangeWorkers
    """What follows the changes on this machine."""
    close: Callable[[], Awaitable[None]]
    """Finish what is under way and let go of tables, files and search."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """React to changes until this is left; then close everything."""
        following = asyncio.create_task(self.worker.run(), name="changes")
        try:
            yield
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
            await self.close()


def policy_of(systems: tuple[System, ...]) -> Policy:
    """Every permission of house and systems, and what their roles grant."""
    return Policy(
        known=frozenset(map(str, House)).union(*(system.permissions for system in systems)),
        roles={f"{system.name}:{role}": granted for system in systems for role, granted in system.roles.items()},
        members=frozenset[str]().union(*(system.members for system in systems)),
    )
