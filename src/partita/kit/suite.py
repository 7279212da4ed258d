"""The suite: the kit and the systems built on it. Made in `bootstrap`, served by `web`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from partita.dynamo.errors import DynamoError
from partita.kit.kit import Kit
from partita.kit.permissions import House, Policy
from partita.kit.system import System

if TYPE_CHECKING:
    from partita.kit.changes import ChangeWorker, ChangeWorkers, Handler
    from partita.kit.files import OwnedFiles
    from partita.kit.jobs import JobWorker
    from partita.kit.personal_data.service import PersonalData

_MAIL_SECONDS = 30.0
_log = logging.getLogger(__name__)


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
    jobs: JobWorker
    """Runs jobs in this process."""

    @property
    def owned_files(self) -> tuple[OwnedFiles, ...]:
        """Where files of the house and the systems are, and which of them items name."""
        from partita.kit.avatars import owned_avatars

        return (owned_avatars(self.kit.store), *(owned for system in self.systems for owned in system.files))

    @property
    def personal_data(self) -> PersonalData:
        """What all of it holds about people."""
        from partita.kit.personal_data.service import PersonalData

        return PersonalData(self.kit, self.systems)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the systems; run change handlers, jobs and mail until the block ends; then close everything."""
        tasks: list[asyncio.Task[None]] = []
        try:
            for system in self.systems:
                if system.start is not None:
                    await system.start()
            tasks += [
                asyncio.create_task(self.worker.run(), name="changes"),
                asyncio.create_task(self.jobs.run(), name="jobs"),
                asyncio.create_task(self._send_mail(), name="mail"),
            ]
            yield
        finally:
            for task in tasks:
                task.cancel()
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(ended, Exception):
                    _log.error("what runs beside serving had stopped", exc_info=ended)
            await self.close()

    async def run_due_jobs(self) -> None:
        """Run the jobs that are due until none is, with change handlers beside: nobody may be serving the suite, and a
        job that erases waits for them."""
        following = asyncio.create_task(self.worker.run(), name="changes")
        try:
            await self.jobs.drain()
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def _send_mail(self) -> None:
        """Now and then, send the mail that waits and the digests that are due; every process may."""
        notifications = self.kit.notifications
        while True:
            await asyncio.sleep(_MAIL_SECONDS)
            try:
                await notifications.send_waiting_mail()
                await notifications.send_due_digests(self.kit.clock.now())
            except (DynamoError, OSError) as error:
                _log.warning("mail: %s; trying again", error)
            except Exception:  # a kind whose words cannot be made, for example: other mail must not wait for ever
                _log.exception("mail: trying again")


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
