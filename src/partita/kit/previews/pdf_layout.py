"""From the lines of a PDF to headings, paragraphs, entries of lists and tables, by spacing and type size."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from partita.kit.previews.blocks import Block, table_text
from partita.kit.previews.line_kinds import is_page_mark
from partita.kit.previews.pdf_lines import Line
from partita.kit.previews.pdf_tables import is_continued, is_right_to_left, wrapped_tables

_REPEATED = 3
"""A line at the edge of so many pages is their running title."""
_LARGER = 1.12
_LONGEST_HEADING = 200
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
# PDFium marks a hyphen at the end of a line with U+0002.
_HYPHEN = re.compile("(?<=\\w)[\x02\xad\ufffe‐-]$")
_BULLET = re.compile("^[•‣▪◦●○■□▸➢✓\uf0b7–*-]\\s+")
_BARE_BULLET = re.compile("^[•‣▪◦●○■□▸➢✓\uf0b7–*-]$|^\\(?\\w{1,3}[.)]$")
_ENDS = re.compile("[.!?:;።፧؟۔…][)\\]\"'”’»]*$|፡፡$")
_WORDS = re.compile(r"[^\W\d_]{2,}(?:[-‐][^\W\d_]{2,})*")


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    """The blocks of a document."""
    kept = _with_marks(_without_running_lines(lines))
    if not kept:
        return []
    return list(_Layout(kept).blocks())


def _without_running_lines(lines: Sequence[Line]) -> list[Line]:
    """Page numbers and running titles are on many pages at the same height, but for their digits; of two pages, on
    both. A page number that says so is one on a single page too."""
    body = _usual_size(lines)
    pages: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for line in lines:
        for key in _places(line, body):
            pages[key].add(line.page)
    often = min(_REPEATED, max(2, len({line.page for line in lines})))
    return [
        line
        for line in lines
        if not (line.edge and _is_page_number(line))
        and not any(len(pages[key]) >= often for key in _places(line, body))
    ]


def _is_page_number(line: Line) -> bool:
    return is_page_mark(line.text) or line.text.strip() == str(line.page)


def _with_marks(lines: Sequence[Line]) -> list[Line]:
    """Marks of lists are often drawn apart from their entries; they come before them again."""
    texts: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if not _BARE_BULLET.match(line.text):
            texts[line.page, round(line.y)].append(number)
    marked: dict[int, str] = {}
    gone: set[int] = set()
    for number, line in enumerate(lines):
        if not _BARE_BULLET.match(line.text):
            continue
        for y in (round(line.y), round(line.y) - 1, round(line.y) + 1):
            entry = next((n for n in texts[line.page, y] if 0 < lines[n].left - line.left < 5 * line.size), None)
            if entry is not None:
                marked[entry] = line.text
                gone.add(number)
                break
    return [
        replace(line, text=f"{marked[number]} {line.text}") if number in marked else line
        for number, line in enumerate(lines)
        if number not in gone
    ]


def _places(line: Line, body: float) -> tuple[tuple[str, int], ...]:
    """What a running line has in common with others. Headings of chapters differ by their digits only, and stay."""
    if not line.edge:
        return ()
    text = line.text if line.size > _LARGER * body else re.sub(r"\d+", "#", line.text)
    return (text, round(line.y / 6)), (text, round((line.y + 3) / 6) + 100_000)


def _usual_size(lines: Sequence[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    return (sizes.most_common(1)[0][0] if sizes else 0) or 1.0


class _Layout:
    """What is usual in a document, and what the lines that differ are."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._body = _usual_size(lines)
        gaps = [
            above.y - line.y
            for above, line in pairwise(lines)
            if above.page == line.page
            and self._is_body(above)
            and self._is_body(line)
            and 0 < above.y - line.y < 4 * self._body
        ]
        self._leading = median(sorted(gaps)[: max(1, len(gaps) * 3 // 4)]) if gaps else 1.3 * self._body
        self._leading = min(self._leading, 2.5 * self._body)  # of a page with three lines nothing is usual
        larger = sorted({round(line.size * 2) / 2 for line in lines if self._is_large(line)}, reverse=True)
        self._levels = {size: min(6, number) for number, size in enumerate(larger, 1)}
        self._wrapped = wrapped_tables(lines)
        self._vocabulary = {word.casefold() for line in lines for word in _WORDS.findall(line.text)}

    def blocks(self) -> Iterator[Block]:
        at = 0
        while at < len(self._lines):
            if wrapped := self._wrapped.get(at):
                yield Block("table", table_text(wrapped.rows), 1, self._lines[at].page)
                at += wrapped.lines
                continue
            rows = self._table_at(at)
            if rows:
                yield self._table(self._lines[at : at + rows])
                at += rows
                continue
            first = at
            at += 1
            while at < len(self._lines) and not self._is_table(at) and self._continues(at, first):
                at += 1
            yield from self._block(self._lines[first:at])

    def _is_body(self, line: Line) -> bool:
        return abs(line.size - self._body) <= 0.06 * self._body

    def _is_large(self, line: Line) -> bool:
        return line.size > _LARGER * self._body and len(line.text) <= _LONGEST_HEADING

    def _is_bold_title(self, line: Line) -> bool:
        """A short line in bold that ends no sentence."""
        if not line.bold or len(line.text) > 100 or line.cells or not self._is_body(line):
            return False
        return not _ENDS.search(line.text) and not line.text.endswith(",") and any(map(str.isalpha, line.text))

    def _continues(self, at: int, first: int) -> bool:
        """Whether a line goes on with the block that began at `first`."""
        above, line = self._lines[at - 1], self._lines[at]
        if abs(above.size - line.size) > 0.06 * max(above.size, line.size) or _BULLET.match(_clean(line.text)):
            return False
        if self._is_large(line):
            return above.page == line.page and 0 < above.y - line.y <= 1.7 * line.size
        if self._is_bold_title(above) != self._is_bold_title(line) and (at - 1 == first or self._is_bold_title(line)):
            return False
        gap = above.y - line.y
        if above.page != line.page or gap < -0.5 * self._leading:
            # The next page or column: the paragraph goes on if its sentence does.
            return bool(_HYPHEN.search(above.text)) or (
                not _ENDS.search(above.text) and is_continued(line.text) and len(above.text) > 20
            )
        if gap > 1.25 * self._leading:
            return False
        indented = line.left > above.left + 0.8 * line.size and gap > 0.5 * self._leading
        return not (indented and _ENDS.search(above.text) and at - 1 > first)

    def _is_table(self, at: int) -> bool:
        return at in self._wrapped or self._table_at(at) > 0

    def _table_at(self, at: int) -> int:
        """How many lines from here on are rows of a table."""
        count = 0
        lefts: list[float] = []
        rights: list[float] = []
        while at + count < len(self._lines) and at + count not in self._wrapped:
            line = self._lines[at + count]
            if len(line.cells) < 2 or _BARE_BULLET.match(_clean(line.cells[0][2])):
                break
            if count and (line.page != self._lines[at].page or line.y >= self._lines[at + count - 1].y):
                break
            near = 0.35 * line.size
            aligned = any(
                abs(left - other) < near or abs(right - another) < near
                for left, right, _ in line.cells[1:]
                for other, another in zip(lefts, rights, strict=True)
            )
            if count and not aligned:
                break
            lefts.extend(cell[0] for cell in line.cells[1:])
            rights.extend(cell[1] for cell in line.cells[1:])
            count += 1
        return count if count >= 3 or (count == 2 and len(self._lines[at].cells) >= 3) else 0

    def _table(self, rows: Sequence[Line]) -> Block:
        backwards = sum(is_right_to_left(row.text) for row in rows) * 2 > len(rows)
        cells = [[_clean(text) for _, _, text in sorted(row.cells, reverse=backwards)] for row in rows]
        return Block("table", table_text(cells), 1, rows[0].page)

    def _block(self, lines: Sequence[Line]) -> Iterator[Block]:
        text = self._joined(lines)
        first = lines[0]
        if not text:
            return
        if self._is_large(first) and len(text) <= _LONGEST_HEADING:
            yield Block("heading", text, self._levels[round(first.size * 2) / 2], first.page)
        elif len(lines) <= 2 and all(map(self._is_bold_title, lines)):
            yield Block("heading", text, min(6, len(self._levels) + 1), first.page)
        elif bullet := _BULLET.match(text):
            yield Block("item", text[bullet.end() :], 1, first.page)
        else:
            yield Block("paragraph", text, 1, first.page)

    def _joined(self, lines: Sequence[Line]) -> str:
        written = ""
        for line in lines:
            text = line.text.strip()
            if _HYPHEN.search(written):
                written = self._without_hyphen(written, text)
            elif written:
                written += " " + text
            else:
                written = text
        return _clean(written)

    def _without_hyphen(self, written: str, text: str) -> str:
        """A word that was parted at the end of a line; one that has a hyphen elsewhere too keeps it, and so does one
        that nobody parts there: after a single letter (e-mail) or behind a number (12-month)."""
        before = written[:-1]
        if not text[:1].islower() and text[:1].isalpha() and unicodedata.category(text[0]) == "Lu":
            return f"{before}-{text}"
        head = re.search(r"[^\W\d_]+$", before)
        tail = re.match(r"[^\W\d_]+", text)
        if head is None or tail is None or len(head[0]) == 1:
            return f"{before}-{text}"
        whole, parted = (head[0] + tail[0]).casefold(), f"{head[0]}-{tail[0]}".casefold()
        if parted in self._vocabulary and whole not in self._vocabulary:
            return f"{before}-{text}"
        return before + text


def _clean(text: str) -> str:
    return " ".join(_CONTROL.sub("", text).split())
