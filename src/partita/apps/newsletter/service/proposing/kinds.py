"""Kinds of sections: what a proposal tells under a title, in English, Arabic and Amharic, whatever it calls it."""

from __future__ import annotations

import re
from typing import Literal, get_args

from partita.apps.newsletter.service.proposing.frames import ProposalSection
from partita.apps.newsletter.service.proposing.patterns import patterns

Kind = Literal[
    "summary",
    "need",
    "objectives",
    "method",
    "results",
    "monitoring",
    "risks",
    "sustainability",
    "gender",
    "team",
    "plan",
    "budget",
]

_PATTERNS: dict[Kind, re.Pattern[str]] = {
    kind: pattern for name, _, pattern in patterns("titles.txt") for kind in get_args(Kind) if name == kind
}
_TOLD_OF: dict[Kind, str] = {
    "summary": "",
    "need": "the problem and its figures",
    "objectives": "what is to be reached",
    "method": "what will be done and how",
    "results": "what has changed or will change, in numbers",
    "monitoring": "who measures what, and how often",
    "risks": "what may go wrong",
    "sustainability": "what stays when the money ends",
    "gender": "women, young people and others who are left out",
    "team": "the organisation, its people and partners",
    "plan": "dates and milestones",
    "budget": "costs, or a budget table",
}


def kinds_in(title: str) -> tuple[Kind, ...]:
    """What a title or heading announces; often one kind, sometimes two ("Cost and time"), or nothing that is known."""
    found: tuple[Kind, ...] = tuple(kind for kind, pattern in _PATTERNS.items() if pattern.search(title))
    if "plan" in found and "budget" not in found and len(found) > 1 and re.search(r"\bwhen\b", title, re.IGNORECASE):
        return tuple(kind for kind in found if kind != "plan")
    return found


def kinds_of(section: ProposalSection) -> tuple[Kind, ...]:
    """What belongs into a section: as its title tells, else its guidance."""
    return kinds_in(section.title) or kinds_in(section.guidance)[:1]


def told_of(section: ProposalSection) -> str:
    """What a source has to tell for a section to be written from it; empty if that is not known."""
    return " and ".join(filter(None, (_TOLD_OF[kind] for kind in kinds_of(section)[:2])))
