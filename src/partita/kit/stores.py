"""Opens the store that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from partita.kit.keys import signing_keys
from partita.kit.settings import Settings
from partita.store.embedded import EmbeddedStore
from partita.store.files import LARGE_VALUES, FolderFiles, LargeFiles
from partita.store.store import Store
from partita.table import CursorKeys, Table


@contextmanager
def open_store(settings: Settings, *tables: Table) -> Iterator[Store]:
    """The store in the data folder or DynamoDB; the given tables are created if they are missing."""
    cursors = CursorKeys(*signing_keys(settings, "cursors"))
    with _large_values(settings) as files, _open_tables(settings, cursors, files) as store:
        store.create(*tables)
        yield store


@contextmanager
def _open_tables(settings: Settings, cursors: CursorKeys, files: LargeFiles) -> Iterator[Store]:
    if settings.backend == "embedded":
        from partita.engine import Engine

        with Engine(settings.data, durability=settings.durability) as engine:
            yield EmbeddedStore(engine, cursors, files=files, recovery_days=settings.recovery_days)
        return
    from partita.store.dynamo import DynamoStore

    store = DynamoStore(
        endpoint_url=settings.endpoint_url,
        region=settings.region,
        cursors=cursors,
        files=files,
        make_tables=settings.make_tables,
    )
    try:
        yield store
    finally:
        store.close()


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
