"""API tokens: keys for programs, with some of their owner's permissions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from partita.kit.accounts import credentials
from partita.kit.accounts.desk import Desk, is_id, log
from partita.kit.accounts.inputs import TokenDays, TokenName, checked_field
from partita.kit.accounts.schema import Account, ApiToken, tokens_of
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.table import Delete, Put

_MOST = 50


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was made: its text is shown this once."""

    text: str = field(repr=False)
    token: ApiToken


class Tokens(Desk):
    """Programs that act for somebody."""

    async def create_token(self, viewer: Viewer, name: str, scopes: Collection[str], days: int) -> NewToken:
        """Make a token that may do what is listed, as long as its owner may, for so many days."""
        person = await self._in_person(viewer)
        said: str = checked_field("name", TokenName, name)
        lasts: int = checked_field("days", TokenDays, days)
        self._check_scopes(viewer, scopes)
        if len(await self._live_tokens(person)) >= _MOST:
            raise Conflict(f"You have {_MOST} tokens. Revoke one that is not used.", code="too_many_tokens")
        made = credentials.make(person.user_id, self._ids.new(), self._ids.secret(), kind=credentials.API_TOKEN)
        token = ApiToken(
            user_id=person.user_id,
            token_id=made.which,
            name=said,
            scopes=frozenset(scopes),
            digest=made.digest,
            created_at=self._stamp(),
            expires_at=self._seconds_in(days=lasts),
        )
        await self._store.write(Put(token).if_new())
        log.info("%s made the API token %s", person.user_id, token.token_id)
        return NewToken(made.text, token)

    async def tokens(self, viewer: Viewer) -> tuple[ApiToken, ...]:
        """Somebody's tokens that still work, newest first."""
        return await self._live_tokens(await self._in_person(viewer))

    async def revoke_token(self, viewer: Viewer, token_id: str) -> None:
        """Make a token useless."""
        person = await self._in_person(viewer)
        gone = NotFound("There is no such token any more.")
        if not is_id(token_id):
            raise gone
        await self._store.write(
            Delete(ApiToken.key(ApiToken.user_id(person.user_id), ApiToken.token_id(token_id)))
            .if_there()
            .otherwise(gone)
        )
        log.info("%s revoked the API token %s", person.user_id, token_id)

    async def _live_tokens(self, person: Account) -> tuple[ApiToken, ...]:
        page = await self._store.page(tokens_of(person.user_id).consistently(), limit=_MOST * 2)
        now = self._now().timestamp()
        return tuple(token for token in page if token.expires_at > now)

    def _check_scopes(self, viewer: Viewer, scopes: Collection[str]) -> None:
        unknown = sorted(set(scopes) - self._policy.known)
        if unknown:
            raise Invalid(FieldError("scopes", f"There is no permission {', '.join(unknown)}."))
        missing = sorted(set(scopes) - viewer.permissions)
        if missing:
            raise Invalid(FieldError("scopes", f"You do not hold {', '.join(missing)} yourself."))
