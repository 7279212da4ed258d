"""Days ahead on which, as a source says, something begins, ends or takes place; and what, in the source's words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.candidates import is_loose, unprintable
from partita.apps.newsletter.service.writing.days import Day, placed_days
from partita.apps.newsletter.service.writing.phrases import day_in_words
from partita.apps.newsletter.service.writing.terms import alike, terms
from partita.apps.newsletter.service.writing.values import Edition, Passage

AHEAD = timedelta(days=180)
_MOST_WORDS = 30
_SAME_SUBJECT = 0.2
_AROUND = 2
"""Words between two days that make them one period: `to`, `and`, `until`."""

_UNTIL = frozenset({"to", "and", "until", "–", "-", "إلى", "حتى", "እስከ"})
_ANNOUNCES = re.compile(
    r"\b(will|shall|(is|are) (to|due|planned|scheduled|set|held|open)|deadline|takes? place|tak(e|ing) effect|begins?"
    r"|starts?|opens?|clos(es?|ing)|ends?|comes? into force|holds?|runs?|meets?|launch(es)?|can be (proposed|submitted"
    r"|sent|ordered)|apply|register|submit|due)\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(was|were|had|did|would|could|cancell?ed|postponed|delayed|withdrawn|no longer|not|never|instead|originally"
    r"|missed|failed|ended|closed|began|started|took place|held)\b",
    re.IGNORECASE,
)
_HELD_NOW = re.compile(r"\b(is|are|be) held\b", re.IGNORECASE)
_ELSEWHERE = re.compile(r"ይጠናቀቃል|ይካሄዳል|ይጀምራል|ይከፈታል|آخر موعد|يعقد|تعقد|يبدأ|تبدأ|ينتهي|تنتهي|يفتتح")
_TAKEN_BACK_ELSEWHERE = re.compile(r"ተሰር|ተራዝ|ተላልፏል|ألغي|ألغيت|تأجل|تأجيل|لن ")
_CLAUSE_BREAK = re.compile(r"; |: |, (?:and|but|while|although|which|where|after|because|as) | but | while | although ")
_DAY_PHRASE = re.compile(r"[\s,]+(?:on|from)$")
_DANGLING = re.compile(r"\b(is|are|be|deadline|on|by|of|for|until|the)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something that is going to happen."""

    first: date
    last: date
    """The same day unless it is a period."""
    text: str
    """What, in the source's words: the beginning of the sentence, or all of it."""
    sentence: str

    def label(self, language: str) -> str:
        """When, in words."""
        days = dict.fromkeys((self.first, self.last))
        return " – ".join(day_in_words(each, language) for each in days)


def announcements(edition: Edition, text: str) -> list[Announcement]:
    """What a text announces for the days after the edition's, in the text's order."""
    found: list[Announcement] = []
    for sentence in sentences(text):
        if not unprintable(sentence.text) and len(sentence.text.split()) <= _MOST_WORDS:
            found += _of_sentence(edition, sentence.text)
    return found


def _of_sentence(edition: Edition, sentence: str) -> list[Announcement]:
    found: list[Announcement] = []
    for first, last in periods(sentence, placed_days(sentence)):
        if not edition.today < first.day <= edition.today + AHEAD:
            continue
        if edition.language != "en":
            if _ELSEWHERE.search(sentence) and not _TAKEN_BACK_ELSEWHERE.search(sentence):
                found.append(Announcement(first.day, last.day, sentence, sentence))
            continue
        clause = clause_before(sentence, first.start)
        if _ANNOUNCES.search(clause) and not _TAKEN_BACK.search(_HELD_NOW.sub("", clause)):
            found.append(Announcement(first.day, last.day, _told(sentence, first, last), sentence))
    return found


def periods(sentence: str, days: Iterable[Day]) -> list[tuple[Day, Day]]:
    """Days, two of them as one if the sentence says from when to when."""
    found: list[tuple[Day, Day]] = []
    for each in days:
        if found and found[-1][0] is found[-1][1]:
            before = found[-1][1]
            between = sentence[before.end : each.start].split()
            if 0 < len(between) <= _AROUND and before.day < each.day and between[0] in _UNTIL:
                found[-1] = (before, each)
                continue
        found.append((each, each))
    return found


def clause_before(sentence: str, place: int) -> str:
    """The clause that leads to a day."""
    breaks = [found.end() for found in _CLAUSE_BREAK.finditer(sentence, 0, place)]
    return sentence[max(breaks, default=0) : place]


def _told(sentence: str, first: Day, last: Day) -> str:
    """What happens: the sentence up to its day, without the day where that leaves something whole."""
    before = sentence[: first.start]
    bare = _DAY_PHRASE.sub("", before.rstrip())
    whole = sentence[: last.end]
    if bare != before and len(bare.split()) > 1 and not _DANGLING.search(bare) and not _CLAUSE_BREAK.search(bare):
        return bare
    return whole


# -- entries of an edition


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of *Coming up*."""

    announcement: Announcement
    title: str
    """The headline, or the heading of the passage, that says what it is about."""
    passage: Passage

    @property
    def text(self) -> str:
        """What happens; with what it is about, unless it says so itself."""
        told = self.announcement.text
        subject = frozenset(terms(self.title))
        leaning = is_loose(told) or (told[:4] == "The " and told[4:5].islower())
        if alike(subject, frozenset(terms(told))) >= _SAME_SUBJECT and not leaning:
            return told
        return f"{self.title}: {told}"


def soonest(entries: Iterable[Entry], most: int) -> list[Entry]:
    """The entries by day; of two that say the same, one."""
    kept: list[Entry] = []
    known: set[tuple[date, str]] = set()
    told: list[tuple[date, frozenset[str]]] = []
    for entry in sorted(entries, key=lambda each: (each.announcement.first, each.title, each.passage.position)):
        key = (entry.announcement.first, entry.announcement.text)
        words = frozenset(terms(entry.announcement.text))
        again = any(day == key[0] and alike(words, other) > 0.55 for day, other in told)
        if key not in known and not again:
            known.add(key)
            told.append((key[0], words))
            kept.append(entry)
    return kept[:most]


def is_announced(text: str, label: str, language: str, sources: Iterable[str]) -> bool:
    """Whether sources have a sentence that says this and names these days."""
    for source in sources:
        for sentence in sentences(source):
            days = {day_in_words(each.day, language) for each in placed_days(sentence.text)}
            if set(label.split(" – ")) <= days and any(
                part and part in sentence.text for part in (text, text.partition(": ")[2])
            ):
                return True
    return False
