"""Writing files that only their owner can read and that survive a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from partita.lasting import sync


def write_file(file: Path, chunks: Iterable[bytes]) -> None:
    """Write a new file, and the folders it is in."""
    make_folder(file.parent)
    handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as opened:
        for chunk in chunks:
            opened.write(chunk)
        opened.flush()
        os.fsync(opened.fileno())


def make_folder(folder: Path) -> None:
    """A folder with those above it that are missing, all of them private; `sync_folders` syncs their names."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def sync_folders(top: Path) -> None:
    """Put the names of all files under a folder on the disk."""
    for folder, _, _ in os.walk(top):
        sync(Path(folder))
