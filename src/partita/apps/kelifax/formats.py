"""Kelifax's string formats: lists kept in one string, the way the document's helper functions keep them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2s
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from partita.kit.urls import AddressError, checked, normalise

LearningType = Literal["documentation", "tutorial", "video", "course"]
Licence = Literal["open-source", "source-available", "proprietary"]
Pricing = Literal["free", "freemium", "paid"]
LICENCES: dict[str, str] = {
    "open-source": "Open source",
    "source-available": "Source available",
    "proprietary": "Proprietary",
}
"""Licence → as people read it."""
PRICINGS: dict[str, str] = {"free": "Free", "freemium": "Free and paid plans", "paid": "Paid"}
"""Price → as people read it."""
LOGO_NAME = r"[a-z0-9]{26}\.(png|jpg|webp)"
_LONGEST_SLUG = 100  # leaves room for a number at the end


class LearningResource(BaseModel):
    """Something to learn from."""

    model_config = ConfigDict(frozen=True)

    title: str
    url: str
    type: LearningType


class SeparatorError(ValueError):
    """A part holds the character that separates parts."""


def slug_of(name: str) -> str:
    """The name as part of an address: ASCII, lower case, one hyphen between words; empty if nothing is left."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    kept = re.sub(r"[^\w\s-]", "", ascii_name)
    # A character may fold to several (`ﬃ` to three), so the slug of a short name can be long.
    return re.sub(r"[\s-]+", "-", kept).strip("-")[:_LONGEST_SLUG].rstrip("-")


def slug_or_digest(name: str) -> str:
    """The slug of a name; for one without letters from A to Z something that stands for it. Empty if it has neither
    letters nor digits."""
    slug = slug_of(name)
    if slug or not any(character.isalnum() for character in name):
        return slug
    return f"resource-{blake2s(unicodedata.normalize('NFKC', name).encode(), digest_size=4).hexdigest()}"


def guarded_url(resource_status: str, resource_url: str) -> str | None:
    """The normalised URL that no other resource may have. None if the resource is rejected, or if another program
    wrote something that is no URL."""
    if resource_status == "rejected":
        return None
    try:
        return normalise(checked(resource_url))
    except AddressError:
        return None


def place_at(moment: str) -> int:
    """A time as a number, so that a place between two others can be given: its digits down to microseconds."""
    return int(re.sub(r"\D", "", moment)[:20].ljust(20, "0"))


def category_name(category: str) -> str:
    """A category as people read it."""
    return "AI" if category == "ai" else category.capitalize()


def join_tags(tags: Iterable[str]) -> str:
    """`productivity,development`."""
    return _joined(tags, ",", "a tag")


@lru_cache(maxsize=4096)  # lists show the same ones again and again
def split_tags(text: str) -> tuple[str, ...]:
    """The tags of a stored string, each once and in one spelling, since other programs may spell them differently."""
    return tuple(dict.fromkeys(spelled for tag in text.split(",") if (spelled := spelled_tag(tag))))


def spelled_tag(tag: str) -> str:
    """A tag as it is looked up: lower case, in one Unicode form, without spaces around it."""
    return unicodedata.normalize("NFC", tag.lower()).strip()


def join_features(features: Iterable[str]) -> str:
    """Key features or use cases: `first|second`."""
    return _joined(features, "|", "a feature or use case")


def split_features(text: str) -> tuple[str, ...]:
    """The features of a stored string."""
    return tuple(text.split("|")) if text else ()


def join_learning(resources: Iterable[LearningResource]) -> str:
    """JSON objects with `|` between them; a `|` inside is written as an escape, so that a plain split reads it back."""
    return "|".join(
        json.dumps(resource.model_dump(), ensure_ascii=False, separators=(",", ":")).replace("|", "\\u007c")
        for resource in resources
    )


def split_learning(text: str) -> tuple[LearningResource, ...]:
    """The learning resources of a stored string, without those that cannot be read."""
    readable: list[LearningResource] = []
    for part in text.split("|"):
        with suppress(ValidationError):
            readable.append(LearningResource.model_validate_json(part))
    return tuple(readable)


def search_text(name: str, tags: Sequence[str], category: str, features: Sequence[str]) -> str:
    """Name, category, tags and features in lower case, as the document combines them."""
    parts = (name.lower(), category.lower(), " ".join(tags).lower(), " ".join(features).lower())
    return " ".join(part for part in parts if part)


def _joined(parts: Iterable[str], separator: str, what: str) -> str:
    parts = list(parts)
    for part in parts:
        if separator in part:
            raise SeparatorError(f"{part!r} holds {separator!r}, which separates parts: {what} cannot hold it")
        if not part:
            raise SeparatorError(f"{what} cannot be empty")
    return separator.join(parts)
