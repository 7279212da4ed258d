"""Signing in and out, and the browsers somebody is signed in with."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.accounts import credentials
from partita.kit.accounts.desk import is_id, log
from partita.kit.accounts.directory import Directory
from partita.kit.accounts.schema import Account, Password, Session, sessions_of
from partita.kit.limits import Rule, network_of
from partita.kit.permissions import Viewer
from partita.kit.problems import Forbidden, NotFound, SignInRequired
from partita.table import Delete, Put, Update

# Whoever guesses somebody's password from one place is stopped soon, and cannot lock them out from elsewhere.
_TRIES_FROM_HERE = Rule("sign-in", most=10, seconds=900)
_TRIES_OF_ONE_NAME = Rule("sign-in-name", most=200, seconds=900)
_TRIES_FROM_ONE_PLACE = Rule("sign-in-place", most=200, seconds=900)
_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class NewSession:
    """Somebody signed in: the token for the cookie, which is shown nowhere else."""

    token: str = field(repr=False)
    account: Account
    expires_at: int
    """When the cookie may go, in seconds since 1970."""


class Sessions(Directory):
    """Browsers that are signed in."""

    async def sign_in(
        self, identity: str, password: str, *, user_agent: str = "", address: str = "", replacing: str | None = None
    ) -> NewSession:
        """Sign somebody in by address or username. The session is always a new one; `replacing` is the token that the
        browser had before, which ends. `address` is where the request came from."""
        await self._count_try(identity, address)
        user_id = await self._owner_or_nobody(identity)
        keys = (Account.key(Account.user_id(user_id)), Password.key(Password.user_id(user_id)))
        person, stored = await self._store.batch_get(keys, consistent=True)
        right = await self._passwords.verify(stored.encoded if isinstance(stored, Password) else None, password)
        if not right or not isinstance(person, Account) or not isinstance(stored, Password):
            log.info("a sign-in was refused%s", f" for {person.user_id}" if isinstance(person, Account) else "")
            raise SignInRequired("The name or the password is not right.", code="wrong_password")
        if person.suspended:
            raise Forbidden("This account is suspended. Ask an administrator.", code="suspended")
        if self._passwords.outdated(stored.encoded):
            await self._encode_anew(stored, password)
        if replacing:
            await self._end_by_token(replacing)
        return await self._begin(person, stored, user_agent)

    async def sign_out(self, viewer: Viewer) -> None:
        """End the session a request came with."""
        if viewer.session_id is not None:
            await self._store.write(
                Delete(Session.key(Session.user_id(viewer.id), Session.session_id(viewer.session_id)))
            )
            log.info("%s signed out", viewer.id)

    async def sessions(self, viewer: Viewer) -> tuple[Session, ...]:
        """Where somebody is signed in, newest first. The one that asks has the viewer's `session_id`."""
        return await self._live_sessions(await self._in_person(viewer, with_one_time_password=True))

    async def revoke_session(self, viewer: Viewer, session_id: str) -> None:
        """Sign another browser out."""
        person = await self._in_person(viewer, with_one_time_password=True)
        gone = NotFound("There is no such session any more.")
        if not is_id(session_id):
            raise gone
        await self._store.write(
            Delete(Session.key(Session.user_id(person.user_id), Session.session_id(session_id)))
            .if_there()
            .otherwise(gone)
        )
        log.info("%s revoked a session", viewer.id)

    async def _live_sessions(self, person: Account) -> tuple[Session, ...]:
        of_today = Session.generation.equals(person.generation)
        page = await self._store.page(sessions_of(person.user_id).consistently().where(of_today), limit=_MOST_SHOWN)
        now = self._now().timestamp()
        return tuple(session for session in page if session.expires_at > now)

    async def _begin(self, person: Account, stored: Password, user_agent: str) -> NewSession:
        now = self._stamp()
        token = credentials.make(person.user_id, self._ids.new(), self._ids.secret())
        session = Session(
            user_id=person.user_id,
            session_id=token.which,
            digest=token.digest,
            generation=stored.generation,
            user_agent=user_agent[:300],
            created_at=now,
            used_at=now,
            expires_at=self._seconds_in(days=self._settings.session_days),
        )
        await self._store.write(Put(session).if_new())
        log.info("%s signed in", person.user_id)
        return NewSession(token.text, person, session.expires_at)

    async def _end_by_token(self, text: str) -> None:
        token = credentials.read(text)
        if token is None or not token.which:
            return
        end = Delete(Session.key(Session.user_id(token.owner), Session.session_id(token.which)))
        with suppress(ConditionalCheckFailedError):  # it had ended already, or was never ours
            await self._store.write(end.when(Session.digest.equals(token.digest)))

    async def _clear_sessions(self, user_id: str, *, before: int) -> None:
        """Tidy away sessions of earlier generations, which are over already."""
        every = [session async for session in self._store.stream(sessions_of(user_id))]
        await self._store.batch_write(Delete(each.own_key) for each in every if each.generation < before)

    async def _count_try(self, identity: str, address: str) -> None:
        who, where = identity.strip().lower()[:400], network_of(address)
        await self._limits.check(_TRIES_FROM_HERE, f"{where} {who}")
        await self._limits.check(_TRIES_OF_ONE_NAME, who)
        if where:
            await self._limits.check(_TRIES_FROM_ONE_PLACE, where)

    async def _encode_anew(self, stored: Password, password: str) -> None:
        encoded = await self._passwords.encode(password)
        with suppress(ConditionalCheckFailedError):  # it was changed this moment
            change = Update(stored.own_key, Password.encoded.set(encoded))
            await self._store.write(change.when(Password.encoded.equals(stored.encoded)))
