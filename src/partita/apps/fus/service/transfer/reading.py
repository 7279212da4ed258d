"""Reading a file: its rows, checked; in a process of its own if it is large, since anybody can have written it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import ValidationError, field_validator

from partita.apps.fus.inputs import NewSite
from partita.apps.fus.service.transfer import bookmarks, listing, spreadsheet
from partita.apps.fus.service.transfer.rows import Format, Row, moment_of
from partita.kit.imports import unreadable
from partita.kit.jobs import ChildError, in_child
from partita.kit.messages import field_errors
from partita.kit.problems import Invalid, TooLarge
from partita.kit.urls import same_page

MOST_BYTES = 2_000_000
MOST_ENTRIES = 2_000
_SMALL = 100_000
"""What has fewer bytes is read at once: in a tenth of a second, while a process needs a second to start."""
_SECONDS = 30.0
_MEGABYTES = 512


class ImportedSite(NewSite):
    """A site in a file."""

    created_at: str | None = None

    @field_validator("created_at", mode="before")
    @classmethod
    def _moment(cls, value: object) -> str | None:
        if value is None or value == "":
            return None
        moment = moment_of(value)
        if moment is None:
            raise ValueError("Write the moment as 2026-01-31T10:30:00Z.")
        return moment


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that was checked: its site, or why there is none."""

    row: int
    url: str
    site: ImportedSite | None = None
    problem: str = ""
    address: str = ""
    """One text for all spellings of the address, by which sites are compared."""
    same_as: int | None = None
    """The earlier row with the same address."""


async def read_candidates(
    data: bytes, format: Format | None, *, folders_as_tags: bool, tags: Sequence[str] = ()
) -> list[Candidate]:
    """The rows of a file, each with the tags for all of them, and always the same ones for the same file; `Invalid` or
    `TooLarge` if it is refused whole."""
    asked = (data, format or format_of(data), folders_as_tags)
    if len(data) > MOST_BYTES:
        raise TooLarge(f"A file can have at most {MOST_BYTES // 1_000_000} MB. Split it.")
    try:
        rows = await (asyncio.to_thread(plain_rows, *asked) if len(data) <= _SMALL else _in_child(*asked))
    except ChildError as error:
        raise unreadable(f"This file cannot be read. {error}") from error
    if isinstance(rows, str):
        raise unreadable(rows)
    if len(rows) > MOST_ENTRIES:
        raise TooLarge(f"A file can have at most {MOST_ENTRIES:,} entries. Split it.")
    if not rows:
        raise unreadable("There is no site in this file.")
    return await asyncio.to_thread(_checked, [Row(*row) for row in rows], tags)


def format_of(data: bytes) -> Format:
    """The format of a file, recognised by its start."""
    start = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"[", b"{")):
        return "json"
    return "html" if start.startswith(b"<") else "csv"


def plain_rows(data: bytes, format: Format, folders_as_tags: bool) -> list[tuple[int, dict[str, Any], str]] | str:
    """The rows as plain values, or why there are none; at most one more than are allowed, which is enough to see that
    there are too many."""
    rows: Iterator[Row]
    if format == "html":
        rows = bookmarks.bookmarks(data, folders_as_tags=folders_as_tags)
    elif format == "csv":
        rows = spreadsheet.lines(data, folders_as_tags=folders_as_tags)
    else:
        rows = listing.objects(data)
    try:
        return [(row.number, dict(row.fields), row.problem) for row in islice(rows, MOST_ENTRIES + 1)]
    except Invalid as refused:
        return refused.errors[0].message


async def _in_child(data: bytes, format: Format, folders_as_tags: bool) -> list[tuple[int, dict[str, Any], str]] | str:
    return await in_child(plain_rows, data, format, folders_as_tags, seconds=_SECONDS, megabytes=_MEGABYTES)


def _checked(rows: Sequence[Row], tags: Sequence[str]) -> list[Candidate]:
    first_with: dict[str, int] = {}
    return [_candidate(row, tags, first_with) for row in rows]


def _candidate(row: Row, tags: Sequence[str], first_with: dict[str, int]) -> Candidate:
    url = str(row.fields.get("url", ""))
    try:
        site = _site(row, tags)
    except ValueError as refused:
        return Candidate(row.number, url, problem=str(refused))
    address = same_page(site.url)
    first = first_with.setdefault(address, row.number)
    return Candidate(row.number, url, site, address=address, same_as=first if first != row.number else None)


def _site(row: Row, tags: Sequence[str]) -> ImportedSite:
    """The site in a row; ValueError with the reason if there is none."""
    if row.problem:
        raise ValueError(row.problem)
    try:
        site = ImportedSite.model_validate({**row.fields, "fetch": False})
        if not tags:
            return site
        return ImportedSite.model_validate({**site.model_dump(), "tags": (*tags, *site.tags)})
    except ValidationError as error:
        raise ValueError("; ".join(f"{each.field}: {each.message}" for each in field_errors(error))) from None
