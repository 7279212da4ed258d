"""How newsletters spell what they store: codes, keys of sections, topics, days, and numbers in JSON values."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

_CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without I, O, 0 and 1, which people misread."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_NOT_WORD = re.compile(r"[^\w]+", re.UNICODE)
WORDS_A_MINUTE = 250


# 1. Codes
def newsletter_code(now: datetime, draw: Callable[[str], str] = secrets.choice) -> str:
    """`NL-20260126-A1B2`, drawn at random; whoever stores it draws again if it is taken."""
    return f"NL-{_day_and_letters(now, draw)}"


def proposal_code(now: datetime, draw: Callable[[str], str] = secrets.choice) -> str:
    """`PROP-20260126-A1B2`."""
    return f"PROP-{_day_and_letters(now, draw)}"


def _day_and_letters(now: datetime, draw: Callable[[str], str]) -> str:
    return f"{now.astimezone(UTC):%Y%m%d}-{''.join(draw(_CODE_LETTERS) for _ in range(4))}"


def is_newsletter(code: str) -> bool:
    """Whether a code is a newsletter's, and not a proposal's."""
    return code.startswith("NL-")


# 2. Topics: twelve in four groups, stored by their labels
TOPIC_GROUPS: dict[str, dict[str, str]] = {
    "News": {
        "breaking_news": "Breaking News & Updates",
        "policy_updates": "Policy Updates",
        "food_security": "Food Security Updates",
    },
    "Insights": {
        "research_findings": "Research Findings",
        "technology_innovation": "Technology & Innovation Spotlight",
        "climate_smart_agriculture": "Climate-Smart Agriculture",
        "market_access": "Market Access & Trade",
        "project_updates": "Project Updates & Success Stories",
        "livestock": "Livestock & Animal Health",
    },
    "Opportunities": {
        "funding_opportunities": "Funding Opportunities",
        "events_conferences": "Events & Conferences",
    },
    "Resources": {"publications_resources": "Publications & Resources"},
}
TOPICS: dict[str, str] = {key: label for group in TOPIC_GROUPS.values() for key, label in group.items()}
"""Id → label, in the order in which an edition has them."""
ONE_OF_THE_TOPICS = f"Choose one of the twelve topics: {', '.join(TOPICS.values())}."
_TOPIC_IDS = {label: key for key, label in TOPICS.items()}
MOST_TOPICS = 8
RECOMMENDED_TOPICS = 5
TOPIC_WEIGHTS: dict[str, dict[str, float]] = {
    #                         news policy food  research tech climate market project livestock funding events pubs
    "myself": dict(zip(TOPICS, (0.9, 0.5, 0.6, 0.8, 0.6, 0.6, 0.5, 0.5, 0.4, 0.7, 0.7, 0.8), strict=True)),
    "researchers": dict(zip(TOPICS, (0.4, 0.5, 0.6, 1.0, 0.7, 0.7, 0.3, 0.4, 0.5, 0.9, 0.8, 1.0), strict=True)),
    "development_partners": dict(
        zip(TOPICS, (0.7, 0.8, 0.9, 0.6, 0.5, 0.7, 0.6, 1.0, 0.5, 0.9, 0.6, 0.6), strict=True)
    ),
    "policy_makers": dict(zip(TOPICS, (0.8, 1.0, 0.9, 0.7, 0.4, 0.7, 0.8, 0.6, 0.5, 0.5, 0.6, 0.6), strict=True)),
    "ag_tech_industry": dict(zip(TOPICS, (0.6, 0.6, 0.4, 0.7, 1.0, 0.8, 0.9, 0.5, 0.4, 0.8, 0.7, 0.3), strict=True)),
    "field_staff": dict(zip(TOPICS, (0.8, 0.5, 0.9, 0.5, 0.7, 1.0, 0.6, 0.9, 0.9, 0.4, 0.5, 0.6), strict=True)),
    "farmers": dict(zip(TOPICS, (0.7, 0.3, 0.8, 0.3, 0.8, 1.0, 0.9, 0.6, 1.0, 0.5, 0.3, 0.2), strict=True)),
}
"""Audience → topic id → how much it matters to them, 0 to 1."""


def topic_label(word: str) -> str:
    """The label of a topic, of which the id is read too; other words are their own label."""
    return TOPICS.get(word, word)


def topic_id(word: str) -> str:
    """The id of a topic, of which the label is read too."""
    return _TOPIC_IDS.get(word, word)


def recommended_topics(audiences: Collection[str]) -> tuple[str, ...]:
    """The labels of the five topics that matter most to these audiences together; to anybody if there are none."""
    known = [TOPIC_WEIGHTS[audience] for audience in audiences if audience in TOPIC_WEIGHTS]
    tables = known or list(TOPIC_WEIGHTS.values())
    weight = {key: sum(table[key] for table in tables) / len(tables) for key in TOPICS}
    order = list(TOPICS)
    best = sorted(order, key=lambda key: (-round(weight[key], 9), order.index(key)))[:RECOMMENDED_TOPICS]
    return tuple(TOPICS[key] for key in order if key in best)


# 3. Lengths
LENGTHS: dict[str, tuple[int, int]] = {"short": (400, 600), "mixed": (1000, 1500), "long": (2500, 3500)}
"""Length → words, from and to."""
_OTHER_LENGTHS = {"quick_read": "short", "standard": "mixed", "deep_dive": "long"}


def length_of(preference: str) -> str:
    """`short`, `mixed` or `long`; the older words mean the same."""
    return _OTHER_LENGTHS.get(preference, preference)


def target_words(preference: str) -> int:
    """The number of words to aim at."""
    least, most = LENGTHS[length_of(preference)]
    return (least + most) // 2


def read_time(words: int) -> str:
    """`5 minutes`; at least `1 minute`."""
    minutes = max(1, int(words / WORDS_A_MINUTE + 0.5))
    return "1 minute" if minutes == 1 else f"{minutes} minutes"


# 4. Keys of sections, which a draft stores its texts under
def section_key(name: str, taken: Collection[str] = ()) -> str:
    """`research_findings` of `Research Findings`: in any script, never one that is taken."""
    folded = unicodedata.normalize("NFC", name).casefold()
    start = _NOT_WORD.sub("_", folded).strip("_")[:60] or "section"
    key, number = start, 2
    while key in taken:
        key, number = f"{start}_{number}", number + 1
    return key


# 5. Days
def deadline_of(metadata: Mapping[str, Any]) -> str | None:
    """The day in a proposal's metadata, if it is one."""
    deadline = metadata.get("deadline")
    if not isinstance(deadline, str) or not _DAY.match(deadline[:10]):
        return None
    try:
        return date.fromisoformat(deadline[:10]).isoformat()
    except ValueError:
        return None


# 6. Values inside lists and maps
def as_stored(value: Any) -> Any:
    """A JSON value as DynamoDB takes it: numbers with a point as decimals of four places, tuples as lists."""
    if isinstance(value, float):
        return Decimal(str(round(value, 4)))
    if isinstance(value, Mapping):
        return {str(key): as_stored(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_stored(entry) for entry in value]
    return value


def as_plain(value: Any) -> Any:
    """A stored value as JSON has it: decimals as numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {str(key): as_plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(entry) for entry in value]
    return value
