"""Handlers that run after writes, on the tables' change streams: at least once, and in order for each key."""

from partita.kit.changes.handlers import Handler, Kept
from partita.kit.changes.worker import ChangeWorker
from partita.kit.changes.workers import ChangeWorkers
from partita.table.changes import Change

__all__ = ["Change", "ChangeWorker", "ChangeWorkers", "Handler", "Kept"]
