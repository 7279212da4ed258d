"""Budgets: tables in Markdown, whose sums are checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_NUMBER = re.compile(r"^[^\d\-−]{0,6}(-|−)?(\d[\d,.\s]*)[^\d]{0,6}$")
_TOTAL = re.compile(r"^\**\s*(?:grand\s+)?(?:total|sum|ጠቅላላ|ድምር|المجموع|الإجمالي)\b", re.IGNORECASE)
_RULE = frozenset(" \t|:-")


@dataclass(frozen=True, slots=True)
class Budget:
    """A table with numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: Decimal | None
    """What its last column comes to: as counted, not as written."""
    faults: tuple[str, ...]
    """What does not add up, in words."""

    @property
    def comes_to(self) -> str:
        """The total as people write it."""
        return "" if self.total is None else f"{self.total:,f}"


def budgets_in(text: str) -> tuple[Budget, ...]:
    """The tables of a text that have numbers in them."""
    return tuple(budget for table in _tables(text) if len(table) >= 2 and (budget := _checked(table)).total is not None)


def amount_of(text: str) -> Decimal | None:
    """A number as people write it in a table: `1,200.50`, `USD 300`, `12 000`; None if it is none."""
    match = _NUMBER.match(text.strip().strip("*"))
    if match is None:
        return None
    digits = match[2].strip().replace(" ", "").replace("\u00a0", "")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", digits) and digits.count(".") + digits.count(",") > 1:
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    try:
        value = Decimal(digits.replace(",", ""))
    except InvalidOperation:
        return None
    return -value if match[1] else value


def _checked(table: Sequence[tuple[str, ...]]) -> Budget:
    head, *rows = table
    lines = [row for row in rows if not _TOTAL.match(row[0])]
    totals = [row for row in rows if _TOTAL.match(row[0])]
    faults: list[str] = []
    counted: Decimal | None = None
    for column in range(1, len(head)):
        values = [amount_of(row[column]) for row in lines if column < len(row)]
        numbers = [value for value in values if value is not None]
        if not numbers or len(numbers) * 2 < len(lines):
            continue
        comes_to = sum(numbers, Decimal(0))
        counted = comes_to
        for row in totals:
            written = amount_of(row[column]) if column < len(row) else None
            if written is not None and written != comes_to:
                faults.append(f"“{head[column]}” comes to {comes_to:,}, and the table says {written:,}.")
    faults += _products(head, lines)
    if counted is not None and not totals and len(lines) > 1:
        faults.append(f"The table has no line for the total, which is {counted:,}.")
    return Budget(tuple(head), tuple(rows), counted, tuple(faults))


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
