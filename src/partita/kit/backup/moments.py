"""Going back to a moment: from a data folder, which may be in use, a new one as it was at the end of a second."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from partita.kit.backup.errors import BackupError, check_name
from partita.kit.backup.manifest import Manifest
from partita.kit.backup.reading import Progress
from partita.kit.backup.restoring import OnKept, check_empty, finished, new_data
from partita.kit.backup.taking import Writing, beside, copy_all, is_data

_AGO = re.compile(r"(\d{1,9}|an?) (second|minute|hour|day)s? ago")
_TIME = re.compile(r"\d\d:")


def to_second(text: str, now: datetime) -> datetime:
    """A moment as people write it; in UTC unless it says otherwise. A time without a day is the last one that was."""
    asked = text.strip().removesuffix(" UTC")
    try:
        if ago := _AGO.fullmatch(asked):
            moment = now - timedelta(**{f"{ago[2]}s": 1 if ago[1] in ("a", "an") else int(ago[1])})
        elif _TIME.match(asked):
            moment = _last(time.fromisoformat(asked), now)
        else:
            moment = datetime.fromisoformat(asked)
    except (ValueError, OverflowError):
        raise BackupError(
            f"{text!r} is no moment. Write it as 2026-11-16 14:05:09 or 14:05, in UTC, or as 10 minutes ago."
        ) from None
    try:
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise BackupError(f"{text!r} is no moment in UTC. Name another one.") from None
    return moment.replace(microsecond=0)


def _last(asked: time, now: datetime) -> datetime:
    """The last moment at which a clock showed a time."""
    there = now.astimezone(asked.tzinfo or UTC)
    moment = datetime.combine(there.date(), asked, asked.tzinfo or UTC)
    return moment if moment <= now else moment - timedelta(days=1)


def restore_data(
    source: Path,
    data: Path,
    at: datetime,
    *,
    progress: Progress = lambda _what, _done, _total: None,
    on_kept: OnKept = lambda _names: None,
) -> Manifest:
    """Make a new data folder as another one was at the end of a second. Nothing is changed in the other one."""
    check_name(source)
    if not is_data(source):
        raise BackupError(f"{source} is neither a backup nor a data folder.")
    check_empty(data)
    if data.resolve().is_relative_to(source.resolve()):
        raise BackupError(f"{data} is within the data folder. Name one outside.")
    with beside(source) as links, new_data(data) as staging:
        manifest = copy_all(source, links, Writing(staging, None, progress))
        for entry in list((staging / "data").iterdir()):
            entry.rename(staging / entry.name)
        (staging / "data").rmdir()
        return finished(staging, manifest, at, progress, on_kept)
