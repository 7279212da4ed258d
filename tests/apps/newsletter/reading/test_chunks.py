"""Passages: slices of a source's text within bounds, with ids that stay."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.service.reading.chunks import (
    FEWEST_WORDS,
    MOST_CHARACTERS,
    MOST_WORDS,
    Passage,
    chunks_of,
    page_at,
    source_text,
)
from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.kit.previews.blocks import Block, BlockKind

_WORD = st.sampled_from(["maize", "yields", "rose", "by", "3.5", "t", "ዝናብ", "المطر", "in", "2026", "–", "(again)"])
_SENTENCE = st.tuples(st.lists(_WORD, min_size=1, max_size=60), st.sampled_from([".", "!", "።", "؟", ""])).map(
    lambda made: " ".join(made[0]).capitalize() + made[1]
)
_PARAGRAPH = st.lists(_SENTENCE, min_size=1, max_size=25).map(" ".join)
_TABLE = st.lists(st.lists(_WORD, min_size=2, max_size=4).map(" | ".join), min_size=1, max_size=30).map("\n".join)


@st.composite
def _blocks(draw: st.DrawFn) -> list[Block]:
    made = []
    for number in range(draw(st.integers(0, 12))):
        kind: BlockKind = draw(st.sampled_from(["heading", "paragraph", "paragraph", "item", "caption", "table"]))
        page = draw(st.sampled_from([None, number + 1]))
        if kind == "heading":
            text = draw(st.sampled_from(["Results", "References", "2. Methods", "ማጣቀሻ", "Prices in March"]))
            made.append(Block(kind, text, draw(st.integers(1, 3)), page))
        elif kind == "table":
            made.append(Block(kind, draw(_TABLE), 1, page))
        else:
            level = draw(st.integers(1, 3)) if kind == "item" else 1
            made.append(Block(kind, draw(_PARAGRAPH if kind == "paragraph" else _SENTENCE), level, page))
    return made


def _covered(chunks: tuple[Passage, ...]) -> set[int]:
    return {at for chunk in chunks for at in range(chunk.start, chunk.start + len(chunk.text))}


@settings(deadline=None)
@given(_blocks())
def test_chunks_are_slices_of_the_text_and_nothing_is_lost(blocks: list[Block]) -> None:
    text = source_text(blocks)
    chunks = chunks_of("s1", blocks)
    for chunk in chunks:
        assert text[chunk.start : chunk.start + len(chunk.text)] == chunk.text
    covered = _covered(chunks)
    left = "".join(text[at] if at not in covered else "\n" for at in range(len(text)))
    headings = sorted(heading for chunk in chunks for _, heading in chunk.above)
    bare = [] if not chunks or not blocks or blocks[-1].kind != "heading" else [blocks[-1].text]
    assert sorted(line for line in left.split("\n") if line.strip()) == headings
    assert sorted([*headings, *bare]) == sorted(block.text for block in blocks if block.kind == "heading")


@settings(deadline=None)
@given(_blocks())
def test_every_sentence_of_a_chunk_knows_its_page(blocks: list[Block]) -> None:
    paged = [replace(block, page=number) for number, block in enumerate(blocks, 1)]
    text = source_text(paged)
    starts, at = [], 0
    for block in (each for each in paged if each.kind != "heading"):
        at = text.index(block.text, at)
        starts.append((at, block.page))
        at += len(block.text)
    for chunk in chunks_of("s1", paged):
        for sentence in sentences(chunk.text) if chunk.kind == "text" and chunk.text != chunk.heading else ():
            place = chunk.start + sentence.start
            expected = [page for start, page in starts if start <= place]
            assert page_at(chunk.page, chunk.turns, sentence.start) == expected[-1]


@settings(deadline=None)
@given(_blocks())
def test_no_chunk_is_too_long_and_only_the_last_of_a_section_may_be_short(blocks: list[Block]) -> None:
    chunks = chunks_of("s1", blocks)
    for chunk, after in zip(chunks, (*chunks[1:], None), strict=False):
        assert len(chunk.text) <= MOST_CHARACTERS
        assert chunk.words == word_count(chunk.text)
        if chunk.kind == "table":
            continue
        assert chunk.words <= MOST_WORDS or "|" in chunk.text
        goes_on = after is not None and after.heading == chunk.heading != after.text and not after.above
        goes_on = goes_on and after is not None and "|" not in chunk.text + after.text
        assert not goes_on or chunk.words >= FEWEST_WORDS


@settings(deadline=None)
@given(_blocks())
def test_a_chunk_repeats_only_the_last_sentence_of_the_one_before_it(blocks: list[Block]) -> None:
    chunks = chunks_of("s1", blocks)
    for before, chunk in pairwise(chunks):
        overlap = before.start + len(before.text) - chunk.start
        if overlap > 0:
            assert not chunk.above
            assert before.text.endswith(chunk.text[:overlap])
            assert overlap < len(chunk.text)


@settings(deadline=None)
@given(_blocks(), _PARAGRAPH)
def test_ids_stay_when_something_is_added_elsewhere_and_differ_within_a_source(
    blocks: list[Block], paragraph: str
) -> None:
    before = {chunk.chunk_id for chunk in chunks_of("s1", blocks)}
    added = [Block("heading", "New", 1), Block("paragraph", paragraph), Block("heading", "Old", 1), *blocks]
    after = chunks_of("s1", added)
    if blocks and blocks[0].kind != "heading" and any(block.kind == "heading" for block in blocks):
        assert before <= {chunk.chunk_id for chunk in after} or paragraph in source_text(blocks)
    assert len({chunk.chunk_id for chunk in after}) == len(after)
    assert not before & {chunk.chunk_id for chunk in chunks_of("s2", blocks)}


def test_chunks_of_a_usual_text_are_balanced_and_overlap_by_a_sentence() -> None:
    noise = random.Random(4)
    told = [" ".join(f"word{noise.randrange(99)}" for _ in range(noise.randrange(8, 30))) + "." for _ in range(60)]
    blocks = [Block("paragraph", " ".join(told[at : at + 5]).title(), 1, 1 + at // 20) for at in range(0, 60, 5)]
    chunks = chunks_of("s1", blocks)
    assert len(chunks) > 4
    assert all(FEWEST_WORDS <= chunk.words <= MOST_WORDS for chunk in chunks)
    for before, chunk in pairwise(chunks):
        assert sentences(before.text)[-1].text == sentences(chunk.text)[0].text
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))
    assert {chunk.page for chunk in chunks} == {1, 2, 3}


def test_a_table_is_one_chunk_with_its_caption_and_head() -> None:
    chunks = chunks_of(
        "s1",
        [
            Block("heading", "Prices", 2, 3),
            Block("paragraph", "Prices rose in March.", 1, 3),
            Block("paragraph", "Table 2: Price of maize per bag", 1, 3),
            Block("table", "Market | KES\nNairobi | 4,100\nKisumu | 3,900", 1, 4),
            Block("paragraph", "They fell again in April.", 1, 4),
        ],
    )
    assert [(chunk.kind, chunk.heading, chunk.page) for chunk in chunks] == [
        ("text", "Prices", 3),
        ("table", "Prices", 3),
        ("text", "Prices", 4),
    ]
    assert chunks[1].text.startswith("Table 2: Price of maize per bag\n\nMarket | KES\nNairobi")


def test_what_a_document_calls_a_caption_is_one_chunk_with_its_table_whatever_it_says() -> None:
    told = "Price of maize. Each is the mean of three markets."
    before, table = Block("paragraph", "Prices rose."), Block("table", "Market | KES\nNairobi | 4,100")
    chunks = chunks_of("s1", [before, Block("caption", told), table])
    assert [(chunk.kind, chunk.text) for chunk in chunks] == [
        ("text", "Prices rose."),
        ("table", f"{told}\n\nMarket | KES\nNairobi | 4,100"),
    ]
    assert [chunk.kind for chunk in chunks_of("s1", [Block("caption", told), before, table])] == ["text", "table"]


def test_references_are_kept_and_said_to_be_such() -> None:
    chunks = chunks_of(
        "s1",
        [
            Block("heading", "Results", 1),
            Block("paragraph", "Yields rose."),
            Block("heading", "7. References", 1),
            Block("heading", "Books", 2),
            Block("item", "Otieno, J. (2019). On maize."),
            Block("heading", "Annex A", 1),
            Block("paragraph", "More figures."),
        ],
    )
    assert [(chunk.kind, chunk.heading) for chunk in chunks] == [
        ("text", "Results"),
        ("references", "Books"),
        ("text", "Annex A"),
    ]
    assert chunks[1].above == ((1, "7. References"), (2, "Books"))


@pytest.mark.parametrize(
    "line",
    [
        "By Amina Yusuf",
        "By Amina Yusuf and Dr. John K. Otieno, field correspondents | 12 March 2026",
        "Prepared by the Reading Trust, 14 March 2026",
        "Author: Hanna Bekele",
        "Nairobi, 12 March 2026",
        "Addis Ababa | March 12, 2026",
        "Published 12 March 2026",
        "Last updated on Monday, 12 March 2026",
        "إعداد: فريق الأسواق",
        "ያዘጋጀው፦ ሐና በቀለ",
    ],
)
def test_who_wrote_it_and_when_is_kept_and_no_passage_to_be_found(line: str) -> None:
    prose = "Maize rose in the north, and farmers sold more of it than in the months before."
    blocks = [Block("heading", "Prices"), Block("paragraph", line), Block("paragraph", prose)]
    about, told = chunks_of("s1", blocks)
    assert (about.kind, about.text) == ("references", line)
    assert (told.kind, told.text, told.above) == ("text", prose, ((1, "Prices"),))


@pytest.mark.parametrize(
    "line",
    [
        "By March, prices had fallen to 12 dollars.",
        "By North Kivu's standards the rains of 12 March 2026 came late.",
        "Prices fell by 3 percent in the north",
        "On 12 March 2026 traders in Nairobi paid more for maize",
        "Maize in April",
        "Deadline for applications: 30 April 2026",
        "Deadline: 30 April 2026",
        "Closing Date — 30 April 2026",
        "Workshop in Nairobi, 12 June 2026",
        "Vaccination starts 3 May 2026",
        "Project period: 1 January 2026 to 31 December 2027",
        "الموعد النهائي، 30 أبريل 2026",
        "إعداد الأرض للزراعة",
    ],
)
def test_a_short_line_that_tells_something_is_a_passage(line: str) -> None:
    blocks = [Block("heading", "Prices"), Block("paragraph", line), Block("paragraph", "More was sold.")]
    assert {chunk.kind for chunk in chunks_of("s1", blocks)} == {"text"}


def test_contents_and_lists_of_works_are_known_without_their_heading() -> None:
    contents = [
        Block("paragraph", f"{name} ........ {page}") for name, page in [("Aims", 1), ("Means", 7), ("Ends", 9)]
    ]
    works = [
        Block("item", "Abebe, K. and Otieno, J. (2019). Rains and yields. Nairobi: ARI."),
        Block("item", "Hassan, M. A. 2021. Camel milk in trade. Journal of Dairy 3(2)."),
        Block("item", "Wako, T. (2024) Fodder banks, doi:10.1234/abc"),
    ]
    prose = [Block("paragraph", f"In 20{n} J. Otieno planted maize on {n} farms and it grew.") for n in range(10, 20)]
    assert {chunk.kind for chunk in chunks_of("s1", contents)} == {"references"}
    assert {chunk.kind for chunk in chunks_of("s1", works)} == {"references"}
    assert {chunk.kind for chunk in chunks_of("s1", prose)} == {"text"}


def test_an_endless_word_or_sentence_is_cut() -> None:
    for text in ("x" * 100_000, "word " * 5_000, "— " * 30_000, "ሀ፡" * 20_000):
        chunks = chunks_of("s1", [Block("paragraph", text.strip())])
        assert all(chunk.words <= MOST_WORDS and len(chunk.text) <= MOST_CHARACTERS for chunk in chunks)
        assert sum(chunk.words for chunk in chunks) >= word_count(text)
