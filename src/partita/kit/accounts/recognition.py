"""Who a request comes from: a browser's session, an API token, or a token of the OpenID provider."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Literal, TypeVar

from partita.kit.accounts import credentials
from partita.kit.accounts.credentials import Credential
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.lifetimes import Lifetimes, is_administrator
from partita.kit.accounts.oidc_people import OidcPeople
from partita.kit.accounts.people import refuse_suspended
from partita.kit.accounts.permissions import Permissions
from partita.kit.accounts.schema import Account, ApiToken, Session
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import SignInRequired
from partita.table import ChangedMeanwhileError, Item, Key, Update
from partita.table.types import timestamp

S = TypeVar("S", Session, ApiToken)
_USE_IS_NOTED_EVERY = timedelta(minutes=5)
"""When somebody was last here need not be exact, and so does not cost a write per request."""


class Recognition:
    """Turns the token of a request into a viewer: one read of two items, and what the systems' groups grant."""

    def __init__(self, kit: AccountsKit, permissions: Permissions, oidc: OidcPeople | None) -> None:
        self._kit = kit
        self._permissions = permissions
        self._oidc = oidc
        self._lifetimes = Lifetimes(kit.settings)
        self._demanded = kit.settings.second_factor

    async def from_session(self, token: str, *, polled: bool = False) -> Viewer:
        """The owner of this session; nobody if it has ended. What a page asks of itself (`polled`) is no use of it."""
        sent = credentials.read(token)
        if sent is None or not sent.which:
            return NOBODY
        key = Session.key(Session.user_id(sent.owner), Session.session_id(sent.which))
        session, person = await self._find(sent, key)
        if session is None or person is None or session.generation != person.generation or person.suspended:
            return NOBODY
        granted = await self._granted(person)
        now, administrator = self._kit.clock.now(), is_administrator(person, granted)
        if self._lifetimes.has_ended(session, now, administrator=administrator):
            return NOBODY
        if not polled:
            await self._note_use(session)
        demanded = self._demanded == "everybody" or (self._demanded == "administrators" and administrator)
        must_add = demanded and not person.second_factor
        return Viewer(
            user_id=person.user_id,
            username=person.username,
            name=person.name,
            avatar=person.avatar,
            permissions=frozenset() if must_add else granted,
            via="session",
            session_id=session.session_id,
            must_change_password=person.must_change_password,
            must_add_factor=must_add,
            confirmed=self._lifetimes.is_confirmed(session, now),
        )

    async def from_bearer(self, token: str) -> Viewer:
        """The person an API token or an OpenID access token acts for; `SignInRequired` if it is invalid or expired."""
        if token.startswith(credentials.API_TOKEN):
            return await self._from_api_token(token)
        if self._oidc is not None and self._oidc.may_take(token):
            person, roles = await self._oidc.from_token(token)
            refuse_suspended(person)
            return await self._viewer(person, *roles, via="oidc")
        raise _invalid()

    async def _from_api_token(self, text: str) -> Viewer:
        sent = credentials.read(text, kind=credentials.API_TOKEN)
        if sent is None or not sent.which:
            raise _invalid()
        key = ApiToken.key(ApiToken.user_id(sent.owner), ApiToken.token_id(sent.which))
        token, person = await self._find(sent, key)
        if token is None or person is None or token.generation != person.token_generation:
            raise _invalid()
        refuse_suspended(person)
        await self._note_use(token)
        return await self._viewer(person, via="token", scopes=token.scopes)

    async def _find(self, sent: Credential, key: Key[S]) -> tuple[S, Account] | tuple[None, None]:
        """The session or API token that was sent and its account, unless it is wrong or expired."""
        keys: tuple[Key[Item], ...] = (key, Account.key(Account.user_id(sent.owner)))
        stored, person = await self._kit.store.batch_get(keys, consistent=True)
        if not isinstance(stored, key.item_type) or not isinstance(person, Account) or not sent.is_of(stored.digest):
            return None, None
        return (stored, person) if stored.expires_at > self._kit.clock.now().timestamp() else (None, None)

    async def _note_use(self, used: S) -> None:
        now, used_at = self._kit.clock.now(), type(used).used_at
        if (used.used_at or "") <= timestamp(now - _USE_IS_NOTED_EVERY):
            note = Update(used.own_key, used_at.set(timestamp(now)))
            with suppress(ChangedMeanwhileError):  # another request has noted it, or the session has just ended
                await self._kit.store.write(note.unless_changed(used, used_at))

    async def _viewer(
        self,
        person: Account,
        *more_roles: str,
        via: Literal["token", "oidc"],
        scopes: frozenset[str] | None = None,
    ) -> Viewer:
        granted = await self._granted(person, *more_roles)
        return Viewer(
            user_id=person.user_id,
            username=person.username,
            name=person.name,
            avatar=person.avatar,
            permissions=granted if scopes is None else granted & scopes,
            withheld=frozenset() if scopes is None else granted - scopes,
            lapsed=frozenset() if scopes is None else scopes - granted,
            labels=self._permissions.policy.labels,
            via=via,
            must_change_password=person.must_change_password,
        )

    async def _granted(self, person: Account, *more_roles: str) -> frozenset[str]:
        """What somebody may do; nothing as long as they have a one-time password."""
        return frozenset() if person.must_change_password else await self._permissions.of(person, *more_roles)


def _invalid() -> SignInRequired:
    return SignInRequired(
        "This token is invalid or expired. Create another on your account page (/account/tokens).", code="invalid_token"
    )
