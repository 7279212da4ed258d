"""A form that was kept while its sender signed in again: the page of the form, with what was typed, not saved."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from partita.kit.flashes import Flash
from partita.kit.kept_forms import KEPT_PATH, sent_body
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.schema import KeptForm
from partita.kit.serving import serving

_NOTICE = Flash("You are signed in again. What you typed is here but not saved: check it and send it again.", "info")
_CONFIRMED = Flash("Thank you. What you typed is here but not saved: check it and send it again.", "info")


def routes() -> Routes:
    """The page."""
    pages = Routes("", tag="house", pages=True)

    @pages.get(f"{KEPT_PATH}/{{form_id}}", Access.SIGNED_IN)
    async def kept(request: Request, viewer: CurrentViewer, form_id: str) -> Response:
        notice = _CONFIRMED if "confirmed" in request.query_params else _NOTICE
        return _Restored(await serving(request).kept.find(viewer, form_id), notice)

    return pages


class _Restored(Response):
    """The answer of the form's own route, which shows the form again; `restored` keeps it from saving anything."""

    def __init__(self, form: KeptForm, notice: Flash) -> None:
        super().__init__()
        self._form = form
        self._notice = notice

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = sent_body(self._form)
        kept = [(name, value) for name, value in scope["headers"] if name in (b"host", b"cookie", b"user-agent")]
        length = str(len(body)).encode()
        sent: Scope = {
            **scope,
            "method": "POST",
            "path": self._form.path,
            "raw_path": quote(self._form.path).encode(),
            "query_string": self._form.parameters.encode(),
            "headers": [
                *kept,
                (b"content-type", b"application/x-www-form-urlencoded"),
                (b"content-length", length),
            ],
            "state": {**scope.get("state", {}), "restored": True, "notice": self._notice},
        }

        async def receive_body() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await scope["app"].router(sent, receive_body, send)
