"""Two versions of a text, passage by passage: nothing of either is lost, and nobody is asked without need."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.editing.paragraphs import compared, is_settled, joined, merged, paragraphs

PARAGRAPH = st.sampled_from(["One.", "Two.", "Three.", "- a\n- b", "```\nx\n\ny\n```", "| a |\n| --- |", "Four"])
TEXTS = st.lists(PARAGRAPH, max_size=8).map(joined)
ANY = st.text(alphabet="ab \n`~", max_size=60)


@given(ANY)
def test_paragraphs_of_joined_paragraphs_are_the_same_paragraphs(text: str) -> None:
    assert paragraphs(joined(paragraphs(text))) == paragraphs(text)


@given(ANY)
def test_no_letter_is_lost(text: str) -> None:
    assert "".join("".join(paragraphs(text)).split()) == "".join(text.split())


@given(TEXTS, TEXTS, st.one_of(st.none(), TEXTS))
def test_each_side_can_be_had_whole(mine: str, theirs: str, base: str | None) -> None:
    passages = compared(mine, theirs, base)
    everywhere = range(len(passages))
    assert merged(passages, dict.fromkeys(everywhere, "mine")) == mine
    assert merged(passages, dict.fromkeys(everywhere, "theirs")) == theirs


@given(TEXTS, TEXTS)
def test_who_changed_nothing_is_not_asked(mine: str, base: str) -> None:
    passages = compared(mine, base, base)
    assert is_settled(passages)
    assert merged(passages) == mine
    back = compared(base, mine, base)
    assert is_settled(back)
    assert merged(back) == mine


@given(TEXTS, st.one_of(st.none(), TEXTS))
def test_the_same_change_twice_is_no_conflict(mine: str, base: str | None) -> None:
    passages = compared(mine, mine, base)
    assert all(each.by == "same" for each in passages)
    assert merged(passages) == mine


@given(TEXTS, TEXTS, st.one_of(st.none(), TEXTS))
def test_changing_sides_changes_the_sides(mine: str, theirs: str, base: str | None) -> None:
    turned = {"same": "same", "mine": "theirs", "theirs": "mine", "both": "both"}
    there, back = compared(mine, theirs, base), compared(theirs, mine, base)
    if base is not None:
        assert [(turned[each.by], each.theirs, each.mine) for each in there] == [
            (each.by, each.mine, each.theirs) for each in back
        ]


def test_changes_at_two_places_are_both_kept() -> None:
    base = joined(["One.", "Two.", "Three."])
    passages = compared(joined(["One!", "Two.", "Three."]), joined(["One.", "Two.", "Three!"]), base)
    assert [each.by for each in passages] == ["mine", "same", "theirs"]
    assert merged(passages) == joined(["One!", "Two.", "Three!"])


def test_a_paragraph_that_both_changed_is_asked_for_and_both_can_be_kept() -> None:
    passages = compared("Mine.\n\nEnd.", "Theirs.\n\nEnd.", "First.\n\nEnd.")
    assert [each.by for each in passages] == ["both", "same"]
    assert merged(passages, {0: "each"}) == "Mine.\n\nTheirs.\n\nEnd."
