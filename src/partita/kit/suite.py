"""The suite: the kit and the systems built on it. Made in `bootstrap`, served by `web`."""

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
    """All change handlers."""
    worker: ChangeWorker | ChangeWorkers
    """Runs the change handlers of this machine."""
    close: Callable[[], Awaitable[None]]
    """Finish work in progress, then close tables, files and search."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the change handlers until the block ends; then close everything."""
        following = asyncio.create_task(self.worker.run(), name="changes")
        try:
            yield
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
            await self.close()


def policy_of(systems: tuple[System, ...]) -> Policy:
    """All permissions and roles of the house and the systems."""
    return Policy(
        labels={
            str(permission): permission.label
            for permissions in (House, *(system.permissions for system in systems))
            for permission in permissions
        },
        roles={f"{system.name}:{role}": granted for system in systems for role, granted in system.roles.items()},
        role_labels={f"{system.name}:{role}": f"{system.title} {role}" for system in systems for role in system.roles},
        titles={system.name: system.title for system in systems},
        members=frozenset[str]().union(*(system.members for system in systems)),
    )
