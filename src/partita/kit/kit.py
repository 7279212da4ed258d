"""The kit: everything a system is built with. Made once, in `bootstrap`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from partita.kit.clock import Clock, Ids
from partita.store.store import AsyncStore, Store

if TYPE_CHECKING:
    from partita.kit.accounts import Accounts
    from partita.kit.fetcher import Fetcher
    from partita.kit.files import Files, Uploads
    from partita.kit.jobs import Jobs
    from partita.kit.jobs.starters import Starters
    from partita.kit.limits import Limits
    from partita.kit.mail import Mail
    from partita.kit.notifications import Notifications
    from partita.kit.search import Search
    from partita.kit.settings import Settings


@dataclass(frozen=True, slots=True)
class Kit:
    """Tables, time, people, files, search, limits, mail, notifications, jobs."""

    settings: Settings
    tables: Store
    clock: Clock
    ids: Ids
    accounts: Accounts
    files: Files
    uploads: Uploads
    search: Search
    limits: Limits
    mail: Mail
    notifications: Notifications
    fetcher: Fetcher
    jobs: Jobs

    def __post_init__(self) -> None:
        from partita.kit.jobs.starters import Starters

        self.jobs.starters = self.jobs.starters or Starters(self.accounts)

    @property
    def starters(self) -> Starters:
        """Who jobs work for, with the permissions that they have now."""
        assert self.jobs.starters is not None
        return self.jobs.starters

    @property
    def store(self) -> AsyncStore:
        """The asynchronous store, which services use."""
        return self.tables.asynchronous
