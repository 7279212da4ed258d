"""Passages are found by words, and ranked by age, region, readers and use; what has no answer finds nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.formats import TOPICS
from partita.apps.newsletter.service.writing.retrieval import (
    LIKENESS_BESIDE,
    LIKENESS_FLOOR,
    MOST_PER_SOURCE,
    PER_TOPIC,
    Match,
    Query,
    Retrieval,
    Statistics,
    Wishes,
    answer,
    judge,
    meant,
    relevance,
    retrieve,
    topic_query,
)
from partita.apps.newsletter.service.writing.terms import shared_shingles, shingles, terms
from partita.apps.newsletter.service.writing.values import Edition, Language, Passage
from tests.apps.newsletter.writing.editions import EDITIONS, found
from tests.apps.newsletter.writing.questions import (
    TODAY,
    Measured,
    Question,
    fourth_questions,
    fresh_questions,
    labelled,
    later_questions,
    model,
    paraphrased_questions,
    passages,
    questions,
    statistics,
    third_questions,
)

LIVESTOCK = TOPICS["livestock"]
EDITION = Edition("Digest", TODAY, frequency="monthly")


@pytest.mark.parametrize("apart", [False, True], ids=["open questions", "questions kept apart"])
def test_questions_find_their_passages(apart: bool) -> None:
    measured = Measured.of(each for each in questions() if each.apart is apart)
    assert measured.recall >= 0.9
    assert measured.reciprocal_rank >= 0.75
    assert measured.nothing_found >= measured.unanswered - 1


def test_there_are_enough_questions() -> None:
    asked = [each for each in questions() if each.source]
    assert len(asked) >= 64
    assert len([each for each in asked if each.language != "en"]) >= 8
    assert len([each for each in questions() if not each.source]) >= 8
    assert len([each for each in questions() if each.apart]) >= len(questions()) // 3
    for each in asked:
        assert any(each.words in passage.text for passage in passages()), each.text


def test_fresh_questions_have_an_answer_and_are_in_other_words_than_the_sources() -> None:
    assert len(fresh_questions()) == 20
    shares = []
    for each in fresh_questions():
        answers = [passage for passage in passages() if each.words in passage.text]
        assert answers, each.text
        asked = set(terms(each.text))
        shares.append(len(asked & set(terms(answers[0].text))) / len(asked))
    assert sum(shares) / len(shares) < 0.4


def test_paraphrased_questions_have_one_answer_and_are_in_other_words_than_the_sources() -> None:
    asked = [each for each in paraphrased_questions() if each.source]
    assert len(asked) >= 70
    assert len([each for each in asked if each.language != "en"]) >= 14
    assert len([each for each in asked if each.apart]) >= len(asked) // 3
    shares = []
    for each in asked:
        answers = [passage for passage in passages() if each.words in passage.text]
        assert each.source in {passage.source_id for passage in answers}, each.text
        assert len({passage.heading for passage in answers}) == 1, each.text
        words = set(terms(each.text))
        shares.append(len(words & set(terms(answers[0].text))) / len(words))
    assert sum(shares) / len(shares) < 0.2


@pytest.mark.parametrize("some", [later_questions, third_questions, fourth_questions])
def test_questions_of_later_rounds_have_an_answer_where_it_is_said(some: Callable[[], tuple[Question, ...]]) -> None:
    asked = [each for each in some() if each.source]
    assert len(asked) >= 40
    for each in asked:
        answers = {passage.source_id for passage in passages() if each.words in passage.text}
        assert each.source in answers, each.text


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(-1, 1)))
def test_what_stands_beside_a_good_answer_counts_and_nothing_without_one(likeness: dict[str, float]) -> None:
    found = meant(likeness)
    if max(likeness.values(), default=-1.0) < LIKENESS_FLOOR:
        assert found == {}
    else:
        assert found == {name: each for name, each in likeness.items() if each >= LIKENESS_BESIDE}


def test_english_questions_in_other_words_find_their_passages_and_the_others_lose_nothing() -> None:
    """One test, since what hundreds of sentences mean takes half a minute to find out."""
    if model() is None:
        pytest.skip("the model is not installed")
    for apart in (False, True):
        english = [each for each in paraphrased_questions() if each.apart is apart and each.language == "en"]
        by_meaning, by_words = Measured.of(english, meaning=True), Measured.of(english)
        assert by_meaning.recall >= 0.8 > 0.4 > by_words.recall
        assert by_meaning.nothing_found == by_words.nothing_found, "what no source answers stays unanswered"
    by_meaning, by_words = Measured.of(later_questions(), meaning=True), Measured.of(later_questions())
    assert by_meaning.recall >= 0.9 > 0.3 > by_words.recall, "of questions about one sentence"
    assert by_meaning.nothing_found == by_words.nothing_found
    third = Measured.of(third_questions(), meaning=True)
    assert third.recall >= 0.8
    assert third.reciprocal_rank >= 0.65
    fourth = Measured.of(fourth_questions(), meaning=True)
    assert fourth.recall >= 0.9, "of questions by somebody who knew nothing of the search"
    assert fourth.reciprocal_rank >= 0.8
    older = Measured.of((each for each in questions() if each.apart), meaning=True)
    assert older.recall >= 0.95
    assert older.reciprocal_rank >= 0.9
    assert older.nothing_found >= older.unanswered - 1


@given(st.text(max_size=60), st.sampled_from(passages()), st.floats(-1, 1.01))
def test_meaning_never_lowers_a_score_and_counts_only_above_its_floor(
    text: str, passage: Passage, likeness: float
) -> None:
    query = Query.of_text(text)
    by_meaning = replace(query, likeness=meant({passage.id: likeness}))
    before = judge(EDITION, "", passage, query, statistics(), Wishes())
    after = judge(EDITION, "", passage, by_meaning, statistics(), Wishes())
    assert before.score <= after.score <= 1
    assert (after.parts.meaning > 0) == (likeness >= LIKENESS_FLOOR)
    assert after.parts.relevance == max(before.parts.words, after.parts.meaning)


def test_four_of_five_labelled_passages_come_under_their_topic() -> None:
    right = 0
    for passage, topic in labelled():
        scores = {key: relevance(topic_query(key, language_of(passage)), passage, statistics())[0] for key in TOPICS}
        right += max(scores, key=lambda key: scores[key]) == topic
    assert len(labelled()) >= 80
    assert right / len(labelled()) >= 0.8


def language_of(passage: Passage) -> Language:
    return "am" if passage.language == "am" else "ar" if passage.language == "ar" else "en"


@given(st.text(max_size=60), st.sampled_from(passages()))
def test_a_score_is_a_share(text: str, passage: Passage) -> None:
    score, matched = relevance(Query.of_text(text), passage, statistics())
    assert 0 <= score <= 1
    assert bool(matched) == (score > 0)


def test_the_persons_own_words_replace_those_of_the_topic() -> None:
    own = topic_query(LIVESTOCK, "en", "camel milk Isiolo")
    assert own.weights == {"camel": 1, "milk": 1, "isiolo": 1}
    assert topic_query(LIVESTOCK, "en", "  ").weights == topic_query(LIVESTOCK, "en").weights


# -- ranking


def passage(name: str, text: str = "", **changes: object) -> Passage:
    base = Passage(name, f"source of {name}", text or f"Goats and cattle of {name} were vaccinated by herders.")
    return replace(base, **{"published": TODAY.isoformat(), "title": f"About {name}", **changes})  # type: ignore[arg-type]


def ranked(*some: Passage, edition: Edition = EDITION, wishes: Wishes | None = None) -> Retrieval:
    return retrieve(
        edition,
        {LIVESTOCK: some},
        {LIVESTOCK: topic_query(LIVESTOCK, "en")},
        Statistics.of([*some, passage("other", "Coffee is exported in bags.")]),
        wishes,
    )


def names(retrieval: Retrieval) -> list[str]:
    return [each.passage.id for each in retrieval.matches]


def days_ago(days: int) -> str:
    return (TODAY - timedelta(days=days)).isoformat()


def test_newer_passages_come_first() -> None:
    assert names(ranked(passage("old", published=days_ago(60)), passage("new", published=days_ago(1)))) == [
        "new",
        "old",
    ]


def test_age_counts_half_after_the_half_life_and_never_less_than_three_tenths() -> None:
    found = ranked(
        passage("new"),
        passage("middle", published=days_ago(30)),
        passage("old", published=days_ago(110)),
        passage("undated", published=None),
    )
    ages = {each.passage.id: round(each.parts.age, 2) for each in found.matches}
    assert ages == {"new": 1.0, "middle": 0.5, "old": 0.3, "undated": 0.6}
    custom = ranked(
        passage("old", published=days_ago(3000)), passage("new"), edition=replace(EDITION, frequency="custom")
    )
    assert {each.parts.age for each in custom.matches} == {1.0}


def test_places_in_the_region_count() -> None:
    edition = replace(EDITION, region="Northern Kenya")
    some = (
        passage("a", "Goats and cattle were vaccinated in Isiolo."),
        passage("b", "Camels and sheep were vaccinated."),
    )
    regions = {each.passage.id: each.parts.region for each in ranked(*some, edition=edition).matches}
    assert regions == {"a": 1.3, "b": 1.0}


def test_words_of_the_audience_count() -> None:
    farmers = replace(EDITION, audience=("farmers",))
    text = "Goats and cattle were vaccinated; farmers sell milk at the market for a better price after the harvest."
    one = ranked(passage("a", text), passage("b", "Camels and sheep were vaccinated."), edition=farmers)
    audience = {each.passage.id: each.parts.audience for each in one.matches}
    assert audience["a"] > audience["b"] == 1.0
    assert audience["a"] <= 1.2


def test_what_an_earlier_issue_cited_counts_half_and_says_so() -> None:
    one = ranked(passage("a"), passage("b"), wishes=Wishes(used_in={"a": "No. 11"}))
    used = next(each for each in one.matches if each.passage.id == "a")
    assert (used.parts.earlier, used.used_in) == (0.5, "No. 11")
    assert names(one) == ["b", "a"]


def test_pinned_passages_come_first_and_dropped_ones_never() -> None:
    weak = passage("weak", "A meeting was held.")
    one = ranked(passage("a"), passage("b"), weak, wishes=Wishes(frozenset({"weak"}), frozenset({"a"})))
    assert names(one) == ["weak", "b"]
    assert [(each.match.passage.id, each.reason) for each in one.misses] == [("a", "dropped")]


def test_of_passages_that_are_almost_the_same_the_newest_stays() -> None:
    text = "Goats and cattle in the whole district were vaccinated by herders and their neighbours within three weeks."
    one = ranked(
        passage("old", text, published=days_ago(9)),
        passage("new", text.replace("three", "four"), published=days_ago(3)),
        passage("else"),
    )
    assert sorted(names(one)) == ["else", "new"]
    assert [(each.match.passage.id, each.reason) for each in one.misses] == [("old", "duplicate")]


def test_no_two_passages_of_an_edition_are_almost_the_same() -> None:
    for edition, topics in EDITIONS.values():
        runs = [shingles(each.passage.text) for each in found(edition, topics).matches]
        assert not any(shared_shingles(one, other) >= 0.8 for at, one in enumerate(runs) for other in runs[:at])


def test_a_passage_belongs_to_one_topic_and_a_source_gives_at_most_three_to_each() -> None:
    for edition, topics in EDITIONS.values():
        matches = found(edition, topics).matches
        assert len({each.passage.id for each in matches}) == len(matches)
        assert {each.passage.language for each in matches} <= {edition.language}
        for topic in {each.topic for each in matches}:
            of_topic = [each.passage.source_id for each in matches if each.topic == topic]
            assert len(of_topic) <= PER_TOPIC[edition.length]
            assert max(map(of_topic.count, of_topic)) <= MOST_PER_SOURCE
        assert len(matches) <= 75


def test_a_topic_with_too_little_looks_further_back_and_says_so() -> None:
    weekly = replace(EDITION, frequency="weekly")
    one = ranked(passage("new"), passage("old", published=days_ago(200)), edition=weekly)
    assert names(one) == ["new", "old"]
    assert one.widened == (LIVESTOCK,)
    enough = ranked(passage("a"), passage("b"), passage("old", published=days_ago(200)), edition=weekly)
    assert sorted(names(enough)) == ["a", "b"]
    assert [(each.match.passage.id, each.reason) for each in enough.misses] == [("old", "old")]


def test_a_topic_that_looks_at_any_age_leaves_nothing_out_for_it() -> None:
    weekly = replace(EDITION, frequency="weekly")
    old = [passage(f"old-{n}", published=days_ago(200 + n)) for n in range(4)]
    assert len(ranked(passage("new"), *old, edition=weekly).matches) == 3
    further = ranked(passage("new"), *old, edition=weekly, wishes=Wishes(any_age=frozenset({LIVESTOCK})))
    assert names(further)[0] == "new"
    assert not [each for each in further.misses if each.reason == "old"]
    assert len(further.matches) > 3


def test_a_topic_without_passages_is_thin() -> None:
    one = ranked(passage("coffee", "Coffee is exported in bags."))
    assert (one.matches, one.thin) == ((), (LIVESTOCK,))
    assert [each.reason for each in one.misses] == ["weak"]


def test_many_passages_give_different_ones() -> None:
    same = [passage(f"same {n}", f"Goats and cattle were vaccinated in the same camp {n}.") for n in range(8)]
    other = passage("other", "Camels and sheep need fodder and hay when the pasture is dry and milk is scarce.")
    assert "other" in names(ranked(*same, other, edition=replace(EDITION, length="short")))


def test_a_question_gets_answers_and_the_nearest_of_the_rest() -> None:
    hits, nearest = answer(Query.of_text("camel milk cooperative Isiolo"), passages(), statistics(), EDITION)
    assert hits[0].passage.source_id == "camel-milk"
    assert all(isinstance(each, Match) for each in nearest)
    assert answer(Query.of_text("opera barber composed"), passages(), statistics(), EDITION)[0] == []
