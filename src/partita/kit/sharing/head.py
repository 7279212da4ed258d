"""What a page says of itself to search engines, feed readers and those who show a preview of a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from partita.kit.sharing.feeds import FeedLink

_LONGEST_DESCRIPTION = 200


@dataclass(frozen=True, slots=True)
class Head:
    """Given to `render` as `page_head`. A page without one is for people who are on the site: no engine shows it."""

    path: str
    """The one address of the page: with the filters that make it a page of its own, without cursors and sorting."""
    description: str = ""
    indexed: bool = True
    """False for results of a search, which anybody can make up."""
    kind: Literal["website", "article", "profile"] = "website"
    picture: str = ""
    """The path of a picture of 1200 × 630."""
    feeds: tuple[FeedLink, ...] = ()
    """Feeds of this page, beside those of its system."""
    data: Mapping[str, Any] | None = None
    """The same as the page says, as JSON-LD (`structured.py`)."""

    @property
    def summary(self) -> str:
        """The description as others show it: one line that ends with a word."""
        text = " ".join(self.description.split())
        if len(text) <= _LONGEST_DESCRIPTION:
            return text
        start, _, _ = text[: _LONGEST_DESCRIPTION - 1].rpartition(" ")
        return f"{start or text[: _LONGEST_DESCRIPTION - 2]} …"
