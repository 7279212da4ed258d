"""API tokens: keys for programs, with some of their owner's permissions."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, field

from partita.kit.accounts import credentials
from partita.kit.accounts.inputs import TokenDays, TokenName, checked_field, could_be_id
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.notices import Notices
from partita.kit.accounts.people import People
from partita.kit.accounts.permissions import Permissions
from partita.kit.accounts.schema import Account, ApiToken, tokens_of
from partita.kit.permissions import Viewer, require_confirmation
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.table import Delete, Put

_MOST = 50
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that has just been created; its text is shown only once."""

    text: str = field(repr=False)
    token: ApiToken


class Tokens:
    """Programs that act for somebody."""

    def __init__(self, kit: AccountsKit, people: People, permissions: Permissions, notices: Notices) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._permissions = permissions
        self._notices = notices

    async def create(self, viewer: Viewer, name: str, scopes: Collection[str], days: int) -> NewToken:
        """Create a token that has these permissions for so many days, as long as its owner has them."""
        person = await self._people.own_account(viewer)
        valid_name: str = checked_field("name", TokenName, name)
        valid_days: int = checked_field("days", TokenDays, days)
        self._check_scopes(viewer, scopes)
        require_confirmation(viewer)
        if len(await self.active(person)) >= _MOST:
            raise Conflict(f"You have {_MOST} tokens, the most there can be. Revoke one.", code="too_many_tokens")
        new = credentials.make(person.user_id, self._kit.ids.new(), self._kit.ids.secret(), kind=credentials.API_TOKEN)
        token = ApiToken(
            user_id=person.user_id,
            token_id=new.which,
            name=valid_name,
            scopes=frozenset(scopes),
            digest=new.digest,
            generation=person.token_generation,
            created_at=self._kit.timestamp(),
            expires_at=self._kit.expiry_in(days=valid_days),
        )
        await self._store.write(Put(token).if_new())
        _log.info("%s created the API token %s", person.user_id, token.token_id)
        await self._notices.token_created(person, token.name)
        return NewToken(new.text, token)

    async def list(self, viewer: Viewer) -> tuple[ApiToken, ...]:
        """The viewer's tokens that have not expired, newest first."""
        return await self.active(await self._people.own_account(viewer))

    async def revoke(self, viewer: Viewer, token_id: str) -> None:
        """Delete one of the viewer's tokens."""
        person = await self._people.own_account(viewer)
        revoked = NotFound("This token has already been revoked.")
        if not could_be_id(token_id):
            raise revoked
        key = ApiToken.key(ApiToken.user_id(person.user_id), ApiToken.token_id(token_id))
        await self._store.write(Delete(key).if_there().otherwise(revoked))
        _log.info("%s revoked the API token %s", person.user_id, token_id)

    async def revoke_all(self, user_id: str) -> None:
        """Delete every token of somebody."""
        tokens = [token async for token in self._store.stream(tokens_of(user_id).consistently())]
        await self._store.batch_write(Delete(token.own_key) for token in tokens)

    async def active(self, person: Account) -> tuple[ApiToken, ...]:
        """Somebody's tokens that have not expired, newest first."""
        page = await self._store.page(tokens_of(person.user_id).consistently(), limit=_MOST * 2)
        now = self._kit.clock.now().timestamp()
        return tuple(token for token in page if token.expires_at > now and token.generation == person.token_generation)

    def _check_scopes(self, viewer: Viewer, scopes: Collection[str]) -> None:
        unknown = sorted(set(scopes) - self._permissions.policy.known)
        if unknown:
            raise Invalid(FieldError("scopes", f"There is no permission {', '.join(unknown)}."))
        missing = sorted(set(scopes) - viewer.permissions)
        if missing:
            raise Invalid(FieldError("scopes", f"You do not have the permission {', '.join(missing)} yourself."))
