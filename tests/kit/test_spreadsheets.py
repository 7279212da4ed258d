"""CSV files: no cell is run as a formula, whatever it holds, and what was written is read back."""

from __future__ import annotations

import csv
import io
import re

from hypothesis import example, given
from hypothesis import strategies as st

from partita.kit.spreadsheets import MOST_CELLS, SheetRow, line, plain, rows

SIGNS = "=+-@＝＋－＠"
STARTS = f"{SIGNS}\t\r\n"
cells = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    st.builds(
        lambda quotes, start, rest: f"{quotes}{start}{rest}",
        st.text("'", max_size=3),
        st.sampled_from(STARTS),
        st.text("a1=(", max_size=5),
    ),
    st.text("a;\t\r\n\"'=-,", max_size=12),
)


@given(st.lists(cells, min_size=1, max_size=5))
def test_no_cell_begins_like_a_formula_and_all_are_read_back(given_cells: list[str]) -> None:
    written = next(csv.reader(io.StringIO(line(given_cells), newline="")))
    assert not [cell for cell in written if cell.startswith(tuple(STARTS))]
    assert [plain(cell) for cell in written] == given_cells


@given(st.lists(st.sampled_from([1, MOST_CELLS, MOST_CELLS + 1, 40_000]), min_size=1, max_size=6))
def test_a_line_with_too_many_cells_is_told_and_the_others_are_read(lengths: list[int]) -> None:
    data = "".join(",".join(["cell"] * length) + "\n" for length in lengths).encode()
    expected = [
        SheetRow(number, ("cell",) * length)
        if length <= MOST_CELLS
        else SheetRow(number, problem=f"This line has {length:,} cells, and at most 1,000 are read.")
        for number, length in enumerate(lengths, 1)
    ]
    assert list(rows(data)) == expected


@given(st.lists(cells, min_size=1, max_size=5))
@example(['"='])
def test_no_cell_begins_like_a_formula_where_other_signs_separate_cells(given_cells: list[str]) -> None:
    """Spreadsheets of half of Europe split at semicolons; a quote within what is a cell to them ends nothing."""
    pieces = re.split(r"[;\t\r\n]", line(given_cells))
    assert not [piece for piece in pieces if piece.lstrip('"').startswith(tuple(SIGNS))]
