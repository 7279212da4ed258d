"""What a call asks for: sentences that oblige, in their exact words and with their page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from partita.apps.newsletter.service.proposing.frames import ProposalSection
from partita.apps.newsletter.service.proposing.kinds import kinds_in, kinds_of
from partita.apps.newsletter.service.proposing.sums import MONEY, amounts_in
from partita.apps.newsletter.service.reading.chunks import page_at
from partita.apps.newsletter.service.reading.dates import dates_in
from partita.apps.newsletter.service.reading.sentences import sentences, word_count

Group = Literal["dates", "eligibility", "money", "limits", "criteria", "content"]
GROUPS: dict[Group, str] = {
    "dates": "Dates",
    "eligibility": "Eligibility",
    "money": "Budget",
    "limits": "Length and format",
    "criteria": "Evaluation criteria",
    "content": "Content and submission",
}
MOST_REQUIREMENTS = 120
LONGEST = 400
_FEWEST_WORDS = 4
_MOST_WORDS = 90
_OF_ITS_KIND = 3
"""So many words in common a section counts that is of the kind a requirement speaks of."""

_PATTERNS: tuple[tuple[Group, re.Pattern[str]], ...] = (
    (
        "dates",
        re.compile(
            r"\bdeadline\b|\bclosing date\b|\bno later than\b|\bdue (?:by|on)\b|\bsubmitted by\b|\breceived by\b"
            r"|\bmust be (?:submitted|received|sent)\b.*\b(?:by|before)\b|የመጨረሻ ቀን|የማስገቢያ ቀን"
            r"|الموعد النهائي|آخر موعد|في موعد أقصاه",
            re.IGNORECASE,
        ),
    ),
    (
        "eligibility",
        re.compile(
            r"\beligib|\bineligible\b|\bmay apply\b|\bcan apply\b|\bopen to\b"
            r"|\bapplicants? (?:must|shall|should|need)\b(?! (?:also |to )?(?:attach|complete|describe"
            r"|demonstrate|explain|include|name|present|provide|send|show|state|submit)\b)|\bup to (?:\w+ )?partners\b"
            r"|\blead applicant\b.*\bmust\b|ብቁ|አመልካቾች|مؤهل|المتقدم|يحق",
            re.IGNORECASE,
        ),
    ),
    (
        "criteria",
        re.compile(
            r"\bcriteri(?:a|on)\b|\bwill be (?:evaluated|assessed|scored|judged|ranked)\b|\bpoints?\b.*\d"
            r"|\bweight(?:ed|ing)?\b|\bscor(?:e|ing)\b|መስፈርት|ነጥብ|معايير|تقييم",
            re.IGNORECASE,
        ),
    ),
    (
        "limits",
        re.compile(
            r"(?:at most|no more than|not exceed|maximum(?: of)?|up to|limited to|not be longer than)\b[^.]{0,40}"
            r"\b(?:pages?|words?|characters?|months?|MB|annex\w*|attachments?)\b"
            r"|\b\d+\s*(?:pages?|words?|characters?)\s*(?:max|maximum|or less|at most)\b|\bfont\b|\bmargins?\b|\bPDF\b"
            r"|ገጽ.*አይበልጥ|لا (?:يتجاوز|تتجاوز|يزيد)[^.]{0,40}(?:صفحة|صفحات|كلمة)",
            re.IGNORECASE,
        ),
    ),
    (
        "money",
        re.compile(
            rf"{MONEY}\s?\d|\d\s?{MONEY}"
            r"|\bbudget\b.*\b(?:must|shall|should|may not|at most|exceed|required|include)\b"
            r"|\b(?:at most|no more than|not exceed|up to|maximum(?: of)?)\b[^.]{0,60}(?:per ?cent|%)"
            r"|\bco-?financ|\bcost[- ]shar|\boverheads?\b|\bindirect costs?\b|በጀት|ميزانية|تمويل",
            re.IGNORECASE,
        ),
    ),
    (
        "content",
        re.compile(
            r"\bmust\b|\bshall\b|\bat most\b|\bno more than\b"
            r"|\brequired?\b|\bmandatory\b|\bhas to\b|\bhave to\b|\bneeds? to\b|\bis expected to\b"
            r"|\bshould (?:include|describe|explain|provide|contain|state|show|demonstrate)\b|አለባቸው|አለበት|ይገባል"
            r"|يجب|ينبغي|على (?:المتقدمين|مقدمي)|مطلوب",
            re.IGNORECASE,
        ),
    ),
)
_WORDS = re.compile(r"[^\W\d_]{4,}")
_PLAIN = frozenset(
    (
        *("must", "shall", "should", "required", "proposal", "proposals", "application", "applications", "applicant"),
        *("applicants", "include", "their", "this", "that", "with", "from", "have", "will", "each", "about", "which"),
    )
)
"""Words that say nothing of what a requirement is about."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A sentence of a call that asks for something."""

    id: str
    text: str
    page: int | None
    group: Group
    section: str = ""
    """The key of the section that answers it."""
    done: bool = False
    source_id: str = ""

    def stored(self) -> dict[str, Any]:
        """As the proposal's metadata keeps it."""
        return {
            "id": self.id,
            "text": self.text,
            "page": self.page,
            "group": self.group,
            "section": self.section,
            "done": self.done,
            "source_id": self.source_id,
        }


