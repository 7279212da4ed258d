"""Input models: texts are normalised, unknown fields refused, and edits of an old revision detected."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError

from partita.dynamo.numbers import LOWEST_EXPONENT
from partita.kit.problems import BadRequest, Conflict, FieldError
from partita.kit.urls import checked, completed, public

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_HALF = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"\s+")
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")

S = TypeVar("S", list[str], tuple[str, ...])


def tidy(value: Any) -> Any:
    """A text in Unicode's NFC, without control characters and surrounding spaces."""
    if not isinstance(value, str):
        return value
    return unicodedata.normalize("NFC", _CONTROL.sub("", _whole(value).replace("\r\n", "\n"))).strip()


def _whole(text: str) -> str:
    """A text without lone surrogates: JSON can express them, DynamoDB cannot store them."""
    if _HALF.search(text):
        raise ValueError("This contains an invalid character. Type it again.")
    return text


def one_line(value: Any) -> Any:
    """A tidy text without line ends, with one space between words."""
    plain = tidy(value)
    return _SPACES.sub(" ", plain).strip() if isinstance(plain, str) else plain


def in_one_direction(value: str) -> str:
    """A text without characters that turn the direction of what follows; letters have their own."""
    if _TURNS.search(value):
        raise ValueError("This contains an invisible character that turns the direction of writing. Type it again.")
    return value


def without_halves(text: str) -> str:
    """A text from a web page, without lone surrogates, which would be refused if somebody typed them."""
    return _HALF.sub("", text)


def storable(value: Any) -> Any:
    """Any JSON as a table can hold it: numbers are decimal, names are not empty, and maps lie in each other 20 deep."""
    return _storable(value, 20)


def _storable(value: Any, deep: int) -> Any:
    if isinstance(value, list | dict):
        if not deep:
            raise ValueError("This lies too deep: maps and lists may lie in each other 20 deep.")
        if isinstance(value, list):
            return [_storable(each, deep - 1) for each in value]
        if "" in value:
            raise ValueError("A name is empty. Give each value a name.")
        return {_whole(name): _storable(each, deep - 1) for name, each in value.items()}
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) < 2**63:  # what programs that read JSON can hold
            raise ValueError("A number is too large: it has to lie below 9 * 10^18.")
        return value if isinstance(value, int) else _decimal(value)
    return value


def _decimal(value: float) -> Decimal:
    """The number that is written so; zero has no sign, as a table stores none."""
    number = Decimal(repr(value))
    if number and number.adjusted() < LOWEST_EXPONENT:
        raise ValueError(f"A number is too close to zero: it has to be 0, or at least 10^{LOWEST_EXPONENT}.")
    return number or Decimal(0)


def without(separator: str, explanation: str) -> AfterValidator:
    """A text without this character, which separates texts when they are typed or stored."""

    def check(value: str) -> str:
        if separator in value:
            raise ValueError(explanation)
        return value

    return AfterValidator(check)


def counted(least: int, most: int) -> WrapValidator:
    """A list of so many entries. If its number and some of its entries are wrong, both are told at once."""

    def check(values: Any, validate: ValidatorFunctionWrapHandler) -> Any:
        errors: list[InitErrorDetails] = []
        try:
            values = validate(values)
        except ValidationError as refused:
            if not isinstance(values, list | tuple):
                raise
            errors = [_as_given(each) for each in refused.errors(include_url=False)]
        number = len(values)
        if number < least or number > most:
            kind, limit = ("too_short", "min_length") if number < least else ("too_long", "max_length")
            context = {"field_type": "List", limit: least if number < least else most, "actual_length": number}
            errors = [InitErrorDetails(type=kind, loc=(), input=values, ctx=context), *errors]
        if errors:
            raise ValidationError.from_exception_data("list", errors)
        return values

    return WrapValidator(check)


def items(least: int, most: int) -> dict[str, Any]:
    """What the API's description says of a list that is `counted`."""
    return {"minItems": least, "maxItems": most}


def _as_given(error: ErrorDetails) -> InitErrorDetails:
    """An error as pydantic takes it back."""
    return InitErrorDetails(type=error["type"], loc=error["loc"], input=error["input"], ctx=error.get("ctx") or {})


