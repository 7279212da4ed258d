"""Citations: found in text and not in code, and meaning the same after every renumbering."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.editing.citations import (
    carried_over,
    cited,
    renumbered,
    tidied,
    unresolved,
)

PIECES = st.one_of(
    st.integers(min_value=1, max_value=12).map(lambda number: f"[{number}]"),
    st.sampled_from(["Rain. ", "`[3]` ", "[4](https://example.org) ", "![5](a.png) ", "\n\n", "\\[6\\] ", "word"]),
)
TEXTS = st.lists(st.lists(PIECES, max_size=8).map("".join), min_size=1, max_size=4)
KNOWN = st.sets(st.integers(min_value=1, max_value=12))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It rained [3].", (3,)),
        ("It rained [3][4] and [12].", (3, 4, 12)),
        ("[3](https://example.org) and ![3](a.png)", ()),
        ("`[3]` and\n\n```\n[4]\n```\n\nthen [5]", (5,)),
        ("[7]: https://example.org", (7,)),
        ("[0] and [1000]", ()),
        (r"\\[3] and \[4]", (3,)),
        (r"\[3]", ()),
        ("", ()),
    ],
)
def test_what_a_citation_is(text: str, numbers: tuple[int, ...]) -> None:
    assert cited(text) == numbers


def test_a_number_that_means_nothing_is_named_once() -> None:
    assert unresolved("A [1]. B [9]. C [9].", {1, 2}) == (9,)


@given(TEXTS, KNOWN)
def test_tidy_numbers_count_from_one_and_mean_the_same(texts: list[str], known: set[int]) -> None:
    meanings = {number: f"passage {number}" for number in known}
    tidy = tidied(texts, known)
    after = {tidy.numbers[number]: meaning for number, meaning in meanings.items()}
    assert sorted(after) == list(range(1, len(known) + 1))
    for before, new in zip(texts, tidy.texts, strict=True):
        assert [meanings.get(each) for each in cited(before)] == [after.get(each) for each in cited(new)]
    used = [each for text in tidy.texts for each in cited(text) if each in after]
    assert list(dict.fromkeys(used)) == list(range(1, len(set(used)) + 1))
    assert tidied(tidy.texts, set(after)).texts == tidy.texts


@given(TEXTS, KNOWN, KNOWN, KNOWN)
def test_a_text_of_another_list_keeps_its_meaning(
    texts: list[str], own: set[int], there: set[int], taken: set[int]
) -> None:
    ours = {number: f"passage {number % 5}" for number in own}
    theirs = {number: f"passage {(number + 1) % 5}" for number in there}
    new, added = carried_over(texts, ours, theirs, taken)
    after = {**ours, **{number: theirs[old] for old, number in added.items()}}
    assert not set(added.values()) & (set(ours) | taken)
    for before, text in zip(texts, new, strict=True):
        assert [theirs.get(each) for each in cited(before)] == [after.get(each) for each in cited(text)]


@given(st.text(max_size=60))
def test_the_same_numbers_change_nothing(text: str) -> None:
    assert renumbered(text, lambda number: number) == text
