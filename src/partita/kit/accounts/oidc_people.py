"""Accounts of people who sign in with the OpenID provider, created when they first come."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

from partita.dynamo.errors import TransactionCanceledError
from partita.kit.accounts.inputs import RESERVED
from partita.kit.accounts.kit import AccountsKit
from partita.kit.accounts.permissions import Permissions
from partita.kit.accounts.schema import USERNAME, Account, account
from partita.kit.permissions import ADMIN
from partita.kit.problems import Conflict, Forbidden
from partita.table import Put, Transaction

if TYPE_CHECKING:
    from partita.kit.accounts.oidc import Claims, OidcTokens

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_log = logging.getLogger(__name__)


class OidcPeople:
    """People as the provider's access tokens describe them."""

    def __init__(self, kit: AccountsKit, permissions: Permissions, tokens: OidcTokens) -> None:
        self._kit = kit
        self._permissions = permissions
        self._tokens = tokens

    def may_take(self, token: str) -> bool:
        """Whether it could be a token of the provider at all."""
        return self._tokens.looks_like(token)

    async def from_token(self, token: str) -> tuple[Account, tuple[str, ...]]:
        """The account of a token's subject, created if it is missing, and the roles in the token."""
        claims = await self._tokens.claims(token)
        user_id = _user_id(claims["iss"], claims["sub"])
        person = await self._kit.store.get(account(user_id).consistently())
        if person is not None and person.issuer != claims["iss"]:
            raise Forbidden("This account belongs to another sign-in service. Ask an administrator.")
        return person or await self._create(user_id, claims), self._roles_in(claims)

    async def _create(self, user_id: str, claims: Claims) -> Account:
        now = self._kit.timestamp()
        for username in _usernames(claims, user_id):
            person = Account(
                user_id=user_id,
                username=username,
                name=str(claims.get("name") or claims.get("preferred_username") or username)[:80],
                created_at=now,
                updated_at=now,
                issuer=claims["iss"],
            )
            try:
                await self._kit.store.transact(Transaction(Put(person).if_new(), *USERNAME.claim(person)))
            except TransactionCanceledError:
                # Another request has just created it, or the username is taken.
                existing = await self._kit.store.get(account(user_id).consistently())
                if existing is not None:
                    return existing
                continue
            _log.info("%s signed in for the first time, with a token of %s", user_id, claims["iss"])
            return person
        raise Conflict("No free username was found for you. Ask an administrator.", code="username_taken")

    def _roles_in(self, claims: Claims) -> tuple[str, ...]:
        """The words of the roles claim that are roles here."""
        claim = self._kit.settings.oidc_roles_claim
        value = claims.get(claim) if claim else None
        words = value.split() if isinstance(value, str) else value if isinstance(value, list) else ()
        return tuple(word for word in words if word == ADMIN or word in self._permissions.policy.roles)


def oidc_people_for(kit: AccountsKit, permissions: Permissions) -> OidcPeople | None:
    """People of the provider that the settings name; None if they name none."""
    issuer, client_id = kit.settings.oidc_issuer, kit.settings.oidc_client_id
    if not issuer or not client_id:
        return None
    from partita.kit.accounts.oidc import OidcTokens  # takes a tenth of a start, which others need not wait for

    return OidcPeople(kit, permissions, OidcTokens(issuer, client_id, kit.clock))


def _user_id(issuer: str, subject: str) -> str:
    """The account's id follows from the token. A Cognito pool's UUIDs stay as they are, since other programs with the
    same tables use them."""
    if _UUID.fullmatch(subject):
        return subject
    number = int.from_bytes(sha256(f"{issuer}\n{subject}".encode()).digest()[:17])
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def _usernames(claims: Claims, user_id: str) -> Iterator[str]:
    """Usernames to try: the provider's, then one made unique by the id."""
    wanted = str(claims.get("preferred_username") or claims.get("username") or claims["sub"]).partition("@")[0]
    clean = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")
    if 3 <= len(clean) <= 30 and clean not in RESERVED:
        yield clean
    yield f"{clean[:20].strip('-') or 'user'}-{user_id[-6:]}"
    yield f"user-{user_id[-24:]}"
