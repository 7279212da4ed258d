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


@given(_LINES)
def test_no_letter_is_lost_but_those_of_running_lines(lines: list[Line]) -> None:
    inner = [replace(line, edge=False) for line in lines]

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
