"""What all parts of the accounts work with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from partita.kit.accounts.passwords import Passwords
from partita.kit.clock import Clock, Ids
from partita.kit.limits import Limits
from partita.kit.mail import Mail
from partita.kit.mail_queue import MailQueue
from partita.kit.settings import Settings
from partita.store.store import AsyncStore
from partita.table.types import timestamp


@dataclass(frozen=True, slots=True)
class AccountsKit:
    """The store, the clock and the services below the accounts: the kit without them."""

    store: AsyncStore
    clock: Clock
    ids: Ids
    settings: Settings
    limits: Limits
    mail: Mail
    queue: MailQueue
    """For notices, which are sent once and tried again; links, which are secrets, are not written down."""
    passwords: Passwords

    def timestamp(self) -> str:
        """The current time, as items store it."""
        return timestamp(self.clock.now())

    def expiry_in(self, *, days: int = 0, hours: int = 0) -> int:
        """When something made now expires, in seconds since 1970 as DynamoDB's TTL wants it."""
        return int((self.clock.now() + timedelta(days=days, hours=hours)).timestamp())
