"""Which sentences of the passages may be printed, and in which wording (steps 1 to 3 of the extractive writer)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.apps.newsletter.service.writing.terms import terms
from partita.apps.newsletter.service.writing.values import Edition, Passage

FEWEST_WORDS = 6
FEWEST_WORDS_ELSEWHERE = 4
"""Amharic and Arabic say with prefixes and suffixes what English says with words."""
_LONGEST = (24, 40)
BRACKETS_FROM = 50
"""From this technical tone on, brackets are kept, and acronyms stay short."""

_ENDS = re.compile(r"[.!።][”’\"')\]]*$")
_QUESTION = re.compile(r"[?؟፧]")
_POINTS_ELSEWHERE = re.compile(
    r"\b(see|cf\.?|shown in|as in|refer to)\s+(the\s+)?(fig|figure|table|chart|map|annex|section|page|chapter|box)\b"
    r"|\((fig|table|see)\b|\b(above|below|overleaf)\b\s*[.)]",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"\b(click|subscribe|sign up|apply now|buy now|order now|register now|download here|read more|visit our|follow us"
    r"|share this|your free|act now)\b",
    re.IGNORECASE,
)
_BARE_TIME = re.compile(
    r"\b(yesterday|today|tomorrow|tonight|this (morning|afternoon|evening|week))\b|ትናንት|ነገ\b|أمس|\bغدا\b", re.IGNORECASE
)
_TO_MACHINES = re.compile(
    r"\b(ignore|disregard|forget)\b.{0,40}\b(instruction|previous|prompt|rule)|\bsystem prompt\b|\blanguage model\b"
    r"|\bas an ai\b|\bthe assistant\b|\bpassword\b|<[a-z/!][^>]*>|\bonerror\b|\bjavascript:",
    re.IGNORECASE,
)
_TABLE_ROW = re.compile(r" \| ")
_CONNECTIVES = re.compile(
    r"^(however|moreover|furthermore|in addition|therefore|nevertheless|nonetheless|meanwhile|also|finally|besides"
    r"|for example|for instance|by contrast|in contrast|thus|as a result|consequently|hence|in short|overall|indeed"
    r"|on the other hand|accordingly|still|yet|similarly|likewise|in other words|ሆኖም|ስለዚህ|በተጨማሪም|ይሁን እንጂ|እንዲሁም"
    r"|ومع ذلك|لذلك|بالإضافة إلى ذلك|علاوة على ذلك|في المقابل)\s*[,፣፤،]\s*",
    re.IGNORECASE,
)
_LOOSE_START = re.compile(
    r"^(it|its|they|their|them|he|his|she|her|this|these|those|that|both|such|here|there|others?|another|neither|either"
    r"|the (latter|former|same|other|others|difference|figure|figures|reason|reasons|result)"
    r"|the (gain|decision|change|causes)"
    r"|each( of them)?|some|most of them|one of them|so|and|but|or|because|then|too|which|after the wrong"
    r"|ይህ|ይህም|እነዚህ|ያ|እነርሱ|እሱ|እሷ|هذا|هذه|ذلك|تلك|هو|هي|هم|وهو|وهي|لكن|كما)\b",
    re.IGNORECASE,
)
_LOOSE_INSIDE = re.compile(
    r"\b(of (them|it|these|those)|the same (group|year|time|period))\b"
    r"|^(\w+\s+){0,4}(these|such|those(?!\s+(who|whose|whom|that|which|with|without|in|of|from|on|under|over)\b))\s",
    re.IGNORECASE,
)
_DEFINITE_START = re.compile(r"^The\s+[a-z]")
_FIRST_PERSON = re.compile(r"\b(I|we|We|our|Our|my|My|us|me|ours|mine)\b(?!\.)")
_QUOTED = re.compile(r"[“\"«].{12,}[”\"»]")
_NUMBER = re.compile(r"\d[\d,.]*")
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_GENERIC = re.compile(
    r"^(introduction|background|summary\b.*|methods?|methodology|(key |main )?(results?|findings?)|discussion"
    r"|conclusions?|overview|contents|annex|(the )?next( steps)?|outlook|recommendations?|limit(ation)?s( of .*)?"
    r"|((further|more|additional|practical) )?(information|details)|contacts?|timeline|timetable|costs?|financing"
    r"|(what|how|who|why|where|which|when)\b.*|lessons\b.*|reactions?\b.*|comparison\b.*|key (points|messages).*"
    r"|መግቢያ|ማጠቃለያ|مقدمة|خاتمة|خلاصة)$",
    re.IGNORECASE,
)
_NAMED = "(?:[A-Z][a-z]+|of|and|on|for|the)"
_SPELLED = re.compile(rf"\b({_NAMED}(?: {_NAMED}){{1,14}}) \(([A-Z]{{2,6}})\)")

_AN = re.compile(r"(?!Eu|Ew|On(?:e|ce)\b|Uni(?!n)|Us|Uti|Ura|Ubi|Ukr|Uga)[AEIOU]|Hour|Honou?r|Honest|Heir")
"""Names that begin as they sound with a vowel: an Uplands Board, and a Union, a European Bank."""

Acronyms = Mapping[str, Mapping[str, str]]
"""By source: its acronyms, and what they stand for in it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be printed."""

    text: str
    """As it would be printed."""
    source_text: str
    """As the source has it."""
    passage: Passage
    place: int
    """Which sentence of its passage it is, from 0."""
    words: int
    terms: frozenset[str]
    figures: int
    """How many numbers it has."""
    loose: bool
    """Whether it makes sense only right behind the sentence before it."""
    definite: bool
    """Whether it speaks of something as known ("The scheme …")."""
    quote: bool
    """Whether somebody speaks in the first person."""

    @property
    def key(self) -> tuple[str, int]:
        """Which sentence it is."""
        return self.passage.id, self.place

    @property
    def stands_alone(self) -> bool:
        """Whether a story may begin with it."""
        return not (self.loose or self.definite or self.quote)


def longest_sentence(edition: Edition) -> int:
    """How many words a sentence may have: more, the more technical the tone."""
    low, high = _LONGEST
    return low + round((high - low) * edition.tone_technical / 100)


def candidates(
    passages: Iterable[Passage], edition: Edition, acronyms: Acronyms | None = None
) -> tuple[Candidate, ...]:
    """The sentences of some passages that may be printed; a sentence that two passages share counts once."""
    known = acronyms or {}
    found: dict[str, Candidate] = {}
    for passage in passages:
        if passage.kind != "text":
            continue
        kept: dict[int, Candidate] = {}
        begun = False  # a name or a day before the text is no sentence that others lean on
        for place, sentence in enumerate(sentences(passage.text)):
            made = _candidate(sentence.text, passage, place, edition, known.get(passage.source_id, {}), first=not begun)
            begun = begun or bool(_ENDS.search(sentence.text))
            if made is not None and (not made.loose or place - 1 in kept):
                kept[place] = made
        for each in kept.values():
            found.setdefault(each.text, each)
    return tuple(found.values())


def _candidate(
    sentence: str, passage: Passage, place: int, edition: Edition, acronyms: Mapping[str, str], *, first: bool
) -> Candidate | None:
    if unprintable(sentence):
        return None
    quote = bool(_FIRST_PERSON.search(sentence))
    if quote and not (_QUOTED.search(sentence) and edition.tone_professional < QUOTES_BELOW):
        return None
    text = wording(sentence, edition, acronyms)
    words = word_count(text)
    fewest = FEWEST_WORDS if edition.language == "en" else FEWEST_WORDS_ELSEWHERE
    if not fewest <= words <= longest_sentence(edition):
        return None
    return Candidate(
        text,
        sentence,
        passage,
        place,
        words,
        frozenset(terms(text)),
        len(_NUMBER.findall(text)),
        loose=is_loose(text),
        definite=(not first or is_generic(passage.heading)) and bool(_DEFINITE_START.match(text)),
        quote=quote,
    )


QUOTES_BELOW = 60
"""Below this professional tone people may speak in the first person."""


def unprintable(sentence: str) -> bool:
    """Whether a sentence is a fragment, a question, a call to the reader or to a machine, or leads elsewhere."""
    return (
        not _ENDS.search(sentence)
        or sentence[:1].islower()
        or any(
            pattern.search(sentence)
            for pattern in (_QUESTION, _POINTS_ELSEWHERE, _CALLS, _BARE_TIME, _TO_MACHINES, _TABLE_ROW)
        )
    )


def is_loose(sentence: str) -> bool:
    """Whether a sentence begins with, or leans on, something that only the one before it names."""
    return bool(_LOOSE_START.match(sentence) or _LOOSE_INSIDE.search(sentence))


def without_connective(sentence: str) -> str:
    """A sentence without a leading word that ties it to the one before it."""
    text = _CONNECTIVES.sub("", sentence.strip())
    return text[:1].upper() + text[1:]


def has_connective(sentence: str) -> bool:
    """Whether a sentence begins with a word that ties it to the one before it."""
    return bool(_CONNECTIVES.match(sentence))


def wording(sentence: str, edition: Edition, acronyms: Mapping[str, str]) -> str:
    """A sentence as an edition prints it: without a leading connective, and below a technical tone without brackets and
    with acronyms spelled out as its source does."""
    text = without_connective(sentence)
    if edition.tone_technical < BRACKETS_FROM:
        text = _BRACKETS.sub("", text)
        text = spelled_out(text, acronyms)
    return text


def spelled_out(text: str, acronyms: Mapping[str, str]) -> str:
    """A text with acronyms spelled out, and `a` or `an` before them as their words want it."""
    for short, long in acronyms.items():
        text = re.sub(rf"\b{re.escape(short)}\b", long, text)
        article = r"\1n\2" if _AN.match(long) else r"\1\2"
        text = re.sub(rf"\b([Aa])n?(\s+{long})\b", article, text)
    return text


def acronyms_in(passages: Iterable[Passage]) -> Acronyms:
    """By source: the acronyms that it spells out itself, with what they stand for there. What one source calls AMF
    may be something else in another; an acronym that means two things in one source is left as it is."""
    found: dict[str, dict[str, str]] = {}
    two_meanings: set[tuple[str, str]] = set()
    for passage in passages:
        for match in _SPELLED.finditer(passage.text):
            words = [word for word in match[1].split() if word[0].isupper()]
            for size in range(2, len(words) + 1):
                if "".join(word[0] for word in words[-size:]) == match[2]:
                    long = match[1][match[1].rindex(words[-size]) :]
                    if found.setdefault(passage.source_id, {}).setdefault(match[2], long) != long:
                        two_meanings.add((passage.source_id, match[2]))
    for source_id, short in two_meanings:
        del found[source_id][short]
    return found


def predecessor(candidate: Candidate, pool: Mapping[tuple[str, int], Candidate]) -> Candidate | None:
    """The sentence right before one, if it may be printed."""
    return pool.get((candidate.passage.id, candidate.place - 1))


def by_key(pool: Sequence[Candidate]) -> dict[tuple[str, int], Candidate]:
    """Candidates by what sentence they are."""
    return {each.key: each for each in pool}


def goes_on(heading: str) -> bool:
    """Whether a passage has a heading, and one that leads on from what its source says before: Next steps."""
    return bool(heading.strip()) and is_generic(heading)


def is_generic(heading: str) -> bool:
    """Whether a heading says nothing without its document: Summary, Methods, What the fund looks for."""
    return not heading.strip() or bool(_GENERIC.match(heading.strip()))
