"""The report card of a draft: what to mend before it is sent, line by line, each leading to its place."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.candidates import has_connective, is_loose
from partita.apps.newsletter.service.writing.checker import Found, check
from partita.apps.newsletter.service.writing.headlines import untold
from partita.apps.newsletter.service.writing.reading_back import Piece, pieces
from partita.apps.newsletter.service.writing.repeats import alike_before
from partita.apps.newsletter.service.writing.retrieval import HALF_LIFE, WINDOW, age_in_days
from partita.apps.newsletter.service.writing.terms import alike, terms, vectors
from partita.apps.newsletter.service.writing.values import WORDS, Citation, Edition, Passage, Section
from partita.kit.search.folding import tokens

WORDS_A_CITATION = 60
ALIKE = 0.6
REPEATED_RUNS = 0.02
WEIGHTY_TERMS, TERMS_TOLD = 20, 0.6
SENTENCES_A_STORY = 2
MOST_OF_ONE_SOURCE = 0.4
_RUN = 4
_FEWEST_WORDS = 3
"""Shorter sentences may be there twice."""
_SAME_HEADLINE = 0.5
_MOST_PLACES = 8
_LONGEST_PLACE = 300


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is to be mended."""

    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report card, in words."""

    name: str
    ok: bool
    value: float
    text: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Quality:
    """The whole card."""

    lines: tuple[Line, ...]

    def line(self, name: str) -> Line:
        """One of them."""
        return next(each for each in self.lines if each.name == name)

    @property
    def stored(self) -> dict[str, Any]:
        """As a draft keeps it."""
        return {
            each.name: {
                "ok": each.ok,
                "value": round(each.value, 4),
                "text": each.text,
                "places": [
                    {"section": place.section, "text": place.text[:_LONGEST_PLACE]}
                    for place in each.places[: 0 if each.ok else _MOST_PLACES]
                ],
            }
            for each in self.lines
        }


@dataclass(frozen=True, slots=True)
class _Draft:
    """A draft as all lines look at it."""

    edition: Edition
    outline: Sequence[Section]
    written: tuple[Piece, ...]
    found: tuple[Found, ...]
    citations: Sequence[Citation]
    passages: Sequence[Passage]

    @property
    def prose(self) -> list[Piece]:
        """What tells stories: everything but headings, date lines and what frames the edition."""
        frames = {each.key for each in self.outline if not each.topic and _is_frame(each)}
        return [each for each in self.written if each.kind not in ("heading", "line") and each.section not in frames]

    @property
    def words(self) -> int:
        return sum(word_count(f"{each.label} {each.text}") for each in self.written)


def report_card(
    edition: Edition,
    outline: Sequence[Section],
    sections: Mapping[str, str],
    citations: Sequence[Citation],
    passages: Iterable[Passage] = (),
    by_models: Collection[str] = (),
) -> Quality:
    """Judge a draft: its sections by key in order, as Markdown, whoever wrote them. Those `by_models` may be in other
    words than their sources. A line is good only if nothing is to be mended; if something is, it says where."""
    written = pieces(sections)
    known = tuple(passages)
    found = check(edition, outline, written, citations, known, by_models)
    draft = _Draft(edition, outline, written, found, citations, known)
    return Quality(tuple(judge(draft) for judge in _LINES))


def _faithful(draft: _Draft) -> Line:
    strange = [each for each in draft.found if not each.faithful]
    claims = _untold_headlines(draft)
    retold = sum(each.support == "other words" for each in draft.found)
    share = 1 - len(strange) / len(draft.found) if draft.found else 1.0
    if strange:
        text = f"{_counted(len(strange), 'sentence is', 'sentences are')} in no source that is cited there."
    elif claims:
        text = f"{_counted(len(claims), 'headline says', 'headlines say')} what the text below does not tell."
    elif retold:
        text = (
            f"{_counted(retold, 'sentence is', 'sentences are')} in other words than the source; all figures and names"
            " are in what is cited."
        )
    else:
        text = "Every sentence is in a source that it cites, or is a phrase of ours."
    places = [*(Place(each.piece.section, each.text) for each in strange), *claims]
    return Line("faithful", not places, share, text, tuple(places))


def _untold_headlines(draft: _Draft) -> list[Place]:
    """Headlines with a figure or a name that is not in the text under them."""
    below: dict[tuple[str, str], list[str]] = {}
    for each in draft.written:
        if each.kind != "heading" and each.story:
            below.setdefault((each.section, each.story), []).append(f"{each.label} {each.text}")
    headlines = [each for each in draft.written if each.kind == "heading" and each.story]
    return [
        Place(each.section, each.text)
        for each in headlines
        if untold(each.text, " ".join(below.get((each.section, each.story), ())))
    ]


def _cited(draft: _Draft) -> Line:
    paragraphs = [each for each in draft.prose if word_count(each.text) > _RUN]
    bare = [each for each in paragraphs if not each.cited]
    share = 1 - len(bare) / len(paragraphs) if paragraphs else 1.0
    marks = sum(len(each.cited) for each in paragraphs)
    words = sum(word_count(each.text) for each in paragraphs)
    numbers = {each.n for each in draft.citations}
    lost = [
        Place(each.section, f"[{number}] {sentence}")
        for each in draft.written
        for number in dict.fromkeys(each.cited)
        if number not in numbers
        for sentence in [next((text for text, cited in reversed(each.spans) if number in cited), each.text)]
    ]
    dense = words <= WORDS_A_CITATION * max(1, marks)
    places = [*lost, *(Place(each.section, each.text) for each in bare)]
    if lost:
        text = f"{_counted(len(lost), 'number leads', 'numbers lead')} to no source."
    elif bare:
        text = f"{_counted(len(bare), 'paragraph names', 'paragraphs name')} no source."
    elif not dense:
        text = f"One source is named for {words // max(1, marks)} words; one for {WORDS_A_CITATION} is wanted."
        longest = sorted(paragraphs, key=lambda each: -word_count(each.text) / len(each.cited))
        places = [Place(each.section, each.text) for each in longest]
    else:
        text = f"Every paragraph names its source, one for {words // max(1, marks)} words."
    return Line("cited", not bare and not lost and dense, share, text, tuple(places))


def _covered(draft: _Draft) -> Line:
    told: Counter[tuple[str, str]] = Counter()
    for each in draft.prose:
        told[each.section, each.story] += max(1, len(each.sentences)) if each.text else 0
    headings = [(each.section, each.story) for each in draft.written if each.kind == "heading" and each.story]
    missing = []
    stories = 0
    for section in draft.outline:
        if _is_frame(section):
            continue
        stories += len(section.stories)
        known = _headings_of(section, [story for key, story in headings if key == section.key])
        for story in section.stories:
            heading = known.get(story.title)
            least = 1 if story.source == "user" else SENTENCES_A_STORY
            if heading is None or told[section.key, heading] < least:
                missing.append(Place(section.key, story.title))
    share = _terms_told(draft)
    if missing:
        text = (
            f"{len(missing)} of {_counted(stories, 'story', 'stories')} of the outline have fewer than two sentences."
        )
    elif share < TERMS_TOLD:
        text = f"Only {round(share * 100)} % of the weightiest words of the passages are there."
    else:
        text = f"Each of {stories} stories is told." if stories != 1 else "The story is told."
    value = 1 - len(missing) / stories if stories else 1.0
    places = missing or ([] if share >= TERMS_TOLD else _thinnest(draft))
    return Line("covered", not missing and share >= TERMS_TOLD, value, text, tuple(places))


def _repeats(draft: _Draft) -> Line:
    told = [(each, text) for each in draft.prose for text in each.sentences if word_count(text) >= _FEWEST_WORDS]
    before = alike_before([frozenset(terms(text)) for _, text in told], ALIKE)
    twice = [Place(each.section, text) for (each, text), other in zip(told, before, strict=True) if other is not None]
    runs: Counter[tuple[str, ...]] = Counter()
    of_sentences: list[list[tuple[str, ...]]] = []
    for _, text in told:
        words = tokens(text)
        of_sentences.append([tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)])
        runs.update(of_sentences[-1])
    total = runs.total()
    share = sum(count - 1 for count in runs.values()) / total if total else 0.0
    places = twice
    if twice:
        text = f"{_counted(len(twice), 'sentence says', 'sentences say')} almost what another one says."
    elif share > REPEATED_RUNS:
        text = f"{share * 100:.0f} % of all wording is there twice."
        most = sorted(range(len(told)), key=lambda at: -sum(runs[run] > 1 for run in of_sentences[at]))
        places = [Place(told[at][0].section, told[at][1]) for at in most[:_MOST_PLACES]]
    else:
        text = "Nothing is said twice."
    return Line("repeats", not twice and share <= REPEATED_RUNS, share, text, tuple(places))


def _stands_alone(draft: _Draft) -> Line:
    loose = []
    for each in draft.prose:
        first = next(iter(each.sentences), "")
        if each.kind in ("text", "quote") and (is_loose(first) or has_connective(first)):
            loose.append(Place(each.section, first))
    text = (
        f"{_counted(len(loose), 'paragraph begins', 'paragraphs begin')} with a word that leans on another."
        if loose
        else "No paragraph begins with a loose “it” or “however”."
    )
    return Line("stands_alone", not loose, float(len(loose)), text, tuple(loose))


def _variety(draft: _Draft) -> Line:
    sources = {each.n: each for each in draft.citations}
    used = Counter(sources[number].source_id for each in draft.prose for number in each.cited if number in sources)
    if not used:
        return Line("variety", True, 0.0, "No source is cited.")
    best, count = used.most_common(1)[0]
    share = count / used.total()
    title = next(each.title for each in draft.citations if each.source_id == best)
    if share > MOST_OF_ONE_SOURCE:
        text = f"{round(share * 100)} % of all citations are of one source: {title}."
    else:
        text = f"{len(used)} sources; none has more than {round(share * 100)} % of the citations."
    places = _citing(draft, {number for number, each in sources.items() if each.source_id == best})
    return Line("variety", share <= MOST_OF_ONE_SOURCE, share, text, places)


def _fresh(draft: _Draft) -> Line:
    cited = {number for each in draft.written for number in each.cited}
    used = [each for each in draft.citations if each.n in cited] or list(draft.citations)
    ages = [age for each in used if (age := age_in_days(draft.edition.today, each.date)) is not None]
    if not ages:
        return Line("fresh", True, 0.0, "The sources have no dates.")
    middle = statistics.median(ages)
    half_life = HALF_LIFE[draft.edition.frequency]
    limit = None if half_life is None else half_life * WINDOW
    ok = limit is None or middle <= limit
    days = _counted(round(middle), "day", "days")
    one = len({each.source_id for each in used}) == 1
    text = f"The source is {days} old." if one else f"Half of the sources are at most {days} old."
    old = {each.n for each in used if limit is not None and (age_in_days(draft.edition.today, each.date) or 0) > limit}
    return Line("fresh", ok, float(middle), text, _citing(draft, old))


def _citing(draft: _Draft, numbers: set[int]) -> tuple[Place, ...]:
    """The sentences that rest on some sources, one for each paragraph."""
    found = (
        next((Place(each.section, text) for text, cited in each.spans if not numbers.isdisjoint(cited)), None)
        for each in draft.written
        if not numbers.isdisjoint(each.cited)
    )
    return tuple(each for each in found if each is not None)


def _length(draft: _Draft) -> Line:
    fewest, most = WORDS[draft.edition.length]
    words = draft.words
    wanted = f"{fewest:,} to {most:,} are wanted"
    if words < fewest:
        text = f"{words:,} words; {wanted}: {fewest - words:,} are missing."
    elif words > most:
        text = f"{words:,} words; {wanted}: {words - most:,} are too many."
    else:
        text = f"{words:,} words, as wanted."
    return Line("length", fewest <= words <= most, float(words), text, _off_length(draft, too_long=words > most))


def _off_length(draft: _Draft, *, too_long: bool) -> tuple[Place, ...]:
    """The sections that have most words too many, or too few."""
    counts: Counter[str] = Counter()
    for each in draft.written:
        counts[each.section] += word_count(f"{each.label} {each.text}")
    planned = {each.key: each for each in draft.outline}
    off = {key: counts[key] - (planned[key].words if key in planned else 0) for key in (*counts, *planned)}
    order = sorted(off, key=lambda key: -off[key] if too_long else off[key])
    return tuple(
        Place(key, f"{planned[key].name if key in planned else key}: {counts[key]:,} words of {planned[key].words:,}")
        if key in planned
        else Place(key, f"{key}: {counts[key]:,} words")
        for key in order
        if (off[key] > 0) == too_long and off[key]
    )


def _readable(draft: _Draft) -> Line:
    told = [(each.section, text) for each in draft.prose for text in each.sentences]
    words = sum(word_count(text) for _, text in told)
    if not words:
        return Line("readable", True, 0.0, "There is nothing to read yet.")
    per_sentence = words / len(told)
    longest = sorted(told, key=lambda each: -word_count(each[1]))[:_MOST_PLACES]
    places = tuple(Place(section, text) for section, text in longest)
    if draft.edition.language != "en":
        ok = per_sentence <= 22
        text = f"{per_sentence:.0f} words a sentence{'' if ok else '; shorter ones read better'}."
        return Line("readable", ok, per_sentence, text, places)
    ease = flesch([text for _, text in told])
    low, high = reading_band(draft.edition.tone_technical)
    if ease < low:
        text = f"Hard to read for this tone ({ease:.0f} of 100): shorten sentences, use plainer words."
        hardest = sorted(told, key=lambda each: flesch([each[1]]))[:_MOST_PLACES]
        places = tuple(Place(section, text) for section, text in hardest)
    elif ease > high:
        text = f"Simpler than the tone asks for ({ease:.0f} of 100)."
        places = places[::-1]
    else:
        text = f"Reads well for its tone ({ease:.0f} of 100, {per_sentence:.0f} words a sentence)."
    return Line("readable", low <= ease <= high, ease, text, places)


def reading_band(tone_technical: int) -> tuple[int, int]:
    """Between which values of Flesch's reading ease a text should be."""
    if tone_technical < 40:
        return 45, 90
    return (30, 80) if tone_technical < 70 else (20, 75)


