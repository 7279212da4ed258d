"""Words: how they are folded, what people may type, and where the marks fall."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from partita.kit.search import Search
from partita.kit.search.folding import fold, places, stem, tokens
from partita.kit.search.marks import Marker, marked
from partita.kit.search.query import MOST_CONDITIONS, MOST_WORDS, Condition, parse
from partita.kit.search.vocabulary import distance
from tests.kit.search.books import BOOKS, Book


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café Ångström", "cafe angstrom"),
        ("STRASSE", "straße"),
        ("ﬁle ①", "file 1"),
        ("soft\u00adware می\u200cخواهم", "software میخواهم"),
        ("مَكْتَبَةٌ", "مكتبه"),
        ("كتـــاب", "كتاب"),
        ("أحمد إسلام آمن ٱلله", "احمد اسلام امن الله"),
        ("على", "علي"),
        ("ایران کتاب", "ايران كتاب"),
        ("٢٠٢٦ ۲۰۲۶", "2026 2026"),
        ("ሠላም ሐገር ኀገር ሃገር ዐለም ፀሐይ", "ሰላም ሀገር ሀገር ሀገር አለም ጸሀይ"),
        ("ሡ ሢ ሣ ሤ ሥ ሦ", "ሱ ሲ ሳ ሴ ስ ሶ"),
        ("Ελλάς", "ελλασ"),
        ("한국어", unicodedata.normalize("NFD", "한국어")),
    ],
)
def test_variants_of_letters_are_folded_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other) != ""


def test_other_letters_stay_apart() -> None:
    assert len({fold(each) for each in "سشصضحخهاىوለመረቀበተነከወዘየደገጠፈ"}) == len("سشصضحخهاىوለመረቀበተነከወዘየደገጠፈ")


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert tokens(fold(text)) == tokens(text)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from(" aé½㈀ߺßـ\u00ad\u0301ㄱㅏ")))
def test_words_are_the_same_with_and_without_their_places(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    found = list(places(composed))
    assert [word for _, _, word in found] == tokens(text)
    assert all(0 <= start < end <= len(composed) for start, end, _ in found)
    assert all(one[0] <= other[0] for one, other in pairwise(found))


@pytest.mark.parametrize(
    ("word", "root"),
    [("running", "run"), ("maps", "map"), ("happily", "happili"), ("c", "c"), ("café", None), ("x1", None)],
)
def test_english_words_have_stems(word: str, root: str | None) -> None:
    assert stem(word) == root


# -- what people may type


def _read(text: str) -> tuple[list[str], list[str], list[str], list[Condition]]:
    query = parse(text, ("tag", "shelf"))
    single = [term.words[0] + ("*" if term.unfinished else "") for term in query.wanted if not term.phrase]
    phrases = [" ".join(term.words) for term in query.wanted if term.phrase]
    return single, phrases, [" ".join(term.words) for term in query.terms if term.excluded], list(query.conditions)


@pytest.mark.parametrize(
    ("text", "words", "phrases", "excluded", "conditions"),
    [
        ("Red maps", ["red", "maps*"], [], [], []),
        ("c", ["c"], [], [], []),
        ('"Exact Phrase" map', ["map*"], ["exact phrase"], [], []),
        ('map "exact phrase"', ["map"], ["exact phrase"], [], []),
        ("map -globe", ["map"], [], ["globe"], []),
        ('map -"round globe" -e-mail', ["map"], [], ["round globe", "e mail"], []),
        ("tag:maps", [], [], [], [Condition("tag", "maps")]),
        (
            'TAG:"Open Source" -shelf:A x',
            ["x"],
            [],
            [],
            [Condition("tag", "open source"), Condition("shelf", "a", True)],
        ),
        ("tag: maps", ["tag", "maps*"], [], [], []),
        ("color:red", ["color", "red*"], [], [], []),
        ("-color:red", [], [], ["color red"], []),
        ("https://example.org/a-b", ["https", "example", "org", "a", "b*"], [], [], []),
        ('"unclosed phrase', ["unclosed", "phrase*"], [], [], []),
        ('say "hello"now', ["say", "hello", "now*"], [], [], []),
        ("- -- --x", [], [], ["x"], []),
        ("AND OR NOT NEAR(a b)", ["and", "or", "not", "near", "a", "b*"], [], [], []),
    ],
)
def test_what_is_typed_is_read_as(
    text: str, words: list[str], phrases: list[str], excluded: list[str], conditions: list[Condition]
) -> None:
    assert _read(text) == (words, phrases, excluded, conditions)


QUOTES = ("“{}”", "„{}“", "„{}”", "«{}»", "»{}«", "”{}”")


@given(
    st.lists(
        st.tuples(st.text("aäß -:/", max_size=12), st.sampled_from(("", "-", "tag:", "-tag:"))), min_size=1, max_size=4
    ),
    st.sampled_from(QUOTES),
)
def test_quotes_of_every_kind_are_read_as_straight_ones(parts: list[tuple[str, str]], quotes: str) -> None:
    straight, curly = (" ".join(start + kind.format(text) for text, start in parts) for kind in ('"{}"', quotes))
    assert parse(curly, ("tag",)) == parse(straight, ("tag",))


@pytest.mark.parametrize("quotes", QUOTES)
def test_a_phrase_in_any_quotes_finds_what_the_straight_ones_find(search: Search, quotes: str) -> None:
    _fill(search, "Red maps of towns", "Maps that are red", "Red towns")
    assert _found(search, '"red maps"') == _found(search, quotes.format("red maps")) == ["0"]
    assert _found(search, 'red -"red maps"') == _found(search, "red -" + quotes.format("red maps"))


@given(st.text())
def test_any_text_is_a_query_of_limited_size(text: str) -> None:
    query = parse(text * 50, ("tag",))
    assert sum(len(term.words) for term in query.terms) <= MOST_WORDS
    assert len(query.conditions) <= MOST_CONDITIONS
    assert query.blank == (not text.strip())


# -- marks


@pytest.mark.parametrize(
    ("text", "wanted", "shown"),
    [
        ("He runs and was running", "run", "He <mark>runs</mark> and was <mark>running</mark>"),
        ("A Café, cafés", "cafe", "A <mark>Café</mark>, <mark>cafés</mark>"),
        ("في المَكْتَبَة مكتبة", "مكتبه", "في المَكْتَبَة <mark>مكتبة</mark>"),
        ("ሠላም ለሁሉም", "ሰላም", "<mark>ሠላም</mark> ለሁሉም"),
        ("كتـــاب جديد", "كتاب", "<mark>كتـــاب</mark> جديد"),
        ("the red map, a map of red", '"red map"', "the <mark>red</mark> <mark>map</mark>, a map of red"),
        ("maps and globes", "map -globe tag:x", "maps and globes".replace("maps", "<mark>maps</mark>")),
        ("a < b & map", "map", "a &lt; b &amp; <mark>map</mark>"),
    ],
)
def test_marks_fall_on_the_words_that_matched(text: str, wanted: str, shown: str) -> None:
    assert str(Marker(parse(wanted, ("tag",)).wanted).mark(text)) == shown


@given(st.text(max_size=200), st.text(max_size=10))
def test_marks_add_nothing_but_marks(text: str, wanted: str) -> None:
    composed = unicodedata.normalize("NFC", text)[:200]
    plain = re.sub("</?mark>", "", str(marked(composed, wanted)))
    assert plain == str(escape(unicodedata.normalize("NFC", composed)))


_WORDS = st.sampled_from(("map", "maps", "running", "Café", "مَكتبة", "ሠላም", "ß", "½", "한국", "filler", "ﬁll"))


@given(st.lists(_WORDS, max_size=80), st.lists(_WORDS, min_size=1, max_size=3))
def test_a_marked_word_matches_and_what_matches_in_sight_is_marked(text: list[str], wanted: list[str]) -> None:
    shown = str(marked(" ".join(text), " ".join(wanted)))
    words = [each for part in wanted for each in tokens(part)]
    last = words[-1] if len(words) > 1 or len(words[0]) > 1 else " "

    def matches(word: str) -> bool:
        return word in words or word.startswith(last) or stem(word) in {stem(each) for each in words} - {None}

    for inside in re.findall("<mark>(.*?)</mark>", shown):
        assert any(matches(each) for each in tokens(inside))
    for outside in re.sub("<mark>.*?</mark>", " ", shown).split():
        assert not any(matches(each) for each in tokens(outside))
    assert ("<mark>" in shown) == any(matches(each) for part in text for each in tokens(part))


@pytest.mark.parametrize("word", ["Café", "running", "needle", "كتـاب", "مَكْتَبَة", "ሠላም"])
def test_a_match_deep_in_a_long_text_is_in_sight(word: str) -> None:
    text = "Some other té and hay\u00adstacks, " * 4000 + f"here is the {word} at last " + "and more text " * 500
    assert f"<mark>{word}</mark> at last" in str(marked(text, fold(word).replace("running", "run")))


# -- what an index makes of it


def _fill(search: Search, *titles: str) -> None:
    for number, title in enumerate(titles):
        asyncio.run(search.apply(BOOKS, None, Book(id=str(number), title=title), sequence=str(number)))


def _found(search: Search, text: str) -> list[str]:
    return [hit.id for hit in asyncio.run(search.find(BOOKS, text)).hits]


def test_stems_find_other_forms_and_the_form_itself_comes_first(search: Search) -> None:
    _fill(search, "He runs", "She was running", "A runner", "The run")
    assert _found(search, '"running" ') == ["1"], "a phrase is exact"
    assert _found(search, "running")[0] == "1"
    assert sorted(_found(search, "running")) == ["0", "1", "3"]


def test_an_unfinished_word_is_no_stem(search: Search) -> None:
    _fill(search, "automation", "automatic", "autumn")
    for place in range(3, len("automation") + 1):
        assert "0" in _found(search, "automation"[:place]), "while it is typed it is always found"


def test_stems_do_not_harm_words_of_other_languages(search: Search) -> None:
    _fill(search, "une maison", "des maisons", "Université", "Universum", "дом", "дома")
    assert _found(search, "maison ")[0] == "0"
    assert _found(search, "maisons ")[0] == "1"
    assert _found(search, '"universum"') == ["3"]
    assert _found(search, '"дом"') == ["4"]


# -- corrections


@pytest.mark.parametrize(
    ("one", "other", "away"),
    [("maps", "maps", 0), ("mpas", "maps", 1), ("map", "maps", 1), ("cat", "dog", 2), ("ab", "ba", 1)],
)
def test_distances(one: str, other: str, away: int) -> None:
    assert min(distance(one, other, 1), 2) == away == min(distance(other, one, 1), 2)


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.integers(0, 2))
def test_a_bounded_distance_is_the_distance_up_to_its_bound(one: str, other: str, most: int) -> None:
    assert distance(one, other, most) == min(distance(one, other, 20), most + 1)
    assert distance(one, other, 20) == distance(other, one, 20)


def _suggested(search: Search, text: str, **filters: str) -> str | None:
    return asyncio.run(search.find(BOOKS, text, suggest=True, filters=filters)).suggestion


def test_a_typing_error_is_corrected_from_the_words_of_the_index(search: Search) -> None:
    _fill(search, "Automation tools", "Automation", "A Café in Addis", "مكتبة عامة")
    assert _suggested(search, "automtion") == "automation"
    assert _suggested(search, "uatomation tool") == "automation tool"
    assert _suggested(search, "caffe") == "café", "spelled as the document does"
    assert _suggested(search, 'Caffe -tea shelf:a "in addis"') == 'café -tea shelf:a "in addis"', "the rest stays"
    assert _suggested(search, "مكتبج") == "مكتبة"
    assert _suggested(search, "automation") is None
    assert _suggested(search, "automations") is None, "another form of a word that is there"
    assert _suggested(search, "automat") is None, "the start of a word that is there"
    assert _suggested(search, "zzzzzz") is None


def test_only_what_finds_something_is_suggested(search: Search) -> None:
    _fill(search, "Automation", "Gardening tools")
    assert _suggested(search, "automtion gardening") is None
    assert _suggested(search, "automtion", shelf="b") is None


def test_a_rare_word_may_be_an_error_too(search: Search) -> None:
    _fill(search, "recieve", *["receive"] * 30)
    assert _suggested(search, "recieve") == "receive"
    assert _suggested(search, "receive") is None


# -- completing


def test_tags_and_words_are_completed_by_how_many_have_them(search: Search) -> None:
    books = [
        Book(id="1", title="Maps of Mali", tags=("Open Source", "maps")),
        Book(id="2", title="Maps", tags=("open data",)),
        Book(id="3", title="x", tags=("Open Source",)),
    ]
    for number, book in enumerate(books):
        asyncio.run(search.apply(BOOKS, None, book, sequence=str(number)))

    def completed(start: str, **where: Any) -> list[tuple[str, int]]:
        return [(each.value, each.count) for each in asyncio.run(search.complete(BOOKS, start, **where))]

    assert completed("OPEN", filter="tag") == [("Open Source", 2), ("open data", 1)]
    assert completed("open-s", filter="tag") == [("Open Source", 2)]
    assert completed("", filter="tag")[0] == ("Open Source", 2)
    assert completed("old ma", field="title") == [("maps", 2), ("mali", 1)]
    assert completed("ma", field="body") == []
    asyncio.run(search.apply(BOOKS, books[2], None, sequence="9"))
    assert completed("open s", filter="tag") == [("Open Source", 1)]
    with pytest.raises(ValueError, match="has no filter 'colour'; declared are shelf, tag"):
        completed("x", filter="colour")
