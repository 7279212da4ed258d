"""How fus spells what it stores: the keys that lists are ordered by, ids that programs see, texts cut to size."""

from __future__ import annotations

import unicodedata
from urllib.parse import urlsplit

from partita.apps.fus.schema import Comment, Site

MOST_TEXT_BYTES = 100_000
_MOST_KEY_BYTES = 900
_COUNTED = 10**6


def title_key(title: str, site_id: str) -> str:
    """What titles are ordered by: without case and accents; the id tells those of one title apart."""
    apart = unicodedata.normalize("NFKD", title).casefold()
    plain = "".join(each for each in apart if not unicodedata.combining(each))
    # The sort key of an index has at most 1,024 bytes.
    return f"{cut(plain.strip(), _MOST_KEY_BYTES)}#{site_id}"


def rating_rank(count: int | None, total: int | None) -> int:
    """Average and count as one number: the better average first, and of two that are equal the one more people gave."""
    if not count or not total:
        return 0
    return total * 10_000 // count * _COUNTED + min(count, _COUNTED - 1)


def rank_of(site: Site) -> int:
    """The rank that the sums of a site give it."""
    return rating_rank(site.rating_count, site.rating_sum)


def cut(text: str, most_bytes: int) -> str:
    """The start of a text that fits into so many bytes, with no character halved."""
    raw = text.encode()
    return text if len(raw) <= most_bytes else raw[:most_bytes].decode(errors="ignore")


def host_of(url: str) -> str:
    """The host of an address, as people say it."""
    return (urlsplit(url).hostname or url).removeprefix("www.")


def comment_name(comment: Comment) -> str:
    """A comment's public id: comments are kept under their author, so it says whose it is."""
    return f"{comment.user_id}.{comment.comment_id}"


def comment_parts(name: str) -> tuple[str, str] | None:
    """The author and the author's own id of a comment; None for what is no id of a comment."""
    user_id, dot, comment_id = name.rpartition(".")
    return (user_id, comment_id) if user_id and dot and comment_id else None
