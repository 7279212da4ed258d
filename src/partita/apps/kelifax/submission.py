"""What a visitor submits: the document's `form_data`, with every limit checked before anything is stored."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, EmailStr, Field
from pydantic.alias_generators import to_camel

from partita.apps.kelifax.formats import LearningType
from partita.apps.kelifax.schema import Category
from partita.kit.urls import checked

_PHONE_FILLERS = re.compile(r"[\s().\-/]")
_E164 = re.compile(r"\+[1-9]\d{6,14}\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_HALF = re.compile("[\ud800-\udfff]")
LOGO_NAME = r"[a-z0-9]{26}\.(png|jpg|webp)"
_MOST_IN_SLUG = 100  # leaves room for the number of a slug that is taken


def _tidy(value: Any) -> Any:
    """Without spaces around it, in one Unicode form, without characters nobody can see."""
    if not isinstance(value, str):
        return value
    if _HALF.search(value):  # JSON can spell one, and no table stores it
        raise ValueError("This holds half a character. Type it again.")
    return _CONTROL.sub("", unicodedata.normalize("NFC", value)).strip()


def _name(value: str) -> str:
    if not any(character.isalpha() for character in value):
        raise ValueError("A name has at least one letter.")
    for character in value:
        # Letters of any script, and the marks that some scripts write on them.
        if not (character.isalpha() or unicodedata.category(character).startswith("M") or character in " -'.’"):
            raise ValueError(f"Letters, spaces and - ' . only; {character!r} is none of them.")
    return value


def _phone(value: str) -> str:
    if not value:
        return ""
    plain = _PHONE_FILLERS.sub("", value)
    if not _E164.match(plain):
        raise ValueError("Write the number with its country code, such as +44 20 7946 0000.")
    return plain


def _without(separator: str) -> Any:
    def check(value: str) -> str:
        if separator in value:
            raise ValueError(f"{separator!r} cannot be part of this: it separates entries where they are stored.")
        return value

    return AfterValidator(check)


def _lower(value: Any) -> Any:
    """In lower case, before its length is counted: `İ` becomes two characters."""
    return value.lower() if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_tidy)]
Name = Annotated[Text, Field(min_length=2, max_length=50), AfterValidator(_name)]
Url = Annotated[Text, AfterValidator(checked), Field(json_schema_extra={"format": "uri"})]
Tag = Annotated[Text, BeforeValidator(_lower), Field(min_length=1, max_length=30), _without(",")]
Feature = Annotated[Text, Field(min_length=10, max_length=200), _without("|")]
UseCase = Annotated[Text, Field(min_length=15, max_length=300), _without("|")]


_FEATURES = ["Adds, subtracts and multiplies", "Keeps a thousand numbers", "Decides what to do next"]
_USE_CASES = ["Numbers of Bernoulli", "Tables without mistakes"]


def _distinct(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))


class Input(BaseModel):
    """Fields in the document's spelling; nothing else is taken."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class Submitter(Input):
    """Who submits; never shown in public."""

    first_name: Annotated[Name, Field(examples=["Ada"])]
    last_name: Annotated[Name, Field(examples=["Lovelace"])]
    company_email: Annotated[EmailStr, BeforeValidator(_tidy), AfterValidator(_lower), Field(max_length=254)]
    company: Annotated[Text, Field(max_length=100)] = ""
    phone_number: Annotated[Text, AfterValidator(_phone)] = ""


class ResourceFields(Input):
    """What it is."""

    resource_name: Annotated[Text, Field(min_length=3, max_length=100, examples=["Analytical Engine"])]
    resource_url: Url
    usage_purpose: Annotated[
        Text, Field(min_length=20, max_length=500, examples=["Weaves algebraical patterns, as a loom weaves flowers."])
    ]
    category: Category
    logo_image: Annotated[str, Field(pattern=rf"^({LOGO_NAME})?$")] = ""
    tags: Annotated[list[Tag], Field(max_length=10), AfterValidator(_distinct)] = []


class Learning(Input):
    """Something to learn from."""

    title: Annotated[Text, Field(min_length=1, max_length=100)]
    url: Url
    type: LearningType


class Details(Input):
    """What it does and what for."""

    key_features: Annotated[list[Feature], Field(min_length=3, max_length=10, examples=[_FEATURES])]
    use_cases: Annotated[list[UseCase], Field(min_length=2, max_length=8, examples=[_USE_CASES])]
    learning_resources: Annotated[list[Learning], Field(max_length=5)] = []


class Submission(Input):
    """The three steps of the form together."""

    submitter: Submitter
    resource: ResourceFields
    details: Details


class Edit(Input):
    """What a moderator may change; fields that are left out stay as they are."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"category": "learning", "tags": ["looms", "numbers"]}]})

    resource_name: Annotated[Text, Field(min_length=3, max_length=100)] | None = None
    resource_url: Url | None = None
    usage_purpose: Annotated[Text, Field(min_length=20, max_length=500)] | None = None
    category: Category | None = None
    tags: Annotated[list[Tag], Field(max_length=10), AfterValidator(_distinct)] | None = None
    key_features: Annotated[list[Feature], Field(min_length=3, max_length=10)] | None = None
    use_cases: Annotated[list[UseCase], Field(min_length=2, max_length=8)] | None = None
    learning_resources: Annotated[list[Learning], Field(max_length=5)] | None = None
    revision: Annotated[
        int | None, Field(ge=1, description="The revision you saw: refused with 409 if there is a newer one by now.")
    ] = None


def slug_of(name: str) -> str:
    """The name as part of an address: ASCII, lower case, one hyphen between words; empty where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    kept = re.sub(r"[^\w\s-]", "", plain)
    # A character may fold to several (`ﬃ` to three): a name that is short enough need not have a slug that is.
    return re.sub(r"[\s-]+", "-", kept).strip("-")[:_MOST_IN_SLUG].rstrip("-")
