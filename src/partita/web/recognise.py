"""Who sent a request: a bearer token for the API, a session cookie for browsers, or nobody."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from partita.dynamo.errors import DynamoError
from partita.kit.accounts import Accounts
from partita.kit.accounts.tickets import SECONDS as TICKET_SECONDS
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Forbidden, SignInRequired
from partita.kit.settings import Settings

PASSWORD_PATH = "/account/password"
"""The page to change a one-time password on."""
SECOND_FACTOR_PATH = "/account/second-factor"
"""The page to add a second factor on."""
CONFIRMING_PATH = "/account/confirm"
"""The page to show again who one is."""
WORKS_ONCE = "This is a one-time password. Choose a new password to continue."
_log = logging.getLogger(__name__)
_ALLOWED_BEFORE = (PASSWORD_PATH, "/sign-out", "/theme")
_ALLOWED_WITHOUT_FACTOR = (
    *_ALLOWED_BEFORE,
    SECOND_FACTOR_PATH,
    f"{SECOND_FACTOR_PATH}/begin",
    f"{SECOND_FACTOR_PATH}/add",
    CONFIRMING_PATH,
)


class PasswordChangeDue(Forbidden):
    """Somebody signed in with a one-time password and has not changed it yet."""

    code = "password_change_due"
    title = "Choose a password first"


class SecondFactorDue(Forbidden):
    """The settings demand a second factor of this person, who has none yet."""

    code = "second_factor_due"
    title = "Add a second factor first"


def session_cookie(settings: Settings) -> str:
    """The cookie's name; browsers let no other host set one with `__Host-`."""
    return "__Host-partita" if settings.secure else "partita"


@dataclass(frozen=True, slots=True)
class Recognition:
    """Finds who sent a request."""

    accounts: Accounts
    settings: Settings
    unread: Callable[[str], Awaitable[int]]
    """How many notifications somebody has not read, which every page shows."""

    async def __call__(self, request: Request) -> Viewer:
        """The viewer. With a bearer token, cookies are ignored."""
        if bears_token(request):
            scheme, _, token = request.headers["authorization"].partition(" ")
            if scheme.lower() != "bearer" or not token.strip():
                raise SignInRequired("Send the token as `Authorization: Bearer …`.")
            return await self.accounts.recognition.from_bearer(token.strip())
        token = request.cookies.get(session_cookie(self.settings), "")
        if not token:
            return NOBODY
        viewer = await self.accounts.recognition.from_session(token, polled=getattr(request.state, "polled", False))
        if viewer.must_change_password and request.url.path not in _ALLOWED_BEFORE:
            request.state.viewer = viewer
            raise PasswordChangeDue(WORKS_ONCE)
        if viewer.must_add_factor and request.url.path not in _ALLOWED_WITHOUT_FACTOR:
            request.state.viewer = viewer
            raise SecondFactorDue("Your account needs a second factor. Add one to continue.")
        if viewer.signed_in and not request.url.path.startswith("/api/"):
            request.state.unread = await self._unread(viewer.id)
        return viewer

    async def _unread(self, user_id: str) -> int | None:
        """A number in the bar is no reason to show no page."""
        try:
            return await self.unread(user_id)
        except DynamoError as error:
            _log.warning("the number of unread notifications is not known: %s", error)
            return None


def bears_token(request: Request) -> bool:
    """Whether the request has a token; only under /api, since pages accept only cookies."""
    return "authorization" in request.headers and request.url.path.startswith("/api/")


def remember(response: Response, settings: Settings, token: str) -> None:
    """Set the session cookie."""
    response.set_cookie(
        session_cookie(settings),
        token,
        max_age=settings.session_days * 86400,
        path="/",
        httponly=True,
        samesite="lax",
        secure=settings.secure,
    )


def forget(response: Response, settings: Settings) -> None:
    """Delete the session cookie, and what the pages keep in the browser: what was typed and not saved."""
    response.headers["Clear-Site-Data"] = '"storage"'
    response.delete_cookie(session_cookie(settings), path="/", httponly=True, samesite="lax", secure=settings.secure)


def ticket_cookie(settings: Settings) -> str:
    """The name of the cookie between the password and the code."""
    return "__Host-partita-code" if settings.secure else "partita-code"


def remember_ticket(response: Response, settings: Settings, ticket: str) -> None:
    """Let the browser go on to the code."""
    response.set_cookie(
        ticket_cookie(settings),
        ticket,
        max_age=TICKET_SECONDS,
        path="/",
        httponly=True,
        samesite="lax",
        secure=settings.secure,
    )


def forget_ticket(response: Response, settings: Settings) -> None:
    """Delete that cookie."""
    response.delete_cookie(ticket_cookie(settings), path="/", httponly=True, samesite="lax", secure=settings.secure)
