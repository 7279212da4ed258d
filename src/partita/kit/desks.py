"""A desk: a queue, the thing of it that somebody decides on now, and what comes next. `macros/desk.html` shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request

from partita.kit.forms import MOST_FIELDS
from partita.kit.pages import local
from partita.table import Page

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk(Generic[T]):
    """A page of a queue, with one thing of it open. Every URL keeps the page: a decision does not lose the place."""

    path: str
    page: Page[T]
    key: Callable[[T], str] = field(repr=False)
    current: T | None
    """What is open: one of the page, or one that somebody came back to; None if nothing waits."""
    cursor: str | None = None

    @classmethod
    def of(
        cls, path: str, page: Page[T], key: Callable[[T], str], *, at: str = "", cursor: str | None = None
    ) -> Desk[T]:
        """The desk with the thing of this key open; the first one if it does not wait here any more."""
        items = page.items
        current = next((item for item in items if key(item) == at), items[0] if items else None)
        return cls(path, page, key, current, cursor)

    @property
    def open_key(self) -> str:
        return "" if self.current is None else self.key(self.current)

    @property
    def previous_url(self) -> str:
        """The one before; empty at the beginning of the page."""
        place = self._place
        return self.url(self.page.items[place - 1]) if place else ""

    @property
    def next_url(self) -> str:
        """The one after, on the next page if need be; empty at the end of the queue."""
        after = self.page.items[0 if self._place is None else self._place + 1 :]
        return self.url(after[0]) if after else self.next_page_url

    @property
    def next_page_url(self) -> str:
        return self._address(cursor=self.page.next_cursor) if self.page.next_cursor else ""

    @property
    def after_decision(self) -> str:
        """Where to go on: the next one, or the beginning of what is left."""
        return self.next_url or self.path

    def url(self, item: T) -> str:
        """The desk with this one open."""
        return self._address(cursor=self.cursor, at=self.key(item))

    @property
    def _place(self) -> int | None:
        """Where the open one is on the page; None if it is not there."""
        return next((place for place, item in enumerate(self.page.items) if self.key(item) == self.open_key), None)

    def _address(self, **parameters: str | None) -> str:
        given = urlencode({name: value for name, value in parameters.items() if value})
        return f"{self.path}?{given}" if given else self.path


async def next_in(request: Request) -> str:
    """Where a decision leads: at a desk to the next thing, which its form names; empty for other forms."""
    sent = await request.form(max_fields=MOST_FIELDS)
    return local(str(sent.get("next", "")), "")


async def cursor_in(request: Request) -> str | None:
    """The page of the queue on which a decision was made; None for the first."""
    sent = await request.form(max_fields=MOST_FIELDS)
    return str(sent.get("cursor", "")) or None
