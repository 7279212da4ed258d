"""Running migrations: for real, as a rehearsal, again after an interruption; and checking what they made."""

from partita.store.migrate.checkpoints import MIGRATIONS, Status, Tally, status
from partita.store.migrate.errors import MigrationBusyError, NoSourceError, UnfinishedRunError
from partita.store.migrate.pace import Pace, Stopped
from partita.store.migrate.report import Difference, Example, Progress, Report, Verified
from partita.store.migrate.run import migrate, rehearse
from partita.store.migrate.verify import verify

__all__ = [
    "MIGRATIONS",
    "Difference",
    "Example",
    "MigrationBusyError",
    "NoSourceError",
    "Pace",
    "Progress",
    "Report",
    "Status",
    "Stopped",
    "Tally",
    "UnfinishedRunError",
    "Verified",
    "migrate",
    "rehearse",
    "status",
    "verify",
]