@dataclass(frozen=True, slots=True)
class CallText:
    """A passage of a call."""

    text: str
    page: int | None
    source_id: str = ""
    turns: tuple[tuple[int, int], ...] = ()
    """Where pages begin within it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Facts that a call seems to tell, to be taken over or not."""

    deadline: str | None = None
    amount: int | None = None
    currency: str = ""


def requirements_in(passages: Iterable[CallText]) -> tuple[Requirement, ...]:
    """The requirements of a call in the order of reading; a sentence that two passages share counts once."""
    found: dict[str, Requirement] = {}
    for passage in passages:
        for sentence in sentences(passage.text):
            text = sentence.text
            if " | " in text or not _FEWEST_WORDS <= word_count(text) <= _MOST_WORDS or text.endswith(("?", "؟")):
                continue
            group = group_of(text)
            if group is not None and len(found) < MOST_REQUIREMENTS:
                page = page_at(passage.page, passage.turns, sentence.start)
                made = Requirement(_id(text), text[:LONGEST], page, group, source_id=passage.source_id)
                found.setdefault(made.id, made)
    return tuple(found.values())


def group_of(sentence: str) -> Group | None:
    """What kind of demand a sentence makes, if it makes one."""
    return next((group for group, pattern in _PATTERNS if pattern.search(sentence)), None)


def offer_in(found: Sequence[Requirement], today: date) -> Offer:
    """The deadline and the amount that requirements name: the first day to come, and the largest sum."""
    days = [day for each in found if each.group == "dates" for day in dates_in(each.text)]
    deadline = next((day for day in days if day >= today), days[0] if days else None)
    sums = [
        each
        for requirement in found
        if requirement.group in ("money", "limits")
        for each in amounts_in(requirement.text)
    ]
    amount, currency = max(sums, default=(None, ""), key=lambda pair: pair[0] or 0)
    return Offer(deadline.isoformat() if deadline else None, amount, currency)


def read_requirements(metadata: Mapping[str, Any]) -> tuple[Requirement, ...]:
    """The requirements of a proposal as it is stored."""
    listed = metadata.get("requirements")
    rows = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, Sequence) else []
    found = []
    for row in rows:
        text = str(row.get("text") or "")
        page = row.get("page")
        group = row.get("group")
        if text:
            found.append(
                Requirement(
                    str(row.get("id") or _id(text)),
                    text,
                    int(str(page)) if str(page or "").isdigit() else None,
                    group if group in GROUPS else "content",
                    str(row.get("section") or ""),
                    row.get("done") is True,
                    str(row.get("source_id") or ""),
                )
            )
    return tuple(found)


def renewed(
    before: Sequence[Requirement], found: Sequence[Requirement], sections: Sequence[ProposalSection]
) -> tuple[Requirement, ...]:
    """What a call asks for now: ticks and sections that a person has chosen stay, and so do requirements that a person
    has ticked, though the call has them no more."""
    known = {each.id: each for each in before}
    now = [
        replace(each, section=known[each.id].section, done=known[each.id].done)
        if each.id in known
        else replace(each, section=likely_section(each, sections))
        for each in found
    ]
    ids = {each.id for each in now}
    kept = [each for each in before if each.id not in ids and (each.done or not each.source_id)]
    return tuple([*now, *kept][:MOST_REQUIREMENTS])


def likely_section(requirement: Requirement, sections: Sequence[ProposalSection]) -> str:
    """The section that is of the kind a requirement speaks of, or whose title and guidance have most words in common
    with it; none if there is none."""
    words = _terms(requirement.text)
    asked = frozenset(kinds_in(requirement.text) if requirement.group in ("content", "limits", "money") else ())
    best, most = "", 0
    for section in sections:
        shared = 2 * len(words & _terms(section.title)) + len(words & _terms(section.guidance))
        if requirement.group == "money" and section.key.startswith("budget"):
            shared += 2
        if not asked.isdisjoint(kinds_of(section)):
            shared += _OF_ITS_KIND
        if shared > most:
            best, most = section.key, shared
    return best if most >= 2 else ""


def _terms(text: str) -> frozenset[str]:
    return frozenset(word.lower().rstrip("s") for word in _WORDS.findall(text) if word.lower() not in _PLAIN)


def _id(text: str) -> str:
    return "req-" + hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]
