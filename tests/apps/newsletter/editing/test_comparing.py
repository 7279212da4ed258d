"""What changed between two versions, by words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.editing.comparing import MOST_CHARACTERS, differences, normal, word_pieces

TEXTS = st.text(alphabet="ab c\n", max_size=80)


@given(TEXTS, TEXTS)
def test_the_pieces_are_both_texts(before: str, after: str) -> None:
    pieces = word_pieces(before, after)
    assert "".join(piece.text for piece in pieces if piece.mark in "=-") == before
    assert "".join(piece.text for piece in pieces if piece.mark in "=+") == after


@given(st.dictionaries(st.sampled_from("abc"), TEXTS), st.dictionaries(st.sampled_from("abc"), TEXTS))
def test_every_section_is_told_of_once(before: dict[str, str], after: dict[str, str]) -> None:
    found = {each.key: each.kind for each in differences(before, after)}
    assert set(found) == {*before, *after}
    for key, kind in found.items():
        expected = (
            "added"
            if key not in before
            else "removed"
            if key not in after
            else "same"
            if normal(before[key]) == normal(after[key])
            else "changed"
        )
        assert kind == expected


def test_one_word_of_a_long_text_is_found() -> None:
    before = "\n\n".join(f"Paragraph {number} is about rain." for number in range(500))
    (change,) = differences({"a": before}, {"a": before.replace("Paragraph 250 is", "Paragraph 250 was")})
    assert [piece for piece in change.pieces if piece.mark != "="] == [("-", "is"), ("+", "was")]


def test_what_is_too_long_is_replaced_whole() -> None:
    before, after = "a " * MOST_CHARACTERS, "b " * MOST_CHARACTERS
    assert [piece.mark for piece in word_pieces(before, after)] == ["-", "+"]
