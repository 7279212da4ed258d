"""Showing again who one is, before something dangerous: with a code if there is a second factor, else the password."""

from __future__ import annotations

import logging

from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.people import People
from partita.kit.accounts.second_factor import SecondFactors
from partita.kit.accounts.sessions import NewSession, Sessions
from partita.kit.accounts.stored_passwords import StoredPasswords
from partita.kit.permissions import Viewer
from partita.table import Transaction

_log = logging.getLogger(__name__)


class Confirmations:
    """Lets a session do dangerous things for some minutes."""

    def __init__(
        self,
        kit: AccountsKit,
        people: People,
        sessions: Sessions,
        passwords: StoredPasswords,
        factors: SecondFactors,
    ) -> None:
        self._kit = kit
        self._people = people
        self._sessions = sessions
        self._passwords = passwords
        self._factors = factors

    async def needs_code(self, viewer: Viewer) -> bool:
        """Whether the viewer must enter a code and not the password."""
        return (await self._people.own_account(viewer, unfinished=True)).second_factor

    async def confirm(self, viewer: Viewer, *, password: str = "", code: str = "") -> NewSession:
        """Check it, and go on with a new session in place of the viewer's."""
        person = await self._people.own_account(viewer, unfinished=True)
        if person.second_factor:
            await self._factors.check(person, code)
        else:
            await self._passwords.confirm(person, password, field="password")
        new, writes = await self._sessions.renewal(person, viewer.session_id, generation=person.generation)
        await self._kit.store.transact(Transaction(*writes))
        _log.info("%s confirmed who they are", person.user_id)
        return new
