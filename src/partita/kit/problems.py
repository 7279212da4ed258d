"""What can go wrong for the person in front of it; services raise these, the web tells them (RFC 9457)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One bad field: its name as the API spells it, dotted where it is nested, and what to do about it."""

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
        """Headers that belong to the answer."""
        return {}


class BadRequest(Problem):
    """The request cannot be understood."""

    status = 400
    code = "bad_request"
    title = "Bad request"


class SignInRequired(Problem):
    """Nobody is signed in, and somebody must be."""

    status = 401
    code = "sign_in_required"
    title = "Please sign in"

    @property
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class Forbidden(Problem):
    """Somebody is signed in who may not do this."""

    status = 403
    code = "forbidden"
    title = "Not allowed"


class NotFound(Problem):
    """There is nothing here, or nothing this person may know of."""

    status = 404
    code = "not_found"
    title = "Not found"


class Conflict(Problem):
    """The state does not allow it: a lost race, a taken name, a decision that was made already."""

    status = 409
    code = "conflict"
    title = "Conflict"


class TooLarge(Problem):
    """More than is taken."""

    status = 413
    code = "too_large"
    title = "Too large"


class Invalid(Problem):
    """Bad input, with every bad field named; nothing was written."""

    status = 422
    code = "invalid"
    title = "Please check what was sent"

    def __init__(self, *errors: FieldError, detail: str | None = None, code: str | None = None) -> None:
        shown = detail or " ".join(f"{error.field}: {error.message}" for error in errors)
        super().__init__(shown, code=code, errors=errors)


class TooMany(Problem):
    """Too often; the answer says when to try again."""

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
    """Something this needs is not there right now."""

    status = 503
    code = "unavailable"
    title = "Not available right now"
