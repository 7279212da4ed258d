"""Answers only to its own names: another site that points its name here (DNS rebinding) learns nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from partita.kit.problems import Problem
from partita.kit.settings import Settings
from partita.loopback import is_loopback
from partita.web.errors import problem_document

_PROBES = frozenset({"/healthz", "/readyz"})
"""What load balancers ask by whatever name they have for us; the answers hold nothing."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::[0-9]{1,5})?", re.IGNORECASE)


class Misdirected(Problem):
    """The request names a host that is not ours."""

    status = HTTPStatus.MISDIRECTED_REQUEST.value
    code = "unknown_host"
    title = "Unknown host"


def names_of(settings: Settings) -> frozenset[str]:
    """The names under which the site is reached, beside those of this machine."""
    own = urlsplit(settings.base_url).hostname or ""
    return frozenset(name.lower().rstrip(".") for name in (own, *settings.allowed_hosts))


class Hosts:
    """Refuses requests whose `Host` is neither a name of the site, nor this machine, nor the address they came to."""

    def __init__(self, app: ASGIApp, *, names: Iterable[str]) -> None:
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._ours(scope) or scope["path"] in _PROBES:
            await self._app(scope, receive, send)
            return
        problem = Misdirected(
            "This site is not served under that name. Open it under its own address; whoever runs it adds further names"
            " with the setting allowed_hosts."
        )
        if scope["path"].startswith("/api"):
            response = problem_document(problem, scope["state"]["request_id"])
        else:
            response = PlainTextResponse(f"{problem.detail}\n", problem.status)
        response.headers["connection"] = "close"
        await response(scope, receive, send)

    def _ours(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"host"]
        name = _name(given[0]) if len(given) == 1 else None
        return name is not None and (name in self._names or is_loopback(name) or name == _address(scope))


def _name(host: bytes) -> str | None:
    """The name in a `Host`, without its port; None if it is none."""
    matched = _HOST.fullmatch(host.decode("latin-1"))
    return matched[1].lower().rstrip(".").strip("[]") if matched else None


def _address(scope: Scope) -> str | None:
    """The address that the connection came to: nobody's name leads there."""
    server = scope.get("server")
    return str(server[0]).lower() if server else None
