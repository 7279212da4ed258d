"""What people type, with every limit checked before anything is stored; the same for pages, API and imports."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from partita.kit.messages import matching
from partita.kit.urls import checked

MOST_TAGS = 20
MOST_TITLE = 300
MOST_DESCRIPTION = 2000
MOST_NOTE = 2000
MOST_COMMENT = 5000
LONGEST_TAG = 40

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SPACES = re.compile(r"\s+")


def tidy(value: Any) -> Any:
    """Without spaces around it, in one Unicode form, without characters nobody can see or store."""
    if not isinstance(value, str):
        return value
    whole = value.replace("\r\n", "\n").encode(errors="ignore").decode()  # half a surrogate pair is no character
    return unicodedata.normalize("NFC", _CONTROL.sub("", whole)).strip()


def one_line(value: Any) -> Any:
    """A text without line ends and with one space between words."""
    plain = tidy(value)
    return _SPACES.sub(" ", plain).strip() if isinstance(plain, str) else plain


def tag_of(value: Any) -> Any:
    """A tag in the one spelling it is stored in."""
    plain = one_line(value)
    return unicodedata.normalize("NFC", plain.lower()) if isinstance(plain, str) else plain


def _no_comma(value: str) -> str:
    if "," in value:
        raise ValueError("A tag cannot hold a comma: it separates tags.")
    return value


def _distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


Url = Annotated[str, BeforeValidator(tidy), AfterValidator(checked)]
Title = Annotated[str, BeforeValidator(one_line), Field(max_length=MOST_TITLE)]
Description = Annotated[str, BeforeValidator(tidy), Field(max_length=MOST_DESCRIPTION)]
Tag = Annotated[str, BeforeValidator(tag_of), Field(min_length=1, max_length=LONGEST_TAG), AfterValidator(_no_comma)]
Tags = Annotated[tuple[Tag, ...], AfterValidator(_distinct), Field(max_length=MOST_TAGS)]
Stars = Annotated[int, Field(ge=1, le=5, strict=False)]
Note = Annotated[str, BeforeValidator(tidy), Field(max_length=MOST_NOTE)]
Body = Annotated[str, BeforeValidator(tidy), Field(min_length=1, max_length=MOST_COMMENT)]
GroupName = Annotated[
    str, BeforeValidator(tidy), matching("[a-zA-Z0-9_-]{1,64}", "1 to 64 letters a–z, digits, hyphens and underscores.")
]
Permissions = Annotated[tuple[str, ...], AfterValidator(_distinct), Field(max_length=200)]


def _like(**example: Any) -> ConfigDict:
    """What the API's description shows."""
    return ConfigDict(json_schema_extra={"examples": [example]})


class Input(BaseModel):
    """Fields in the document's spelling; nothing else is taken."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class NewSite(Input):
    """A site for the catalog; what is left out is taken from its page."""

    model_config = _like(url="https://www.openstreetmap.org", tags=["maps", "open-data"], fetch=False)

    url: Url
    title: Title = ""
    description: Description = ""
    tags: Tags = ()
    fetch: bool = Field(default=True, description="Whether to read the page for title, description and text.")


class SiteEdit(Input):
    """What changes about a site; fields that are left out stay as they are."""

    model_config = _like(title="OpenStreetMap", tags=["maps", "open-data"])

    url: Url | None = None
    title: Annotated[Title, Field(min_length=1)] | None = None
    description: Description | None = None
    tags: Tags | None = None
    fetch: bool = Field(default=False, description="Whether to read the page anew.")
    revision: int | None = Field(
        default=None, ge=1, description="The revision you saw: refused with 409 if somebody changed the site since."
    )


class SiteForm(Input):
    """A site as its form shows it: whole, so that a field left empty is empty."""

    url: Url
    title: Annotated[Title, Field(min_length=1)]
    description: Description = ""
    tags: Tags = ()
    fetch: bool = False
    revision: int | None = None

    def edit(self) -> SiteEdit:
        """What it asks for."""
        return SiteEdit(
            url=self.url,
            title=self.title,
            description=self.description,
            tags=self.tags,
            fetch=self.fetch,
            revision=self.revision,
        )


class Wanted(Input):
    """A page to look at without saving anything."""

    model_config = _like(url="https://www.openstreetmap.org")

    url: Url


class RatingInput(Input):
    """Somebody's opinion of a site."""

    model_config = _like(stars=4, note="Print the cycle map before the trip.")

    stars: Stars
    note: Note | None = Field(default=None, description="For yourself alone; where it is left out, it stays.")


class RatingForm(Input):
    """A rating as its form shows it; a click on a star sends no note."""

    stars: Stars
    note: Note = ""


class CommentInput(Input):
    """What somebody says about a site."""

    model_config = _like(body="The only map that knows our footpath.")

    body: Body


class NewGroup(Input):
    """A group that grants permissions to its members."""

    model_config = _like(name="map-editors", permissions=["fus:site:edit"])

    name: GroupName
    description: Description = ""
    permissions: Permissions = ()


class GroupEdit(Input):
    """What changes about a group; fields that are left out stay as they are."""

    model_config = _like(description="They keep the maps in order.")

    description: Description | None = None
    permissions: Permissions | None = None
    revision: int | None = Field(
        default=None, ge=1, description="The revision you saw: refused with 409 if somebody changed the group since."
    )


class GroupForm(Input):
    """A group as its form shows it."""

    description: Description = ""
    permissions: Permissions = ()
    revision: int | None = None
