"""What nobody expected becomes an answer with a request id, and a line in the log with all there is to know."""

from __future__ import annotations

import logging

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partita.kit.problems import Problem
from partita.web.errors import answer_with

_log = logging.getLogger("partita.errors")


class LastResort:
    """Nothing gets past it but answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def noticed(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noticed)
        except ClientDisconnect:
            _log.debug("gone", extra={"request_id": scope["state"]["request_id"]})
        except Exception as error:
            _log.exception("unexpected", extra={"request_id": scope["state"]["request_id"]})
            if started:
                raise  # the server breaks the connection off, so that half an answer is not taken for a whole one
            problem = Problem(
                "This is our mistake, and it was noted. Try again; if it stays, tell us the request's number."
            )
            problem.__cause__ = error
            response = await answer_with(Request(scope, receive), problem)
            await response(scope, receive, send)
