"""Validation of access tokens of an OpenID provider or a Cognito pool: signature, issuer, client and time."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Any

import aiohttp
import orjson
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey
from joserfc.jwt import JWTClaimsRegistry

from partita.kit.clock import Clock
from partita.kit.problems import SignInRequired, Unavailable

_ALGORITHM = "RS256"
_LONGEST_TOKEN = 16 * 1024
_LONGEST_ANSWER = 512 * 1024
_LEEWAY_SECONDS = 60
_COOL_DOWN = timedelta(minutes=1)
"""Tokens with made-up key ids must not make us query the provider all the time."""
_KEYS_KEPT = timedelta(hours=12)
_TIMEOUT = aiohttp.ClientTimeout(total=10)
_SMALLEST_KEY_BITS = 2048
_log = logging.getLogger(__name__)

Claims = dict[str, Any]


class OidcTokens:
    """Validates tokens of one issuer for one client."""

    def __init__(self, issuer: str, client_id: str, clock: Clock) -> None:
        self._issuer = issuer
        self._client_id = client_id
        self._clock = clock
        self._keys = SigningKeys(issuer, clock)

    @staticmethod
    def looks_like(token: str) -> bool:
        """Whether it could be such a token at all."""
        return token.count(".") == 2 and len(token) <= _LONGEST_TOKEN

    async def claims(self, token: str) -> Claims:
        """The claims in a token; `SignInRequired` if it is invalid or expired."""
        try:
            key = await self._keys.get(_key_id(token))
            if key is None:
                raise _refused("it is not signed with a key of the issuer")
            claims = jwt.decode(token, key, algorithms=[_ALGORITHM]).claims
            self._registry().validate(claims)
        except (JoseError, ValueError) as error:
            raise _refused(type(error).__name__) from None
        self._check_purpose(claims)
        return claims

    def _registry(self) -> JWTClaimsRegistry:
        return JWTClaimsRegistry(
            now=int(self._clock.now().timestamp()),
            leeway=_LEEWAY_SECONDS,
            iss={"essential": True, "value": self._issuer},
            exp={"essential": True},
            sub={"essential": True},
        )

    def _check_purpose(self, claims: Claims) -> None:
        """Accept only access tokens for our client: an ID token is meant for another program."""
        if claims.get("token_use", "access") != "access" or claims.get("typ") == "ID":
            raise _refused("it is not an access token")
        if "nonce" in claims or "at_hash" in claims:
            raise _refused("it is an ID token")
        audience = claims.get("aud", ())
        audiences = (audience,) if isinstance(audience, str) else tuple(audience)
        if self._client_id not in (claims.get("client_id"), *audiences):
            raise _refused("it was issued for another client")


class SigningKeys:
    """The issuer's keys: cached, and fetched again when a token names an unknown one."""

    def __init__(self, issuer: str, clock: Clock) -> None:
        self._issuer = issuer
        self._clock = clock
        self._keys: dict[str, RSAKey] = {}
        self._fetched: datetime | None = None
        self._tried: datetime | None = None
        self._turn = asyncio.Lock()

    async def get(self, key_id: str) -> RSAKey | None:
        """The key with that id, or None; `Unavailable` if no keys could be fetched yet."""
        if self._stale(key_id):
            async with self._turn:  # of many requests at once, one fetches
                if self._stale(key_id):
                    await self._refresh()
        if self._fetched is None:
            raise Unavailable("The sign-in service is not responding. Try again in a minute.")
        return self._keys.get(key_id)

    def _stale(self, key_id: str) -> bool:
        now = self._clock.now()
        if self._tried is not None and now - self._tried < _COOL_DOWN:
            return False
        return key_id not in self._keys or self._fetched is None or now - self._fetched > _KEYS_KEPT

    async def _refresh(self) -> None:
        now = self._clock.now()
        try:
            async with aiohttp.ClientSession(timeout=_TIMEOUT) as session:
                configuration = await _json(session, f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
                if configuration.get("issuer") != self._issuer:
                    raise ValueError(f"the configuration names the issuer {configuration.get('issuer')}")
                keys = await _json(session, str(configuration["jwks_uri"]))
            self._keys = dict(_usable(keys["keys"]))
            self._fetched = now
        except (aiohttp.ClientError, TimeoutError, ValueError, KeyError, TypeError, JoseError) as error:
            # The known keys stay valid: a short outage of the provider must not lock everybody out.
            _log.warning("could not fetch the keys of %s: %s: %s", self._issuer, type(error).__name__, error)
        finally:
            self._tried = now  # only now: requests in the meantime wait for this answer


async def _json(session: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    async with session.get(url, allow_redirects=False) as response:
        if response.status != 200:
            raise ValueError(f"{url} answers {response.status}")
        body = b""
        async for chunk in response.content.iter_chunked(64 * 1024):
            body += chunk
            if len(body) > _LONGEST_ANSWER:
                raise ValueError(f"{url} answers with more than {_LONGEST_ANSWER} bytes")
        answer = orjson.loads(body)
        if not isinstance(answer, dict):
            raise TypeError(f"{url} does not answer with an object")
        return answer


def _usable(keys: list[dict[str, Any]]) -> list[tuple[str, RSAKey]]:
    """The keys for our algorithm that are long enough."""
    usable = []
    for each in keys:
        if each.get("kty") != "RSA" or each.get("use", "sig") != "sig" or each.get("alg", _ALGORITHM) != _ALGORITHM:
            continue
        if not isinstance(each.get("kid"), str) or len(str(each.get("n", ""))) * 6 < _SMALLEST_KEY_BITS - 8:
            continue
        usable.append((each["kid"], RSAKey.import_key({name: each[name] for name in ("kty", "n", "e")})))
    return usable


def _key_id(token: str) -> str:
    header = jws.extract_compact(token.encode()).headers()
    key_id = header.get("kid")
    if header.get("alg") != _ALGORITHM or not isinstance(key_id, str):
        raise ValueError("an unsupported algorithm, or no key id")
    return key_id


def _refused(why: str) -> SignInRequired:
    return SignInRequired(f"This access token is invalid: {why}. Sign in again.", code="invalid_token")
