"""Turns unexpected exceptions into a response with the request id, and logs them."""

from __future__ import annotations

import logging

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partita.kit.problems import Problem
from partita.web.errors import answer_with

_log = logging.getLogger("partita.errors")


class LastResort:
    """Catches every exception."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def note_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, note_start)
        except ClientDisconnect:
            _log.debug("gone", extra={"request_id": scope["state"]["request_id"]})
        except Exception as error:
            _log.exception("unexpected", extra={"request_id": scope["state"]["request_id"]})
            if started:
                raise  # the server closes the connection, so that the client sees that the response is incomplete
            problem = Problem(
                "An unexpected error occurred and was logged. Try again; if it happens again, tell us the request id."
            )
            problem.__cause__ = error
            response = await answer_with(Request(scope, receive), problem)
            await response(scope, receive, send)
