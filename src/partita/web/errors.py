"""Error responses: RFC 9457 documents under /api, pages elsewhere."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from partita.dynamo.errors import DynamoError
from partita.kit.forms import MOST_CHOSEN_FROM, keepable
from partita.kit.kept_forms import MOST_BYTES
from partita.kit.messages import field_errors
from partita.kit.pages import redirect, render
from partita.kit.permissions import NOBODY, ConfirmationRequired
from partita.kit.problems import (
    BadRequest,
    FieldError,
    Forbidden,
    Invalid,
    NotFound,
    Problem,
    SignInRequired,
    TooLarge,
    TooMany,
    Unavailable,
    WrongContentType,
)
from partita.kit.refusals import refusal_of
from partita.kit.routes import keeps, viewer_of
from partita.kit.serving import serving
from partita.kit.unknown import with_known_fields
from partita.table.errors import (
    ChangedMeanwhileError,
    ForeignItemError,
    InvalidCursorError,
    ItemTooLargeError,
    KeyPartError,
)
from partita.web.above import PagesAbove
from partita.web.recognise import (
    CONFIRMING_PATH,
    PASSWORD_PATH,
    SECOND_FACTOR_PATH,
    PasswordChangeDue,
    SecondFactorDue,
)
from partita.web.shell import sign_in_path

PROBLEM_TYPE = "application/problem+json"
_BACK = "Go back with your browser: what you typed is still there."
_log = logging.getLogger("partita.errors")


class MethodNotAllowed(Problem):
    """The path exists, but not for this method."""

    status = 405
    code = "method_not_allowed"
    title = "Method not allowed"

    def __init__(self, detail: str, allowed: str = "") -> None:
        super().__init__(detail)
        self._allowed = allowed

    @property
    def headers(self) -> dict[str, str]:
        return {"Allow": self._allowed} if self._allowed else {}


class UnreadableItem(Problem):
    """A stored item does not fit its type; another program may have written it. The log names its key."""

    status = 500
    code = "unreadable_item"
    title = "A stored item cannot be read"


class UnusableAddress(Invalid):
    """A page's URL has an invalid query parameter; there is no form to show the error in."""

    title = "This address is not valid"
    again = "Open without it"

    def __init__(self, *errors: FieldError) -> None:
        detail = " ".join(f"“{error.field}” in the address: {error.message}" for error in errors)
        super().__init__(*errors, detail=detail)

    @property
    def without(self) -> dict[str, None]:
        """The parameters to leave out of the URL."""
        return {error.field: None for error in self.errors}


class InvalidCursor(BadRequest):
    """A list cannot go on where the URL says: the cursor was altered, or the keys that signed it are no longer used."""

    code = "invalid_cursor"
    title = "This place in the list is not valid any more"
    without: ClassVar[dict[str, None]] = {"cursor": None}
    again = "Start the list again"


class _Closing(TooLarge):
    """Too large; the connection is closed after the response, since the rest of the body is not read."""

    @property
    def headers(self) -> dict[str, str]:
        return {"Connection": "close"}


def install(app: FastAPI, above: PagesAbove) -> None:
    """Respond to every error this way."""

    async def handle(request: Request, error: Exception) -> Response:
        problem = problem_of(request, error)
        if isinstance(problem, MethodNotAllowed) and request.method in ("GET", "HEAD"):
            page = above.of(request.scope["path"])
            if page is not None:
                return redirect(quote(page))
        return await answer_with(request, problem)

    for kind in (Problem, RequestValidationError, HTTPException, DynamoError, *_MODEL_ERRORS):
        app.add_exception_handler(kind, handle)


_MODEL_ERRORS = (InvalidCursorError, ChangedMeanwhileError, ItemTooLargeError, KeyPartError, ForeignItemError)


def problem_of(request: Request, error: Exception) -> Problem:
    """The problem that an error means for the client; raises the error if it is a bug of ours."""
    match error:
        case RequestValidationError():
            return _not_valid(request, error)
        case HTTPException():
            return _by_status(request, error)
        case InvalidCursorError():
            return InvalidCursor(str(error))
        case KeyPartError():
            # The URL contains an id that cannot be a key.
            _log.warning("key", extra={"detail": str(error), "request_id": request.state.request_id})
            return NotFound("There is nothing with this name.")
        case ForeignItemError():
            _log.error("unreadable item", extra={"detail": str(error), "request_id": request.state.request_id})
            return UnreadableItem("A stored item does not fit its type. The log names the item to correct.")
        case _:
            problem = refusal_of(error)
            if problem is None:
                raise error
            return problem


