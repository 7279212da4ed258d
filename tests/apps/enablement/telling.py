"""A portal whose people have accounts, so that they can be told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from partita.apps.enablement import schema
from partita.apps.enablement.changes import handlers
from partita.apps.enablement.permissions import ROLES
from partita.apps.enablement.schema import Notification
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.system import build
from partita.engine import FaultPlan
from partita.kit.accounts import Account
from partita.kit.accounts.schema import UsernameOwner
from partita.kit.changes import ChangeWorker
from partita.kit.changes.worker import Pace
from partita.kit.notifications import Notifications
from partita.kit.permissions import Viewer
from partita.kit.schema import KeptMail, newest_mail
from partita.kit.suite import policy_of
from partita.store import EmbeddedStore
from partita.table import Put
from tests.apps.enablement.conftest import ADMIN, ANNA, ARNO, CARL, CARLA, VERA, Portal, portal_in
from tests.apps.house import person
from tests.kit.notifications.conftest import Fuse, Fused

_REPLAYS = count(1)
_PACE = Pace(poll=0.001, first_pause=0.001, longest_pause=0.001)
_ROLES = {
    viewer.id: role
    for role, people in {
        "viewer": (VERA,),
        "contributor": (CARLA, CARL),
        "approver": (ANNA, ARNO),
        "admin": (ADMIN,),
    }.items()
    for viewer in people
}


def accounts(user_ids: Iterable[str], role: str = "viewer") -> list[Put]:
    """Accounts with this role, unless the person has another in these tests, and a mail address."""
    stamp = "2026-01-01T00:00:00.000000Z"
    made = [
        Account(
            user_id=user_id,
            username=user_id,
            name=user_id.title(),
            email=f"{user_id}@example.org",
            roles=frozenset({f"enablement:{_ROLES.get(user_id, role)}"}),
            created_at=stamp,
            updated_at=stamp,
        )
        for user_id in user_ids
    ]
    owners = [UsernameOwner(username=each.username, of_user=each.user_id) for each in made]
    return [Put(row) for row in (*made, *owners)]


@dataclass(frozen=True)
class Telling(Portal):
    """The portal, what follows its changes, and what people were told."""

    worker: ChangeWorker

    def account(self, *user_ids: str, role: str = "viewer") -> None:
        """People with this role and a mail address."""
        self.kit.tables.batch_write(accounts(user_ids, role))

    async def catch_up(self) -> None:
        """Let the change stream and the clock do what they have to."""
        await self.worker.drain()
        await self.service.clock.run_due()
        await self.kit.notifications.finish()

    async def replay(self, times: int = 3) -> None:
        """Every change again, in several processes at once, and the clock of each."""
        assert isinstance(self.kit.tables, EmbeddedStore)
        call = self.kit.tables.engine.call_async
        services = [EnablementService(self.kit) for _ in range(times)]

        async def one(service: EnablementService) -> None:
            again = [replace(each, name=f"{each.name}.replay-{next(_REPLAYS)}") for each in handlers(self.kit, service)]
            await ChangeWorker(self.kit.store, call, again, self.kit.clock, pace=_PACE).drain()
            await service.clock.run_due()

        await asyncio.gather(*map(one, services))
        await self.kit.notifications.finish()

    def dying(self, fuse: Fuse) -> EnablementService:
        """The service of a process that dies where the fuse says."""
        assert isinstance(self.kit.tables, EmbeddedStore)
        tables = EmbeddedStore(self.kit.tables.engine, clock=lambda: self.clock.at.timestamp())
        tables.asynchronous.transport = Fused(tables.asynchronous.transport, fuse)
        notifications = Notifications(
            tables.asynchronous,
            clock=self.clock,
            settings=self.kit.settings,
            accounts=self.kit.accounts,
            mail=self.kit.mail,
        )
        kit = replace(self.kit, tables=tables, notifications=notifications)
        service = EnablementService(kit)
        kit.notifications.use(service.notifications.kinds, [service.notifications.inbox])
        return service

    async def told(self, *people: Viewer | str) -> list[Notification]:
        """Everything that these people were told."""
        ids = [each if isinstance(each, str) else each.id for each in people]
        return [row for each in ids async for row in self.kit.store.stream(schema.notifications_of(each))]

    async def causes(self, viewer: Viewer) -> list[tuple[str, str | None]]:
        """Titles and reasons of what somebody was told, oldest first."""
        return [(row.title, row.reason) for row in reversed(await self.told(viewer))]

    async def mails(self) -> list[KeptMail]:
        """Mail that went out, newest first."""
        await self.kit.notifications.finish()
        return [mail async for mail in self.kit.store.stream(newest_mail())]


@contextmanager
def telling_in(folder: Path, *, faults: FaultPlan | None = None) -> Iterator[Telling]:
    """A portal in which everybody of the tests has an account."""
    with portal_in(folder, faults=faults) as portal:
        kit, service = portal.kit, portal.service
        kit.accounts.use(policy_of((build(kit),)))
        assert isinstance(kit.tables, EmbeddedStore)
        call = kit.tables.engine.call_async
        worker = ChangeWorker(kit.store, call, handlers(kit, service), kit.clock, pace=_PACE)
        telling = Telling(kit, portal.clock, service, worker)
        telling.account(*_ROLES)
        yield telling


def viewers(names: Iterable[str]) -> list[Viewer]:
    """People who may read."""
    return [person(name, *ROLES["viewer"]) for name in names]
