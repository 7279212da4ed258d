"""The password items: checking and replacing somebody's password."""

from __future__ import annotations

from partita.kit.accounts.attempts import Attempts
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.schema import Account, Password, ResetLink, password
from partita.kit.accounts.sessions import NewSession, Sessions
from partita.kit.problems import FieldError, Invalid
from partita.table import Delete, Put, Transaction, Update, Write


class StoredPasswords:
    """Passwords of accounts; replacing one ends sessions."""

    def __init__(self, kit: AccountsKit, sessions: Sessions, attempts: Attempts) -> None:
        self._kit = kit
        self._sessions = sessions
        self._attempts = attempts

    async def get(self, user_id: str) -> Password | None:
        """Somebody's password, hashed; None for people of an OpenID provider."""
        return await self._kit.store.get(password(user_id).consistently())

    async def confirm(self, person: Account, entered: str, *, field: str) -> Password:
        """The stored password, if somebody entered it correctly in this field."""
        attempt = await self._attempts.of_password(person.user_id)
        stored = await self.get(person.user_id)
        if not await self._kit.passwords.verify(None if stored is None else stored.encoded, entered) or stored is None:
            raise Invalid(FieldError(field, "Wrong password."), code="wrong_password")
        await self._attempts.succeeded(attempt)
        return stored

    async def replace(
        self,
        person: Account,
        before: Password | None,
        new: str,
        *,
        keep_session: str | None = None,
        end_tokens: bool = False,
        link: Delete[ResetLink] | None = None,
        must_change: bool = False,
    ) -> NewSession | None:
        """Store a new password and begin a new generation, which ends all sessions; in place of the one to keep there
        is a new one. `end_tokens` does the same to API tokens. Deletes the reset link; `link` is that deletion with a
        condition."""
        generation = person.generation + 1
        now = self._kit.timestamp()
        encoded = await self._kit.passwords.encode(new)
        put = Put(Password(user_id=person.user_id, encoded=encoded, generation=generation, changed_at=now))
        account = Update(
            person.own_key,
            Account.generation.set(generation),
            Account.token_generation.set(person.token_generation + end_tokens),
            Account.must_change_password.set(must_change),
            Account.updated_at.set(now),
        )
        writes: list[Write] = [
            link or Delete(ResetLink.key(ResetLink.user_id(person.user_id))),
            put.if_new() if before is None else put.unless_changed(before, Password.encoded),
            account.unless_changed(person, Account.generation),
        ]
        session = None
        if keep_session is not None:
            session, renewal = await self._sessions.renewal(person, keep_session, generation=generation)
            writes.extend(renewal)
        await self._kit.store.transact(Transaction(*writes))
        await self._sessions.delete_ended(person.user_id, generation=generation)
        return session
