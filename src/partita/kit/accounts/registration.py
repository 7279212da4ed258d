"""New accounts."""

from __future__ import annotations

import logging
from collections.abc import Collection

from pydantic import SecretStr

from partita.dynamo.errors import TransactionCanceledError
from partita.kit.accounts.addresses import Addresses
from partita.kit.accounts.inputs import SignUp, checked
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.passwords import one_time_password
from partita.kit.accounts.people import People
from partita.kit.accounts.schema import EMAIL, USERNAME, Account, Password
from partita.kit.limits import Rule, network_of
from partita.kit.permissions import ADMIN
from partita.kit.problems import Conflict, FieldError, Forbidden
from partita.table import Put, Transaction, Write

_EMAIL_TAKEN = "An account with this email address already exists."
_SIGN_UPS = Rule("sign-up", most=20, seconds=3600)
_FIRST_ADMIN = "admin"
_log = logging.getLogger(__name__)


class Registration:
    """Creates accounts. A transaction keeps usernames and email addresses unique, even if two ask at the same time."""

    def __init__(self, kit: AccountsKit, people: People, addresses: Addresses) -> None:
        self._kit = kit
        self._people = people
        self._addresses = addresses

    async def sign_up(self, username: str, email: str, name: str, password: str, *, address: str = "") -> Account:
        """Create an account for a visitor; `address` is the network address of the request. The email address becomes
        theirs when they open the link that is sent there: what is answered here does not depend on whose it is."""
        if not self._kit.settings.sign_up:
            raise Forbidden("Sign-up is closed. Ask an administrator for an account.", code="sign_up_closed")
        valid = checked(lambda: SignUp(username=username, email=email, name=name, password=SecretStr(password)))
        if address:
            await self._kit.limits.check(_SIGN_UPS, network_of(address))
        person = self._new(valid.username, None, valid.name)
        pending, token = self._addresses.claim(person, valid.email)
        await self._store(person, password, pending)
        _log.info("%s signed up", person.user_id)
        self._addresses.send_link(person, valid.email, token)
        return person

    async def ensure_admin(self) -> str | None:
        """Create the first administrator and return the one-time password; None if the account exists."""
        if await self._people.by_username(_FIRST_ADMIN) is not None:
            return None
        password = one_time_password()
        try:
            await self.create(_FIRST_ADMIN, None, "Administrator", password, roles=(ADMIN,), must_change=True)
        except Conflict:  # another process was faster
            return None
        return password

    async def create(
        self,
        username: str,
        email: str | None,
        name: str,
        password: str,
        *,
        roles: Collection[str] = (),
        must_change: bool = False,
    ) -> Account:
        """Create an account from values that have been checked, by somebody who knows that the address is theirs;
        `Conflict` if the username or address is taken."""
        person = self._new(username, email, name, roles=roles, must_change=must_change)
        await self._store(person, password)
        return person

    def _new(
        self,
        username: str,
        email: str | None,
        name: str,
        *,
        roles: Collection[str] = (),
        must_change: bool = False,
    ) -> Account:
        now = self._kit.timestamp()
        return Account(
            user_id=self._kit.ids.new(),
            username=username,
            email=email,
            name=name,
            roles=frozenset(roles),
            must_change_password=must_change,
            created_at=now,
            updated_at=now,
        )

    async def _store(self, person: Account, password: str, *more: Write) -> None:
        await self._refuse_taken(person.username, person.email)
        encoded = await self._kit.passwords.encode(password)
        stored = Password(user_id=person.user_id, encoded=encoded, changed_at=person.created_at)
        claims = (*USERNAME.claim(person), *EMAIL.claim(person))
        try:
            await self._kit.store.transact(Transaction(Put(person).if_new(), Put(stored), *claims, *more))
        except TransactionCanceledError:
            await self._refuse_taken(person.username, person.email)
            raise

    async def _refuse_taken(self, username: str, email: str | None) -> None:
        """Report a taken username and a taken address together."""
        errors = []
        if await self._people.id_of(username) is not None:
            errors.append(FieldError("username", "This username is taken. Choose another."))
        if email is not None and await self._people.id_of(email) is not None:
            errors.append(FieldError("email", _EMAIL_TAKEN))
        if errors:
            raise Conflict(errors[0].message, code=f"{errors[0].field}_taken", errors=errors)
