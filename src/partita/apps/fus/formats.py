"""How fus spells what it stores: the keys that lists are ordered by, ids that programs see, texts cut to size."""

from __future__ import annotations

from urllib.parse import urlsplit

from partita.apps.fus.schema import Comment, Site

MOST_TEXT_BYTES = 100_000
_COUNTED = 10**6


def rating_rank(count: int | None, total: int | None) -> int:
    """Average and count as one number: the better average first, and of two that are equal the one more people gave."""
    if not count or not total:
        return 0
    return total * 10_000 // count * _COUNTED + min(count, _COUNTED - 1)


def rank_of(site: Site) -> int:
    """The rank that the sums of a site give it."""
    return rating_rank(site.rating_count, site.rating_sum)


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
