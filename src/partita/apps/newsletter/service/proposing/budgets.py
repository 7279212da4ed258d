"""Budgets: tables in Markdown, whose sums are checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

_NUMBER = re.compile(r"^[^\d\-−]{0,6}(-|−)?(\d[\d,.\s’'٬٫]*)[^\d]{0,6}$")
_TOTAL = re.compile(
    r"^(?:(?:grand|overall)\s+)?(?:totals?|sum)\b|^(?:ጠቅላላ|ድምር|المجموع|الإجمالي)(?!\w)"
    r"|^\D{2,60}\s(?:sub-?\s?)?total(?:\s+(?:costs?|budget|amount))?$",
    re.IGNORECASE,
)
_OF_A_PART = re.compile(r"\bsub-?\s?totals?\b|ንዑስ ድምር|المجموع (?:الفرعي|الجزئي)", re.IGNORECASE)
_OF_ALL = re.compile(
    r"^(?:(?:grand|overall)\s+)?(?:total|sum|ጠቅላላ|ድምር|المجموع|الإجمالي)(?:\s+project)?(?:\s+(?:budget|costs?|amount|requested|request))?$",
    re.IGNORECASE,
)
_COSTS = re.compile(
    r"\b(?:total|costs?|amount|budget|sum|USD|EUR|GBP|CHF|KES|ETB|UGX|TZS|RWF|dollars?|euros?|shillings?|birr)\b|[$€£]"
    r"|المجموع|الإجمالي|التكلفة|المبلغ|ጠቅላላ|ድምር|ወጪ|ብር",
    re.IGNORECASE,
)
_OF_ONE = re.compile(r"\bunit\b|\bper\b|\beach\b|\brate\b", re.IGNORECASE)
_TIME = re.compile(
    r"\W*(?:(?:19|20)\d\d|(?:FY|years?|yr|y|quarter|q|months?|m|semester|phase|السنة|سنة|ዓመት)[\s.-]*(?:\d|one\b|two\b|three\b))",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^\W*(?:(?:\d+(?:\.\d+)*|[A-Z])[.)]?\s+)?|\s*+(?:\([^)]*+\)|:|\bin [A-Z]{3})?+\W*+$")
_LONGEST_LABEL = 200
"""What is longer is no label: so much of it is looked at, and told."""
_LEVELS = 8
"""So many headings and sums above a subtotal it may begin at, besides the beginning of the table."""
Kind = Literal["line", "heading", "part", "sum", "total"]
_RULE = frozenset(" \t|:-")


@dataclass(frozen=True, slots=True)
class Budget:
    """A table with numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: Decimal | None
    """What its column of costs, or its columns of years, come to: as counted, not as written."""
    faults: tuple[str, ...]
    """What does not add up, in words."""

    @property
    def comes_to(self) -> str:
        """The total as people write it."""
        return "" if self.total is None else f"{self.total:,f}"


def budgets_in(text: str) -> tuple[Budget, ...]:
    """The tables of a text that are about money: a plan of work has numbers too, but nobody adds them up."""
    return tuple(
        budget
        for table in _tables(text)
        if len(table) >= 2 and _is_about_money(table) and (budget := _checked(table)).total is not None
    )


