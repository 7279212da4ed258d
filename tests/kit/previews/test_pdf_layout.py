"""From lines with places and sizes to headings, paragraphs, lists and tables."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from partita.kit.previews.blocks import Block
from partita.kit.previews.pdf_layout import blocks_of
from partita.kit.previews.pdf_lines import Line


def _line(text: str, y: float, *, page: int = 1, size: float = 11, left: float = 60, right: float = 530) -> Line:
    return Line(text, page, left, right, y, size)


def _texts(blocks: list[Block]) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in blocks]


def test_paragraphs_are_parted_by_space_and_headings_are_larger() -> None:
    found = blocks_of(
        [
            _line("Prices", 700, size=16),
            _line("Maize rose in the north and the farmers sold", 670),
            _line("more of it than before.", 656),
            _line("Beans fell.", 630),
        ]
    )
    assert _texts(found) == [
        ("heading", "Prices"),
        ("paragraph", "Maize rose in the north and the farmers sold more of it than before."),
        ("paragraph", "Beans fell."),
    ]


def test_words_parted_at_a_line_end_are_one_unless_they_have_a_hyphen_elsewhere() -> None:
    found = blocks_of(
        [
            _line("A drought-resistant variety was tried. The farm\u2010", 700),
            _line("ers liked the drought\u2010", 686),
            _line("resistant one and the long\u2010", 672),
            _line("Term view of it.", 658),
        ]
    )
    assert found[0].text == (
        "A drought-resistant variety was tried. "
        "The farmers liked the drought-resistant one and the long-Term view of it."
    )


def test_hyphens_stay_where_nobody_parts_a_word() -> None:
    found = blocks_of(
        [
            _line("Applications must be sent by e\u2010", 700),
            _line("mail before the 12\u2010", 686),
            _line("month grant ends.", 672),
        ]
    )
    assert found[0].text == "Applications must be sent by e-mail before the 12-month grant ends."


def test_running_titles_go_and_chapters_that_differ_by_their_number_stay() -> None:
    lines = []
    for page in range(1, 5):
        lines.append(replace(_line("Annual report", 800, page=page, size=9), edge=True))
        lines.append(replace(_line(f"Chapter {page}", 770, page=page, size=18), edge=True))
        lines.append(_line(f"The text of page number {page} is long enough to be the usual size.", 700, page=page))
        lines.append(replace(_line(f"{page} / 4", 30, page=page, size=9), edge=True))
    assert _texts(blocks_of(lines))[:3] == [
        ("heading", "Chapter 1"),
        ("paragraph", "The text of page number 1 is long enough to be the usual size."),
        ("heading", "Chapter 2"),
    ]
    assert not any("Annual" in block.text or "/ 4" in block.text for block in blocks_of(lines))


def test_a_paragraph_goes_on_over_a_page_and_has_the_page_where_it_begins() -> None:
    found = blocks_of(
        [
            _line("A sentence that begins at the end of a page and", 60, page=1),
            _line("goes on at the top of the next.", 740, page=2),
            _line("Another one.", 700, page=2),
        ]
    )
    assert [(block.text, block.page) for block in found] == [
        ("A sentence that begins at the end of a page and goes on at the top of the next.", 1),
        ("Another one.", 2),
    ]


def test_marks_that_are_drawn_apart_come_before_their_entries() -> None:
    found = blocks_of(
        [
            _line("Some usual text that is here to be the usual text of the page.", 700),
            _line("Buy early.", 670, left=80),
            _line("Store dry.", 656, left=80),
            _line("•", 670, left=66, right=69),
            _line("•", 656, left=66, right=69),
        ]
    )
    assert _texts(found)[1:] == [("item", "Buy early."), ("item", "Store dry.")]


def _row(y: float, *cells: str) -> Line:
    places = tuple((60.0 + 120 * at, 100.0 + 120 * at, cell) for at, cell in enumerate(cells))
    return replace(_line(" ".join(cells), y), cells=places)


def test_rows_whose_cells_are_in_line_are_a_table() -> None:
    found = blocks_of(
        [
            _line("Table 1: Prices of maize in three towns of the region", 700),
            _row(670, "Town", "KES"),
            _row(650, "Nairobi", "4,100"),
            _row(630, "Kisumu", "3,900"),
            _line("They rose.", 590),
        ]
    )
    assert _texts(found)[1] == ("table", "Town | KES\nNairobi | 4,100\nKisumu | 3,900")


_PITCH, _PADDING = 14.0, 8.0
_WORD = st.sampled_from(["seed", "bags", "4,800", "officers", "two", "transport of all", "12"])
_CELL = st.lists(_WORD, max_size=3).map(lambda words: [words[0].capitalize(), *words[1:]] if words else [])
_FIRST = st.lists(_WORD, min_size=1, max_size=3).map(lambda words: [words[0].capitalize(), *words[1:]])


@st.composite
def _grids(draw: st.DrawFn) -> list[list[list[str]]]:
    """Rows of cells of lines: something in each first and second cell, and a cell with several lines."""
    columns = draw(st.integers(3, 5))
    row = st.tuples(_FIRST, _FIRST, *[_CELL] * (columns - 2)).map(list)
    rows = draw(st.lists(row, min_size=3, max_size=6))
    rows[draw(st.integers(0, len(rows) - 1))][draw(st.integers(0, 1))] = ["Several", "lines of", "text"]
    full = [["Item"], *([f"Head {column}"] for column in range(1, columns))]
    return [full, *rows]


def _set(grid: list[list[list[str]]], align: float, *, by_line: bool) -> list[Line]:
    """Set a table as programs do: each row cell by cell, or line by line across its cells. What a file has one after
    the other at the same height is one line."""
    lines: list[Line] = []
    y = 700.0
    for row in grid:
        high = max(len(cell) for cell in row)
        words = [
            (y - _PITCH * (number + align * (high - len(cell))), column, text)
            for column, cell in enumerate(row)
            for number, text in enumerate(cell)
        ]
        for at, column, text in sorted(words, key=lambda word: (-word[0], word[1])) if by_line else words:
            cell = (60.0 + 90 * column, 60.0 + 90 * column + 4 * len(text), text)
            if lines and lines[-1].y == at and lines[-1].right < cell[0]:
                last = lines.pop()
                cells = (*(last.cells or ((last.left, last.right, last.text),)), cell)
                lines.append(Line(f"{last.text} {text}", 1, last.left, cell[1], at, 11, cells=cells))
            else:
                lines.append(Line(text, 1, cell[0], cell[1], at, 11))
        y -= _PITCH * high + _PADDING
    return lines


@given(_grids(), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_cells_of_several_lines_belong_to_their_row_however_they_are_drawn(
    grid: list[list[list[str]]], align: float, by_line: bool
) -> None:
    """Cells stand at the top of their row, in its middle, or at its foot."""
    table = _set(grid, align, by_line=by_line and align == 0.0)
    below = [_line("Every price was asked twice, in March and in May, by those who buy.", table[-1].y - 80)]
    before = [_line("Table 1: What it takes to bring the seed to the farmers of both districts", 730)]
    rows = "\n".join(" | ".join(" ".join(cell) for cell in row) for row in grid)
    assert [block.text for block in blocks_of([*before, *table, *below]) if block.kind == "table"] == [rows]


def test_what_stands_below_a_table_is_no_part_of_it() -> None:
    table = _set([[["Item"], ["Cost"]], [["Seed", "of maize"], ["12"]], [["Bags"], ["8"]]], 0.0, by_line=False)
    found = blocks_of([*table, _line("They rose.", table[-1].y - 16, right=110)])
    assert _texts(found) == [("table", "Item | Cost\nSeed of maize | 12\nBags | 8"), ("paragraph", "They rose.")]


def test_two_columns_of_text_are_no_table() -> None:
    left = [_line(f"the left column goes on {number}", 700 - 14 * number, right=280) for number in range(5)]
    right = [_line(f"the right column goes on {number}", 700 - 14 * number, left=320) for number in range(5)]
    assert {block.kind for block in blocks_of([*left, *right])} == {"paragraph"}


_LINES = st.lists(
    st.builds(
        lambda text, page, y, size, left: Line(text, page, left, left + 200, y, size, edge=y > 750 or y < 80),
        st.text(st.sampled_from("abc XY.-•1 ነው مع‐"), min_size=1, max_size=60).filter(lambda t: t.strip() == t != ""),
        st.integers(1, 5),
        st.floats(10, 800),
        st.sampled_from([9.0, 11.0, 16.0]),
        st.sampled_from([60.0, 80.0, 320.0]),
    ),
    max_size=30,
)


def _halved(line: Line) -> Line:
    """A line as two cells, if it has two words."""
    first, _, second = line.text.partition(" ")
    if not second.strip():
        return line
    return replace(line, cells=((line.left, line.left + 40, first), (line.left + 90, line.left + 120, second)))


@given(_LINES, st.booleans())
def test_no_letter_is_lost_but_those_of_running_lines(lines: list[Line], cells: bool) -> None:
    inner = [replace(_halved(line) if cells else line, edge=False) for line in lines]

    def letters(text: str) -> list[str]:
        return sorted(character for character in text if character.isalnum())

    written = "".join(block.text for block in blocks_of(inner))
    assert letters(written) == letters("".join(line.text for line in lines))


@given(_LINES)
def test_whatever_comes_blocks_have_text_and_a_page_of_the_document(lines: list[Line]) -> None:
    pages = {line.page for line in lines}
    for block in blocks_of(lines):
        assert block.text.strip()
        assert block.page in pages
        assert 1 <= block.level <= 6
