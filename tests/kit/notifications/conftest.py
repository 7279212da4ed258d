"""Notifications on a temporary engine, in any weather, with people and with processes that die on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from partita.dynamo.requests import BatchWriteItem, DeleteItem, ItemRequest, PutItem, TransactWriteItems, UpdateItem
from partita.engine import Engine, FaultPlan
from partita.kit.accounts import ACCOUNTS, Account, Accounts
from partita.kit.accounts.passwords import Passwords
from partita.kit.clock import RandomIds
from partita.kit.limits import Limits
from partita.kit.mail import Outbox
from partita.kit.notifications import Channels, Kind, Notifications, NotificationStore, Words
from partita.kit.notifications.house import HouseStore
from partita.kit.permissions import House, Permission, Policy, Viewer
from partita.kit.schema import HOUSE, KeptMail, newest_mail
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from partita.store.store import AsyncStore
from partita.table import Table
from partita.table.types import timestamp
from tests.kit.conftest import HandClock
from tests.settings import settings_for

PASSWORD = "correct horse battery"
STORM = FaultPlan(seed=5, throttle=0.05, conflict=0.1, latency=0.001)


class Press(Permission):
    EDIT = "press:article:edit", "Edit articles"


def _words(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{count} × {data['title']}", data.get("text", ""))


PUBLISHED = Kind("press.published", "An article was published", _words, "You get this because you read.")
COMMENTED = Kind("press.commented", "A comment on my article", _words, "You get this because you write.")
MAILED = Kind(
    "press.mailed", "A letter", _words, "You get this because you asked.", Channels(mail="once"), by_address=True
)
DAILY = Kind("press.daily", "Something daily", _words, "You get this each day.", Channels(mail="daily"))
SECRET = Kind("press.secret", "A draft", _words, "You edit.", Channels(mail="daily"), needs=Press.EDIT)
KINDS = (PUBLISHED, COMMENTED, MAILED, DAILY, SECRET)


class Crash(Exception):
    """The process dies here."""


@dataclass
class Fuse:
    """Counts writes; blows before or after the one with a number."""

    after: int | None = None
    before: int | None = None
    writes: int = 0


class Fused:
    """A transport that dies where its fuse says."""

    def __init__(self, inner: Any, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        writes = isinstance(request, PutItem | UpdateItem | DeleteItem | TransactWriteItems | BatchWriteItem)
        self._fuse.writes += writes
        if writes and self._fuse.before is not None and self._fuse.writes >= self._fuse.before:
            raise Crash
        answer: dict[str, Any] = await self._inner.send_async(request)
        if writes and self._fuse.after is not None and self._fuse.writes >= self._fuse.after:
            raise Crash
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@dataclass
class World:
    """Everything that notifications need, and some people."""

    tables: EmbeddedStore
    clock: HandClock
    settings: Settings
    accounts: Accounts
    outbox: Outbox
    stores: tuple[NotificationStore, ...] = ()
    made: list[Notifications] = field(default_factory=list)

    @property
    def store(self) -> AsyncStore:
        return self.tables.asynchronous

    def process(self, store: AsyncStore | None = None, **settings: Any) -> Notifications:
        """Notifications as another process has them."""
        new = Notifications(
            store or self.store,
            clock=self.clock,
            settings=self.settings.model_copy(update=settings),
            accounts=self.accounts,
            mail=self.outbox,
        )
        new.use(KINDS, self.stores)
        self.made.append(new)
        return new

    def dying(self, fuse: Fuse) -> Notifications:
        """Notifications of a process that will die."""
        store = EmbeddedStore(self.tables.engine, clock=lambda: self.clock.now().timestamp()).asynchronous
        store.transport = Fused(store.transport, fuse)
        return self.process(store)

    async def person(self, name: str, *roles: str) -> Account:
        return await self.accounts.registration.create(name, f"{name}@example.org", name.title(), PASSWORD, roles=roles)

    async def viewer(self, account: Account) -> Viewer:
        granted = await self.accounts.permissions.of(account)
        return Viewer(user_id=account.user_id, username=account.username, permissions=granted, via="session")

    def house(self) -> HouseStore:
        return HouseStore(self.store, self.clock)

    def at(self, **ago: float) -> str:
        """A moment so long ago."""
        return timestamp(self.clock.now() - timedelta(**ago))

    async def mails(self) -> list[KeptMail]:
        for each in self.made:
            await each.finish()
        return [mail async for mail in self.store.stream(newest_mail())]


@contextmanager
def world_in(folder: Path, *tables: Table, faults: FaultPlan | None = None) -> Iterator[World]:
    """A world that ends when this is left."""
    clock = HandClock()
    clock.forward(hours=(12 - clock.now().hour) % 24)  # noon: at the hour of digests, what was told before is due

    def now() -> float:
        return clock.now().timestamp()

    with Engine.temporary(clock=now, faults=faults) as engine:
        store = EmbeddedStore(engine, clock=now)
        store.create(HOUSE, ACCOUNTS, *tables)
        settings = settings_for(folder, base_url="https://partita.example.org")
        outbox = Outbox(store.asynchronous, clock, RandomIds(), sender="Partita <partita@example.org>")
        accounts = Accounts(
            store.asynchronous,
            clock=clock,
            ids=RandomIds(),
            settings=settings,
            limits=Limits(store.asynchronous, clock),
            mail=outbox,
            passwords=Passwords(memory_kib=8, rounds=1),
        )
        labels = {str(each): each.label for permissions in (House, Press) for each in permissions}
        accounts.use(Policy(labels=labels, roles={"press:editor": frozenset(Press)}, members=frozenset()))
        yield World(store, clock, settings, accounts, outbox)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as made:
        yield made


@pytest.fixture
def stormy(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path, faults=STORM) as made:
        yield made
