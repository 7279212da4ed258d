"""How fus spells what it stores: tags, the keys that lists are ordered by, ids of comments, texts cut to size."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from partita.kit.inputs import one_line

MOST_TEXT_BYTES = 100_000
_MOST_KEY_BYTES = 900
_PRIOR_COUNT, _PRIOR_STARS = 5, 3
_MOST_COUNTED = 10**6


def tag_of(value: Any) -> Any:
    """A tag in the one spelling it is stored in."""
    plain = one_line(value)
    return unicodedata.normalize("NFC", plain.lower()) if isinstance(plain, str) else plain


def tags_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The tags in texts that separate them by commas, each once."""
    tags = (str(tag_of(part)) for text in texts for part in text.split(","))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def title_key(title: str, site_id: str) -> str:
    """What titles are ordered by: the title without case and accents, and the id, since two sites may share a title."""
    decomposed = unicodedata.normalize("NFKD", title).casefold()
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    # The sort key of an index has at most 1,024 bytes.
    return f"{cut(plain.strip(), _MOST_KEY_BYTES)}#{site_id}"


def rating_rank(count: int | None, total: int | None) -> int:
    """A number to sort by: the average as if five more people had given three stars, so that one rating of five stars
    does not stand above many of nearly five; of two that are equal, the one of more ratings comes first."""
    if not count or not total:
        return 0
    fair = (total + _PRIOR_COUNT * _PRIOR_STARS) * 10_000 // (count + _PRIOR_COUNT)
    return fair * _MOST_COUNTED + min(count, _MOST_COUNTED - 1)


def host_of(url: str) -> str:
    """The host of an address, without the www that nobody says."""
    return (urlsplit(url).hostname or url).removeprefix("www.")


def comment_name(user_id: str, comment_id: str) -> str:
    """A comment's public id: comments are stored under their author, so it contains the author's id."""
    return f"{user_id}.{comment_id}"


def comment_parts(name: str) -> tuple[str, str] | None:
    """The author's id and the comment's own id in a public id; None for a text that is no such id."""
    user_id, dot, comment_id = name.rpartition(".")
    return (user_id, comment_id) if user_id and dot and comment_id else None


def cut(text: str, most_bytes: int) -> str:
    """The start of a text that fits into so many bytes, without half a character at its end."""
    raw = text.encode()
    return text if len(raw) <= most_bytes else raw[:most_bytes].decode(errors="ignore")
