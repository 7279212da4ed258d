"""Functions of texts remember many short answers, and no long ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.kit.search.folding import stem
from partita.kit.short_memory import remembered_if_short
from partita.web.templates import _pair


def test_short_texts_are_asked_for_once_and_long_ones_leave_nothing_behind() -> None:
    asked: list[tuple[str, ...]] = []

    @remembered_if_short(most=10, longest=5)
    def together(*texts: str) -> str:
        asked.append(texts)
        return "".join(texts)

    for _ in range(3):
        assert together("ab", "cde") == "abcde"
        assert together("abc", "def") == "abcdef"
    assert asked == [("ab", "cde"), ("abc", "def"), ("abc", "def"), ("abc", "def")]
    assert len(together) == 1


@given(st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=120))
def test_a_long_word_has_the_stem_that_it_always_had(word: str) -> None:
    found = stem(word)
    assert found is not None
    assert found == word or len(word) <= 64, "Porter's rules are for words of up to 64 letters"


def test_what_strangers_write_does_not_stay() -> None:
    before = len(_pair)
    for number in range(100):
        _pair("q", f"{number}" * 1_000)
        stem("x" * 5_000 + "yz"[number % 2] * number)
    assert len(_pair) == before
