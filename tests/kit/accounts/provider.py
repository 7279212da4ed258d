"""A small OpenID provider on loopback: publishes keys, signs tokens, and can change or lose its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.kit.conftest import HandClock

CLIENT = "partita-client"


def new_key(name: str, bits: int = 2048) -> RSAKey:
    return RSAKey.generate_key(bits, {"kid": name, "use": "sig", "alg": "RS256"})


KEYS = {name: new_key(name) for name in ("first", "second")}


@dataclass
class Provider:
    """What it publishes, and how often it was asked."""

    clock: HandClock
    issuer: str = ""
    published: list[dict[str, Any]] = field(default_factory=lambda: [dict(KEYS["first"].as_dict(private=False))])
    configuration: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    away: bool = False

    def token(
        self, *, key: str = "first", header: dict[str, Any] | None = None, groups: Any = None, **claims: Any
    ) -> str:
        """A token as Cognito makes them, with some claims of the test's own; None leaves one out."""
        now = int(self.clock.now().timestamp())
        usual = {
            "sub": "6c8e1a9e-0f1c-4b1e-9a51-2f3d5f8a1b77",
            "iss": self.issuer,
            "client_id": CLIENT,
            "token_use": "access",
            "username": "ada",
            "cognito:groups": groups,
            "iat": now,
            "exp": now + 3600,
        }
        said = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        return jwt.encode({"alg": "RS256", "kid": key, **(header or {})}, said, KEYS[key])

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        if self.away:
            return web.Response(status=503)
        if request.path.endswith("/openid-configuration"):
            told = {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **self.configuration}
            return web.json_response(told)
        return web.json_response({"keys": self.published})


@asynccontextmanager
async def running(clock: HandClock) -> AsyncIterator[Provider]:
    """The provider, listening."""
    provider = Provider(clock)
    app = web.Application()
    app.router.add_get("/{path:.*}", provider.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        provider.issuer = f"http://127.0.0.1:{port}/pool"
        yield provider
    finally:
        await runner.cleanup()
