"""Words as writing compares them: folded, without stop words, and by their stem in English, Arabic and Amharic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from partita.kit.search.folding import stem, tokens
from partita.kit.short_memory import remembered_if_short

STOP_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        tokens(
            "a about above after again against all also am an and any are as at be because been before"
            " being below between both but by can could did do does doing down during each either few for"
            " from further get gets getting got had has have having he her here hers him his how i if in into"
            " is it its itself just less many may me might more most much must my neither no nor not now of off"
            " on once one only or other our ours out over own per percent said same says she should since so some"
            " still such than that the their theirs them then there these they this those through to too"
            " two under until up upon us very was we were what when where which while who whom why will"
            " with within without would yet you your yours"
        )
    ),
    "am": frozenset(
        tokens(
            "እና ነው ነበር ናቸው ላይ ውስጥ ወደ ከ በ ለ የ ስለ ግን ወይም እንደ ይህ ያ እነዚህ ሁሉ ብቻ ደግሞ ሆኖም ስለዚህ ጋር በኋላ በፊት አንድ"
            " ሁለት ሆኗል ሆነ ነገር ምን ማን የት መቼ ለምን እንዴት ስንት ነዉ ይላሉ አሁንም ያለ ድረስ ጀምሮ"
        )
    ),
    "ar": frozenset(
        tokens(
            "في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا هو هي هم كان كانت يكون قد لا لم"
            " لن إن أن أو ثم كل بعض بعد قبل عند بين حتى كما أي غير نحو منذ خلال كم متى أين كيف لماذا هل"
            " ولا وهو وهي عام المئة نسبة بنسبة"
        )
    ),
}
_ALL_STOP_WORDS = frozenset().union(*STOP_WORDS.values())
_SCRIPTS = {"en": ("A", "\u024f"), "am": ("\u1200", "\u137f"), "ar": ("\u0600", "\u06ff")}
_SMALL_WORDS = 0.12
_ARABIC_PREFIXES = tuple(tokens("وال بال فال كال لل ال و ب ل ف"))
_ARABIC_SUFFIXES = tuple(tokens("يات ات ون ين ان ها هم يه ته ه ي ا"))
_ETHIOPIC_PREFIXES = tuple(tokens("እንደ ስለ የሚ በሚ ለሚ እየ የ በ ለ ከ"))
_ETHIOPIC_SUFFIXES = tuple(tokens("ዎችን ዎች ችን ቸው ች ውን ው ዋ ን ም ና"))


@remembered_if_short(most=2_048, longest=4_000)
def terms(text: str) -> tuple[str, ...]:
    """The meaningful words of a text by their stems, in order. One passage is judged for many topics and questions, so
    those of the latest are remembered."""
    return tuple(map(word_stem, content_words(text)))


def content_words(text: str) -> list[str]:
    """The folded words of a text without stop words and single letters."""
    return [word for word in tokens(text) if word not in _ALL_STOP_WORDS and (len(word) > 1 or word.isdigit())]


_APART = {
    **dict.fromkeys(("news",), "news"),
    **dict.fromkeys(("publication", "publications"), "publicat"),
    **dict.fromkeys(("authority", "authorities"), "authorit"),
    **dict.fromkeys(("important", "importance", "importantly"), "important"),
    **dict.fromkeys(("communication", "communications"), "communicat"),
}
"""Words that Porter's rules make one with others that mean something else: new, public, author, import, community."""


@remembered_if_short(most=16_384, longest=40)
def word_stem(word: str) -> str:
    """The stem of a folded word: Porter's in English; in Arabic and Amharic without the commonest prefix and suffix."""
    english = _APART.get(word) or stem(word)
    if english is not None:
        return english
    if "\u0600" <= word[:1] <= "\u06ff":
        return _cut(word, _ARABIC_PREFIXES, _ARABIC_SUFFIXES, 3)
    if "\u1200" <= word[:1] <= "\u137f":
        return _sixth_order(_cut(word, _ETHIOPIC_PREFIXES, _ETHIOPIC_SUFFIXES, 2))
    return word


def _cut(word: str, prefixes: tuple[str, ...], suffixes: tuple[str, ...], least: int) -> str:
    for prefix in prefixes:
        if word.startswith(prefix) and len(word) - len(prefix) >= least:
            word = word[len(prefix) :]
            break
    for suffix in suffixes:
        if word.endswith(suffix) and len(word) - len(suffix) >= least:
            return word[: -len(suffix)]
    return word


def _sixth_order(word: str) -> str:
    """The last letter without its vowel: an ending that begins with a vowel changes it (ፍየል, ፍየሎች → ፍየል)."""
    last = ord(word[-1])
    return word[:-1] + chr(last - (last - 0x1200) % 8 + 5)


def speaks(text: str, language: str) -> bool:
    """Whether a text is in a language: by its script, and in Latin script by its small words."""
    letters = [character for character in text if character.isalpha()]
    low, high = _SCRIPTS.get(language, _SCRIPTS["en"])
    if sum(low <= each <= high for each in letters) < 0.5 * len(letters):
        return False
    words = tokens(text)
    return language in _SCRIPTS and (
        language != "en" or sum(word in STOP_WORDS["en"] for word in words) >= _SMALL_WORDS * len(words)
    )


# -- likeness


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """How much of their words two sentences share: 0 nothing, 1 everything; words count once."""
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


def shingles(text: str, size: int = 5) -> frozenset[tuple[str, ...]]:
    """Every run of some words."""
    words = tokens(text)
    return frozenset(tuple(words[place : place + size]) for place in range(max(1, len(words) - size + 1)))


def shared_shingles(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """The share of the shorter text's runs that the other one has too."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


Vector = Mapping[str, float]


def vectors(texts: Iterable[tuple[str, ...]]) -> list[Vector]:
    """Texts as tf-idf vectors of length one; what few of them say weighs more."""
    counted = [Counter(each) for each in texts]
    held = Counter(term for each in counted for term in each)
    total = len(counted)
    made: list[Vector] = []
    for each in counted:
        raw = {term: (1 + math.log(count)) * math.log(1 + total / held[term]) for term, count in each.items()}
        norm = math.sqrt(sum(value * value for value in raw.values()))
        made.append({term: value / norm for term, value in raw.items()} if norm else {})
    return made


def cosine(one: Vector, other: Vector) -> float:
    """How alike two vectors of length one are."""
    if len(one) > len(other):
        one, other = other, one
    return sum(value * other[term] for term, value in one.items() if term in other)
