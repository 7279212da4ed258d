"""CSV: one line per site after a line with the names of the columns; safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from partita.apps.fus.service.transfer.rows import Entry, Row, unreadable
from partita.kit.fetcher.charsets import text_of
from partita.kit.spreadsheets import delimiter, line, plain

COLUMNS = ("url", "title", "description", "tags", "createdAt")
_NAMES = {
    "url": "url",
    "address": "url",
    "link": "url",
    "href": "url",
    "title": "title",
    "name": "title",
    "description": "description",
    "note": "description",
    "tags": "tags",
    "createdat": "createdAt",
    "created": "createdAt",
    "created_at": "createdAt",
}


def entry_line(entry: Entry) -> str:
    """A site as a line."""
    return line((entry.url, entry.title, entry.description, ",".join(entry.tags), entry.created_at))


def lines(data: bytes) -> Iterator[Row]:
    """The sites in a file, by the names in its first line."""
    text = text_of(data).replace("\0", "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))
    names: list[str] | None = None
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            yield Row(reader.line_num, {}, f"This line cannot be read: {error}.")
            continue
        if names is None:
            names = [_NAMES.get(cell.strip().lower().lstrip("\ufeff"), "") for cell in cells]
            if "url" not in names:
                raise unreadable(f"The first line must name the columns: {', '.join(COLUMNS)}.")
        elif any(cell.strip() for cell in cells):
            fields = {name: plain(cell) for name, cell in zip(names, cells, strict=False) if name}
            fields["createdAt"] = fields.get("createdAt", "").strip()
            tags = [tag for tag in fields.pop("tags", "").split(",") if tag.strip()]
            yield Row(reader.line_num, {**fields, "tags": tags})
    if names is None:
        raise unreadable("The file is empty.")
