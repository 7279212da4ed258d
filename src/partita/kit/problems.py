"""Errors for the person or program that made a request: services raise them, `web` renders them (RFC 9457)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One bad field: its name in the API, with dots if it is nested, and what to do about it."""

    field: str
    message: str


class Problem(Exception):
    """A refusal with a stable code, a status, and a sentence that says the next step."""

    status: ClassVar[int] = 500
    code: str = "internal_error"
    title: ClassVar[str] = "Something went wrong"

    def __init__(self, detail: str, *, code: str | None = None, errors: Iterable[FieldError] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.errors = tuple(errors)

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response."""
        return {}

    @property
    def members(self) -> dict[str, Any]:
        """What else the document says, for programs."""
        return {}


class BadRequest(Problem):
    """The request is malformed."""

    status = 400
    code = "bad_request"
    title = "Bad request"


class SignInRequired(Problem):
    """The request must be made by somebody who is signed in."""

    status = 401
    code = "sign_in_required"
    title = "Please sign in"

    @property
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class Forbidden(Problem):
    """The viewer lacks a permission."""

    status = 403
    code = "forbidden"
    title = "Not allowed"


class NotFound(Problem):
    """It does not exist, or the viewer may not know that it does."""

    status = 404
    code = "not_found"
    title = "Not found"


class Conflict(Problem):
    """The current state does not allow it: somebody was faster, a name is taken, a decision is made."""

    status = 409
    code = "conflict"
    title = "Conflict"


class TooLarge(Problem):
    """The request is too large."""

    status = 413
    code = "too_large"
    title = "Too large"


class WrongContentType(Problem):
    """The body is of a type that the route does not read; the sentence says which it does."""

    status = 415
    code = "wrong_content_type"
    title = "Wrong content type"


class Invalid(Problem):
    """Bad input, with every bad field named; nothing was written."""

    status = 422
    code = "invalid"
    title = "Please check your input"

    def __init__(self, *errors: FieldError, detail: str | None = None, code: str | None = None) -> None:
        text = detail or " ".join(f"{error.field}: {error.message}" for error in errors)
        super().__init__(text, code=code, errors=errors)


class TooMany(Problem):
    """Too many requests; the response says when to try again."""

    status = 429
    code = "too_many_requests"
    title = "Too many requests"

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


class Unavailable(Problem):
    """Something that this needs is not available right now."""

    status = 503
    code = "unavailable"
    title = "Not available right now"
