"""Signing in and out, and the browsers somebody is signed in with."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.accounts import credentials
from partita.kit.accounts.attempts import Attempts
from partita.kit.accounts.inputs import could_be_id
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.lifetimes import Lifetimes, is_administrator
from partita.kit.accounts.people import People, refuse_suspended
from partita.kit.accounts.schema import Account, Password, Session, sessions_of
from partita.kit.accounts.second_factor import SecondFactors
from partita.kit.accounts.tickets import Ticket, Tickets
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound, SignInRequired
from partita.table import Delete, Put, Update, Write
from partita.table.types import timestamp

_MOST_LISTED = 100
_UNUSED_ID = "0" * 26
"""An id that nobody has: looking up an unknown name takes as long as a known one."""
_ONE_TIME_PASSWORD = timedelta(days=7)
_EXPIRED = "This one-time password has expired. Ask an administrator for a new one."
_SIGNED_OUT = "You have been signed out. Sign in again."
_log = logging.getLogger(__name__)


class CodeRequired(SignInRequired):
    """The password is right, and a code of the second factor must follow."""

    code = "code_required"

    def __init__(self, ticket: str) -> None:
        super().__init__("Enter a code of your authenticator app to sign in.")
        self.ticket = ticket


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that has just begun, with the token for the cookie, which is shown nowhere else."""

    token: str = field(repr=False)
    account: Account
    expires_at: int
    """When the session ends at the latest, in seconds since 1970."""


