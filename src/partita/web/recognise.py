"""Who sent a request: a bearer token for the API, a session cookie for browsers, or nobody."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from partita.kit.accounts import Accounts
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Forbidden, SignInRequired
from partita.kit.settings import Settings

PASSWORD_PATH = "/account/password"
"""Where somebody with a one-time password must go first."""
WORKS_ONCE = "Your password works once. Choose one of your own before anything else."
_ALLOWED_BEFORE = (PASSWORD_PATH, "/sign-out", "/theme")


class PasswordChangeDue(Forbidden):
    """Somebody came in with a one-time password and has not chosen one of their own."""

    code = "password_change_due"
    title = "Choose a password first"


def session_cookie(settings: Settings) -> str:
    """The cookie's name; with `__Host-` browsers see to it that no other host can set it."""
    return "__Host-partita" if settings.secure else "partita"


async def recognise(request: Request) -> Viewer:
    """Who asks. A bearer token counts alone: then no cookie is looked at."""
    accounts: Accounts = request.app.state.suite.kit.accounts
    if bears_token(request):
        scheme, _, token = request.headers["authorization"].partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise SignInRequired("Send the token as `Authorization: Bearer …`.")
        return await accounts.viewer_from_bearer(token.strip())
    token = request.cookies.get(session_cookie(request.app.state.suite.kit.settings), "")
    if not token:
        return NOBODY
    viewer = await accounts.viewer_from_session(token)
    if viewer.must_change_password and request.url.path not in _ALLOWED_BEFORE:
        request.state.viewer = viewer
        raise PasswordChangeDue(WORKS_ONCE)
    return viewer


def bears_token(request: Request) -> bool:
    """Whether a program asks; pages know only cookies, so that a token never signs anybody in."""
    return "authorization" in request.headers and request.url.path.startswith("/api/")


def remember(response: Response, settings: Settings, token: str) -> None:
    """Keep somebody signed in."""
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
    """End the cookie."""
    response.delete_cookie(session_cookie(settings), path="/", httponly=True, samesite="lax", secure=settings.secure)
