"""How long a text is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.editing.citations import cited
from partita.apps.newsletter.service.editing.lengths import word_count


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Rain fell in Turkana.", 4),
        ("## Rain\n\nIt **rained** [3] a lot.", 5),
        ("[the report](https://example.org/a-b)", 2),
        ("![A dry field](images/1.png)", 0),
        ("| Crop | Tonnes |\n| --- | ---: |\n| Maize | 1,200 |", 4),
        ("- one\n- two\n1. three\n\n---\n", 3),
        ("ዝናብ ዘነበ።", 2),
        ("هطل المطر", 2),
        ("", 0),
    ],
)
def test_words_as_a_reader_counts_them(text: str, words: int) -> None:
    assert word_count(text) == words


@given(st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), max_size=40), st.integers(min_value=1, max_value=99))
def test_a_citation_is_no_word(words: list[str], number: int) -> None:
    assert word_count(" ".join(words)) == len(words)
    assert word_count(f" [{number}] ".join(words)) == len(words)


SEEDS = ("-", "- ", "|-", "[", "![", "![a](", "](", '](a "', "`", "``a", "~~~\n", "\t", " ", "#", "1.", "[1]", "\\")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_that_means_harm_is_counted_in_a_moment(seed: str) -> None:
    """Sixteen thousand hyphens took minutes, with everybody else waiting; a section may have 200,000 characters."""
    text = (seed * 16_000)[:16_000] + "!"
    began = time.process_time()
    word_count(text)
    cited(text)
    assert time.process_time() - began < 1.0
