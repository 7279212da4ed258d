"""People whom the OpenID provider vouches for: they have an account here from the first time on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from partita.dynamo.errors import TransactionCanceledError
from partita.kit.accounts.desk import Desk, log
from partita.kit.accounts.inputs import RESERVED
from partita.kit.accounts.oidc import Claims, OidcTokens
from partita.kit.accounts.schema import USERNAME, Account, account
from partita.kit.permissions import ADMIN
from partita.kit.problems import Conflict, Forbidden
from partita.table import Put, Transaction

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class OidcPeople(Desk):
    """Accounts of those who sign in elsewhere."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **named)
        issuer, client_id = self._settings.oidc_issuer, self._settings.oidc_client_id
        self._oidc = OidcTokens(issuer, client_id, self._clock) if issuer and client_id else None

    async def _person_of(self, claims: Claims) -> Account:
        """The account of a token's subject, made where it is missing. Its id follows from the subject (and issuer)."""
        user_id = _user_id(claims["iss"], claims["sub"])
        found = await self._store.get(account(user_id).consistently())
        if found is not None and found.issuer != claims["iss"]:
            raise Forbidden("This account belongs to somebody of another sign-in service. Ask an administrator.")
        return found if found is not None else await self._welcome(user_id, claims)

    async def _welcome(self, user_id: str, claims: Claims) -> Account:
        now = self._stamp()
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
                await self._store.transact(Transaction(Put(person).if_new(), *USERNAME.claim(person)))
            except TransactionCanceledError:
                # Another request has made it this moment, or the username is somebody else's.
                found = await self._store.get(account(user_id).consistently())
                if found is not None:
                    return found
                continue
            log.info("%s came from %s", user_id, claims["iss"])
            return person
        raise Conflict("No username could be found for you. Ask an administrator.", code="username_taken")

    def _roles_in(self, claims: Claims) -> tuple[str, ...]:
        """The words of the roles claim that are roles here."""
        claim = self._settings.oidc_roles_claim
        said = claims.get(claim) if claim else None
        words = said.split() if isinstance(said, str) else said if isinstance(said, list) else ()
        return tuple(word for word in words if word == ADMIN or word in self._policy.roles)


def _user_id(issuer: str, subject: str) -> str:
    """A pool of Cognito gives UUIDs: they are the ids here too, as other programs on the same tables have them."""
    if _UUID.fullmatch(subject):
        return subject
    number = int.from_bytes(sha256(f"{issuer}\n{subject}".encode()).digest()[:17])
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def _usernames(claims: Claims, user_id: str) -> Iterator[str]:
    """Usernames like the one over there, and one that nobody else can have."""
    wanted = str(claims.get("preferred_username") or claims.get("username") or claims["sub"]).partition("@")[0]
    clean = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")
    if 3 <= len(clean) <= 30 and clean not in RESERVED:
        yield clean
    yield f"{clean[:20].strip('-') or 'user'}-{user_id[-6:]}"
    yield f"user-{user_id[-24:]}"
