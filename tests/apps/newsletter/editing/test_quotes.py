"""The sentences of a passage that a text has used."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.editing.quotes import stretches

SENTENCES = st.lists(st.sampled_from(["It rained.", "Maize fell by 5 %.", "Why?", "It (really) rained."]), max_size=6)


@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=3))
def test_all_parts_together_are_the_passage(passage: str, quotes: list[str]) -> None:
    assert "".join(each.text for each in stretches(passage, quotes)) == passage


@given(SENTENCES, st.data())
def test_every_sentence_that_was_used_is_marked(sentences: list[str], data: st.DataObject) -> None:
    used = data.draw(st.lists(st.sampled_from(sentences), max_size=2)) if sentences else []
    marked = " ".join("".join(each.text for each in stretches("\n ".join(sentences), used) if each.used).split())
    for sentence in used:
        assert sentence in marked
    if not used:
        assert not marked