class Sessions:
    """Browsers that are signed in."""

    def __init__(self, kit: AccountsKit, people: People, attempts: Attempts, factors: SecondFactors) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._attempts = attempts
        self._factors = factors
        self._lifetimes = Lifetimes(kit.settings)
        self._tickets = Tickets(kit.settings, kit.clock)

    async def sign_in(
        self, identity: str, password: str, *, user_agent: str = "", address: str = "", replacing: str | None = None
    ) -> NewSession:
        """Sign somebody in by email address or username; always begins a new session. `replacing` is the token that the
        browser had before, whose session ends. `address` is the network address of the request. `CodeRequired` has the
        ticket for `finish_sign_in`, if somebody has a second factor."""
        user_id = await self._people.id_of(identity)
        attempt = await self._attempts.to_sign_in(identity, user_id, address)
        person, stored = await self._account_and_password(user_id or _UNUSED_ID)
        right = await self._kit.passwords.verify(None if stored is None else stored.encoded, password)
        if not right or attempt.in_vain or person is None or stored is None:
            _log.info("a sign-in failed%s", f" for {person.user_id}" if person is not None else "")
            raise SignInRequired("Wrong username or password.", code="wrong_password")
        refuse_suspended(person)
        await self._attempts.succeeded(attempt)
        if person.must_change_password and stored.changed_at <= timestamp(self._kit.clock.now() - _ONE_TIME_PASSWORD):
            raise SignInRequired(_EXPIRED, code="one_time_password_expired")
        if self._kit.passwords.outdated(stored.encoded):
            await self._rehash(stored, password)
        if person.second_factor:
            raise CodeRequired(self._tickets.issue(Ticket(person.user_id, stored.generation)))
        return await self._enter(person, stored.generation, user_agent, replacing)

    async def finish_sign_in(
        self, ticket: str, code: str, *, user_agent: str = "", replacing: str | None = None
    ) -> NewSession:
        """Sign in whoever has entered the right password before, with a code of their app or a recovery code."""
        found = self._tickets.read(ticket)
        person, stored = (None, None) if found is None else await self._account_and_password(found.user_id)
        if found is None or person is None or stored is None or found.generation != stored.generation:
            raise SignInRequired("This took too long. Enter your password again.", code="sign_in_again")
        refuse_suspended(person)
        if person.second_factor:
            await self._factors.check(person, code)
        return await self._enter(person, stored.generation, user_agent, replacing)

    async def sign_out(self, viewer: Viewer) -> None:
        """End the viewer's current session."""
        if viewer.session_id is not None:
            await self._store.write(
                Delete(Session.key(Session.user_id(viewer.id), Session.session_id(viewer.session_id)))
            )
            _log.info("%s signed out", viewer.id)

    async def list(self, viewer: Viewer) -> tuple[Session, ...]:
        """The viewer's sessions, newest first; the current one has the viewer's `session_id`."""
        person = await self._people.own_account(viewer, unfinished=True)
        return await self.active(person, viewer.permissions)

    async def revoke(self, viewer: Viewer, session_id: str) -> None:
        """End one of the viewer's sessions."""
        person = await self._people.own_account(viewer, unfinished=True)
        ended = NotFound("This session has already ended.")
        if not could_be_id(session_id):
            raise ended
        key = Session.key(Session.user_id(person.user_id), Session.session_id(session_id))
        await self._store.write(Delete(key).if_there().otherwise(ended))
        _log.info("%s revoked a session", viewer.id)

    async def revoke_others(self, viewer: Viewer) -> None:
        """End all of the viewer's sessions but the current one."""
        person = await self._people.own_account(viewer, unfinished=True)
        every = [each async for each in self._store.stream(sessions_of(person.user_id).consistently())]
        await self._store.batch_write(Delete(each.own_key) for each in every if each.session_id != viewer.session_id)
        _log.info("%s revoked all other sessions", viewer.id)

    async def active(self, person: Account, granted: frozenset[str]) -> tuple[Session, ...]:
        """Somebody's sessions that have not ended, newest first; what they are granted decides how long they last."""
        current = sessions_of(person.user_id).where(Session.generation.equals(person.generation))
        page = await self._store.page(current.consistently(), limit=_MOST_LISTED)
        now, administrator = self._kit.clock.now(), is_administrator(person, granted)
        return tuple(each for each in page if not self._lifetimes.has_ended(each, now, administrator=administrator))

    async def delete_ended(self, user_id: str, *, generation: int) -> None:
        """Delete somebody's sessions of earlier generations, which have ended already."""
        every = [session async for session in self._store.stream(sessions_of(user_id))]
        await self._store.batch_write(Delete(each.own_key) for each in every if each.generation < generation)

    async def renewal(
        self, person: Account, session_id: str | None, *, generation: int
    ) -> tuple[NewSession, tuple[Write, ...]]:
        """A new session in place of this one, and the writes that make it so: whoever has shown anew who they are gets
        a token that nobody can have copied before."""
        signed_out = SignInRequired(_SIGNED_OUT)
        if session_id is None:
            raise signed_out
        key = Session.key(Session.user_id(person.user_id), Session.session_id(session_id))
        (before,) = await self._store.batch_get((key,), consistent=True)
        if before is None:
            raise signed_out
        new, session = self._new(person, generation, before.user_agent)
        return new, (Delete(key).if_there().otherwise(signed_out), Put(session).if_new())

    async def _account_and_password(self, user_id: str) -> tuple[Account | None, Password | None]:
        keys = (Account.key(Account.user_id(user_id)), Password.key(Password.user_id(user_id)))
        person, stored = await self._store.batch_get(keys, consistent=True)
        return (
            person if isinstance(person, Account) else None,
            stored if isinstance(stored, Password) else None,
        )

    async def _enter(self, person: Account, generation: int, user_agent: str, replacing: str | None) -> NewSession:
        if replacing:
            await self._end(replacing)
        new, session = self._new(person, generation, user_agent)
        await self._store.write(Put(session).if_new())
        _log.info("%s signed in", person.user_id)
        return new

    def _new(self, person: Account, generation: int, user_agent: str) -> tuple[NewSession, Session]:
        now = self._kit.timestamp()
        token = credentials.make(person.user_id, self._kit.ids.new(), self._kit.ids.secret())
        session = Session(
            user_id=person.user_id,
            session_id=token.which,
            digest=token.digest,
            generation=generation,
            user_agent=user_agent[:300],
            created_at=now,
            used_at=now,
            confirmed_at=now,
            expires_at=self._kit.expiry_in(days=self._kit.settings.session_days),
        )
        return NewSession(token.text, person, session.expires_at), session

    async def _end(self, text: str) -> None:
        token = credentials.read(text)
        if token is None or not token.which:
            return
        end = Delete(Session.key(Session.user_id(token.owner), Session.session_id(token.which)))
        with suppress(ConditionalCheckFailedError):  # it had ended already, or was never ours
            await self._store.write(end.when(Session.digest.equals(token.digest)))

    async def _rehash(self, stored: Password, password: str) -> None:
        encoded = await self._kit.passwords.encode(password)
        with suppress(ConditionalCheckFailedError):  # it has just been changed
            change = Update(stored.own_key, Password.encoded.set(encoded))
            await self._store.write(change.when(Password.encoded.equals(stored.encoded)))
