"""What can be wrong with a backup."""

from __future__ import annotations


class BackupError(Exception):
    """No backup was made, or nothing was restored; the message says why and what to do."""


def changed(what: object) -> BackupError:
    """The error for a backup that is not as it was written."""
    return BackupError(f"{what} is not as it was written: it was changed or damaged. Use another backup.")
