"""What can be wrong with a backup."""

from __future__ import annotations

from pathlib import Path


class BackupError(Exception):
    """No backup was made, or nothing was restored; the message says why and what to do."""


def check_name(folder: Path) -> None:
    """Refuse a folder in which SQLite cannot open a file."""
    try:
        str(folder.absolute()).encode()
    except UnicodeEncodeError:
        told = ascii(str(folder))
        raise BackupError(f"{told} has a name that is not UTF-8. Name another folder, or a link to it.") from None


def changed(what: object) -> BackupError:
    """The error for a backup that is not as it was written."""
    return BackupError(f"{what} is not as it was written: it was changed or damaged. Use another backup.")
