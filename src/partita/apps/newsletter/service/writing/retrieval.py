"""Which passages an edition may draw from: candidates of a search scored by words, age, region, audience and use."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from partita.apps.newsletter.service.writing.synonyms import others_for
from partita.apps.newsletter.service.writing.terms import (
    Vector,
    content_words,
    cosine,
    shared_shingles,
    shingles,
    speaks,
    terms,
    vectors,
    word_stem,
)
from partita.apps.newsletter.service.writing.topics import AUDIENCE_WORDS, written_query
from partita.apps.newsletter.service.writing.values import Edition, Frequency, Language, Length, Passage
from partita.kit.search.folding import stem, tokens

CANDIDATES = 60
"""For a topic, of which many fall out."""
QUESTION_CANDIDATES = 20
"""By words, and as many by meaning: each is read with its source, which takes longer than finding it."""
MOST_WORDS = 40
"""Of a query; the rest of a long question is left out."""
FLOOR = 0.15
"""Whatever scores less by its words has nothing to do with a topic."""
QUESTION_FLOOR = 0.26
"""Whatever scores less answers no question: a question has few words, and all of them count the same."""
LIKENESS_FLOOR = 0.27
"""If nothing is more like what a question means, no passage has to do with it."""
LIKENESS_BESIDE = 0.2
"""If something is, so much is enough for the others: that a question is about these sources is known then."""
HALF_LIFE: Mapping[Frequency, int | None] = {"daily": 2, "weekly": 7, "monthly": 30, "quarterly": 90, "custom": None}
"""After how many days a passage counts half."""
WINDOW = 4
"""How many half-lives back an edition looks, unless a topic has too little."""
PER_TOPIC: Mapping[Length, int] = {"short": 5, "mixed": 8, "long": 12}
MOST_PASSAGES = 75
MOST_PER_SOURCE = 3
FEWEST = 2
"""With fewer passages a topic is thin."""

_OLDEST, _UNDATED = 0.3, 0.6
_REGION, _AUDIENCE, _EARLIER = 1.3, 1.2, 0.5
_TWINS = 0.8
_RELEVANCE = 0.7
_K1, _B = 1.2, 0.6
_OTHERS, _OTHERS_HOLD = 200, 2
_TITLE, _HEADING = 3, 2
_MANY_WORDS, _ONE_WORD = 8, 0.5
"""Of a query with this many words, one alone may be chance: it counts half."""
_OTHER = 0.8
"""What a word that stands for another counts of it."""
_REACHED = 6
"""A passage that has this many of a query's weightiest words is as good as it gets."""

Reason = Literal["weak", "old", "dropped", "duplicate", "other topic", "source", "variety", "language"]


@dataclass(frozen=True, slots=True)
class Query:
    """Weighted words: stems as the index and the passages spell them."""

    weights: Mapping[str, float]
    words: tuple[str, ...] = ()
    """The same words, folded."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Stem → folded words that may stand for it."""
    text: str = ""
    """The question as somebody typed it; what it means is looked for too. The words written for a topic mean nothing
    together."""
    likeness: Mapping[str, float] = field(default_factory=dict)
    """Passage → how alike its meaning is, as far as somebody knows, and it counts (`meant`)."""

    @property
    def words_to_ask(self) -> tuple[str, ...]:
        """The words as the index is asked for them, and those that may stand for them: it stems English ones itself."""
        others = (each for some in self.others.values() for each in some)
        return tuple(dict.fromkeys(word if stem(word) else word_stem(word) for word in (*self.words, *others)))

    @staticmethod
    def of(words: Iterable[tuple[str, float]]) -> Query:
        """From words with their weights; words with one stem count as the weightiest of them."""
        known = list(words)
        weights: dict[str, float] = {}
        for text, weight in known:
            for word in tokens(text):
                weights[word_stem(word)] = max(weight, weights.get(word_stem(word), 0.0))
        return Query(weights, tuple(word for text, _ in known for word in tokens(text)))

    @staticmethod
    def of_text(text: str) -> Query:
        """What somebody typed: every meaningful word counts the same."""
        words = tuple(content_words(text)[:MOST_WORDS])
        weights = dict.fromkeys(map(word_stem, words), 1.0)
        others = {each: known for each in weights if (known := others_for(each))}
        return Query(weights, words, others, text.strip())

    def meaning_of(self, passage: Passage) -> float:
        """How alike the meaning of a passage is, 0 to 1; 0 if it is about something else."""
        return min(1.0, self.likeness.get(passage.id, 0.0))


