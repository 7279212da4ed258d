"""What a section of a proposal is for, which passages fit that and the proposal's brief, and how long its draft is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partita.apps.newsletter.service.proposing.frames import ProposalSection
from partita.apps.newsletter.service.proposing.kinds import kinds_in
from partita.apps.newsletter.service.writing.retrieval import Query, Statistics, relevance
from partita.apps.newsletter.service.writing.terms import shared_shingles, shingles, speaks, terms
from partita.apps.newsletter.service.writing.values import Passage

MOST_PASSAGES = 5
_MOST_OF_A_SOURCE = 3
_FLOOR, _OWN_FLOOR = 0.16, 0.06
"""How much of the brief a passage must have; of the proposal's own files, less of it or of the purpose will do."""
_OF_BEST = 0.4
"""And how much of what the best passage has: where something is about the brief, what only touches it is not wanted."""
_BRIEF = 0.65
"""What the brief counts beside the section's purpose."""
_TWINS = 0.8
_BRIEF_WORDS = 120
_WHEN = re.compile(
    r"\[\d+\]|\b(January|February|March|April|May|June|July|August|September|October|November|December)\b|\b\d[\d,.]*"
)
"""Days and figures of a brief say nothing of its subject."""
_CLEARLY = 0.5
"""How much of a subject, its words weighted by how rare they are, a common source must have."""
_FEWEST_SHARED, _FEWEST_OF_ALL = 2, 3
_FREQUENT = 10
_USUAL_WORDS, _MOST_WORDS, _SHARE = 260, 600, 0.8

_PURPOSES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (
            r"background|problem|context|needs?\b|situation|rationale",
            "need lack loss lost shortage drought poor without suffer malnutrition conflict missing affected failed",
        ),
        (r"goal|objective|aims?\b|purpose", "goal aim reach target increase reduce improve supply"),
        (
            r"result|outcome|impact|indicator|expected",
            "rose increased yield income earned gained fell halved doubled compared supply reached",
        ),
        (r"monitor|evaluat|learning", "survey measured compared sensors counted recorded study visits tests"),
        (r"risk|assumption", "risk fail failure conflict broke damage destroyed flood drought lost distrust"),
        (r"sustainab|exit|future|maintenance", "fees maintenance repaid savings repair years costs pay members"),
        (r"gender|inclusion|women|youth|equity", "women girls youth young men decide joint loan own"),
        (
            r"partner|team|organi[sz]ation|experience|why us|capacity",
            "network institute programme partner trained since members cooperative groups",
        ),
        (r"budget|costs?\b|price|finance|amount", "cost costs dollars shillings euros price pays paid budget"),
        (
            r"approach|activit|method|how\b|what we propose",
            "built build train trained groups plant stores installed uses method collect agreements dug behind",
        ),
    )
)


def purpose_words(section: ProposalSection) -> str:
    """Words that sentences have which serve a section's purpose, as its title tells, else its guidance."""
    for text in (section.title, section.guidance):
        for pattern, words in _PURPOSES:
            if pattern.search(text):
                return words
    return ""


def brief_of(title: str, description: str, texts: Iterable[str]) -> str:
    """What a proposal is about: its title, its description, and the beginning of what its people have written."""
    written = " ".join(" ".join(texts).split()[:_BRIEF_WORDS])
    return _WHEN.sub(" ", " ".join(filter(None, (title, description, written))))


def question_of(section: ProposalSection, brief: str, demands: Iterable[str]) -> Query:
    """What is searched for."""
    return Query.of_text(" ".join((brief, section.title, purpose_words(section), section.guidance, *demands)))


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a passage fits a section."""

    passage: Passage
    subject: float
    """How much it is about what the brief is about."""
    serves: float
    """How much of the section's purpose it serves."""

    @property
    def score(self) -> float:
        return _BRIEF * self.subject + (1 - _BRIEF) * self.serves


