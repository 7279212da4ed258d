"""The addresses of pages: ids decide, and a readable tail follows them."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote, urlencode

from partita.apps.worthwatch.formats import tail
from partita.apps.worthwatch.schema import ContentType, Watchlist

Kind = Literal["film", "series"]
KINDS: dict[ContentType, Kind] = {"MOVIE": "film", "SHOW": "series"}
"""What addresses and pages call the document's types."""
CONTENT_TYPES: dict[Kind, ContentType] = {"film": "MOVIE", "series": "SHOW"}


_PAGES_OF_A_LIST = frozenset(
    {"comments", "copy", "delete", "edit", "find", "more", "pick", "progress", "share", "several"}
)
_PAGES_OF_A_TITLE = frozenset({"edit", "history", "lists", "merge", "rating", "reviews"})


def list_path(watchlist: Watchlist) -> str:
    """The page of a list."""
    return f"/worthwatch/lists/{_part(watchlist.watchlist_id)}/{_part(list_tail(watchlist.title))}"


def list_tail(title: str) -> str:
    """The readable end of a list's address; none is that of another page."""
    readable = tail(title)
    return f"{readable}-list" if readable in _PAGES_OF_A_LIST else readable


def secret_path(watchlist: Watchlist) -> str:
    """The page of a private list for whoever has its link."""
    return f"/worthwatch/shared/{_part(watchlist.watchlist_id)}/{_part(watchlist.secret_link or '-')}"


def edit_path(watchlist_id: str) -> str:
    """Where a list is edited."""
    return f"/worthwatch/lists/{_part(watchlist_id)}/edit"


def title_path(content_type: ContentType, content_id: str, title: str) -> str:
    """The page of a film or series."""
    return f"/worthwatch/titles/{title_parts(content_type, content_id)}/{_part(title_tail(title))}"


def title_tail(title: str) -> str:
    """The readable end of a title's address; none is that of another page."""
    readable = tail(title)
    return f"{readable}-title" if readable in _PAGES_OF_A_TITLE else readable


def title_parts(content_type: ContentType, content_id: str) -> str:
    """A film or series within an address: `film/tt1`."""
    return f"{KINDS[content_type]}/{_part(content_id)}"


def curator_path(user_id: str, username: str) -> str:
    """The page of a curator or a member."""
    return f"/worthwatch/curators/{_part(user_id)}/{_part(tail(username))}"


def embed_path(watchlist_id: str) -> str:
    """A list for pages of others."""
    return f"/worthwatch/embed/{_part(watchlist_id)}"


def tag_path(tag: str) -> str:
    """Discover, with a tag."""
    return f"/worthwatch?{urlencode({'tag': tag})}"


def poster_path(content_type: ContentType, content_id: str, digest: str | None) -> str:
    """A poster; without its digest the address leads to the one that has it."""
    return f"/worthwatch/posters/{title_parts(content_type, content_id)}/{digest or '-'}.svg"


def _part(text: str) -> str:
    return quote(text, safe="")
