"""File stores for large values: the interface, and one that is a folder."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from partita.dynamo.errors import StorageFullError
from partita.held_folders import may_change
from partita.lasting import sync
from partita.private_files import close_to_others, private_folder

LARGE_VALUES = "large-values"
"""The folder of a data folder that they are in."""
FOR_GOOD = 36_500
"""Days to keep deleted files for who only looks in or copies: whoever serves the folder decides when they go."""
KEPT = ".deleted"
_PURGE_SECONDS = 3600
_log = logging.getLogger(__name__)


class LargeFiles(Protocol):
    """Keeps the files that items name. A name is used once, so a file never changes."""

    def save(self, name: str, content: bytes) -> None:
        """Keep a file; when this returns it survives a crash. Saving it again is harmless."""

    def load(self, name: str) -> bytes | None:
        """The content of a file; None if there is none."""

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""

    async def save_async(self, name: str, content: bytes) -> None:
        """`save` without blocking."""

    async def load_async(self, name: str) -> bytes | None:
        """`load` without blocking."""

    async def delete_async(self, name: str) -> None:
        """`delete` without blocking."""


class FolderFiles:
    """Files in a folder, spread over 256 others so that none grows too long.

    Deleted files can be kept for some days: items that go back to a moment name them again.
    """

    def __init__(self, folder: str | Path, *, kept_days: int = 0) -> None:
        self._folder = Path(folder)
        self._kept_seconds = kept_days * 86_400
        self._purged = float("-inf")
        close_to_others(self._folder)
        self.purge(time.time())

    def save(self, name: str, content: bytes) -> None:
        """Write beside, sync, rename: under its name a file is whole or not there."""
        path = self._path(name)
        if not path.parent.is_dir():
            private_folder(self._folder)
            private_folder(path.parent)
        draft = path.with_name(f".{name}.{uuid.uuid4().hex}")
        try:
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            with may_change(self._folder):
                draft.replace(path)
        except BaseException as error:
            with suppress(FileNotFoundError):
                draft.unlink()
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                _log.error("a large value could not be kept: %s", error)
                raise StorageFullError(
                    f"A large value could not be kept ({error.strerror}). Free some space."
                ) from error
            raise
        sync(path.parent)

    def load(self, name: str) -> bytes | None:
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None

    def delete(self, name: str) -> None:
        path = self._path(name)
        with suppress(FileNotFoundError), may_change(self._folder):
            if self._kept_seconds:
                self._keep(path)
            else:
                path.unlink()
        self.purge(time.time())

    def _keep(self, path: Path) -> None:
        """Put a deleted file aside; its time says since when."""
        os.utime(path)
        private_folder(self._folder / KEPT)
        path.rename(self._folder / KEPT / path.name)

    def purge(self, now: float) -> None:
        """Delete what was kept for long enough; done once an hour, however often this is called."""
        if now - self._purged < _PURGE_SECONDS:
            return
        self._purged = now
        if not (self._folder / KEPT).is_dir():
            return
        with may_change(self._folder):
            for entry in os.scandir(self._folder / KEPT):
                with suppress(FileNotFoundError):
                    if entry.stat().st_mtime < now - self._kept_seconds:
                        os.unlink(entry.path)

    async def save_async(self, name: str, content: bytes) -> None:
        await asyncio.to_thread(self.save, name, content)

    async def load_async(self, name: str) -> bytes | None:
        return await asyncio.to_thread(self.load, name)

    async def delete_async(self, name: str) -> None:
        await asyncio.to_thread(self.delete, name)

    def _path(self, name: str) -> Path:
        if not name or name != Path(name).name or name.startswith("."):
            raise ValueError(f"{name!r} is no name of a file")
        return self._folder / name[:2] / name


def put_back(folder: Path) -> None:
    """Give all kept files of a folder their places again. One that no item names does no harm."""
    if not (folder / KEPT).is_dir():
        return
    for entry in list((folder / KEPT).iterdir()):
        place = folder / entry.name[:2] / entry.name
        private_folder(place.parent)
        entry.replace(place)
    (folder / KEPT).rmdir()
