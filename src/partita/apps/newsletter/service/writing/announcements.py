"""Days ahead on which, as a source says, something begins, ends or takes place; and what, in the source's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.candidates import is_generic, is_loose, unprintable
from partita.apps.newsletter.service.writing.days import Day, placed_days
from partita.apps.newsletter.service.writing.phrases import day_in_words
from partita.apps.newsletter.service.writing.terms import alike, terms
from partita.apps.newsletter.service.writing.values import Edition, Passage, Section

AHEAD = timedelta(days=180)
_MOST_WORDS = 30
_MOST_DATES = 6
_SAME_SUBJECT = 0.2
_AROUND = 2
"""Words between two days that make them one period: `to`, `and`, `until`."""

_UNTIL = frozenset({"to", "until", "through", "–", "—", "-", "إلى", "حتى", "እስከ"})
_AND = frozenset({"and", "&", ",", "و", "እና"})
_BETWEEN = re.compile(r"\bbetween\W*$", re.IGNORECASE)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day,?"
_LISTED = re.compile(rf"\s*(?:,|,?\s(?:and|&|or)\s)\s*(?:{_WEEKDAY}\s)?(?:the\s)?", re.IGNORECASE)
_ITS_ARTICLE = re.compile(rf"\b(?:{_WEEKDAY}\s?)?(?:\bthe)?\s?$", re.IGNORECASE)
_ANNOUNCES = re.compile(
    r"\b(will|shall|(is|are) (to|due|planned|scheduled|set|held|open)|deadline|takes? place|tak(e|ing) effect|begins?"
    r"|starts?|opens?|clos(es?|ing)|ends?|comes? into force|holds?|runs?|meets?|launch(es)?|apply|register|submit|due"
    r"|(can|may|must|should) be (proposed|submitted|sent|ordered|received|registered|returned))\b",
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
_DAY_PHRASE = re.compile(
    rf"(?<![\s,])(?:[\s,]+(?:on|from|between))?(?:[\s,]+{_WEEKDAY})?(?:[\s,]+the)?$", re.IGNORECASE
)
_DANGLING = re.compile(
    r"(?:\b(is|are|be|deadline|on|by|of|for|from|until|the|and|or|to|in|at|with|after|before|since|than|between"
    r"|starting|beginning|ending|closing)|[,(–—-])$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something that is going to happen."""

    first: date
    last: date
    """The same day unless it is a period."""
    text: str
    """What, in the source's words: the beginning of the sentence, or all of it; behind the one that it leans on."""
    sentences: tuple[str, ...]
    """Those it is taken from."""

    def label(self, language: str) -> str:
        """When, in words."""
        days = dict.fromkeys((self.first, self.last))
        return " – ".join(day_in_words(each, language) for each in days)


def announcements(edition: Edition, text: str) -> list[Announcement]:
    """What a text announces for the days after the edition's, in the text's order."""
    found: list[Announcement] = []
    before = ""
    for each in sentences(text):
        if not unprintable(each.text) and len(each.text.split()) <= _MOST_WORDS:
            told = _of_sentence(edition, each.text)
            leans = is_loose(each.text) and before and not is_loose(before)
            found += [_behind(before, one) for one in told] if leans else told
            before = each.text
        else:
            before = ""
    return found


def _behind(before: str, told: Announcement) -> Announcement:
    """What begins with “it” or “this”, with the sentence that names what is meant."""
    return replace(told, text=f"{before} {told.text}", sentences=(before, *told.sentences))


def _of_sentence(edition: Edition, sentence: str) -> list[Announcement]:
    found: list[Announcement] = []
    days = placed_days(sentence)
    for first, last in periods(sentence, days):
        if not edition.today < first.day <= edition.today + AHEAD:
            continue
        if edition.language != "en":
            if _ELSEWHERE.search(sentence) and not _TAKEN_BACK_ELSEWHERE.search(sentence):
                found.append(Announcement(first.day, last.day, sentence, (sentence,)))
            continue
        clause = clause_before(sentence, first.start)
        if _ANNOUNCES.search(clause) and not _TAKEN_BACK.search(_HELD_NOW.sub("", clause)):
            told = _told(sentence, _beginning_of_list(sentence, days, first), last)
            found.append(Announcement(first.day, last.day, told, (sentence,)))
    return found


def periods(sentence: str, days: Iterable[Day]) -> list[tuple[Day, Day]]:
    """Days; those from when to when as one, and those that follow one another."""
    found: list[tuple[Day, Day]] = []
    for each in days:
        if found and _goes_on(sentence, *found[-1], each):
            found[-1] = (found[-1][0], each)
        else:
            found.append((each, each))
    return found


def _goes_on(sentence: str, first: Day, last: Day, each: Day) -> bool:
    """Whether a day ends the period that the days before it began."""
    between = _ITS_ARTICLE.sub("", sentence[last.end : each.start]).replace(",", " , ").split()
    if not 0 < len(between) <= _AROUND or last.day >= each.day:
        return False
    if first is last and (between[0] in _UNTIL or _BETWEEN.search(_ITS_ARTICLE.sub("", sentence[: first.start]))):
        return True
    return _AND.issuperset(between) and each.day - last.day == timedelta(days=1)


def _beginning_of_list(sentence: str, days: Sequence[Day], day: Day) -> Day:
    """The first of the days that are listed with one: what happens is told before it."""
    place = days.index(day)
    while place and _LISTED.fullmatch(sentence, days[place - 1].end, days[place].start):
        place -= 1
    return days[place]


def clause_before(sentence: str, place: int) -> str:
    """The clause that leads to a day."""
    breaks = [found.end() for found in _CLAUSE_BREAK.finditer(sentence, 0, place)]
    return sentence[max(breaks, default=0) : place]


def _told(sentence: str, first: Day, last: Day) -> str:
    """What happens: the sentence up to its day, without the day where that leaves something whole."""
    before = sentence[: first.start]
    bare = _DAY_PHRASE.sub("", before.rstrip())
    whole = sentence[: last.end]
    if len(bare.split()) > 1 and not _DANGLING.search(bare) and not _CLAUSE_BREAK.search(bare):
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
        return f"{self._subject}: {told}"

    @property
    def _subject(self) -> str:
        """What it is about, before a colon of its own: two in one line would be one too many."""
        before, _, behind = self.title.partition(": ")
        return before if behind and len(before.split()) > 1 else self.title


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


def dates_ahead(edition: Edition, outline: Iterable[Section], passages: Mapping[str, Passage]) -> list[Entry]:
    """What the passages of the outline announce, soonest first."""
    found: list[Entry] = []
    for section in outline:
        for story in section.stories:
            if story.shape == "dates":
                continue
            for reference in story.references:
                passage = passages.get(reference)
                if passage is not None:
                    title = story.title if is_generic(passage.heading) else passage.heading
                    found += [Entry(each, title, passage) for each in announcements(edition, passage.text)]
    return soonest(found, _MOST_DATES)


def is_announced(text: str, label: str, language: str, sources: Iterable[str]) -> bool:
    """Whether sources have a sentence that says this and names these days."""
    told = [text[match.end() :] for match in re.finditer(r"^|: ", text)]
    for source in sources:
        before = ""
        for sentence in sentences(source):
            days = {day_in_words(each.day, language) for each in placed_days(sentence.text)}
            if set(label.split(" – ")) <= days and any(_says(sentence.text, before, each) for each in told):
                return True
            before = sentence.text
    return False


def _says(sentence: str, before: str, told: str) -> bool:
    """Whether a sentence says something, or does with the one before it."""
    behind = told.removeprefix(f"{before} ") if before else told
    return bool(behind) and behind in sentence
