"""What people change about their own account."""

from __future__ import annotations

import logging

from partita.kit.accounts.former_names import NAME_CHANGES, given_up
from partita.kit.accounts.inputs import Name, checked_field, checked_password
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.notices import Notices
from partita.kit.accounts.people import People
from partita.kit.accounts.schema import Account
from partita.kit.accounts.sessions import NewSession
from partita.kit.accounts.stored_passwords import StoredPasswords
from partita.kit.accounts.tokens import Tokens
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid, SignInRequired
from partita.table import Transaction, Update

_log = logging.getLogger(__name__)


class Profile:
    """The name and password of the viewer."""

    def __init__(
        self, kit: AccountsKit, people: People, passwords: StoredPasswords, tokens: Tokens, notices: Notices
    ) -> None:
        self._kit = kit
        self._people = people
        self._passwords = passwords
        self._tokens = tokens
        self._notices = notices

    async def change_name(self, viewer: Viewer, name: str) -> Account:
        """Change the name that others see."""
        new: str = checked_field("name", Name, name)
        if (await self._people.own_account(viewer)).name != new:
            await self._kit.limits.check(NAME_CHANGES, viewer.id)
        return await self._kit.store.attempt(lambda: self._rename(viewer, new))

    async def _rename(self, viewer: Viewer, new: str) -> Account:
        person = await self._people.own_account(viewer)
        if person.name == new:
            return person
        now = self._kit.timestamp()
        change = Update(person.own_key, Account.name.set(new), Account.updated_at.set(now))
        kept = given_up(person.user_id, person.name, now)
        await self._kit.store.transact(Transaction(change.unless_changed(person, Account.name), kept))
        return person.model_copy(update={"name": new, "updated_at": now})

    async def change_password(self, viewer: Viewer, old: str, new: str, *, revoke_tokens: bool = False) -> NewSession:
        """Change the password; every other session ends, and this one goes on under a new token."""
        person = await self._people.own_account(viewer, unfinished=True)
        checked_password("new", new, person.username, person.email, person.name)
        stored = await self._passwords.confirm(person, old, field="old")
        if old == new:
            raise Invalid(FieldError("new", "This is your current password. Choose another."))
        session = await self._passwords.replace(
            person, stored, new, keep_session=viewer.session_id or "", end_tokens=revoke_tokens
        )
        if session is None:
            raise SignInRequired("You have been signed out. Sign in again.")
        if revoke_tokens:
            await self._tokens.revoke_all(person.user_id)
        _log.info("%s changed the password", person.user_id)
        await self._notices.password_changed(person)
        return session
