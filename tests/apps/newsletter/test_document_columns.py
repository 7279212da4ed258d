"""Tables fit on the sheet: no word is parted, numbers stand below each other."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps import newsletter
from partita.apps.newsletter.service.documents.columns import many_columns, widths
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import text_html
from partita.apps.newsletter.service.documents.model import Document, Span, Table, plain
from partita.apps.newsletter.service.documents.word import word_edition
from partita.apps.newsletter.service.proposal_exports import numbers_right

_WORDS = st.text(st.characters(categories=("L", "N")), max_size=14)
_CELLS = st.lists(_WORDS, max_size=6).map(" ".join)
_SHEET, _EMU_A_MM = 210, 36_000


def _table(rows: list[list[str]]) -> Table:
    cells = tuple(tuple((Span(cell),) if cell else () for cell in row) for row in rows)
    return Table(cells[0], cells[1:], tuple("" for _ in rows[0]))


@st.composite
def _tables(draw: st.DrawFn) -> Table:
    columns = draw(st.integers(1, 10))
    return _table(draw(st.lists(st.lists(_CELLS, min_size=columns, max_size=columns), min_size=2, max_size=6)))


@given(_tables())
@settings(max_examples=30)
def test_columns_share_the_width_and_none_is_narrower_than_its_longest_word_needs(table: Table) -> None:
    shares = widths(table)
    assert sum(shares) == pytest.approx(1)
    longest = [
        max((len(word) for row in (table.head, *table.rows) for word in plain(row[at]).split()), default=0)
        for at in range(len(shares))
    ]
    room = 130 if many_columns(table) else 72
    if sum(1.15 * each + 3 for each in longest) <= room:
        assert all(share * room >= each for share, each in zip(shares, longest, strict=True))


def test_an_endless_word_leaves_the_other_columns_room_for_theirs() -> None:
    address = f"https://example.org/{'a' * 180}"
    table = _table([["Item", "Unit", "Cost", "Where"], ["Seedlings", "tray", "1,200", address]])
    room = 130 if many_columns(table) else 72
    assert all(
        share * room >= len(word) for share, word in zip(widths(table), ("Seedlings", "tray", "1,200"), strict=False)
    )


BUDGET = _table(
    [
        ["Line of the budget", "Unit", "Quantity", "Unit cost", "Year 1", "Year 2", "Contribution", "Requested"],
        ["A long description of what is bought", "piece", "3", "62,000", "31,000", "31,000", "17,100", "461,700"],
    ]
)


def test_a_table_of_many_columns_is_set_small_and_no_wider_than_the_sheet() -> None:
    assert many_columns(BUDGET)
    assert not many_columns(_table([["Item", "USD"], ["Staff", "2,000"]]))
    edition = Edition(Document(title="Budget", blocks=(BUDGET,), language="en"))
    assert 'class="wide-table many-columns"' in text_html((BUDGET,), edition)
    (made,) = docx.Document(io.BytesIO(word_edition(edition).data)).tables
    cells = made.rows[1].cells
    assert sum(cell.width or 0 for cell in cells) / _EMU_A_MM == pytest.approx(_SHEET - 30, abs=1)
    assert (cells[0].width or 0) > (cells[1].width or 0)
    assert cells[0].paragraphs[0].style is not None
    assert cells[0].paragraphs[0].style.name == "Small Table Text"


def test_columns_of_numbers_are_aligned_right_unless_somebody_has_aligned_them() -> None:
    found = numbers_right(BUDGET)
    assert isinstance(found, Table)
    assert found.alignments == ("", "", "right", "right", "right", "right", "right", "right")
    mine = Table(BUDGET.head, BUDGET.rows, ("", "", "center", "", "", "", "", ""))
    kept = numbers_right(mine)
    assert isinstance(kept, Table)
    assert kept.alignments[2] == "center"
    words = _table([["Step", "Year"], ["Start", "first quarter"], ["Dams", "9 dams"], ["Taps", "9"], ["End", "May"]])
    mixed = numbers_right(words)
    assert isinstance(mixed, Table)
    assert mixed.alignments == ("", "")  # as many words as numbers


def test_whatever_marks_a_table_in_a_preview_has_a_rule_on_its_page() -> None:
    table = replace(_table([["Item", "Cost"], ["Seed", "12"]]), alignments=("center", "right"))
    marks = re.findall(r'class="([^"]+)"', text_html((table,), Edition(Document(title="x"))))
    rules = (Path(newsletter.__file__).parent / "static" / "newsletter.css").read_text()
    assert set(marks) == {"wide-table", "center", "right"}
    assert "padding" in next(line for line in rules.splitlines() if line.startswith(".prose .wide-table :is(th, td)"))
    for mark in {"center", "right"}:
        assert f".prose .wide-table .{mark} " in rules
