"""Tags as they are asked for: repeated or with commas between them, in any spelling."""

from __future__ import annotations

from collections.abc import Iterable

from partita.apps.fus.inputs import LONGEST_TAG, tag_of
from partita.kit.problems import FieldError, Invalid

MOST = 10


def wanted_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """The tags of a request, each once."""
    found = tags_in(texts)
    if len(found) > MOST:
        raise Invalid(FieldError("tags", f"At most {MOST} tags at once; these are {len(found)}."))
    if any(len(tag) > LONGEST_TAG for tag in found):
        raise Invalid(FieldError("tags", f"A tag has at most {LONGEST_TAG} characters."))
    return found


def likely_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """The same for people, who follow links: what makes no sense is left out rather than refused."""
    return tuple(tag for tag in tags_in(texts) if len(tag) <= LONGEST_TAG)[:MOST]


def tags_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Whatever might be a tag, in the spelling tags have."""
    found = (str(tag_of(part)) for text in texts for part in text.split(","))
    return tuple(dict.fromkeys(tag for tag in found if tag))
