"""What people type about themselves, checked; the same for pages, API and commands."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    EmailStr,
    Field,
    SecretStr,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from partita.kit.accounts.passwords import weakness
from partita.kit.messages import field_errors, matching
from partita.kit.problems import FieldError, Invalid

T = TypeVar("T")
RESERVED = frozenset(
    {"admin", "administrator", "anonymous", "nobody", "operator", "partita", "root", "support", "system"}
)
"""Usernames that only the house gives, since people would believe them."""


def _printable(text: str) -> str:
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in text):
        raise ValueError("Use letters and signs that can be seen.")
    return text


def _not_reserved(username: str) -> str:
    if username in RESERVED:
        raise ValueError("This name is the house's own. Choose another.")
    return username


Username = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_lower=True, min_length=3, max_length=30),
    matching("[a-z0-9]([a-z0-9-]*[a-z0-9])?", "Letters a–z, digits, and hyphens in between."),
]
Email = Annotated[EmailStr, Field(max_length=254), AfterValidator(str.lower)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), AfterValidator(_printable)]
TokenName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_printable)
]
TokenDays = Annotated[int, Field(ge=1, le=366)]


class SignUp(BaseModel):
    """What a new person says."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    username: Annotated[Username, AfterValidator(_not_reserved)]
    email: Email
    name: Name
    password: SecretStr

    @field_validator("password")
    @classmethod
    def _good(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        said = info.data
        bad = weakness(value.get_secret_value(), said.get("username"), said.get("email"), said.get("name"))
        if bad is not None:
            raise ValueError(bad)
        return value


def checked(make: Callable[[], T]) -> T:
    """What a model makes of its input; where that is bad, every bad field at once."""
    try:
        return make()
    except ValidationError as error:
        raise Invalid(*field_errors(error)) from None


def checked_field(field: str, kind: Any, value: object) -> Any:
    """One value of a type; where it is bad, a problem of that field."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise Invalid(FieldError(field, field_errors(error)[0].message)) from None


def checked_password(field: str, password: str, *personal: str | None) -> str:
    """A password that is good enough, or a problem of that field."""
    bad = weakness(password, *personal)
    if bad is not None:
        raise Invalid(FieldError(field, bad))
    return password