async def answer_with(request: Request, problem: Problem) -> Response:
    """The response for a problem: a document for programs, a page or a redirect to sign in for people."""
    if _is_api(request):
        return problem_document(problem, getattr(request.state, "request_id", ""))
    await _recognise(request)
    if isinstance(problem, SignInRequired) and not request.state.viewer.signed_in:
        return await _to_sign_in(request, problem)
    if isinstance(problem, PasswordChangeDue):
        return redirect(PASSWORD_PATH)  # that page says why
    if isinstance(problem, SecondFactorDue):
        return redirect(SECOND_FACTOR_PATH)  # and so does this one
    if isinstance(problem, ConfirmationRequired):
        return await _to(CONFIRMING_PATH, request, problem, "")
    request.state.problem = True
    return render(request, "error.html", status=problem.status, headers=problem.headers, problem=problem)


def problem_document(problem: Problem, request_id: str) -> Response:
    """A problem as a document (RFC 9457)."""
    body: dict[str, Any] = {
        "type": f"urn:partita:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": _whole(problem.detail),
        "code": problem.code,
        "request_id": request_id,
    }
    if problem.errors:
        body["errors"] = [{"field": _whole(error.field), "message": _whole(error.message)} for error in problem.errors]
    body |= problem.members
    return Response(orjson.dumps(body), problem.status, problem.headers, PROBLEM_TYPE)


def _whole(text: str) -> str:
    """A text without lone surrogates, which may come from the request's JSON and cannot be encoded."""
    return text.encode(errors="replace").decode()


def _not_valid(request: Request, error: RequestValidationError) -> Problem:
    details = error.errors()
    errors = field_errors(with_known_fields(details, request.scope.get("route")), skip=1)
    if any(each["type"] == "json_invalid" for each in details):
        return BadRequest("The body is not JSON.", code="invalid_json", errors=errors)
    if any(each["loc"] == ("body",) for each in details) and not _says_json(request):
        return WrongContentType("Send JSON, with the header Content-Type: application/json.")
    if not _is_api(request) and all(each["loc"][0] == "query" for each in details):
        return UnusableAddress(*errors)
    return Invalid(*errors)


def _says_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def _is_api(request: Request) -> bool:
    return request.url.path == "/api" or request.url.path.startswith("/api/")


def _by_status(request: Request, error: HTTPException) -> Problem:
    detail = str(error.detail)
    match error.status_code:
        case 404:
            return NotFound(f"There is nothing at {request.url.path}.")
        case 405:
            return MethodNotAllowed(
                f"This address does not support {request.method}.", (error.headers or {}).get("Allow", "")
            )
        case 401:
            return SignInRequired(detail)
        case 403:
            return Forbidden(detail)
        case 413:
            back = "" if _is_api(request) or "Go back" in detail else f" {_BACK}"
            return _Closing(f"{detail}{back}")
        case 429:
            return TooMany(detail, retry_after=int((error.headers or {}).get("Retry-After", 60)))
        case status if status < 500:
            return BadRequest(detail if detail != HTTPStatus(status).phrase else "The request is malformed.")
        case _:
            return Unavailable(detail)


async def _to_sign_in(request: Request, problem: Problem) -> Response:
    """Redirect to sign in, and then back to this page, to the one whose button was pressed, or to what was typed."""
    if request.method in ("GET", "HEAD") and "hx-request" not in request.headers:
        return redirect(sign_in_path(request))
    return await _to("/sign-in", request, problem, "Please sign in first.")


async def _to(path: str, request: Request, problem: Problem, words: str) -> Response:
    """Redirect to a page that leads back: to what was typed, or to the page whose button was pressed."""
    came = _came_from(request)
    kept = await _keep(request)
    back = f"?next={quote(kept or came, safe='/')}" if kept or came else ""
    if "hx-request" in request.headers:
        return Response(status_code=problem.status, headers={"HX-Redirect": f"{path}{back}"})
    if kept and words:
        words = "Please sign in again. What you typed is kept."
    return redirect(f"{path}{back}", flash=words, kind="info")


def _came_from(request: Request) -> str:
    """The page of ours whose button was pressed; empty if the headers name none."""
    try:
        parts = urlsplit(request.headers.get("hx-current-url") or request.headers.get("referer", ""))
    except ValueError:  # a header may hold anything
        return ""
    if parts.netloc != request.headers.get("host", ""):
        return ""
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


async def _keep(request: Request) -> str | None:
    """Keep what was typed for the person who is or was signed in with this browser; where it is shown again."""
    model = keeps(request.scope.get("route"))
    user_id = request.state.viewer.user_id or serving(request).last_person(request)
    length = request.headers.get("content-length", "")
    if model is None or user_id is None or not length.isdecimal() or int(length) > MOST_BYTES:
        return None
    try:
        async with request.form(max_fields=MOST_CHOSEN_FROM) as sent:
            fields = keepable(model, sent)
        return await serving(request).kept.keep(user_id, request.url.path, request.url.query, fields)
    except (HTTPException, DynamoError) as error:  # signing in is possible all the same
        _log.warning("a form is not kept: %s", error)
        return None


async def _recognise(request: Request) -> None:
    """Find the viewer for the error page, unless that is what failed."""
    try:
        await viewer_of(request)
    except Exception:
        request.state.viewer = NOBODY
