"""A site as files have it, and a row of a file before it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from partita.apps.fus.schema import Site
from partita.table.types import timestamp

Format = Literal["html", "csv", "json"]

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_LATEST_SECOND = 1e11
_MOST_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A site as a file has it."""

    url: str
    title: str
    description: str
    tags: tuple[str, ...]
    created_at: str

    @classmethod
    def of(cls, site: Site) -> Entry:
        return cls(site.url, site.title, site.description, site.tags, site.created_at)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file: its fields, or why it cannot be read."""

    number: int
    """The line, or the place in the list, counted from 1."""
    fields: Mapping[str, Any]
    problem: str = ""


def moment_of(value: Any) -> str | None:
    """A moment as files spell it: ISO 8601, or seconds (or their fractions) since 1970. None for anything else."""
    try:
        at = _from_number(float(value)) if _is_number(value) else datetime.fromisoformat(str(value).strip())
    except (ValueError, OverflowError, OSError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return timestamp(at) if at >= _EARLIEST else None


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().isdecimal() and len(value.strip()) <= _MOST_DIGITS
    return isinstance(value, int | float) and not isinstance(value, bool)


def _from_number(number: float) -> datetime:
    # Browsers write seconds, some milliseconds or microseconds.
    for scale in (1, 1_000, 1_000_000):
        if number / scale < _LATEST_SECOND:
            return datetime.fromtimestamp(number / scale, UTC)
    raise OverflowError(f"{number} is no moment")
