"""A kit on a temporary engine: everything real, nothing slow, the weather as the test wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from partita.engine import Engine, FaultPlan
from partita.engine.database import FILE_NAME
from partita.kit.accounts import ACCOUNTS, Accounts
from partita.kit.accounts.passwords import Passwords
from partita.kit.changes import ChangeWorker
from partita.kit.changes.worker import Pace
from partita.kit.clock import Clock, RandomIds, SystemClock
from partita.kit.fetcher import fetcher_for
from partita.kit.files import Uploads, files_for
from partita.kit.files.schema import UPLOADS
from partita.kit.jobs import Jobs, JobWorker
from partita.kit.kit import Kit
from partita.kit.limits import Limits
from partita.kit.mail import mail_for
from partita.kit.meaning import Meaning
from partita.kit.notifications import Notifications
from partita.kit.permissions import Viewer
from partita.kit.schema import HOUSE
from partita.kit.search import Search
from partita.kit.system import System
from partita.store import EmbeddedStore
from partita.store.files import FolderFiles
from partita.table import CursorKeys, Table
from tests.settings import settings_for
from tests.starters import Anybody

_REPLAYS = count(1)
BAD_WEATHER = FaultPlan(seed=7, throttle=0.1, conflict=0.1, partial_batch=0.1)


@contextmanager
def kit_on(
    folder: Path,
    *tables: Table,
    faults: FaultPlan | None = None,
    clock: Clock | None = None,
    meaning: Meaning | None = None,
) -> Iterator[Kit]:
    """A kit whose tables go when it is closed; a clock of the test's own also says what has expired."""
    settings = settings_for(folder, fetch=False)
    ids = RandomIds()
    clock = clock or SystemClock()

    def seconds() -> float:
        return clock.now().timestamp()

    with engine_with((HOUSE, ACCOUNTS, UPLOADS, *tables), faults, seconds) as engine:
        store = EmbeddedStore(engine, files=FolderFiles(folder / "large"), clock=seconds)
        search = Search(folder / "search.db", CursorKeys(b"s" * 32), meaning=meaning, durability=settings.durability)
        limits = Limits(store.asynchronous, clock)
        mail = mail_for(settings, store.asynchronous, clock, ids)
        files = files_for(settings, clock)
        accounts = Accounts(
            store.asynchronous,
            clock=clock,
            ids=ids,
            settings=settings,
            limits=limits,
            mail=mail,
            passwords=Passwords(memory_kib=8, rounds=1),
        )
        jobs = Jobs(store.asynchronous, clock, ids)
        jobs.starters = Anybody(accounts)
        try:
            yield Kit(
                settings=settings,
                tables=store,
                clock=clock,
                ids=ids,
                accounts=accounts,
                files=files,
                uploads=Uploads(files, store.asynchronous, clock, ids),
                search=search,
                limits=limits,
                mail=mail,
                notifications=Notifications(
                    store.asynchronous, clock=clock, settings=settings, accounts=accounts, mail=mail
                ),
                fetcher=fetcher_for(settings),
                jobs=jobs,
            )
        finally:
            search.close()


@contextmanager
def engine_with(tables: tuple[Table, ...], faults: FaultPlan | None, clock: Callable[[], float]) -> Iterator[Engine]:
    """A temporary engine that has these tables and nothing in them. Nothing is done in the background: a test that
    moves its clock by days would otherwise lose, now and then, what streams keep for one."""
    with TemporaryDirectory(prefix="partita-") as data:
        file = Path(data, FILE_NAME)
        file.touch(0o600)
        file.write_bytes(_file_with(tables))
        with Engine(data, durability="off", background=False, faults=faults, clock=clock) as engine:
            yield engine


@cache
def _file_with(tables: tuple[Table, ...]) -> bytes:
    """Made once in a process: to make some tables takes as long as many a test."""
    with TemporaryDirectory(prefix="partita-") as data:
        with Engine(data, durability="off", background=False) as engine:
            EmbeddedStore(engine).create(*tables)
        return Path(data, FILE_NAME).read_bytes()


def worker_of(kit: Kit, system: System) -> ChangeWorker:
    """What follows the changes of a system; `drain` it to catch up."""
    assert isinstance(kit.tables, EmbeddedStore)
    stores = () if system.notification_store is None else (system.notification_store,)
    kit.notifications.use(system.notifications, stores)
    _make_known(kit, system)
    pace = Pace(poll=0.001, first_pause=0.001, longest_pause=0.001)
    return ChangeWorker(kit.store, kit.tables.engine.call_async, system.changes, kit.clock, pace=pace)


def jobs_of(kit: Kit, system: System) -> JobWorker:
    """What runs the jobs of a system; `drain` it to have them done. Once for each kit."""
    _make_known(kit, system)
    return JobWorker(kit.jobs, system.schedules)


def _make_known(kit: Kit, system: System) -> None:
    """Handlers start jobs too, whoever runs them."""
    kit.jobs.use(kind for kind in system.jobs if kit.jobs.kind(kind.name) is None)


async def replay(kit: Kit, system: System, name: str, times: int = 3) -> None:
    """Let a handler get every change again, in several processes at once."""
    assert isinstance(kit.tables, EmbeddedStore)
    (handler,) = (each for each in system.changes if each.name == name)
    numbers = (next(_REPLAYS) for _ in range(times))
    again = [replace(handler, name=f"{name}.replay-{number}") for number in numbers]
    call = kit.tables.engine.call_async
    workers = [ChangeWorker(kit.store, call, [each], kit.clock) for each in again]
    await asyncio.gather(*(worker.drain() for worker in workers))
    await kit.notifications.finish()


def person(name: str, *permissions: str) -> Viewer:
    """Somebody with an account and these permissions, who has just signed in."""
    return Viewer(
        user_id=name,
        username=name,
        name=name.title(),
        permissions=frozenset(permissions),
        via="session",
        confirmed=True,
    )
