"""Whether a file is the call of a funder: by its name, or by what calls say and proposals do not."""

from __future__ import annotations

import re

_NAME = re.compile(
    r"\bcall(?: for\b|s? \d|$)|\b(?:the|funding|grants?|open) call\b|\b(?:cfp|cfa|rfp|rfa|eoi|nofo)\b|\brequest for\b"
    r"|\bterms of reference\b|\b(?:guidelines|guidance|instructions|information) for applicants\b"
    r"|\bfunding opportunity\b|\bapplication guidelines\b|ጥሪ|دعوة",
    re.IGNORECASE,
)
_SIGNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:call|request) for (?:proposals|applications|expressions of interest|concept notes)\b",
        r"\b(?:applicants|bidders|proposals|applications|concept notes) (?:must|shall|should|are required to)\b",
        r"\beligible (?:applicants|organi[sz]ations|countries|costs)\b|\beligib(?:le|ility) (?:criteria|to apply)\b",
        r"\bdeadline for (?:the )?(?:submission|applications|proposals)\b|\b(?:closing|submission) (?:date|deadline)\b",
        r"\bproposals (?:are|will be) (?:judged|scored|evaluated|assessed|selected)\b|\b(?:award|selection) criteria\b",
        r"\b(?:how to apply|applications? (?:are|will be) accepted|apply (?:by|before))\b",
        r"الدعوة (?:إلى|لتقديم)|على المتقدمين|الموعد النهائي",
        r"የፕሮፖዛል ጥሪ|አመልካቾች|የማመልከቻ",
    )
)
_SEEN = 20_000
_ENOUGH = 2


def named_like_a_call(name: str) -> bool:
    """Whether a file's name says that it is a call."""
    bare = re.sub(r"\.\w{2,5}$", "", name)
    return _NAME.search(" ".join(re.sub(r"[_\-.]+", " ", bare).split())) is not None


def reads_like_a_call(text: str) -> bool:
    """Whether a text does what calls do: two things at least, since a proposal may speak of one call, too."""
    return sum(sign.search(text[:_SEEN]) is not None for sign in _SIGNS) >= _ENOUGH