def distinct(values: S) -> S:
    """The texts without duplicates, in the order they were typed."""
    return type(values)(dict.fromkeys(values))


Text = Annotated[str, BeforeValidator(tidy)]
Line = Annotated[str, BeforeValidator(one_line)]
Url = Annotated[Text, AfterValidator(completed), AfterValidator(checked), Field(json_schema_extra={"format": "uri"})]
PublicUrl = Annotated[Url, AfterValidator(public)]
"""A URL that everybody can open."""
Title = Annotated[Line, AfterValidator(in_one_direction)]
"""A line that is written in the direction of its letters, so that it cannot look like another one."""


def example(**values: Any) -> ConfigDict:
    """An example of the input for the API's documentation."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class Input(BaseModel):
    """Fields in camelCase, as the table stores them; unknown fields are refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


CLEARABLE = object()
"""Marks a field of an edit that may be emptied: `ends_on: Annotated[date | None, CLEARABLE] = None`."""


def _clearable(info: FieldInfo) -> bool:
    return any(each is CLEARABLE for each in info.metadata)


def given(**fields: Any) -> dict[str, Any]:
    """Those that have a value: an edit takes none without."""
    return {name: value for name, value in fields.items() if value is not None}


class Changes(Input):
    """Changes; fields that are left out stay as they are."""

    made_from: ClassVar[str] = ""
    """The field that says what the edit was made from, if there is one."""

    @field_validator("*", mode="before")
    @classmethod
    def _not_null(cls, value: Any, info: ValidationInfo) -> Any:
        field = str(info.field_name)
        if value is None and not _clearable(cls.model_fields[field]):
            raise PydanticCustomError("missing", "Field required")
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema without null for the fields that refuse it."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        for name, info in cls.model_fields.items():
            described = schema["properties"][info.alias or name]
            if "anyOf" in described and not _clearable(info):
                described["anyOf"] = [each for each in described["anyOf"] if each.get("type") != "null"]
                described.pop("default", None)
        return schema

    @property
    def changes(self) -> dict[str, Any]:
        """Field → its new value, for the fields that were sent; refused if there is none."""
        sent = {name: getattr(self, name) for name in self.model_fields_set if name != self.made_from}
        if not sent:
            raise nothing_to_change()
        return sent


class Edit(Changes):
    """Changes of an item that counts its revisions."""

    made_from = "revision"
    revision: int | None = Field(
        default=None, ge=1, description="The revision you edited; refused with 409 if it has been changed since."
    )

    def check_revision(self, current: int) -> None:
        """Refuse the edit if somebody else has changed the item since."""
        if self.revision is not None and self.revision != current:
            raise StaleEdit(current)


class VersionedEdit(Changes):
    """Changes of an item whose version is a digest of what can be edited, so that it holds whoever writes the item."""

    made_from = "version"
    version: str | None = Field(
        default=None, max_length=64, description="The version you edited; refused with 409 if it has changed since."
    )

    def check_version(self, current: str) -> None:
        """Refuse the edit if somebody else has changed the item since."""
        if self.version is not None and self.version != current:
            raise StaleEdit(current, "version")


SNAKE_CASE = ConfigDict(alias_generator=None)
"""`model_config` of inputs whose fields are called as they are, for systems whose documents write snake_case."""


def nothing_to_change() -> BadRequest:
    """The refusal of an edit that changes nothing."""
    return BadRequest("Send at least one field to change.", code="nothing_to_change")


LOCKS = frozenset({"revision", "version"})
"""The fields with which an edit says which state it was made from."""


class StaleEdit(Conflict):
    """An edit of a state that is no longer the current one; `field` is the field of the edit that names the state."""

    code = "changed_meanwhile"

    def __init__(self, current: int | str, field: str = "revision") -> None:
        detail = "Somebody else has changed this. Reload it and make your changes again."
        super().__init__(detail, errors=[FieldError(field, detail)])
        self.current = current
        self.field = field

    @property
    def members(self) -> dict[str, Any]:
        return {self.field: self.current}
