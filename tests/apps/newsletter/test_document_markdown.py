"""Markdown in and out: whatever is written is the same when it is read in again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.service.documents.markdown import write_blocks, write_document
from partita.apps.newsletter.service.documents.model import (
    Block,
    Cite,
    Document,
    Figure,
    Heading,
    ListBlock,
    Paragraph,
    Quote,
    Source,
    Span,
    Table,
    plain,
    words,
)
from partita.apps.newsletter.service.documents.normal import normal_blocks, safe_link
from partita.apps.newsletter.service.documents.reading import read_blocks, read_document
from tests.apps.newsletter.editions import AMHARIC, ARABIC, BLOCKS, ENGLISH, MARKUP

_SLOW = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@given(BLOCKS, st.sampled_from(["en", "ar"]))
@_SLOW
def test_every_model_is_the_same_when_its_markdown_is_read_in_again(blocks: Sequence[Block], language: str) -> None:
    normal = normal_blocks(blocks, language)
    assert normal_blocks(normal, language) == normal
    assert read_blocks(write_blocks(normal), language) == normal


@given(MARKUP)
@_SLOW
def test_every_text_is_read_the_same_after_it_was_written_once(text: str) -> None:
    blocks = read_blocks(text)
    assert read_blocks(write_blocks(blocks)) == blocks


_LINES = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=12)


@given(
    st.builds(
        Document,
        title=_LINES,
        language=st.sampled_from(["en", "am", "ar"]),
        code=_LINES,
        issue_label=_LINES,
        date=_LINES,
        region=_LINES,
        preheader=_LINES,
        made_with=_LINES,
        sources=st.lists(st.builds(Source, st.integers(1, 99), _LINES, _LINES), max_size=3).map(tuple),
        facts=st.lists(st.tuples(_LINES, _LINES), max_size=2).map(tuple),
        numbered=st.booleans(),
    ),
    BLOCKS,
)
@_SLOW
def test_front_matter_keeps_what_is_not_text(document: Document, blocks: Sequence[Block]) -> None:
    document = replace(document, blocks=normal_blocks(blocks, document.language))
    assert read_document(write_document(document)) == document


@pytest.mark.parametrize("text", [ENGLISH, ARABIC, AMHARIC])
def test_an_edition_comes_back_whole(text: str) -> None:
    document = read_document(text)
    assert read_document(write_document(document)) == document
    assert document.title
    assert len(document.headings) >= 2


def test_what_a_reader_sees_is_in_the_model() -> None:
    document = read_document(ENGLISH)
    assert [(each.level, plain(each.pieces)) for each in document.headings] == [
        (1, "Climate & season"),
        (2, "Early rains reach the highlands"),
        (1, "Research findings"),
        (2, "Notes"),
    ]
    assert [each.number for each in document.cited] == [1, 2]
    assert document.unresolved == ()
    table = next(block for block in document.blocks if isinstance(block, Table))
    assert table.alignments == ("left", "right", "center")
    assert plain(table.caption) == "Yield without irrigation"
    figure = next(block for block in document.blocks if isinstance(block, Figure))
    assert (figure.alt, figure.caption) == ("Terraced fields below a low sun", "Terraces in October")
    figures = [block for block in document.blocks if isinstance(block, ListBlock) and block.of_figures]
    assert len(figures) == 1


def test_each_block_has_the_language_it_is_written_in() -> None:
    languages = [getattr(block, "language", None) for block in read_document(ARABIC).blocks]
    assert languages == ["ar", "ar", "ar", "en", "ar", "ar"]


def test_a_citation_is_one_only_where_it_is_written_plainly() -> None:
    (plainly,) = read_blocks("So it is. [3]")
    assert plainly == Paragraph((Span("So it is. "), Cite(3)), "en")
    (escaped,) = read_blocks(r"An index \[3\] and `a[3]`")
    assert not any(isinstance(piece, Cite) for piece in escaped.pieces)  # type: ignore[union-attr]
    (defined,) = read_blocks("[3]: https://example.org")
    assert isinstance(defined, Paragraph)
    assert Cite(3) in defined.pieces
    (zero,) = read_blocks("[0] and [1000]")
    assert zero == Paragraph((Span("[0] and [1000]"),), "en")


def test_headings_leave_out_no_level_and_head_nothing_within_lists() -> None:
    blocks = read_blocks("#### One\n\n## Two\n\n##### Three\n\n> ## Four")
    assert [(each.level, plain(each.pieces)) for each in blocks if isinstance(each, Heading)] == [
        (1, "One"),
        (1, "Two"),
        (2, "Three"),
    ]
    assert blocks[-1] == Quote((Paragraph((Span("Four", bold=True),), "en"),), "en")


def test_a_heading_of_the_highest_level_is_the_title_only_at_the_beginning() -> None:
    document = read_document("# One\n\nText.\n\n# Two\n")
    assert document.title == "One"
    assert [(each.level, plain(each.pieces)) for each in document.headings] == [(1, "Two")]


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "file:///etc/passwd", "//evil", "/here"),
        *("ftp://a", "vbscript:x", "http://", "https:", " javascript:x", "java\nscript:x", ""),
    ],
)
def test_only_addresses_of_the_web_and_of_mail_are_links(address: str) -> None:
    assert safe_link(address) == ""
    blocks = read_blocks(f"[text](<{address}>)".replace("\n", ""))
    assert all(not piece.link for block in blocks for piece in block.pieces)  # type: ignore[union-attr]


def test_html_that_was_typed_is_text() -> None:
    (block,) = read_blocks('<script>alert(1)</script> <img src=x onerror="alert(1)">')
    assert block == Paragraph((Span('<script>alert(1)</script> <img src=x onerror="alert(1)">'),), "en")


def test_nesting_has_an_end() -> None:
    blocks = read_blocks("> " * 500 + "deep\n\n" + "> " * 20 + "less\n\n" + "- " * 300 + "deep")
    assert "less" in write_blocks(blocks)
    assert read_blocks(write_blocks(blocks)) == blocks


def test_a_long_text_is_read_quickly() -> None:
    text = "## Heading\n\nA sentence with **bold** and [3]. " * 4_000
    assert words(read_blocks(text)) > 10_000
    assert isinstance(read_blocks("## x")[0], Heading)
