"""CSV: lines that a spreadsheet runs nothing of, and lines as spreadsheets of any country write them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

# A spreadsheet runs a cell that begins like this as a formula.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


def line(cells: Sequence[str]) -> str:
    """A line of a file, safe to open in a spreadsheet."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow([_guarded(cell) for cell in cells])
    return text.getvalue()


def plain(cell: str) -> str:
    """A cell as it was before `line` made it safe."""
    return cell[1:] if _GUARDED.match(cell) else cell


def delimiter(text: str) -> str:
    """What separates the names in the first line: spreadsheets in some countries use semicolons."""
    first = text[:10_000].partition("\n")[0]
    return max(",;\t", key=first.count)


def _guarded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell
