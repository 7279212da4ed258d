"""Going back to a moment: from a data folder, which may be in use, a new one as it was at the end of a second."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from partita.kit.backup.errors import BackupError
from partita.kit.backup.manifest import Manifest
from partita.kit.backup.reading import Progress
from partita.kit.backup.restoring import check_empty, finished, new_data
from partita.kit.backup.taking import Writing, beside, copy_all, is_data


def to_second(text: str) -> datetime:
    """A moment as people write it; in UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text.strip().removesuffix(" UTC"))
    except ValueError:
        raise BackupError(f"{text!r} is no moment. Write it as 2026-11-16 14:05:09, in UTC.") from None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.replace(microsecond=0)


def restore_data(
    source: Path,
    data: Path,
    at: datetime,
    *,
    progress: Progress = lambda _what, _done, _total: None,
) -> Manifest:
    """Make a new data folder as another one was at the end of a second. Nothing is changed in the other one."""
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
        return finished(staging, manifest, at, progress)
