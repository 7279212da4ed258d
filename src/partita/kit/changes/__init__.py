"""What happens after a write: handlers that follow the tables' change streams, at least once, in order per key."""

from partita.kit.changes.change import Change, Handler, Kept
from partita.kit.changes.worker import ChangeWorker
from partita.kit.changes.workers import ChangeWorkers

__all__ = ["Change", "ChangeWorker", "ChangeWorkers", "Handler", "Kept"]
