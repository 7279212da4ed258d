"""CSV files: no cell is run as a formula, whatever it holds, and what was written is read back."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from partita.kit.spreadsheets import MOST_CELLS, SheetRow, line, plain, rows

STARTS = "=+-@\t\r\n＝＋－＠"
cells = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    st.builds(
        lambda quotes, start, rest: f"{quotes}{start}{rest}",
        st.text("'", max_size=3),
        st.sampled_from(STARTS),
        st.text("a1=(", max_size=5),
    ),
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