def meant(likeness: Mapping[str, float]) -> dict[str, float]:
    """Of passages with their likeness those that have to do with a question."""
    if max(likeness.values(), default=0.0) < LIKENESS_FLOOR:
        return {}
    return {name: each for name, each in likeness.items() if each >= LIKENESS_BESIDE}


def topic_query(label: str, language: Language, own_words: str = "") -> Query:
    """The query of a topic: the person's own words, or those written for it."""
    return Query.of_text(own_words) if own_words.strip() else Query.of(written_query(label, language))


@dataclass(frozen=True, slots=True)
class Statistics:
    """How often words occur in everything that can be found."""

    total: int
    held_by: Mapping[str, int]
    """How many passages hold a stem."""
    average_length: float = 150.0

    @staticmethod
    def of(passages: Sequence[Passage]) -> Statistics:
        """Of passages at hand."""
        held: Counter[str] = Counter()
        for each in passages:
            held.update(set(terms(f"{each.title} {each.heading} {each.text}")))
        lengths = [len(terms(each.text)) for each in passages]
        return Statistics(len(passages), held, sum(lengths) / max(1, len(lengths)))

    def rarity(self, stem: str) -> float:
        """The weight of a word by how few passages hold it: as if there were some hundred others beside them, so that
        the words of a small shelf about one subject do not count for nothing."""
        held = self.held_by.get(stem, 0) + _OTHERS_HOLD
        return math.log(1 + (self.total + _OTHERS - held + 0.5) / (held + 0.5))


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score is made of: the share of the query's words or the likeness of meaning, the better of both, and
    factors."""

    words: float
    age: float = 1.0
    region: float = 1.0
    audience: float = 1.0
    earlier: float = 1.0
    meaning: float = 0.0

    @property
    def relevance(self) -> float:
        return max(self.words, self.meaning)

    @property
    def score(self) -> float:
        return min(1.0, self.relevance * self.age * self.region * self.audience * self.earlier)


@dataclass(frozen=True, slots=True)
class Match:
    """A passage for a topic, and why."""

    passage: Passage
    topic: str
    parts: Parts
    matched: tuple[str, ...]
    """Stems of the query that it holds."""
    pinned: bool = False
    used_in: str = ""
    """The earlier issue that cited it."""

    @property
    def score(self) -> float:
        return self.parts.score


@dataclass(frozen=True, slots=True)
class Miss:
    """A candidate that is not used, and why."""

    match: Match
    reason: Reason


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person has said about passages, and what earlier issues cited."""

    pinned: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    used_in: Mapping[str, str] = field(default_factory=dict)
    """Passage → label of the issue that cited it."""
    any_age: frozenset[str] = frozenset()
    """Topics for which age leaves nothing out; newer content still ranks higher."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was found for all topics, best first in each."""

    matches: tuple[Match, ...]
    misses: tuple[Miss, ...] = ()
    thin: tuple[str, ...] = ()
    """Topics with fewer than two passages."""
    widened: tuple[str, ...] = ()
    """Topics for which older passages were allowed, since there was too little."""

    def of(self, topic: str) -> tuple[Match, ...]:
        """What was found for one topic."""
        return tuple(each for each in self.matches if each.topic == topic)