def fitting(
    section: ProposalSection, brief: str, demands: Iterable[str], found: Sequence[Passage], statistics: Statistics
) -> tuple[Fit, ...]:
    """The passages that are about what the brief is about and serve the section's purpose, the best first."""
    about = Query.of_text(brief)
    purpose = Query.of_text(" ".join((section.title, purpose_words(section), section.guidance, *demands)))
    judged = [
        Fit(passage, relevance(about, passage, statistics)[0], relevance(purpose, passage, statistics)[0])
        for passage in found
        if passage.kind == "text"
    ]
    floor = max(_FLOOR, _OF_BEST * max((each.subject for each in judged), default=0.0))
    fits = (
        each
        for each in judged
        if each.subject >= floor or (each.passage.own and max(each.subject, each.serves) >= _OWN_FLOOR)
    )
    return tuple(sorted(fits, key=lambda each: (-each.score, each.passage.id)))


def chosen(fits: Iterable[Fit]) -> tuple[Passage, ...]:
    """The best few, none a copy of another, and not all of one source."""
    kept: list[Passage] = []
    runs: list[frozenset[tuple[str, ...]]] = []
    of_source: Counter[str] = Counter()
    for passage in (each.passage for each in fits):
        own = shingles(passage.text)
        if of_source[passage.source_id] < _MOST_OF_A_SOURCE and not any(
            shared_shingles(own, other) >= _TWINS for other in runs
        ):
            of_source[passage.source_id] += 1
            runs.append(own)
            kept.append(passage)
        if len(kept) == MOST_PASSAGES:
            break
    return tuple(kept)


def about(brief: str, passages: Sequence[Passage], language: str) -> tuple[Passage, ...]:
    """The passages of a proposal's own files in its language, without files that share no word with the brief and have
    no heading of a proposal, such as Budget or About us. If all are such, all of them: somebody has put them there."""
    spoken = [each for each in passages if each.language == language or speaks(each.text, language)] or list(passages)
    wanted = frozenset(terms(brief))
    fitting_sources = {
        each.source_id
        for each in spoken
        if kinds_in(each.heading)
        or kinds_in(each.title)
        or wanted & frozenset(terms(f"{each.title} {each.heading} {each.text}"))
    }
    return tuple(each for each in spoken if not fitting_sources or each.source_id in fitting_sources)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a proposal is about."""

    title: frozenset[str]
    whole: frozenset[str]
    """The words of title and description, and those that its own files have most often."""

    @staticmethod
    def of(title: str, description: str, own: Iterable[Passage]) -> Subject:
        counted = Counter(term for each in own for term in terms(each.text) if not term.isdecimal())
        frequent = (term for term, count in counted.most_common(_FREQUENT) if count > 1)
        named = frozenset(terms(_WHEN.sub(" ", title)))
        return Subject(named, named | frozenset(terms(_WHEN.sub(" ", description))) | frozenset(frequent))

    def clearly_of(self, passage: Passage, statistics: Statistics) -> bool:
        """Whether a common source is about it: it has most of the title, or most of all that is known. A word or two
        that half of the world has, such as village, are not enough."""
        here = frozenset(terms(f"{passage.title} {passage.heading} {passage.text}"))
        return _has_most(self.title, here, statistics, _FEWEST_SHARED) or _has_most(
            self.whole, here, statistics, _FEWEST_OF_ALL
        )


def _has_most(wanted: frozenset[str], here: frozenset[str], statistics: Statistics, fewest: int) -> bool:
    shared = wanted & here
    if len(shared) < min(fewest, len(wanted)) or not shared:
        return False
    weight = sum(map(statistics.rarity, wanted))
    return sum(map(statistics.rarity, shared)) >= _CLEARLY * weight


def words_for(section: ProposalSection, there: int) -> int:
    """How long a draft is: most of what the section may have, and no more than there is room for."""
    if not section.limit:
        return _USUAL_WORDS
    return max(0, min(section.limit - there, round(max(80.0, _SHARE * section.limit)), _MOST_WORDS))
