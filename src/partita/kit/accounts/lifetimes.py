"""How long a session lasts: at most some days, less if nobody uses it, and hours for administrators."""

from __future__ import annotations

from datetime import datetime, timedelta

from partita.kit.accounts.schema import Account, Session
from partita.kit.permissions import ADMIN, House
from partita.kit.settings import Settings
from partita.table.types import timestamp

_HOUSE = frozenset(map(str, House))


class Lifetimes:
    """The rules of the settings."""

    def __init__(self, settings: Settings) -> None:
        self._idle = timedelta(hours=settings.session_idle_hours)
        self._admin_idle = timedelta(minutes=settings.admin_idle_minutes)
        self._admin = timedelta(hours=settings.admin_session_hours)
        self._confirmed = timedelta(minutes=settings.confirm_minutes)

    def has_ended(self, session: Session, now: datetime, *, administrator: bool) -> bool:
        """Whether a session's time is over. Its use is noted every five minutes, so that it may end so much early."""
        if session.expires_at <= now.timestamp() or session.used_at <= timestamp(now - self._idle):
            return True
        return administrator and (
            session.used_at <= timestamp(now - self._admin_idle) or session.created_at <= timestamp(now - self._admin)
        )

    def is_confirmed(self, session: Session, now: datetime) -> bool:
        """Whether its owner has entered a password or code a few minutes ago."""
        return (session.confirmed_at or "") > timestamp(now - self._confirmed)


def is_administrator(person: Account, granted: frozenset[str]) -> bool:
    """Whether somebody may look after the suite, by a role or a group."""
    return ADMIN in person.roles or not _HOUSE.isdisjoint(granted)
