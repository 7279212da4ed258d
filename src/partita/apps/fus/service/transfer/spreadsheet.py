"""CSV: one line per site after a line with the names of the columns; safe to open in a spreadsheet. The columns of
Raindrop and Pocket are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partita.apps.fus.service.transfer.rows import Entry, Row
from partita.kit.imports import unreadable
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
    "excerpt": "description",
    "tags": "tags",
    "createdat": "createdAt",
    "created": "createdAt",
    "created_at": "createdAt",
    "time_added": "createdAt",
    "folder": "folder",
}
_POCKET = {"time_added", "status"}
"""The columns by which a file of Pocket is known: it separates tags by a bar."""
_NO_SUBJECT = {"unsorted"}
"""Folders that say nothing of what is in them."""


def entry_line(entry: Entry) -> str:
    """A site as a line."""
    return line((entry.url, entry.title, entry.description, ",".join(entry.tags), entry.created_at))


def lines(data: bytes, *, folders_as_tags: bool = False) -> Iterator[Row]:
    """The sites in a file, by the names in its first line."""
    names: list[str] | None = None
    bar = False
    for row in rows(data):
        if row.problem:
            yield Row(row.number, {}, row.problem)
        elif names is None:
            columns = [cell.strip().lower() for cell in row.cells]
            names, bar = [_NAMES.get(column, "") for column in columns], set(columns) >= _POCKET
            if "url" not in names:
                raise unreadable(f"The first line must name the columns: {', '.join(COLUMNS)}.")
        else:
            fields = _fields(names, row.cells)
            tags = fields.pop("tags", "").replace("|", ",") if bar else fields.pop("tags", "")
            folder = fields.pop("folder", "")
            folders = folder.split("/") if folders_as_tags else []
            subjects = [each.replace(",", " ") for each in folders if each.strip().lower() not in _NO_SUBJECT]
            named = [tag for tag in [*tags.split(","), *subjects] if tag.strip()]
            yield Row(row.number, {**fields, "createdAt": fields.get("createdAt", "").strip(), "tags": named})
    if names is None:
        raise unreadable("The file is empty.")


def _fields(names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells by name; of two columns for one thing, such as a note and an excerpt, the first that says anything."""
    fields: dict[str, str] = {}
    for name, cell in zip(names, cells, strict=False):
        if name and not fields.get(name, "").strip():
            fields[name] = cell
    if fields.get("title", "").strip() == fields.get("url", "").strip():
        fields.pop("title", None)  # Pocket repeats the address if it knows no title
    return fields
