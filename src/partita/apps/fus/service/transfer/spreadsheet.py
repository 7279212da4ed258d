"""CSV: one line per site after a line with the names of the columns; safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator

from partita.apps.fus.service.transfer.rows import Entry, Row, unreadable
from partita.kit.spreadsheets import line, rows

__all__ = ["COLUMNS", "entry_line", "line", "lines"]

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
    names: list[str] | None = None
    for row in rows(data):
        if row.problem:
            yield Row(row.number, {}, row.problem)
        elif names is None:
            names = [_NAMES.get(cell.strip().lower(), "") for cell in row.cells]
            if "url" not in names:
                raise unreadable(f"The first line must name the columns: {', '.join(COLUMNS)}.")
        else:
            fields = {name: cell for name, cell in zip(names, row.cells, strict=False) if name}
            fields["createdAt"] = fields.get("createdAt", "").strip()
            tags = [tag for tag in fields.pop("tags", "").split(",") if tag.strip()]
            yield Row(row.number, {**fields, "tags": tags})
    if names is None:
        raise unreadable("The file is empty.")
