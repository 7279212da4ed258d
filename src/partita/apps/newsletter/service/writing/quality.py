"""The report card of a draft: what to mend before it is sent, line by line, each leading to its place."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.candidates import has_connective, is_loose
from partita.apps.newsletter.service.writing.checker import Found, check
from partita.apps.newsletter.service.writing.reading_back import Piece, pieces
from partita.apps.newsletter.service.writing.retrieval import HALF_LIFE, WINDOW, age_in_days
from partita.apps.newsletter.service.writing.terms import alike, terms, vectors
from partita.apps.newsletter.service.writing.values import WORDS, Citation, Edition, Passage, Section
from partita.kit.search.folding import tokens

CITED_SHARE, WORDS_A_CITATION = 0.9, 60
ALIKE = 0.6
REPEATED_RUNS = 0.02
WEIGHTY_TERMS, TERMS_TOLD = 20, 0.6
SENTENCES_A_STORY = 2
MOST_OF_ONE_SOURCE = 0.4
_RUN = 4
_MOST_PLACES = 8


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
                "places": [{"section": place.section, "text": place.text} for place in each.places[:_MOST_PLACES]],
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
) -> Quality:
    """Judge a draft: its sections by key in order, as Markdown, whoever wrote them."""
    written = pieces(sections)
    known = tuple(passages)
    found = check(edition, outline, written, citations, known)
    draft = _Draft(edition, outline, written, found, citations, known)
    return Quality(tuple(judge(draft) for judge in _LINES))


def _faithful(draft: _Draft) -> Line:
    strange = [each for each in draft.found if not each.faithful]
    share = 1 - len(strange) / len(draft.found) if draft.found else 1.0
    text = (
        "Every sentence is in a source that it cites, or is a phrase of ours."
        if not strange
        else f"{_counted(len(strange), 'sentence is', 'sentences are')} in no source that is cited."
    )
    places = tuple(Place(each.piece.section, each.text) for each in strange)
    return Line("faithful", share >= 0.95, share, text, places)


def _cited(draft: _Draft) -> Line:
    paragraphs = [each for each in draft.prose if word_count(each.text) > _RUN]
    bare = [each for each in paragraphs if not each.cited]
    share = 1 - len(bare) / len(paragraphs) if paragraphs else 1.0
    marks = sum(len(each.cited) for each in paragraphs)
    words = sum(word_count(each.text) for each in paragraphs)
    numbers = {each.n for each in draft.citations}
    lost = [each for each in draft.written if not set(each.cited) <= numbers]
    dense = words <= WORDS_A_CITATION * max(1, marks)
    if lost:
        text = f"{_counted(len(lost), 'paragraph cites', 'paragraphs cite')} a number that leads to no source."
    elif bare:
        text = f"{_counted(len(bare), 'paragraph names', 'paragraphs name')} no source."
    else:
        text = f"Every paragraph names its source, one for {words // max(1, marks)} words."
    places = tuple(Place(each.section, each.text) for each in (*lost, *bare))
    return Line("cited", share >= CITED_SHARE and dense and not lost, share, text, places)


def _covered(draft: _Draft) -> Line:
    told: Counter[tuple[str, str]] = Counter()
    for each in draft.prose:
        told[each.section, each.story] += max(1, len(each.sentences)) if each.text else 0
    headings = {(each.section, each.story) for each in draft.written if each.kind == "heading"}
    missing = []
    for section in draft.outline:
        for story in section.stories:
            if _is_frame(section) or not (story.references or story.source == "user"):
                continue
            known = _heading_of(section.key, story.title, headings)
            if known is None or (story.source != "user" and told[known] < SENTENCES_A_STORY):
                missing.append(Place(section.key, story.title))
    stories = sum(len(each.stories) for each in draft.outline if not _is_frame(each))
    share = _terms_told(draft)
    if missing:
        text = f"{len(missing)} of {stories} stories of the outline have fewer than two sentences."
    elif share < TERMS_TOLD:
        text = f"Only {round(share * 100)} % of the weightiest words of the passages are there."
    else:
        text = f"Each of {stories} stories is told."
    value = 1 - len(missing) / stories if stories else 1.0
    return Line("covered", not missing and share >= TERMS_TOLD, value, text, tuple(missing))


def _repeats(draft: _Draft) -> Line:
    told = [(each, text) for each in draft.prose for text in each.sentences if word_count(text) > _RUN]
    known = [frozenset(terms(text)) for _, text in told]
    twice = [
        Place(told[place][0].section, told[place][1])
        for place in range(len(told))
        if any(alike(known[place], known[other]) > ALIKE for other in range(place))
    ]
    runs: Counter[tuple[str, ...]] = Counter()
    for _, text in told:
        words = tokens(text)
        runs.update(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
    total = sum(runs.values())
    share = sum(count - 1 for count in runs.values()) / total if total else 0.0
    if twice:
        text = f"{_counted(len(twice), 'sentence says', 'sentences say')} almost what another one says."
    elif share > REPEATED_RUNS:
        text = f"{share * 100:.0f} % of all wording is there twice."
    else:
        text = "Nothing is said twice."
    return Line("repeats", not twice and share <= REPEATED_RUNS, share, text, tuple(twice))


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
    return Line("variety", share <= MOST_OF_ONE_SOURCE, share, text)


def _fresh(draft: _Draft) -> Line:
    ages = [age for each in draft.citations if (age := age_in_days(draft.edition.today, each.date)) is not None]
    if not ages:
        return Line("fresh", True, 0.0, "The sources have no dates.")
    middle = statistics.median(ages)
    half_life = HALF_LIFE[draft.edition.frequency]
    ok = half_life is None or middle <= half_life * WINDOW
    text = f"Half of the sources are younger than {_counted(round(middle), 'day', 'days')}."
    old = tuple(
        Place("", each.title)
        for each in draft.citations
        if half_life is not None and (age_in_days(draft.edition.today, each.date) or 0) > half_life * WINDOW
    )
    return Line("fresh", ok, float(middle), text, tuple(dict.fromkeys(old)))


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
    return Line("length", fewest <= words <= most, float(words), text)


def _readable(draft: _Draft) -> Line:
    told = [text for each in draft.prose for text in each.sentences]
    words = sum(map(word_count, told))
    if not words:
        return Line("readable", True, 0.0, "There is nothing to read yet.")
    per_sentence = words / len(told)
    if draft.edition.language != "en":
        ok = per_sentence <= 22
        text = f"{per_sentence:.0f} words a sentence{'' if ok else '; shorter ones read better'}."
        return Line("readable", ok, per_sentence, text)
    ease = flesch(told)
    low, high = reading_band(draft.edition.tone_technical)
    if ease < low:
        text = f"Hard to read for this tone ({ease:.0f} of 100): shorten sentences, use plainer words."
    elif ease > high:
        text = f"Simpler than the tone asks for ({ease:.0f} of 100)."
    else:
        text = f"Reads well for its tone ({ease:.0f} of 100, {per_sentence:.0f} words a sentence)."
    return Line("readable", low <= ease <= high, ease, text)


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


def _heading_of(key: str, title: str, headings: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The headline of a story in a draft, though a person may have changed some words of it."""
    wanted = frozenset(terms(title))
    best = max(
        ((alike(wanted, frozenset(terms(story))) if story != title else 2.0, (section, story)))
        for section, story in (*headings, ("", ""))
        if section in (key, "")
    )
    return best[1] if best[0] >= 0.5 else None


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
