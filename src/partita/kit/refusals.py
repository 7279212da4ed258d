"""What errors of the tables mean for the person or program that made a request."""

from __future__ import annotations

import logging

from partita.dynamo.errors import DynamoError, StorageCorruptError, StorageFullError, StorageMissingError
from partita.kit.problems import Conflict, Problem, TooLarge, Unavailable
from partita.store.answers import ConnectionFailedError
from partita.store.retries import OVER_A_NETWORK
from partita.table.errors import ChangedMeanwhileError, ItemTooLargeError

_RETRY_AFTER = 2
_RETRY_WHEN_FULL = 60
_STEP = "Try again later, or tell your administrator."
_log = logging.getLogger(__name__)


class Busy(Unavailable):
    """The tables are throttled or unreachable; the response says when to try again."""

    code = "busy"
    title = "Busy right now"

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(_RETRY_AFTER)}


class TablesBroken(Unavailable):
    """The file of the tables is gone or damaged, or its disk is full; whoever runs the site is told by the log."""


class NoSpace(TablesBroken):
    """The disk is full."""

    code = "storage_full"
    title = "There is no space left"

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(_RETRY_WHEN_FULL)}


def refusal_of(error: Exception) -> Problem | None:
    """The problem that an error means, if trying again or changing the input may help; None otherwise."""
    match error:
        case Problem():
            return error
        case ChangedMeanwhileError():
            return Conflict(str(error), code="changed_meanwhile")
        case ItemTooLargeError():
            return TooLarge(f"{error} Make it shorter.")
        case StorageFullError():
            return NoSpace("There is no space left on the disk, so nothing was saved. Reading works; try again later.")
        case StorageMissingError():
            return TablesBroken(f"Nothing can be saved right now. {_STEP}", code="storage_missing")
        case StorageCorruptError():
            return TablesBroken(f"This cannot be read right now. {_STEP}", code="storage_damaged")
        case ConnectionFailedError():
            _log.warning("no answer: %s", error)
            return Busy("The database does not answer right now. Try again in a moment.")
        case DynamoError() if OVER_A_NETWORK.worth_it(error):
            _log.warning("busy: %s", error.code)
            return Busy("The database is busy. Nothing is lost; try again in a moment.")
        case _:
            return None
