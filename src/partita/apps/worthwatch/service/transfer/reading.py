"""Reading a file from Letterboxd or IMDb: columns by name in any case and order; nothing in it is trusted.

What is large or packed is read in a process of its own, with limits of time and memory.
"""

from __future__ import annotations

import asyncio
import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from partita.apps.worthwatch.inputs import FIRST_YEAR, LAST_YEAR
from partita.apps.worthwatch.service.transfer.rows import Kind, Row
from partita.kit.fetcher.charsets import text_of
from partita.kit.imports import unreadable
from partita.kit.jobs import ChildError, in_child
from partita.kit.previews.package import plainly_packed
from partita.kit.problems import Invalid, TooLarge
from partita.kit.spreadsheets import MOST_CELLS, delimiter, plain

MOST_BYTES = 2_000_000
MOST_ROWS = 2_000
MOST_UNPACKED = 20_000_000
_MOST_TEXT = 3_000_000
"""How much all rows together may say."""
_MOST_MEMBERS = 2_000
_SMALL = 100_000
"""What has fewer bytes is read at once: a process needs a second to start."""
_SECONDS, _MEGABYTES = 30.0, 512
_MOST_CELL, _MOST_REVIEW, _MOST_NOTE = 300, 5000, 1000
_EXPORT = re.compile(r"\s*Letterboxd list export", re.IGNORECASE)
_IMDB = re.compile(r"tt[0-9]{5,12}")
_COLUMNS = {
    "position": "position",
    "name": "name",
    "title": "name",
    "year": "year",
    "const": "imdb",
    "imdbid": "imdb",
    "tmdbid": "tmdb",
    "letterboxd uri": "letterboxd",
    "url": "url",
    "description": "note",
    "rating": "stars",
    "rating10": "rating",
    "your rating": "rating",
    "date rated": "rated",
    "date": "date",
    "watched date": "watched",
    "watcheddate": "watched",
    "rewatch": "rewatch",
    "review": "review",
    "title type": "kind",
}
_FILMS = frozenset({"movie", "tvmovie", "short", "tvshort", "video", "tvspecial", "documentary"})
_SERIES = frozenset({"tvseries", "tvminiseries"})
_PARTS: dict[str, Kind] = {
    "watched.csv": "letterboxd-watched",
    "ratings.csv": "letterboxd-ratings",
    "diary.csv": "letterboxd-diary",
    "reviews.csv": "letterboxd-reviews",
    "watchlist.csv": "letterboxd-watchlist",
}
_EXPECTED = "Position and Name (a Letterboxd list), Name and Letterboxd URI (its other files), or Const (IMDb)"


async def read_rows(data: bytes, filename: str) -> tuple[Kind, list[Row]]:
    """What a file is, and its rows; `Invalid` or `TooLarge` if it is refused whole."""
    if len(data) > MOST_BYTES:
        raise TooLarge(f"A file can have at most {MOST_BYTES // 1_000_000} MB. Split it.")
    if not data.strip():
        raise unreadable("The file is empty.")
    packed = data.startswith(b"PK")
    try:
        if packed or len(data) > _SMALL:
            read = await in_child(plain_rows, data, filename, seconds=_SECONDS, megabytes=_MEGABYTES)
        else:
            read = await asyncio.to_thread(plain_rows, data, filename)
    except ChildError as error:
        raise unreadable(f"This file cannot be read. {error}") from error
    if isinstance(read, str):
        raise unreadable(read)
    kind, rows = read
    if len(rows) > MOST_ROWS:
        raise TooLarge(f"A file can have at most {MOST_ROWS:,} titles. Split it.")
    if not rows:
        raise unreadable("There is no title in this file.")
    if sum(len(str(row)) for row in rows) > _MOST_TEXT:
        raise TooLarge("The notes and reviews in this file are too long together. Split it.")
    return kind, [Row.of(row) for row in rows]


def plain_rows(data: bytes, filename: str) -> tuple[Kind, list[dict[str, Any]]] | str:
    """The rows as plain values, or why there are none; one more than are allowed is enough to see that."""
    try:
        kind, rows = _packed(data) if data.startswith(b"PK") else _rows(text_of(data), filename)
    except Invalid as refused:
        return refused.errors[0].message
    return kind, [row.plain for row in rows[: MOST_ROWS + 1]]


# -- a zip as it comes from Letterboxd


