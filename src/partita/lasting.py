"""What a power cut must not take. To sync a file is not enough: its name is in a folder, whose name is in another."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def sync(path: Path) -> None:
    """Put a file, or the names in a folder, on the disk."""
    if os.name != "posix" and path.is_dir():
        return  # there a folder cannot be opened, and its names need no sync
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(folder: Path) -> None:
    """Make a folder and those above it that are missing, all of them private, and put their names on the disk."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folders(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    with suppress(PermissionError):  # one may write to some folders, but not open them
        sync(folder.parent)