def amount_of(text: str) -> Decimal | None:
    """A number as people write it in a table: `1,200.50`, `USD 300`, `12 000`, `12.000`; None if it is none."""
    match = _NUMBER.match(text.strip().strip("*"))
    if match is None:
        return None
    digits = re.sub(r"[\s’'٬]", "", match[2]).replace("٫", ".")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif re.fullmatch(r"[^\D0]\d{0,2}(?:\.\d{3})+(?:,\d+)?", digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    try:
        value = Decimal(digits.replace(",", ""))
    except InvalidOperation:
        return None
    return -value if match[1] else value


def _is_about_money(table: Sequence[tuple[str, ...]]) -> bool:
    """Whether it names costs or a currency, has a line for a total, or only numbers, large ones or those of years."""
    head, *rows = table
    if any(_COSTS.search(cell) for cell in head) or {"part", "total"} & set(_kinds(rows)):
        return True
    cells = [cell for row in rows for cell in row[1:] if cell]
    if any(_COSTS.search(cell) and amount_of(cell) is not None for cell in cells):
        return True
    bare = [value for cell in cells if not re.search(r"[^\W\d_]", cell) and (value := amount_of(cell)) is not None]
    large = any(value >= 100 and not 1900 <= value <= 2100 for value in bare)
    return len(bare) == len(cells) and (large or any(map(_TIME.match, head)))


def _checked(table: Sequence[tuple[str, ...]]) -> Budget:
    head, *rows = table
    kinds = _kinds(rows)
    lines = [row for row, kind in zip(rows, kinds, strict=True) if kind == "line"]
    faults: list[str] = []
    sums: dict[int, Decimal] = {}
    for column in range(1, len(head)):
        numbers = [value for row in lines if (value := _in(row, column)) is not None]
        if not numbers or len(numbers) * 2 < len(lines):
            continue
        sums[column] = comes_to = sum(numbers, Decimal(0))
        above = Decimal(0)
        starts: list[Decimal] = []
        for place, row in enumerate(rows):
            if kinds[place] == "line" and (not place or kinds[place - 1] != "line"):
                starts.append(above)
            written = _in(row, column)
            if written is None:
                continue
            above += written if kinds[place] == "line" else 0
            if kinds[place] == "total" and written != comes_to:
                faults.append(f"“{head[column]}” comes to {comes_to:,}, and the table says {written:,}.")
            elif kinds[place] == "part" and written not in (parts := _parts(rows, kinds, place, column, above, starts)):
                label = f"“{_label(row)}”"
                faults.append(f"{label}: “{head[column]}” comes to {parts[0]:,}, and the table says {written:,}.")
    faults += _products(head, lines)
    counted = _whole(head, sums)
    if counted is not None and "total" not in kinds and len(lines) > 1:
        faults.append(f"The table has no line for the total, which is {counted:,}.")
    return Budget(tuple(head), tuple(rows), counted, tuple(faults))


def _whole(head: Sequence[str], sums: Mapping[int, Decimal]) -> Decimal | None:
    """What the table comes to: its last column of costs; if there are only years, all of them; else its last column."""
    times = [column for column in sums if _TIME.match(head[column])]
    costs = [column for column in sums if _COSTS.search(head[column]) and not _OF_ONE.search(head[column])]
    last = list(sums)[-1:]
    chosen = [column for column in costs if column not in times][-1:] or (times if times[-1:] == last else last)
    return sum((sums[column] for column in chosen), Decimal(0)) if chosen else None


def _kinds(rows: Sequence[Sequence[str]]) -> list[Kind]:
    """What each row is. The last of several totals is that of all; one that names what it sums up is, if nothing
    stands below it."""
    kinds: list[Kind] = []
    for row in rows:
        label = _label(row)
        if _OF_A_PART.search(label):
            kinds.append("part")
        elif _TOTAL.search(label):
            kinds.append("total" if _OF_ALL.fullmatch(label) else "sum")
        else:
            kinds.append("line" if any(_in(row, column) is not None for column in range(1, len(row))) else "heading")
    totals = [place for place, kind in enumerate(kinds) if kind == "total"]
    last = max((place for place, kind in enumerate(kinds) if kind != "heading"), default=-1)
    of_all = totals[-1] if totals else -1
    if last >= 0 and kinds[last] == "sum" and "line" in kinds[of_all + 1 :]:
        of_all = last
    return [
        kind if kind in ("line", "heading") else "total" if place == of_all else "part"
        for place, kind in enumerate(kinds)
    ]


def _parts(
    rows: Sequence[Sequence[str]],
    kinds: Sequence[Kind],
    place: int,
    column: int,
    above: Decimal,
    starts: Sequence[Decimal],
) -> list[Decimal]:
    """What a subtotal may come to: the lines above it since a heading, another sum or the beginning; or those below.

    `above` is what all lines above it come to, `starts` what had come before each run of lines.
    """
    found = [above - start for start in reversed(starts[-_LEVELS:])]
    below = Decimal(0)
    for after in range(place + 1, len(rows)):
        if kinds[after] != "line":
            break
        below += _in(rows[after], column) or 0
    return [*found, below, above]


def _label(row: Sequence[str]) -> str:
    """What a row is called: its first words, without a number before them."""
    worded = (cell for cell in row if re.search(r"[^\W\d_]", cell))
    return _NUMBERING.sub("", next(worded, "").replace("*", "")[:_LONGEST_LABEL])


def _in(row: Sequence[str], column: int) -> Decimal | None:
    """The amount in a column; a share of a hundred is none."""
    cell = row[column] if column < len(row) else ""
    return None if "%" in cell or "٪" in cell else amount_of(cell)


def _products(head: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """Lines of three numbers, quantity, unit cost and cost, whose product is wrong."""
    if len(head) < 4:
        return []
    faults = []
    for row in lines:
        numbers = [amount_of(cell) for cell in row[-3:]]
        if len(row) >= 4 and None not in numbers and len(numbers) == 3:
            quantity, unit, cost = (Decimal(str(number)) for number in numbers)
            if _looks_like_quantity(head) and quantity * unit != cost:
                faults.append(f"“{row[0]}”: {quantity:,} × {unit:,} is {quantity * unit:,}, not {cost:,}.")
    return faults


def _looks_like_quantity(head: Sequence[str]) -> bool:
    words = " ".join(head[-3:-1]).lower()
    return any(word in words for word in ("quantity", "qty", "number", "units", "no.")) and any(
        word in words for word in ("unit", "rate", "price", "each")
    )


def _tables(text: str) -> list[list[tuple[str, ...]]]:
    tables: list[list[tuple[str, ...]]] = []
    rows: list[tuple[str, ...]] = []
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        if len(bare) > 2 and bare[0] == bare[-1] == "|":
            if not _RULE.issuperset(bare):
                rows.append(tuple(cell.strip() for cell in bare[1:-1].split("|")))
        elif rows:
            tables.append(rows)
            rows = []
    return tables
