"""What is known of links that do not work: on which days they failed, when they are broken, when to ask again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from hashlib import blake2s

DAYS_TO_BREAK = 3
"""On so many days in a row a link must fail to be called broken."""
ROUND_DAYS = 7
"""Every link is asked once in so many days; one that fails, every day."""
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Failing:
    """What is known of a link that does not work."""

    url: str
    days: int
    """On how many days in a row it has failed."""
    since: str
    checked_at: str
    reason: str

    @property
    def is_broken(self) -> bool:
        return self.days >= DAYS_TO_BREAK


def failed(before: Failing | None, url: str, reason: str, now: str) -> Failing:
    """What is known of a link after it has failed; a second time on a day adds nothing."""
    if before is None or before.url != url:
        return Failing(url, 1, now, now, reason)
    same_day = before.checked_at[:10] >= now[:10]
    return Failing(url, before.days + (not same_day), before.since, max(before.checked_at, now), reason)


def is_due(key: str, day: date) -> bool:
    """Whether a link is asked on a day: on one in seven, and on every seventh from then on."""
    return int.from_bytes(blake2s(key.encode(), digest_size=4).digest()) % ROUND_DAYS == day_in_round(day)


def day_in_round(day: date) -> int:
    """Which of the seven days it is."""
    return day.toordinal() % ROUND_DAYS
