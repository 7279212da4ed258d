"""A disk that is full: it is told as such, so that nobody takes it for a fault of the question or of a change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from partita.dynamo.errors import StorageFullError
from partita.engine.database import storage_error


@contextmanager
def full_disks_told() -> Iterator[None]:
    """SQLite's errors of a full disk, as those of the tables are; others stay as they are."""
    try:
        yield
    except apsw.Error as error:
        known = storage_error(error)
        if isinstance(known, StorageFullError):
            raise known from error
        raise