def _packed(data: bytes) -> tuple[Kind, list[Row]]:
    """Everything about one title in one row. Lists in it are left: each is a file to be imported on its own."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = _parts(archive)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise unreadable(
            "This zip file cannot be opened. Download it again, or unpack it and choose one file."
        ) from error
    if not parts:
        raise unreadable(f"This zip file has none of {', '.join(_PARTS)}. Choose a file that Letterboxd exported.")
    known: dict[tuple[str, int | None], Row] = {}
    for name, text in parts:
        _, rows = _rows(text, name)
        for row in rows:
            key = row.name.casefold(), row.year
            before = known.get(key)
            known[key] = row if before is None else before.joined(row)
            if len(known) > MOST_ROWS:
                break
    return "letterboxd-zip", [
        Row.of({**row.plain, "number": number}) for number, row in enumerate(known.values(), start=1)
    ]


def _parts(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    """The files at its top that are known, as far as their real sizes allow, whatever the archive says of them."""
    left = MOST_UNPACKED
    parts: list[tuple[str, str]] = []
    if len(archive.infolist()) > _MOST_MEMBERS:
        raise unreadable(f"This zip file has more than {_MOST_MEMBERS:,} files.")
    if not plainly_packed(archive):
        raise unreadable("This zip file is packed in an unusual way. Unpack it and choose one file.")
    for name in _PARTS:
        found = next((each for each in archive.infolist() if PurePosixPath(each.filename).parts[-1:] == (name,)), None)
        if found is None or any(part in ("deleted", "orphaned") for part in PurePosixPath(found.filename).parts):
            continue
        with archive.open(found) as member:
            data = member.read(left + 1)
        left -= len(data)
        if left < 0:
            raise unreadable(f"This zip file unpacks to more than {MOST_UNPACKED // 1_000_000} MB.")
        parts.append((name, text_of(data)))
    return parts


# -- a CSV file


def _rows(text: str, filename: str) -> tuple[Kind, list[Row]]:
    lines = _lines(text)
    head = next(lines, None)
    if head is not None and _EXPORT.match(head[0] if head else ""):
        head = next((cells for cells in lines if "position" in _named(cells)), None)
        if head is None:
            raise unreadable("This Letterboxd list has no line that begins with Position. Export it again.")
    if head is None:
        raise unreadable("The file is empty.")
    names = _named(head)
    kind = _kind(names, filename)
    if kind is None:
        seen = ", ".join(cell.strip()[:30] for cell in head[:8] if cell.strip()) or "no names"
        raise unreadable(f"These columns are missing: {_EXPECTED}. The first line has: {seen}.")
    rows: list[Row] = []
    for cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        given = {name: plain(cell).strip() for name, cell in zip(names, cells, strict=False) if name}
        rows.append(_row(kind, len(rows) + 1, given))
        if len(rows) > MOST_ROWS:
            break
    return kind, [row for row in rows if row.name or row.imdb]


def _lines(text: str) -> Iterator[list[str]]:
    """The lines of a file; one that cannot be read, or has too many cells, is passed over."""
    text = text.replace("\0", "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            continue
        if len(cells) <= MOST_CELLS:
            yield cells


def _named(cells: Sequence[str]) -> list[str]:
    return [_COLUMNS.get(" ".join(cell.lower().lstrip("\ufeff").split()), "") for cell in cells]


def _kind(names: Sequence[str], filename: str) -> Kind | None:
    there = set(names)
    if "imdb" in there and "name" not in there and "rating" not in there:
        return "imdb-list"
    if "imdb" in there and "letterboxd" not in there and ("kind" in there or "rated" in there):
        return "imdb-list" if "position" in there else "imdb-ratings" if "rating" in there else "imdb-list"
    if "name" not in there:
        return None
    if "letterboxd" in there:
        return _letterboxd(there, filename)
    if "position" in there:
        return "letterboxd-list"
    return "letterboxd-import" if there & {"imdb", "tmdb", "rating", "stars", "watched"} else None


def _letterboxd(there: set[str], filename: str) -> Kind:
    if "review" in there:
        return "letterboxd-reviews"
    if "watched" in there:
        return "letterboxd-diary"
    if "stars" in there:
        return "letterboxd-ratings"
    # These two have the same columns; only their names tell.
    return "letterboxd-watchlist" if "watchlist" in filename.lower() else "letterboxd-watched"


def _row(kind: Kind, number: int, given: dict[str, str]) -> Row:
    listed = kind in ("letterboxd-list", "imdb-list")
    queued = kind == "letterboxd-watchlist"
    imdb = _IMDB.fullmatch(given.get("imdb", "").lower())
    tmdb = given.get("tmdb", "")
    day = _day(given.get("rated", "")) or _day(given.get("date", ""))
    watched = _day(given.get("watched", ""))
    again = given.get("rewatch", "").lower() in ("yes", "true", "1")
    what = "".join(given.get("kind", "").lower().split())
    return Row(
        number=number,
        name=given.get("name", "")[:_MOST_CELL],
        year=_year(given.get("year", "")),
        type="SHOW" if what in _SERIES else "MOVIE" if what in _FILMS else None,
        imdb=imdb.group() if imdb else None,
        tmdb=tmdb if tmdb.isascii() and tmdb.isdecimal() and len(tmdb) <= 12 else None,
        note=given.get("note", "")[:_MOST_NOTE] if listed else "",
        seen=not listed and not queued,
        queued=queued,
        rating=_rating(given),
        day=day,
        review=given.get("review", "")[:_MOST_REVIEW] if not listed else "",
        viewings=((watched, again),) if watched else (),
        aside=_aside(what, given.get("kind", "")),
    )


def _aside(what: str, said: str) -> str:
    if not what or what in _FILMS or what in _SERIES:
        return ""
    return f"{said.strip()[:40]}: only films and series are imported."


def _rating(given: dict[str, str]) -> int | None:
    """Of ten; Letterboxd's stars are halves of five."""
    for name, times in (("rating", 1.0), ("stars", 2.0)):
        text = given.get(name, "").replace(",", ".")
        try:
            value = round(float(text) * times) if len(text) <= 8 else 0
        except (ValueError, OverflowError):
            continue
        if 1 <= value <= 10:
            return value
    return None


def _year(text: str) -> int | None:
    digits = text.strip()[:4]
    if not (digits.isascii() and digits.isdecimal()):
        return None
    return int(digits) if FIRST_YEAR <= int(digits) <= LAST_YEAR else None


def _day(text: str) -> str | None:
    try:
        day = date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None
    return day.isoformat() if day >= date(1895, 1, 1) else None
