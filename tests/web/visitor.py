"""A browser without a screen, in process: keeps cookies, and says where its requests come from as browsers do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message as Headers
from html import unescape
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

import orjson
from starlette.types import ASGIApp, Message

Fields = Mapping[str, str] | Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Headers
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def shown(self) -> str:
        """The text of a page with its characters as people see them."""
        return unescape(self.text)

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def location(self) -> str:
        return self.headers["location"]

    def cookie(self, name: str) -> str:
        """A `Set-Cookie` as it was sent; empty where there is none."""
        return next((each for each in self.headers.get_all("set-cookie", []) if each.startswith(f"{name}=")), "")


@dataclass(slots=True)
class Visitor:
    """Somebody with cookies of their own."""

    app: ASGIApp
    base: str = "http://127.0.0.1:8080"
    cookies: dict[str, str] = field(default_factory=dict)
    address: str = "192.0.2.7"

    async def get(self, path: str, **headers: str) -> Answer:
        """Open a page, as if its address had been typed."""
        return await self.ask("GET", path, headers={"sec-fetch-site": "none", **_spelled(headers)})

    async def post(self, path: str, fields: Fields = (), **headers: str) -> Answer:
        """Send a form of a page of ours."""
        body = urlencode(list(fields.items() if isinstance(fields, Mapping) else fields)).encode()
        sent = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
        return await self.ask("POST", path, body, {**sent, **_spelled(headers)})

    async def call(self, method: str, path: str, content: Any = None, *, token: str = "", **headers: str) -> Answer:
        """Use the API, as a program does."""
        sent = {"content-type": "application/json"} if content is not None else {}
        if token:
            sent["authorization"] = f"Bearer {token}"
        body = b"" if content is None else orjson.dumps(content)
        return await self.ask(method, path, body, {**sent, **_spelled(headers)})

    async def follow(self, answer: Answer) -> Answer:
        """Go where an answer leads; only to our own site."""
        assert answer.status == 303, (answer.status, answer.text)
        assert answer.location.startswith("/"), answer.location
        return await self.get(answer.location)

    async def ask(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
        """Send exactly this."""
        path, _, query = path.partition("?")
        host = urlsplit(self.base).netloc
        given = {"host": host, **(headers or {})}
        if body:
            given.setdefault("content-length", str(len(body)))
        if self.cookies:
            given.setdefault("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": urlsplit(self.base).scheme,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
            "client": (self.address, 50000),
            "server": (host, 80),
            "state": {},
        }
        return await self._exchange(scope, body)

    async def _exchange(self, scope: dict[str, Any], body: bytes) -> Answer:
        sent = False
        status, found, pieces = 0, Headers(), []

        async def receive() -> Message:
            nonlocal sent
            if sent:
                return {"type": "http.disconnect"}
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                for name, value in message["headers"]:
                    found[name.decode()] = value.decode("latin-1")
            else:
                pieces.append(message.get("body", b""))

        await self.app(scope, receive, send)
        for line in found.get_all("set-cookie", []):
            for name, morsel in SimpleCookie(line).items():
                if morsel["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value
        return Answer(status, found, b"".join(pieces))


def _spelled(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