def retrieve(
    edition: Edition,
    candidates: Mapping[str, Sequence[Passage]],
    queries: Mapping[str, Query],
    statistics: Statistics,
    wishes: Wishes | None = None,
) -> Retrieval:
    """Choose passages for each topic from what a search found for it. Topics keep the order of `candidates`."""
    wishes = wishes or Wishes()
    misses: list[Miss] = []
    scored: dict[str, list[Match]] = {}
    for label, passages in candidates.items():
        scored[label] = []
        for passage in passages:
            match = judge(edition, label, passage, queries[label], statistics, wishes)
            reason = _refusal(edition, match, wishes)
            if reason is None:
                scored[label].append(match)
            else:
                misses.append(Miss(match, reason))
    wanted = _wanted(scored, misses)
    _part_duplicates(scored, misses)
    _one_topic_each(scored, misses)
    matches: list[Match] = []
    thin: list[str] = []
    widened: list[str] = []
    limit = min(PER_TOPIC[edition.length], max(1, MOST_PASSAGES // max(1, len(candidates))))
    for label, found in scored.items():
        everything = label in wishes.any_age
        recent = [
            each
            for each in found
            if everything or each.pinned or each.passage.own or within(edition, each.passage.published)
        ]
        if len(recent) < FEWEST < len(found) or (len(recent) < FEWEST and len(found) > len(recent)):
            widened.append(label)
            # Those within the time come first, however strong the older ones are.
            recent = [*recent, *sorted((each for each in found if each not in recent), key=_strength)[:FEWEST]]
        misses += [Miss(each, "old") for each in found if each not in recent]
        chosen, left_out = _varied(recent, limit, wanted)
        misses += left_out
        matches += chosen
        if len(chosen) < FEWEST:
            thin.append(label)
    return Retrieval(tuple(matches), tuple(misses), tuple(thin), tuple(widened))


def judge(
    edition: Edition, label: str, passage: Passage, query: Query, statistics: Statistics, wishes: Wishes
) -> Match:
    """A passage's score for a topic, part by part."""
    words, matched = relevance(query, passage, statistics)
    parts = Parts(
        words=words,
        age=1.0 if passage.own else _age_factor(edition, passage.published),
        region=_REGION if names_region(edition.region, f"{passage.heading} {passage.text}") else 1.0,
        audience=_audience_factor(edition.audience, passage),
        earlier=_EARLIER if passage.id in wishes.used_in else 1.0,
        meaning=query.meaning_of(passage),
    )
    used_in = wishes.used_in.get(passage.id, "")
    return Match(passage, label, parts, matched, passage.id in wishes.pinned, used_in)


def relevance(query: Query, passage: Passage, statistics: Statistics) -> tuple[float, tuple[str, ...]]:
    """How well a passage answers a query, 0 to 1, and which of its words it has: BM25 with the words' weights, as a
    share of the best that this query could reach."""
    text = terms(passage.text)
    counted: Counter[str] = Counter(text)
    for term in terms(passage.heading):
        counted[term] += _HEADING
    for term in terms(passage.title):
        counted[term] += _TITLE
    length = _K1 * (1 - _B + _B * len(text) / max(1.0, statistics.average_length))
    total = 0.0
    matched = []
    values = []
    for term, weight in query.weights.items():
        value = weight * statistics.rarity(term)
        values.append(value)
        found, share = term, 1.0
        if term not in counted and term in query.others:
            found, share = _standing_for(counted, query.others[term]), _OTHER
        count = counted.get(found, 0)
        if count:
            matched.append(found)
            total += share * value * count * (_K1 + 1) / (count + length)
    if len(matched) == 1 and len(query.weights) >= _MANY_WORDS:
        total *= _ONE_WORD
    reachable = sum(sorted(values, reverse=True)[:_REACHED]) * (_K1 + 1) * 0.75
    return (min(1.0, total / reachable) if reachable else 0.0), tuple(matched)


def _standing_for(counted: Mapping[str, int], others: Iterable[str]) -> str:
    """The stem of a word, among those that may stand for one, that a passage has most often."""
    return max(map(word_stem, others), key=lambda each: counted.get(each, 0))


def within(edition: Edition, published: str | None) -> bool:
    """Whether an edition looks back as far as a day; what has no date may be recent."""
    half_life = HALF_LIFE[edition.frequency]
    age = age_in_days(edition.today, published)
    return half_life is None or age is None or age <= half_life * WINDOW


def age_in_days(today: date, published: str | None) -> int | None:
    """How old something is; None if nobody knows."""
    if not published:
        return None
    try:
        return max(0, (today - date.fromisoformat(published[:10])).days)
    except ValueError:
        return None


def _age_factor(edition: Edition, published: str | None) -> float:
    half_life = HALF_LIFE[edition.frequency]
    if half_life is None:
        return 1.0
    age = age_in_days(edition.today, published)
    return _UNDATED if age is None else max(_OLDEST, 0.5 ** (age / half_life))


REGIONS: Mapping[str, str] = {
    "horn": "Ethiopia Somalia Djibouti Eritrea Somali Horn Afar Ethiopia",
    "igad": "IGAD Ethiopia Kenya Uganda Somalia Djibouti Eritrea Sudan South",
    "africa": "Ethiopia Kenya Uganda Somalia Djibouti Eritrea Sudan Tanzania",
    "kenya": "Kenya Nairobi Isiolo Turkana Mandera Garissa Nakuru Baringo Machakos Busia Naivasha Marsabit Lodwar"
    " Eldoret Kakamega Meru Bungoma Kenyan Pokot",
    "ethiopia": "Ethiopia Addis Ababa Arsi Borena Tigray Jimma Konso Adama Afar Bahir Dar Somali Moyale Ethiopian",
    "uganda": "Uganda Karamoja Soroti Mbale Lira Gulu Masaka Kotido Kampala Ugandan",
    "somalia": "Somalia Somali Afmadow Berbera Juba Mogadishu",
    "sudan": "Sudan Gedaref Kassala Khartoum",
}
"""Places that belong to a region somebody names."""
_GENERAL = frozenset(map(word_stem, tokens("east eastern west north south region the and of africa african countries")))


def region_terms(region: str) -> frozenset[str]:
    """Stems that name a region: its own words, and places in it."""
    own = {word_stem(each) for each in tokens(region)}
    named = frozenset(own - _GENERAL)
    places = frozenset(
        word_stem(place)
        for word in tokens(region)
        if word in REGIONS and (word != "africa" or not named)
        for place in tokens(REGIONS[word])
    )
    return (named | places) - _GENERAL


def names_region(region: str, text: str) -> bool:
    """Whether a text names a region or a place in it."""
    wanted = region_terms(region)
    return bool(wanted) and not wanted.isdisjoint(terms(text))


def audience_terms(audience: Iterable[str]) -> frozenset[str]:
    """Stems of what matters to some audiences."""
    return frozenset(term for each in audience for term in terms(AUDIENCE_WORDS.get(each, "")))


def _audience_factor(audience: Iterable[str], passage: Passage) -> float:
    wanted = audience_terms(audience)
    if not wanted:
        return 1.0
    has = len(wanted.intersection(terms(f"{passage.heading} {passage.text}")))
    return 1.0 + (_AUDIENCE - 1.0) * min(1.0, has / 5)


def _refusal(edition: Edition, match: Match, wishes: Wishes) -> Reason | None:
    if match.passage.id in wishes.dropped:
        return "dropped"
    passage = match.passage
    # What language a short text is in, nobody knows for sure.
    if passage.language != edition.language and not speaks(passage.text, edition.language):
        return "language"
    if match.pinned:
        return None
    return "weak" if match.parts.words < FLOOR and match.parts.meaning < LIKENESS_FLOOR else None


def _wanted(scored: dict[str, list[Match]], misses: list[Miss]) -> frozenset[str]:
    """The best passage of each source on the newsletter's own shelf: whoever put it there wants it to be used, even if
    it has few words of a topic, or none."""
    best: dict[str, tuple[float, Match]] = {}
    every = [each for matches in scored.values() for each in matches]
    every += [each.match for each in misses if each.reason == "weak"]
    for each in every:
        known = best.get(each.passage.source_id)
        if each.passage.own and each.passage.kind == "text" and (known is None or each.parts.relevance > known[0]):
            best[each.passage.source_id] = (each.parts.relevance, each)
    for _, match in best.values():
        weak = next((each for each in misses if each.match is match), None)
        if weak is not None:
            misses.remove(weak)
            scored[match.topic].append(match)
    return frozenset(match.passage.id for _, match in best.values())


def _part_duplicates(scored: dict[str, list[Match]], misses: list[Miss]) -> None:
    """Of passages that are almost the same the newest stays; a pinned one stays in any case."""
    found = {each.passage.id: each for matches in scored.values() for each in matches}
    ordered = sorted(
        found.values(), key=lambda each: (each.pinned, each.passage.published or "", each.passage.id), reverse=True
    )
    kept: list[tuple[Match, frozenset[tuple[str, ...]]]] = []
    twins: set[str] = set()
    for each in ordered:
        runs = shingles(each.passage.text)
        if not each.pinned and any(shared_shingles(runs, other) >= _TWINS for _, other in kept):
            twins.add(each.passage.id)
        else:
            kept.append((each, runs))
    for label, matches in scored.items():
        misses += [Miss(each, "duplicate") for each in matches if each.passage.id in twins]
        scored[label] = [each for each in matches if each.passage.id not in twins]


def _one_topic_each(scored: dict[str, list[Match]], misses: list[Miss]) -> None:
    best: dict[str, Match] = {}
    for matches in scored.values():
        for each in matches:
            known = best.get(each.passage.id)
            if known is None or each.parts.relevance > known.parts.relevance:
                best[each.passage.id] = each
    for label, matches in scored.items():
        misses += [Miss(each, "other topic") for each in matches if best[each.passage.id] is not each]
        scored[label] = [each for each in matches if best[each.passage.id] is each]


def _strength(match: Match) -> tuple[bool, float, str]:
    return (not match.pinned, -match.score, match.passage.id)


def _varied(matches: list[Match], limit: int, wanted: frozenset[str]) -> tuple[list[Match], list[Miss]]:
    """The strongest that are not all alike, by maximal marginal relevance; pinned and wanted ones in any case and
    first."""
    left = sorted(matches, key=_strength)
    made = dict(
        zip((each.passage.id for each in left), vectors([terms(each.passage.text) for each in left]), strict=True)
    )
    strongest = max((each.score for each in left), default=1.0) or 1.0
    chosen: list[Match] = []
    misses: list[Miss] = []
    likest: dict[str, float] = dict.fromkeys(made, 0.0)
    while left:
        pinned = [each for each in left if each.pinned or each.passage.id in wanted]
        pick = (
            pinned[0]
            if pinned
            else max(
                left,
                key=lambda each: (
                    _RELEVANCE * each.score / strongest - (1 - _RELEVANCE) * likest[each.passage.id],
                    each.passage.id,
                ),
            )
        )
        left.remove(pick)
        if not pick.pinned and len(chosen) >= limit:
            misses.append(Miss(pick, "variety"))
            continue
        if not pick.pinned and sum(1 for each in chosen if _same_source(each, pick)) >= MOST_PER_SOURCE:
            misses.append(Miss(pick, "source"))
            continue
        chosen.append(pick)
        _note_likeness(likest, made, left, pick)
    return sorted(chosen, key=_strength), misses


def _note_likeness(likest: dict[str, float], made: Mapping[str, Vector], left: Iterable[Match], pick: Match) -> None:
    for each in left:
        likeness = cosine(made[each.passage.id], made[pick.passage.id])
        likest[each.passage.id] = max(likest[each.passage.id], likeness)


def _same_source(one: Match, other: Match) -> bool:
    return one.passage.source_id == other.passage.source_id


def answer(
    query: Query,
    candidates: Iterable[Passage],
    statistics: Statistics,
    edition: Edition,
    label: str = "",
    floor: float = QUESTION_FLOOR,
) -> tuple[list[Match], list[Match]]:
    """What answers a question, best first, and the nearest of what does not: by words that reach the floor, or by what
    it means."""
    judged = sorted((judge(edition, label, each, query, statistics, Wishes()) for each in candidates), key=_strength)
    hits = [each for each in judged if each.parts.words >= floor or each.parts.meaning]
    return hits, [each for each in judged if not (each.parts.words >= floor or each.parts.meaning)]
