"""Signing in and out, and the browsers somebody is signed in with."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.accounts import credentials
from partita.kit.accounts.inputs import could_be_id
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.people import People, refuse_suspended
from partita.kit.accounts.schema import Account, Password, Session, sessions_of
from partita.kit.limits import Rule, network_of
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound, SignInRequired
from partita.table import Delete, Put, Update

# Guessing a password from one place is stopped soon, and does not lock the owner out elsewhere.
_ATTEMPTS_FOR_NAME_FROM_PLACE = Rule("sign-in", most=10, seconds=900)
_ATTEMPTS_FOR_NAME = Rule("sign-in-name", most=200, seconds=900)
_ATTEMPTS_FROM_PLACE = Rule("sign-in-place", most=200, seconds=900)
_MOST_LISTED = 100
_UNUSED_ID = "0" * 26
"""An id that nobody has: looking up an unknown name takes as long as a known one."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that has just begun, with the token for the cookie, which is shown nowhere else."""

    token: str = field(repr=False)
    account: Account
    expires_at: int
    """When the session ends, in seconds since 1970."""


class Sessions:
    """Browsers that are signed in."""

    def __init__(self, kit: AccountsKit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    async def sign_in(
        self, identity: str, password: str, *, user_agent: str = "", address: str = "", replacing: str | None = None
    ) -> NewSession:
        """Sign somebody in by email address or username; always begins a new session. `replacing` is the token that the
        browser had before, whose session ends. `address` is the network address of the request."""
        await self.count_attempt(identity, address)
        user_id = await self._people.id_of(identity) or _UNUSED_ID
        keys = (Account.key(Account.user_id(user_id)), Password.key(Password.user_id(user_id)))
        person, stored = await self._store.batch_get(keys, consistent=True)
        right = await self._kit.passwords.verify(stored.encoded if isinstance(stored, Password) else None, password)
        if not right or not isinstance(person, Account) or not isinstance(stored, Password):
            _log.info("a sign-in failed%s", f" for {person.user_id}" if isinstance(person, Account) else "")
            raise SignInRequired("Wrong username or password.", code="wrong_password")
        refuse_suspended(person)
        if self._kit.passwords.outdated(stored.encoded):
            await self._rehash(stored, password)
        if replacing:
            await self._end(replacing)
        return await self._begin(person, stored, user_agent)

    async def sign_out(self, viewer: Viewer) -> None:
        """End the viewer's current session."""
        if viewer.session_id is not None:
            await self._store.write(
                Delete(Session.key(Session.user_id(viewer.id), Session.session_id(viewer.session_id)))
            )
            _log.info("%s signed out", viewer.id)

    async def list(self, viewer: Viewer) -> tuple[Session, ...]:
        """The viewer's sessions, newest first; the current one has the viewer's `session_id`."""
        return await self.active(await self._people.own_account(viewer, with_one_time_password=True))

    async def revoke(self, viewer: Viewer, session_id: str) -> None:
        """End one of the viewer's sessions."""
        person = await self._people.own_account(viewer, with_one_time_password=True)
        ended = NotFound("This session has already ended.")
        if not could_be_id(session_id):
            raise ended
        key = Session.key(Session.user_id(person.user_id), Session.session_id(session_id))
        await self._store.write(Delete(key).if_there().otherwise(ended))
        _log.info("%s revoked a session", viewer.id)

    async def active(self, person: Account) -> tuple[Session, ...]:
        """Somebody's sessions that have not ended, newest first."""
        current = sessions_of(person.user_id).where(Session.generation.equals(person.generation))
        page = await self._store.page(current.consistently(), limit=_MOST_LISTED)
        now = self._kit.clock.now().timestamp()
        return tuple(session for session in page if session.expires_at > now)

    async def delete_ended(self, user_id: str, *, generation: int) -> None:
        """Delete somebody's sessions of earlier generations, which have ended already."""
        every = [session async for session in self._store.stream(sessions_of(user_id))]
        await self._store.batch_write(Delete(each.own_key) for each in every if each.generation < generation)

    async def count_attempt(self, identity: str, address: str) -> None:
        """Count an attempt to enter somebody's password; refused if there were too many."""
        name, place = identity.strip().lower()[:400], network_of(address)
        await self._kit.limits.check(_ATTEMPTS_FOR_NAME_FROM_PLACE, f"{place} {name}")
        await self._kit.limits.check(_ATTEMPTS_FOR_NAME, name)
        if place:
            await self._kit.limits.check(_ATTEMPTS_FROM_PLACE, place)

    async def _begin(self, person: Account, stored: Password, user_agent: str) -> NewSession:
        now = self._kit.timestamp()
        token = credentials.make(person.user_id, self._kit.ids.new(), self._kit.ids.secret())
        session = Session(
            user_id=person.user_id,
            session_id=token.which,
            digest=token.digest,
            generation=stored.generation,
            user_agent=user_agent[:300],
            created_at=now,
            used_at=now,
            expires_at=self._kit.expiry_in(days=self._kit.settings.session_days),
        )
        await self._store.write(Put(session).if_new())
        _log.info("%s signed in", person.user_id)
        return NewSession(token.text, person, session.expires_at)

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
