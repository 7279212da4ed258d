"""What happens after a write: handlers that follow the tables' change streams, at least once, in order per key."""

from partita.kit.changes.change import Change, Handler
from partita.kit.changes.worker import ChangeWorker

__all__ = ["Change", "ChangeWorker", "Handler"]
