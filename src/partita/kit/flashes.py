"""Flash messages: one sentence for the page after a redirect, in a signed cookie that is read once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import orjson
from starlette.requests import Request
from starlette.responses import Response

from partita.table.sealing import BrokenSealError, seal, unseal

COOKIE = "partita-flash"
SECRET_COOKIE = "partita-once"
_PURPOSE = b"flash\0"
_SECRET = b"secret\0"
_SECONDS = 60
_LONGEST = 400

Kind = Literal["good", "info", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Flash:
    """A message for the next page."""

    text: str
    kind: Kind = "good"
    undo: str = ""
    """Where the button “Undo” posts to; no button if it is empty."""


@dataclass(frozen=True, slots=True)
class Flashes:
    """Sends messages along with redirects, and reads those that browsers bring back."""

    keys: tuple[bytes, ...]
    secure: bool

    def send(self, response: Response, flash: Flash) -> None:
        """Put a message into a cookie."""
        payload = orjson.dumps([flash.kind, flash.text[:_LONGEST], int(time.time()) + _SECONDS, flash.undo])
        sealed = seal(self.keys, _PURPOSE, payload)
        response.set_cookie(
            COOKIE, sealed, max_age=_SECONDS, path="/", httponly=True, samesite="lax", secure=self.secure
        )

    def send_secret(self, response: Response, path: str, text: str) -> None:
        """Put a secret into a cookie that only the next page gets, so that a reload of that page makes no new one."""
        payload = orjson.dumps([text, int(time.time()) + _SECONDS])
        response.set_cookie(
            SECRET_COOKIE,
            seal(self.keys, _SECRET, payload),
            max_age=_SECONDS,
            path=path,
            httponly=True,
            samesite="strict",
            secure=self.secure,
        )

    def read_secret(self, request: Request) -> str:
        """The secret in a request's cookie; empty if there is none, or its time is over."""
        try:
            text, until = orjson.loads(unseal(self.keys, _SECRET, request.cookies.get(SECRET_COOKIE, "")))
        except BrokenSealError:
            return ""
        return str(text) if time.time() < until else ""

    def read(self, request: Request) -> Flash | None:
        """The message in a request's cookie, if we signed it and it has not expired."""
        cookie = request.cookies.get(COOKIE)
        if not cookie:
            return None
        try:
            kind, text, until, *more = orjson.loads(unseal(self.keys, _PURPOSE, cookie))
        except BrokenSealError:
            return None
        return Flash(text, kind, *more) if time.time() < until else None
