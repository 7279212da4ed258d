"""What people change about their own account."""

from __future__ import annotations

import logging

from partita.kit.accounts.inputs import Email, Name, checked_field, checked_password
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.people import People
from partita.kit.accounts.registration import EMAIL_TAKEN
from partita.kit.accounts.schema import EMAIL, Account, ResetLink
from partita.kit.accounts.stored_passwords import StoredPasswords
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid
from partita.table import Delete, Transaction, Update

_log = logging.getLogger(__name__)


class Profile:
    """The name, email address and password of the viewer."""

    def __init__(self, kit: AccountsKit, people: People, passwords: StoredPasswords) -> None:
        self._kit = kit
        self._people = people
        self._passwords = passwords

    async def change_name(self, viewer: Viewer, name: str) -> Account:
        """Change the name that others see."""
        person = await self._people.own_account(viewer)
        new: str = checked_field("name", Name, name)
        change = Update(person.own_key, Account.name.set(new), Account.updated_at.set(self._kit.timestamp()))
        return await self._kit.store.update(change)

    async def change_email(self, viewer: Viewer, email: str, password: str) -> Account:
        """Claim another email address and release the old one. Needs the password, because whoever has the address
        can reset it."""
        person = await self._people.own_account(viewer)
        new: str = checked_field("email", Email, email)
        await self._passwords.confirm(person, password, field="password")
        after = person.model_copy(update={"email": new, "updated_at": self._kit.timestamp()})
        taken = Conflict(EMAIL_TAKEN, code="email_taken", errors=[FieldError("email", EMAIL_TAKEN)])
        moves = EMAIL.otherwise(taken).move(person, after)
        if not moves:
            return person
        change = Update(person.own_key, Account.email.set(new), Account.updated_at.set(after.updated_at))
        forget = Delete(ResetLink.key(ResetLink.user_id(person.user_id)))  # it went to the old address
        await self._kit.store.transact(Transaction(change.unless_changed(person, Account.email), *moves, forget))
        _log.info("%s changed the email address", person.user_id)
        return after

    async def change_password(self, viewer: Viewer, old: str, new: str) -> None:
        """Change the password; every other session ends."""
        person = await self._people.own_account(viewer, with_one_time_password=True)
        checked_password("new", new, person.username, person.email, person.name)
        stored = await self._passwords.confirm(person, old, field="old")
        if old == new:
            raise Invalid(FieldError("new", "This is your current password. Choose another."))
        await self._passwords.replace(person, stored, new, keep_session=viewer.session_id)
        _log.info("%s changed the password", person.user_id)
