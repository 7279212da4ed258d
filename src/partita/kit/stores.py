"""Opens the store that the settings name."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from partita.kit.keys import signing_keys
from partita.kit.settings import Settings
from partita.store.address import Timeouts
from partita.store.circuit import Circuit
from partita.store.embedded import EmbeddedStore
from partita.store.files import LARGE_VALUES, FolderFiles, LargeFiles
from partita.store.retries import OVER_A_NETWORK
from partita.store.store import Store
from partita.table import CursorKeys, Table

_log = logging.getLogger(__name__)
_ANSWER_SECONDS = 5.0
"""So long anything waits for an answer of the tables, however often it is sent again."""
_SKEW_SECONDS = 5.0


@contextmanager
def open_store(settings: Settings, *tables: Table) -> Iterator[Store]:
    """The store in the data folder or DynamoDB; the given tables are created if they are missing."""
    with _large_values(settings) as files, _open_tables(settings, files) as store:
        store.create(*tables)
        _tell_of_the_clock(store)
        yield store


@contextmanager
def _open_tables(settings: Settings, files: LargeFiles) -> Iterator[Store]:
    if settings.backend == "embedded":
        from partita.engine import Engine

        with Engine(settings.data, durability=settings.durability) as engine:
            if isinstance(files, FolderFiles):
                engine.maintenance.rarely.append(files.purge)  # also if nothing else is ever deleted
            # The secret is made after the tables: a folder that has one without them has lost them.
            cursors = CursorKeys(*signing_keys(settings, "cursors"))
            yield EmbeddedStore(engine, cursors, files=files, recovery_days=settings.recovery_days)
        return
    from partita.store.dynamo import DynamoStore

    store = DynamoStore(
        endpoint_url=settings.endpoint_url,
        region=settings.region,
        cursors=CursorKeys(*signing_keys(settings, "cursors")),
        files=files,
        make_tables=settings.make_tables,
        retries=replace(OVER_A_NETWORK, seconds=_ANSWER_SECONDS, circuit=Circuit()),
        timeouts=Timeouts(connect=2.0, read=_ANSWER_SECONDS),
    )
    try:
        yield store
    finally:
        store.close()


def _tell_of_the_clock(store: Store) -> None:
    """Nothing goes by clocks alone, but dates on pages and the times of schedules do."""
    from partita.store.dynamo import DynamoStore

    skew = store.dynamo.clock_skew if isinstance(store, DynamoStore) else None
    if skew is not None and abs(skew) > _SKEW_SECONDS:
        _log.warning(
            "this machine's clock is %.0f seconds %s the clock of the tables: set it by NTP",
            abs(skew),
            "ahead of" if skew > 0 else "behind",
        )


@contextmanager
def _large_values(settings: Settings) -> Iterator[LargeFiles]:
    """The files of values that are too large for their items."""
    if settings.files == "local":
        kept_days = settings.recovery_days if settings.backend == "embedded" else 0
        yield FolderFiles(settings.data / LARGE_VALUES, kept_days=kept_days)
        return
    from partita.kit.files import LargeValues
    from partita.kit.files.choose import s3_for

    values = LargeValues(s3_for(settings))
    try:
        yield values
    finally:
        values.close()
