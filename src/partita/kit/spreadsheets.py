"""CSV: files that are safe to open in a spreadsheet, where no cell is run as a formula; and the rows of files that a
spreadsheet wrote."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from partita.kit.fetcher.charsets import text_of

CSV = "text/csv; charset=utf-8"
CSV_RESPONSE: dict[str, Any] = {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string"}}}}
"""The response of a route that sends such a file, for the API's description."""
MOST_CELLS = 1_000
"""What a row of an imported file can have. How long it is, is bounded by the file, which is in memory."""
# A spreadsheet runs a cell that begins like this as a formula.
# Some take the wide signs of Chinese and Japanese keyboards for the same.
_SIGN = r"[=+\-@＝＋－＠]"
# In countries where semicolons separate cells, a comma does not, and quotes within such a cell count for nothing: what
# follows a semicolon, a tab or a line end in one of our cells may begin a cell of its own, and so may what follows
# quotes there or at the beginning.
_START = rf"(?:(?:^|(?<=[;\t\r\n]))\"*(?='*{_SIGN})|^(?='*[\t\r\n]))"
_FORMULA = re.compile(_START)
_GUARDED = re.compile(rf"({_START})'(?='*(?:{_SIGN}|[\t\r\n]))")


def line(cells: Sequence[object]) -> str:
    """A line of a file; what is absent is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow([_guarded(cell) for cell in cells])
    return text.getvalue()


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a file, or why it cannot be read."""

    number: int
    """Its line in the file; of a row with several lines, the last."""
    cells: tuple[str, ...] = ()
    problem: str = ""


def rows(data: bytes) -> Iterator[SheetRow]:
    """The rows of a file that have anything in them, the one with the names of the columns first. Its character set and
    what separates its cells are recognised."""
    text = text_of(data).replace("\0", "").removeprefix("\ufeff")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield SheetRow(reader.line_num, problem=f"This line cannot be read: {error}.")
            continue
        if len(cells) > MOST_CELLS:
            problem = f"This line has {len(cells):,} cells, and at most {MOST_CELLS:,} are read."
            yield SheetRow(reader.line_num, problem=problem)
        elif any(cell.strip() for cell in cells):
            yield SheetRow(reader.line_num, tuple(map(plain, cells)))


def packed(data: bytes) -> bool:
    """Whether a file is a workbook of a spreadsheet program, or packed in another way, and no CSV."""
    return data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


def delimiter(text: str) -> str:
    """What separates the names in the first line: spreadsheets in some countries use semicolons."""
    first = text[:10_000].partition("\n")[0]
    return max(",;\t", key=first.count)


def plain(cell: str) -> str:
    """A cell as it was before it was written."""
    return _GUARDED.sub(r"\1", cell)


def download(name: str, columns: Sequence[str], lines: Iterable[Sequence[object]]) -> Response:
    """A file that browsers save instead of showing it."""
    body = "".join([line(columns), *map(line, lines)])
    return Response(body, media_type=CSV, headers={"Content-Disposition": f'attachment; filename="{name}.csv"'})


def _guarded(cell: object) -> object:
    if cell is None:
        return ""
    return _FORMULA.sub(r"\g<0>'", cell) if isinstance(cell, str) else cell
