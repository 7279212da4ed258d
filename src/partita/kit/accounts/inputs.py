"""Validation of what people enter; the same for pages, API and commands."""

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
from partita.kit.letters import no_link
from partita.kit.messages import field_errors, matching
from partita.kit.problems import FieldError, Invalid

T = TypeVar("T")
RESERVED = frozenset(
    {"admin", "administrator", "anonymous", "nobody", "operator", "partita", "root", "support", "system"}
)
"""Usernames that people would take for official ones."""


def _printable(text: str) -> str:
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in text):
        raise ValueError("Use printable characters only.")
    return text


def _not_reserved(username: str) -> str:
    if username in RESERVED:
        raise ValueError("This username is reserved. Choose another.")
    return username


Username = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_lower=True, min_length=3, max_length=30),
    matching("[a-z0-9]([a-z0-9-]*[a-z0-9])?", "Use letters a–z, digits, and hyphens between them."),
]
Email = Annotated[EmailStr, Field(max_length=254), AfterValidator(str.lower)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=80),
    AfterValidator(_printable),
    AfterValidator(no_link),
]
TokenName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_printable)
]
TokenDays = Annotated[int, Field(ge=1, le=366)]


class SignUp(BaseModel):
    """The form of a new account."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    username: Annotated[Username, AfterValidator(_not_reserved)]
    email: Email
    name: Name
    password: SecretStr

    @field_validator("password")
    @classmethod
    def _strong(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        personal = (info.data.get(each) for each in ("username", "email", "name"))
        if (reason := weakness(value.get_secret_value(), *personal)) is not None:
            raise ValueError(reason)
        return value


def could_be_id(text: str) -> bool:
    """Whether this could be an id; a URL may contain anything."""
    return 0 < len(text) <= 64 and text.isprintable()


def checked(make: Callable[[], T]) -> T:
    """The model, or `Invalid` with every field that is wrong."""
    try:
        return make()
    except ValidationError as error:
        raise Invalid(*field_errors(error)) from None


def checked_field(field: str, kind: Any, value: object) -> Any:
    """The value as that type, or `Invalid` for that field."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise Invalid(FieldError(field, field_errors(error)[0].message)) from None


def checked_password(field: str, password: str, *personal: str | None) -> str:
    """The password, or `Invalid` for that field if it is too weak."""
    if (reason := weakness(password, *personal)) is not None:
        raise Invalid(FieldError(field, reason))
    return password
