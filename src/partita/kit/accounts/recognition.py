"""Who a request comes from: a browser's session, a program's token, or a token of the OpenID provider."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Literal

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.accounts import credentials
from partita.kit.accounts.desk import Desk
from partita.kit.accounts.oidc import OidcTokens
from partita.kit.accounts.oidc_people import OidcPeople
from partita.kit.accounts.schema import Account, ApiToken, Session
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Forbidden, SignInRequired
from partita.table import ChangedMeanwhileError, Update
from partita.table.types import timestamp

_USE_IS_NOTED_EVERY = timedelta(minutes=5)
"""That somebody is there is no news worth a write per request."""


class Recognition(OidcPeople, Desk):
    """Turns what a request carries into a viewer: one read of two items, and what the systems' groups grant."""

    async def viewer_from_session(self, token: str) -> Viewer:
        """Whoever has this session; nobody where it is over."""
        held = credentials.read(token)
        if held is None or not held.which:
            return NOBODY
        keys = (
            Session.key(Session.user_id(held.owner), Session.session_id(held.which)),
            Account.key(Account.user_id(held.owner)),
        )
        session, person = await self._store.batch_get(keys, consistent=True)
        if not isinstance(session, Session) or not isinstance(person, Account) or not held.is_of(session.digest):
            return NOBODY
        now = self._now()
        over = session.expires_at <= now.timestamp() or session.generation != person.generation
        if over or person.suspended:
            return NOBODY
        if session.used_at <= timestamp(now - _USE_IS_NOTED_EVERY):
            note = Update(session.own_key, Session.used_at.set(timestamp(now)))
            with suppress(ConditionalCheckFailedError):  # another request has noted it, or the session has just ended
                await self._store.write(note.when(Session.used_at.equals(session.used_at)))
        return await self._viewer(person, via="session", session_id=session.session_id)

    async def viewer_from_bearer(self, token: str) -> Viewer:
        """Whoever this token speaks for; refused with 401 where it is not good."""
        if token.startswith(credentials.API_TOKEN):
            return await self._from_api_token(token)
        if self._oidc is not None and OidcTokens.looks_like(token):
            claims = await self._oidc.claims(token)
            return await self._viewer(_let_in(await self._person_of(claims)), *self._roles_in(claims), via="oidc")
        raise _not_good()

    async def _from_api_token(self, text: str) -> Viewer:
        held = credentials.read(text, kind=credentials.API_TOKEN)
        if held is None or not held.which:
            raise _not_good()
        keys = (
            ApiToken.key(ApiToken.user_id(held.owner), ApiToken.token_id(held.which)),
            Account.key(Account.user_id(held.owner)),
        )
        token, person = await self._store.batch_get(keys, consistent=True)
        if not isinstance(token, ApiToken) or not isinstance(person, Account) or not held.is_of(token.digest):
            raise _not_good()
        now = self._now()
        if token.expires_at <= now.timestamp():
            raise _not_good()
        if token.used_at is None or token.used_at <= timestamp(now - _USE_IS_NOTED_EVERY):
            note = Update(token.own_key, ApiToken.used_at.set(timestamp(now)))
            with suppress(ChangedMeanwhileError):  # another request has noted it
                await self._store.write(note.unless_changed(token, ApiToken.used_at))
        return await self._viewer(_let_in(person), via="token", scopes=token.scopes)

    async def _viewer(
        self,
        person: Account,
        *more_roles: str,
        via: Literal["session", "token", "oidc"],
        session_id: str | None = None,
        scopes: frozenset[str] | None = None,
    ) -> Viewer:
        granted: frozenset[str] = frozenset()
        if not person.must_change_password:  # until then there is nothing else to do
            granted = await self._granted(person, *more_roles)
        return Viewer(
            user_id=person.user_id,
            username=person.username,
            name=person.name,
            permissions=granted if scopes is None else granted & scopes,
            withheld=frozenset() if scopes is None else granted - scopes,
            via=via,
            session_id=session_id,
            must_change_password=person.must_change_password,
        )


def _let_in(person: Account) -> Account:
    if person.suspended:
        raise Forbidden("This account is suspended. Ask an administrator.", code="suspended")
    return person


def _not_good() -> SignInRequired:
    return SignInRequired("This token is not good (any more). Make a new one.", code="invalid_token")
