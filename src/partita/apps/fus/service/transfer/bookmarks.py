"""Bookmarks as browsers export and import them: Netscape's format, which is not quite HTML; and Pocket's list of links,
which says `time_added` for the date."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from partita.apps.fus.service.transfer.rows import Entry, Row, moment_of
from partita.kit.fetcher.charsets import text_of
from partita.kit.fetcher.markup import Tag, pieces

HEAD = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>fus</TITLE>
<H1>fus</H1>
<DL><p>
"""
FOOT = "</DL><p>\n"
_MOST_PIECES = 400_000
# More digits than any character has; html.unescape fails on them.
_ENDLESS = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")


def bookmark(entry: Entry) -> str:
    """A site as a bookmark."""
    added = int(datetime.fromisoformat(entry.created_at).timestamp())
    tags = f' TAGS="{html.escape(",".join(entry.tags))}"' if entry.tags else ""
    description = f"    <DD>{html.escape(entry.description)}\n" if entry.description else ""
    link = f'<A HREF="{html.escape(entry.url)}" ADD_DATE="{added}"{tags}>{html.escape(entry.title)}</A>'
    return f"    <DT>{link}\n{description}"


def bookmarks(data: bytes, *, folders_as_tags: bool) -> Iterator[Row]:
    """The links in a file in their order, whatever else is in it; nothing in it is ever run or shown as HTML."""
    reading = _Reading(folders_as_tags)
    for piece in islice(pieces(text_of(data)), _MOST_PIECES):
        if isinstance(piece, str):
            reading.text(piece)
            continue
        row = reading.tag(piece)
        if row is not None:
            yield row
    last = reading.finished()
    if last is not None:
        yield last


class _Reading:
    """The place in the file: in a link, in a description, in a folder's name, or between them."""

    def __init__(self, folders_as_tags: bool) -> None:
        self._folders_as_tags = folders_as_tags
        self._folders: list[str] = []
        self._named = ""
        self._place = ""
        self._words: list[str] = []
        self._link: dict[str, str] | None = None
        self._title = ""
        self._description = ""
        self._number = 0

    def text(self, text: str) -> None:
        if self._place:
            self._words.append(text)

    def tag(self, tag: Tag) -> Row | None:
        match tag.name, tag.end:
            case "a", False:
                finished = self._close()
                self._link, self._place = tag.attributes(), "title"
                return finished
            case "a", True if self._place == "title":
                self._title, self._place = self._text_so_far(), ""
            case "dd", False if self._link is not None:
                self._text_so_far()
                self._place = "description"
            case "h3", False:
                finished = self._close()
                named = tag.attributes()
                # The bar and the menu of a browser are no subjects, so they make no tags.
                place = "personal_toolbar_folder" in named or "unfiled_bookmarks_folder" in named
                self._place = "" if place else "folder"
                self._named = ""
                return finished
            case "h3", True if self._place == "folder":
                self._named, self._place = self._text_so_far(), ""
            case "dl", False:
                finished = self._close()
                self._folders.append(self._named)
                self._named = ""
                return finished
            case "dl", True:
                finished = self._close()
                if self._folders:
                    self._folders.pop()
                return finished
            case "dt" | "hr", False:
                return self._close()
        return None

    def finished(self) -> Row | None:
        return self._close()

    def _close(self) -> Row | None:
        """The link that ends here, if there is one."""
        if self._place == "title":
            self._title = self._text_so_far()
        elif self._place == "description":
            self._description = self._text_so_far()
        link, title, description = self._link, self._title, self._description
        self._link, self._title, self._description, self._place, self._words = None, "", "", "", []
        if link is None or "href" not in link:
            return None
        self._number += 1
        tags = [tag for tag in _read(link.get("tags", "")).split(",") if tag.strip()]
        if self._folders_as_tags:
            tags += [folder.replace(",", " ") for folder in self._folders if folder.strip()]
        fields = {"url": _read(link["href"]), "title": title, "description": description, "tags": tags}
        return Row(
            self._number, {**fields, "createdAt": moment_of(_read(link.get("add_date") or link.get("time_added", "")))}
        )

    def _text_so_far(self) -> str:
        text, self._words = _read("".join(self._words)), []
        return text


def _read(text: str) -> str:
    return html.unescape(_ENDLESS.sub("\ufffd", text))
