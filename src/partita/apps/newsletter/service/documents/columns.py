"""How wide the columns of a table are, by what is in them, and which tables need smaller type and a wider place."""

from __future__ import annotations

from partita.apps.newsletter.service.documents.model import Pieces, Table, plain

_LINE, _WIDE_LINE = 72, 130
"""About so many characters of a table's type are in a line of text, and of small type on the whole sheet."""
_GAP, _BOLD = 3, 1.15
"""What a cell has beside its text, and how much wider a head is than plain text."""
_MOST = 40
"""A column of long sentences wants no more than this."""


def many_columns(table: Table) -> bool:
    """Whether the longest words of its columns do not fit beside each other into a line of text."""
    return len(table.head) > 2 and sum(_need(table, column) for column in range(len(table.head))) > _LINE


def widths(table: Table) -> tuple[float, ...]:
    """The share of the width that each column has: what its longest word needs, and of the rest what it wants."""
    columns = range(len(table.head))
    line = _WIDE_LINE if many_columns(table) else _LINE
    need = [_need(table, column) for column in columns]
    if sum(need) > line:  # a word that fits nowhere, such as an address, is parted: others keep their room
        need = [min(each, _MOST) for each in need]
    want = [max(need[column], min(_MOST, _longest(table, column) + _GAP)) for column in columns]
    spare = max(0.0, line - sum(need))
    more = sum(want) - sum(need)
    got = [each + (spare * (wanted - each) / more if more else 0.0) for each, wanted in zip(need, want, strict=True)]
    return tuple(each / sum(got) for each in got)


def _cells(table: Table, column: int) -> list[str]:
    return [_text(row[column]) for row in (table.head, *table.rows)]


def _need(table: Table, column: int) -> float:
    head, *cells = _cells(table, column)
    longest = max((_BOLD * len(word) for word in head.split()), default=1.0)
    return _GAP + max([longest, *(float(len(word)) for cell in cells for word in cell.split())])


def _longest(table: Table, column: int) -> int:
    return max(len(cell) for cell in _cells(table, column))


def _text(pieces: Pieces) -> str:
    return plain(pieces).strip()
