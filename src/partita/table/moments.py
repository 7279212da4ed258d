"""The one spelling of moments that we write."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def timestamp(moment: datetime) -> str:
    """UTC, microseconds, fixed width, so that text order is time order."""
    # Not strftime: it writes years before 1000 with fewer than four digits.
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def in_utc(value: Any) -> Any:
    """A moment in the zone that it is read back in; anything else, and a moment of no zone, as it is."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return value  # on the first or last day of all; nothing can store it, which is said when it is written
