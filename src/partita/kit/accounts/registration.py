"""New accounts."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import SecretStr

from partita.dynamo.errors import TransactionCanceledError
from partita.kit.accounts.desk import log
from partita.kit.accounts.directory import Directory
from partita.kit.accounts.inputs import SignUp, checked
from partita.kit.accounts.passwords import one_time_password
from partita.kit.accounts.schema import EMAIL, USERNAME, Account, Password
from partita.kit.limits import Rule, network_of
from partita.kit.permissions import ADMIN
from partita.kit.problems import Conflict, FieldError, Forbidden
from partita.table import Put, Transaction

_SIGN_UPS = Rule("sign-up", most=20, seconds=3600)
_FIRST = "admin"


class Registration(Directory):
    """Makes accounts; an address and a username belong to one, whoever else asks for them at the same moment."""

    async def sign_up(self, username: str, email: str, name: str, password: str, *, address: str = "") -> Account:
        """Make an account for whoever asks; `address` is where the request came from."""
        if not self._settings.sign_up:
            raise Forbidden("New accounts are made by an administrator. Ask one.", code="sign_up_closed")
        said = checked(lambda: SignUp(username=username, email=email, name=name, password=SecretStr(password)))
        if address:
            await self._limits.check(_SIGN_UPS, network_of(address))
        made = await self._make(said.username, said.email, said.name, password)
        log.info("%s signed up", made.user_id)
        return made

    async def ensure_admin(self) -> str | None:
        """At the first start, make the administrator; returns the password that works once, None if there is one."""
        if await self.account_by_username(_FIRST) is not None:
            return None
        password = one_time_password()
        try:
            await self._make(_FIRST, None, "Administrator", password, roles=(ADMIN,), must_change=True)
        except Conflict:  # another process was faster
            return None
        return password

    async def _make(
        self,
        username: str,
        email: str | None,
        name: str,
        password: str,
        *,
        roles: Collection[str] = (),
        must_change: bool = False,
    ) -> Account:
        await self._refuse_taken(username, email)
        now = self._stamp()
        person = Account(
            user_id=self._ids.new(),
            username=username,
            email=email,
            name=name,
            roles=frozenset(roles),
            must_change_password=must_change,
            created_at=now,
            updated_at=now,
        )
        encoded = await self._passwords.encode(password)
        stored = Password(user_id=person.user_id, encoded=encoded, changed_at=now)
        try:
            await self._store.transact(
                Transaction(Put(person).if_new(), Put(stored), *USERNAME.claim(person), *EMAIL.claim(person))
            )
        except TransactionCanceledError:
            await self._refuse_taken(username, email)
            raise
        return person

    async def _refuse_taken(self, username: str, email: str | None) -> None:
        """Say of all that is taken at once."""
        errors = []
        if await self._owner(username) is not None:
            errors.append(FieldError("username", "Somebody has this username. Choose another."))
        if email is not None and await self._owner(email) is not None:
            errors.append(FieldError("email", EMAIL_TAKEN))
        if errors:
            raise Conflict(errors[0].message, code=f"{errors[0].field}_taken", errors=errors)


EMAIL_TAKEN = "There is an account with this address. Sign in, or have the password reset."