def flesch(told: Sequence[str]) -> float:
    """Flesch's reading ease of English sentences: 100 is very easy, 0 very hard."""
    words = [word for text in told for word in re.findall(r"[A-Za-z]+", text)]
    if not words:
        return 100.0
    syllables = sum(_syllables(word.lower()) for word in words)
    return 206.835 - 1.015 * len(words) / len(told) - 84.6 * syllables / len(words)


def _syllables(word: str) -> int:
    groups = re.findall(r"[aeiouy]+", word)
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and len(groups) > 1
    return max(1, len(groups) - silent)


_LINES: tuple[Callable[[_Draft], Line], ...] = (
    _faithful,
    _cited,
    _covered,
    _repeats,
    _stands_alone,
    _variety,
    _fresh,
    _length,
    _readable,
)


def _headings_of(section: Section, headings: Sequence[str]) -> dict[str, str]:
    """The headline of each story in a draft, though a person may have changed some words of it; each serves one."""
    found = {story.title: story.title for story in section.stories if story.title in headings}
    left = [each for each in dict.fromkeys(headings) if each not in found]
    words = {each: frozenset(terms(each)) for each in left}
    for story in section.stories:
        if story.title in found or not left:
            continue
        wanted = frozenset(terms(story.title))
        best = max(left, key=lambda each: alike(wanted, words[each]))
        if alike(wanted, words[best]) >= _SAME_HEADLINE:
            found[story.title] = best
            left.remove(best)
    return found


def _thinnest(draft: _Draft) -> list[Place]:
    """The stories that have the fewest words."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in draft.prose:
        counts[each.section, each.story] += word_count(each.text)
    ordered = sorted((each for each in counts if each[1]), key=lambda each: counts[each])
    return [Place(section, story) for section, story in ordered]


def _terms_told(draft: _Draft) -> float:
    referred = {id for each in draft.outline for story in each.stories for id in story.references}
    texts = [terms(each.text) for each in draft.passages if each.id in referred]
    if not texts:
        return 1.0
    weights: dict[str, float] = {}
    for vector in vectors(texts):
        for term, weight in vector.items():
            weights[term] = weights.get(term, 0.0) + weight
    told = {term for each in draft.written for term in terms(f"{each.label} {each.text}")}
    weighty = sorted(weights, key=lambda term: (-weights[term], term))[:WEIGHTY_TERMS]
    return sum(term in told for term in weighty) / len(weighty)


def _is_frame(section: Section) -> bool:
    return any(each.shape in ("opening", "closing", "dates") for each in section.stories)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
