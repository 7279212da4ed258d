"""Words that stand for each other: they help what has no other help, and never count more than the word itself."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.newsletter.service.writing.retrieval import Query, relevance
from partita.apps.newsletter.service.writing.synonyms import _groups, others_for
from partita.apps.newsletter.service.writing.terms import word_stem
from partita.apps.newsletter.service.writing.values import Passage
from tests.apps.newsletter.writing.questions import Measured, paraphrased_questions, passages, statistics

STEMS = sorted(_groups())
TEXTS = sorted({each.text for each in passages() if each.language != "en"})


@given(st.lists(st.sampled_from(STEMS), min_size=1, max_size=5), st.sampled_from(TEXTS))
@settings(max_examples=60)
def test_words_that_stand_for_others_never_lower_a_score(words: list[str], text: str) -> None:
    query = Query.of_text(" ".join(words))
    passage = Passage("p", "s", text)
    alone = relevance(replace(query, others={}), passage, statistics())[0]
    helped = relevance(query, passage, statistics())[0]
    assert alone <= helped <= 1


@given(st.sampled_from(STEMS))
@settings(max_examples=40)
def test_a_word_that_stands_for_another_counts_less_than_the_word_itself(word: str) -> None:
    query = Query.of_text(word)
    if word not in query.weights:  # a stem alone may have another stem
        return
    other = relevance(query, Passage("p", "s", others_for(word)[0]), statistics())[0]
    itself = relevance(query, Passage("p", "s", word), statistics())[0]
    assert 0 < other < itself


@given(st.sampled_from(STEMS))
@settings(max_examples=40)
def test_who_stands_for_somebody_is_stood_for_and_nobody_for_themselves(stem: str) -> None:
    others = {word_stem(each) for each in others_for(stem)}
    assert others
    assert stem not in others
    assert all(stem in {word_stem(each) for each in others_for(other)} for other in others)


def test_english_words_are_left_to_the_model() -> None:
    assert Query.of_text("money for clean water in villages").others == {}


def test_questions_in_other_words_find_passages_in_amharic_and_arabic() -> None:
    foreign = [each for each in paraphrased_questions() if each.language != "en" and not each.apart]
    assert Measured.of(foreign).recall >= 0.8
