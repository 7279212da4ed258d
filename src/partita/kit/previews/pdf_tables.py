"""Tables of a PDF whose cells have several lines. Files draw such a row cell by cell, or line by line across its cells;
either way the lines belong together by where they stand: columns do not overlap, and rows begin anew at the left."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from partita.kit.previews.pdf_lines import Line

_MOST_LINES = 400
_MOST_IN_CELL = 12
_ROW_GAP = 6.0
"""Rows are at most so many times the type size apart."""
_SAME = 1.15
"""Lines of a cell are as far apart as this many times the smallest distance."""
_NEAR = 0.35
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")

Place = tuple[float, float, str]
"""The left and right edge of a text, in the direction of reading."""


@dataclass(frozen=True, slots=True)
class WrappedTable:
    """A table, and how many lines of the document it is made of."""

    lines: int
    rows: list[list[str]]


def is_continued(text: str) -> bool:
    """Whether a line can begin within a sentence; scripts without capitals always can."""
    first = text.lstrip()[:1]
    return unicodedata.category(first or "A") in ("Ll", "Lo", "Nd") or first in "(,;–—"


def is_right_to_left(text: str) -> bool:
    return any("\u0590" <= character <= "\u08ff" for character in text)


def wrapped_tables(lines: Sequence[Line]) -> dict[int, WrappedTable]:
    """Where such tables begin."""
    found = {}
    at = 0
    while at < len(lines):
        table = _table_at(lines, at)
        if table is not None and len(table.rows) < table.lines:
            found[at] = table
        at += 1 if table is None else table.lines
    return found


def _table_at(lines: Sequence[Line], at: int) -> WrappedTable | None:
    """The table that begins here, also one whose rows are lines."""
    if not lines[at].cells and not _begins_with_a_cell(lines, at):
        return None
    backwards = is_right_to_left(lines[at].text)
    grid = _Grid()
    taken = 0
    for line in _near(lines, at):
        if not grid.take(line, _places(line, backwards)):
            break
        taken += 1
    # What follows a table looks like one more row of its first column.
    while taken and not grid.ends_well(taken):
        taken -= 1
    rows = grid.rows(taken)
    columns = len(grid.columns)
    full = sum(sum(map(bool, row)) > 1 for row in rows)
    enough = len(rows) >= 3 or (len(rows) == 2 and columns >= 3)
    if columns < 2 or not enough or full < 2 or full * 5 < len(rows) * 3:
        return None
    return WrappedTable(taken, rows)


def _begins_with_a_cell(lines: Sequence[Line], at: int) -> bool:
    """Whether the lines from here on are a cell: what comes after them stands beside them."""
    right = lines[at].right
    left = lines[at].left
    for above, line in pairwise(lines[at : at + _MOST_IN_CELL]):
        if line.page != above.page:
            return False
        if line.y > above.y - _NEAR * line.size:
            beside = line.left > right or line.right < left
            return beside and line.y < lines[at].y + 2 * line.size
        if line.cells or above.y - line.y > 2 * line.size:
            return False
        right, left = max(right, line.right), min(left, line.left)
    return False


def _near(lines: Sequence[Line], at: int) -> Iterator[Line]:
    """The lines that may belong to a table which begins here: of its page and size, none above it or far below."""
    first = lines[at]
    lowest = first.y
    for line in lines[at : at + _MOST_LINES]:
        if line.page != first.page or abs(line.size - first.size) > 0.2 * first.size:
            return
        if line.y > first.y + 2 * first.size or line.y < lowest - _ROW_GAP * first.size:
            return
        lowest = min(lowest, line.y)
        yield line


def _places(line: Line, backwards: bool) -> list[Place]:
    cells = line.cells or ((line.left, line.right, line.text),)
    if backwards:
        return sorted((-right, -left, text) for left, right, text in cells)
    return sorted(cells)


@dataclass
class _Row:
    """The texts of each column, with their heights."""

    cells: dict[int, list[tuple[float, str]]] = field(default_factory=dict)
    last: int = -1
    """The column that was filled last."""

    @property
    def low(self) -> float:
        return min(y for texts in self.cells.values() for y, _ in texts)


class _Grid:
    """Columns as they become known, and the lines that are in them."""

    def __init__(self) -> None:
        self.columns: list[tuple[float, float]] = []
        self._lines: list[tuple[Line, list[Place]]] = []

    def take(self, line: Line, places: list[Place]) -> bool:
        """Take a line, if each of its cells is in one column."""
        columns = list(self.columns)
        for left, right, _ in places:
            inside = [each for each in columns if each[0] < right and left < each[1]]
            if len(inside) > 1:
                return False
            for each in inside:
                columns.remove(each)
                left, right = min(left, each[0]), max(right, each[1])
            columns.append((left, right))
        columns.sort()
        if len(places) > 1 and len({_column(columns, place) for place in places}) < len(places):
            return False
        if any(before[1] > after[0] for before, after in pairwise(columns)):
            return False
        self.columns = columns
        self._lines.append((line, places))
        return True

    def ends_well(self, count: int) -> bool:
        """Whether the last line is surely of the table: a row, a cell beside others, or the rest of a cell."""
        line, places = self._lines[count - 1]
        if len(places) > 1 or count == 1:
            return len(places) > 1
        above = self._lines[count - 2][0]
        if _column(self.columns, places[0]) > 0:
            return above.y - line.y <= max(_NEAR * line.size, _SAME * self._pitch(count))
        begins = min((each[0][0] for _, each in self._lines[:count]))
        in_line = abs(places[0][0] - begins) < _NEAR * line.size
        return in_line and is_continued(line.text) and 0 < above.y - line.y <= _SAME * self._pitch(count)

    def rows(self, count: int) -> list[list[str]]:
        """The texts of the first lines, row by row; a cell without any is empty."""
        rows: list[_Row] = []
        pitch = self._pitch(count)
        padded = self._widest(count) > _SAME * pitch
        for number, (line, places) in enumerate(self._lines[:count]):
            columns = [_column(self.columns, place) for place in places]
            if not rows or not self._goes_on(rows, number, columns, pitch, count, padded=padded):
                rows.append(_Row())
            for column, (_, _, text) in zip(columns, places, strict=True):
                rows[-1].cells.setdefault(column, []).append((line.y, _clean(text)))
            rows[-1].last = columns[-1]
        wide = range(len(self.columns))
        return [[" ".join(text for _, text in row.cells.get(column, ())).strip() for column in wide] for row in rows]

    def _goes_on(
        self, rows: list[_Row], number: int, columns: list[int], pitch: float, count: int, *, padded: bool
    ) -> bool:
        """Whether a line belongs to the last row."""
        line, row = self._lines[number][0], rows[-1]
        if columns[0] > row.last:
            above = rows[-2].low if len(rows) > 1 else line.y + line.size
            return line.y < above - _NEAR * line.size and line.y > row.low - 2 * line.size
        filled = [column for column in columns if column in row.cells]
        gaps = [row.cells[column][-1][0] - line.y for column in filled]
        if not filled or not all(_NEAR * line.size < gap <= _SAME * pitch for gap in gaps):
            return False
        if filled == [row.last] == columns[:1]:  # the rest of a cell, perhaps with cells beside it that stand lower
            return padded or is_continued(line.text) or (row.last > 0 and len(columns) == 1)
        if filled != columns:
            return False
        beside = number + 1 < count and self._lines[number + 1][0].y > line.y + _NEAR * line.size
        return not beside and (padded or (len(columns) == 1 and is_continued(line.text)))

    def _gaps(self, count: int) -> Iterator[float]:
        heights: dict[int, float] = {}
        for line, places in self._lines[:count]:
            for place in places:
                column = _column(self.columns, place)
                if column in heights and heights[column] - line.y > 0.8 * line.size:
                    yield heights[column] - line.y
                heights[column] = line.y

    def _pitch(self, count: int) -> float:
        """The smallest distance between two lines of a column."""
        return min(self._gaps(count), default=0.0)

    def _widest(self, count: int) -> float:
        return max(self._gaps(count), default=0.0)


def _column(columns: Sequence[tuple[float, float]], place: Place) -> int:
    return next(number for number, (left, right) in enumerate(columns) if left <= place[0] and place[1] <= right)


def _clean(text: str) -> str:
    return " ".join(_CONTROL.sub("", text).split())
