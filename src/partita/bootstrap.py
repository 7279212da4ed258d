"""Puts everything together: the systems, their tables and the kit."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any

from partita.apps.enablement import schema as enablement
from partita.apps.fus import schema as fus
from partita.apps.kelifax import examples as kelifax_examples
from partita.apps.kelifax import schema as kelifax
from partita.apps.newsletter import examples as newsletter_examples
from partita.apps.newsletter import schema as newsletter
from partita.apps.worthwatch import examples as worthwatch_examples
from partita.apps.worthwatch import schema as worthwatch
from partita.dynamo.python_values import item_from_python
from partita.table import CursorKeys, Pattern, Table
from partita.table.examples import Examples

if TYPE_CHECKING:
    from partita.kit.changes import ChangeWorker, ChangeWorkers, Handler
    from partita.kit.clock import Clock, Ids
    from partita.kit.kit import Kit
    from partita.kit.settings import Settings
    from partita.kit.suite import Suite
    from partita.kit.system import System
    from partita.store import Store
    from partita.store.observe import Observation
    from partita.store.streams import Call
    from partita.table.migrations import Migration

    Builder = Callable[[Kit], System]

SYSTEMS: dict[str, tuple[Table, ...]] = {
    "kelifax": (kelifax.RESOURCES,),
    "fus": (fus.FUS,),
    "worthwatch": (worthwatch.WORTHWATCH,),
    "newsletter": (newsletter.MAIN,),
    "enablement": (
        enablement.CONTENT,
        enablement.NOTIFICATIONS,
        enablement.SUBSCRIPTIONS,
        enablement.EVENTS,
    ),
}


def migrations() -> dict[str, Migration]:
    """The migrations of all systems by name."""
    # Imported here: it takes the system's service, and most do without migrations.
    from partita.apps.worthwatch.migration import WORTHWATCH_BY_ID

    return {migration.name: migration for migration in (WORTHWATCH_BY_ID,)}


def tables() -> Iterator[Table]:
    """The tables of all systems, and the shared ones: accounts, and the house's own."""
    # Imported here: the kit needs much that a schema alone does not.
    import partita.kit.changes.schema  # these keep their items in the house's table
    import partita.kit.jobs.schema
    import partita.kit.notifications.schema
    import partita.kit.sharing.schema  # noqa: F401
    from partita.kit.accounts import ACCOUNTS
    from partita.kit.files.schema import UPLOADS
    from partita.kit.schema import HOUSE
    from partita.kit.settings import read_settings

    for system in SYSTEMS.values():
        yield from system
    for name in read_settings().systems:
        if name not in SYSTEMS:
            yield from (each for each in vars(_module_of(name, "schema")).values() if isinstance(each, Table))
    yield from (ACCOUNTS, HOUSE, UPLOADS)


def patterns() -> Iterator[Pattern]:
    """Every access pattern of those tables."""
    for table in tables():
        yield from table.patterns


def examples() -> Examples:
    """Example items from the design documents."""
    systems = (kelifax_examples, newsletter_examples, worthwatch_examples)
    rows = [pair for system in systems for pair in system.DOCUMENTED.items()]
    return Examples(kind.from_row(item_from_python(row)) for kind, row in rows)


def build(
    settings: Settings,
    *,
    builders: Iterable[Builder] | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> Suite:
    """The suite, ready to run: opens the store, creates missing tables, and builds the kit and the systems. The systems
    come from the settings, unless `builders` are given."""
    from partita.kit.accounts import ACCOUNTS, Accounts
    from partita.kit.avatars import avatar_handler, owned_avatars
    from partita.kit.changes.backlog import Backlog
    from partita.kit.clock import RandomIds, SystemClock
    from partita.kit.fetcher import fetcher_for
    from partita.kit.files import Uploads, files_for, upload_handler
    from partita.kit.files.schema import UPLOADS
    from partita.kit.files.sweeping import WEEKLY, sweep_kind
    from partita.kit.jobs import Jobs, JobWorker
    from partita.kit.keys import place_of, signing_keys
    from partita.kit.kit import Kit
    from partita.kit.limits import Limits
    from partita.kit.mail import mail_for
    from partita.kit.meaning.choosing import meaning_for
    from partita.kit.notifications import Notifications
    from partita.kit.personal_data.forgetting import forget_handler
    from partita.kit.personal_data.service import PersonalData
    from partita.kit.schema import HOUSE
    from partita.kit.search import Search
    from partita.kit.search.rebuilding import rebuild_kind
    from partita.kit.stores import open_store
    from partita.kit.suite import Suite, policy_of

    clock, ids = clock or SystemClock(), ids or RandomIds()
    with ExitStack() as opened:
        tables = opened.enter_context(open_store(settings, HOUSE, ACCOUNTS, UPLOADS))
        keys = CursorKeys(*signing_keys(settings, "search"))
        file, meaning = settings.data / "search.db", meaning_for(settings)
        if meaning is not None:
            opened.callback(meaning.close)
        search = Search(file, keys, meaning=meaning, durability=settings.durability)
        opened.callback(search.close)
        limits = Limits(tables.asynchronous, clock)
        mail = mail_for(settings, tables.asynchronous, clock, ids)
        accounts = Accounts(tables.asynchronous, clock=clock, ids=ids, settings=settings, limits=limits, mail=mail)
        files = files_for(settings, clock)
        notifications = Notifications(tables.asynchronous, clock=clock, settings=settings, accounts=accounts, mail=mail)
        kit = Kit(
            settings=settings,
            tables=tables,
            clock=clock,
            ids=ids,
            accounts=accounts,
            files=files,
            uploads=Uploads(files, tables.asynchronous, clock, ids),
            search=search,
            limits=limits,
            mail=mail,
            notifications=notifications,
            fetcher=fetcher_for(settings),
            jobs=Jobs(tables.asynchronous, clock, ids),
        )
        systems = tuple(build_one(kit) for build_one in (_builders(settings.systems) if builders is None else builders))
        tables.create(*(table for system in systems for table in system.tables))
        accounts.use(policy_of(systems), tuple(system.grants for system in systems if system.grants is not None))
        notifications.use(
            (kind for system in systems for kind in system.notifications),
            (system.notification_store for system in systems if system.notification_store is not None),
        )
        handlers = [
            upload_handler(files),
            avatar_handler(files),
            *(handler for system in systems for handler in system.changes),
        ]
        if settings.backend != "embedded":  # else all processes have one index, and the job itself has seen to it
            searches = [each for system in systems for each in system.searches]
            handlers.append(forget_handler(search, searches, lambda name: worker.catch_up(name)))
        worker = _worker(settings, tables, handlers, clock)
        kit.jobs.use([rebuild_kind(search, kit.store, [each for system in systems for each in system.searches])])
        backlog = Backlog(kit.store, _stream_calls(tables), worker.handlers, worker.progress_of)
        kit.jobs.use([PersonalData(kit, systems, backlog=backlog).kind])
        kit.jobs.use(kind for system in systems for kind in system.jobs)
        owned = [owned_avatars(kit.store), *(owned for system in systems for owned in system.files)]
        kit.jobs.use([sweep_kind(files, kit.store, clock, owned)])
        schedules = [WEEKLY, *(schedule for system in systems for schedule in system.schedules)]
        jobs = JobWorker(kit.jobs, schedules, at_once=settings.jobs, place=place_of(settings))
        resources = opened.pop_all()

    async def close() -> None:
        for system in systems:
            if system.finish is not None:
                await system.finish()
        await accounts.finish()
        await notifications.finish()
        await kit.files.close()
        kit.fetcher.close()
        await _end_connections(tables)
        resources.close()

    return Suite(kit, systems, tuple(handlers), worker, close, jobs)


def systems_left_out(suite: Suite) -> tuple[str, ...]:
    """The systems that have tables, and that this suite was not told to open."""
    from partita.dynamo.errors import ResourceNotFoundError

    def there(table: Table) -> bool:
        try:
            suite.kit.tables.transport.call("DescribeTable", {"TableName": table.name})
        except ResourceNotFoundError:
            return False
        return True

    opened = {system.name for system in suite.systems}
    return tuple(name for name, own in SYSTEMS.items() if name not in opened and any(map(there, own)))


def shared_worker(suite: Suite) -> ChangeWorker:
    """The worker of a Lambda function: the shared change handlers, without those that each machine runs for itself."""
    from partita.kit.changes import ChangeWorker
    from partita.kit.changes.pace import IN_LAMBDA

    tables, handlers = suite.kit.tables, (each for each in suite.handlers if not each.local)
    return ChangeWorker(tables.asynchronous, _stream_calls(tables), handlers, suite.kit.clock, pace=IN_LAMBDA)


def _worker(
    settings: Settings, tables: Store, handlers: Sequence[Handler], clock: Clock
) -> ChangeWorker | ChangeWorkers:
    """For tables in the data folder, one worker runs all handlers. For tables in DynamoDB, one machine at a time runs
    the shared handlers (unless Lambda functions do), and each machine runs its local ones."""
    from partita.kit.changes import ChangeWorker, ChangeWorkers
    from partita.kit.changes.pace import OVER_THE_NETWORK, Pace
    from partita.kit.changes.reading import SharedReader
    from partita.kit.keys import place_of

    pace = Pace() if settings.backend == "embedded" else OVER_THE_NETWORK

    calls = _stream_calls(tables)
    reader = SharedReader(calls, pace)

    def worker(*own: Handler, place: str = "") -> ChangeWorker:
        return ChangeWorker(tables.asynchronous, calls, own, clock, place=place, pace=pace, reader=reader)

    if settings.backend == "embedded":
        return worker(*handlers)

    def expect(seen: Observation) -> None:
        if seen.is_write:
            for table in seen.tables:
                reader.expect(table)

    tables.asynchronous.observe(expect)
    shared = [worker(*(each for each in handlers if not each.local))] if settings.changes == "all" else []
    local = worker(*(each for each in handlers if each.local), place=place_of(settings))
    return ChangeWorkers([*shared, local])


def system_that_counts(table: str) -> str | None:
    """The system that keeps counters of the rows of a table."""
    from importlib.util import find_spec

    for name in SYSTEMS:
        module = f"partita.apps.{name}.service.recounting"
        if find_spec(module) is not None and any(each.table.name == table for each in import_module(module).RECOUNTS):
            return name
    return None


def _builders(names: Sequence[str]) -> Iterator[Builder]:
    """`build` in the `system.py` of each system."""
    from partita.kit.settings import SettingsError

    if len(set(names)) < len(names):
        raise SettingsError(f"PARTITA_SYSTEMS: {', '.join(names)} names a system twice")
    for name in names:
        yield _module_of(name, "system").build


def _module_of(name: str, module: str) -> Any:
    """A module of a system: of one of the five, or of another package, which may be in the current folder."""
    from partita.kit.settings import SettingsError

    package = f"partita.apps.{name}" if name in SYSTEMS else name
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return import_module(f"{package}.{module}")
    except ModuleNotFoundError as error:
        if error.name not in (package, f"{package}.{module}"):
            raise
        raise SettingsError(
            f"PARTITA_SYSTEMS: {name!r} is not a system of Partita ({', '.join(SYSTEMS)}), and there is no"
            f" {name}/{module}.py in {os.getcwd()}"
        ) from None


async def _end_connections(tables: Store) -> None:
    from partita.store.dynamo import DynamoStore

    if isinstance(tables, DynamoStore):
        await tables.dynamo.close_async()


def _stream_calls(tables: Store) -> Call:
    """The function that calls the streams API: of the engine, or of the endpoint."""
    from partita.store.dynamo import DynamoStore
    from partita.store.embedded import EmbeddedStore

    if isinstance(tables, EmbeddedStore):
        return tables.engine.call_async
    if isinstance(tables, DynamoStore):
        return tables.dynamo.call_async
    raise TypeError(f"{type(tables).__name__} has no streams to read")
