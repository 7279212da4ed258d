"""Why a migration does not begin or does not go on. Nothing is lost by any of them."""

from __future__ import annotations

from partita.table.errors import ModelError


class NoSourceError(ModelError):
    """The table that a migration reads is not there."""

    def __init__(self, source: str) -> None:
        super().__init__(f"There is no table {source} to read from. Is it the right place, and the right name?")


class MigrationBusyError(ModelError):
    """Another process runs the same migration."""

    def __init__(self, migration: str) -> None:
        super().__init__(
            f"Another process runs {migration} at this moment. Nothing is lost; wait until it ends, then run it again."
        )


class UnfinishedRunError(ModelError):
    """There is an unfinished run that reads another table."""

    def __init__(self, migration: str, number: int, source: str) -> None:
        super().__init__(
            f"Run {number} of {migration} is not finished and reads {source}. "
            "Let it go on with that source, or begin again."
        )
