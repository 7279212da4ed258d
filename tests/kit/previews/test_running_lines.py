"""Page numbers, running heads and feet are no text of a document; everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.fetcher.page import read_page
from partita.kit.previews.blocks import Block
from partita.kit.previews.docx import docx_blocks
from partita.kit.previews.line_kinds import is_page_mark, is_title
from partita.kit.previews.pdf_layout import blocks_of
from partita.kit.previews.pdf_lines import Line
from partita.kit.previews.running_lines import without_running_lines
from tests.kit.previews.samples import docx, paragraph

PROSE = "The long rains came late, and maize was planted again in May when the second rains began."


@pytest.mark.parametrize("text", ["1 / 1", "Page 3", "page 3 of 12", "3 of 12", "– 7 –", "| Page 9", "ገጽ 4", "صفحة 4"])
def test_a_page_number_is_known_by_its_form(text: str) -> None:
    assert is_page_mark(text)


@pytest.mark.parametrize(
    "text", ["12", "3 percent", "Page three was torn.", "27 million", "of 12", "1 / 3 of all farms"]
)
def test_what_may_be_text_is_no_page_number(text: str) -> None:
    assert not is_page_mark(text)


@given(st.lists(st.sampled_from([PROSE, "Maize rose.", "Crops", "Yes, twice"]), max_size=6), st.integers(3, 9))
def test_running_heads_and_feet_go_and_all_sentences_stay(told: list[str], pages: int) -> None:
    blocks = []
    for page in range(1, pages + 1):
        blocks.append(Block("paragraph", "Annual report of the institute", page=page))
        blocks += [Block("paragraph", f"{text} {page}." if text == PROSE else text, page=page) for text in told[:1]]
        blocks.append(Block("paragraph", f"{page} | Institute for Dryland Farming", page=page))
        blocks.append(Block("paragraph", f"{page} / {pages}", page=page))
    left = [each.text for each in without_running_lines(blocks)]
    assert not any("institute" in text.casefold() or is_page_mark(text) for text in left)
    assert sum("." in text for text in left) == sum("." in text for text in told[:1]) * pages


@given(st.lists(st.builds(Block, st.sampled_from(["heading", "item", "table"]), st.sampled_from(["A plan", "1 / 2"]))))
def test_headings_entries_and_tables_stay(blocks: list[Block]) -> None:
    assert without_running_lines(blocks) == blocks


def test_a_line_that_is_there_twice_stays() -> None:
    blocks = [Block("paragraph", "Annual report"), Block("paragraph", PROSE), Block("paragraph", "Annual report")]
    assert without_running_lines(blocks) == blocks


@pytest.mark.parametrize("pages", [1, 2, 3])
def test_the_numbers_of_a_pdf_with_few_pages_go(pages: int) -> None:
    lines = []
    for page in range(1, pages + 1):
        lines.append(Line("Brief on fodder", page, 60, 200, 810, 9, edge=True))
        lines.append(Line(f"{PROSE} {page}", page, 60, 500, 700, 11))
        lines.append(Line(f"{page} / {pages}", page, 290, 310, 30, 9, edge=True))
    texts = [each.text for each in blocks_of(lines)]
    assert not any("/" in text for text in texts)
    assert ("Brief on fodder" in texts) == (pages == 1), "what is on both of two pages is a running head"
    assert sum(PROSE in text for text in texts) == pages


BOLD = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{}</w:t></w:r></w:p>"


def test_a_title_in_bold_is_a_heading_in_word_and_on_pages() -> None:
    body = BOLD.format("Stocks of fodder") + paragraph(PROSE) + BOLD.format("This sentence is important.")
    word = [(kind, text) for kind, text, _, _ in docx_blocks(docx(body))[2]]
    page = read_page(
        f"<main><h1>Brief</h1><p><strong>Stocks of fodder</strong></p><p>{PROSE}</p>"
        "<p><b>This sentence is important.</b></p><p><b>Note</b> Hay is dear.</p></main>"
    )
    wanted = [("heading", "Stocks of fodder"), ("paragraph", PROSE), ("paragraph", "This sentence is important.")]
    assert word == wanted
    assert [(each.kind, each.text) for each in page.blocks[1:]] == [*wanted, ("paragraph", "Note Hay is dear.")]


def test_a_title_ends_no_sentence() -> None:
    assert is_title("Stocks of fodder")
    assert not any(map(is_title, ("", "12", "Hay is dear.", "Note:", "one, two,", "word " * 15, "ዝናብ ጀመረ።")))
