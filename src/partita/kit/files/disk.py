"""One file on the disk: being read, or on its way."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from partita.kit.files.files import FileInfo, ListedFile
from partita.kit.files.labels import LABEL_BYTES, Label
from partita.kit.files.ranges import Slice
from partita.kit.problems import Unavailable

_CHUNK = 256 * 1024
_ABANDONED_SECONDS = 24 * 3600
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file that is being read; one that is replaced or deleted meanwhile is read to its end."""

    info: FileInfo
    label: Label
    file: BinaryIO
    threads: ThreadPoolExecutor
    keep_seconds: int = 0

    def __enter__(self) -> LocalFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    async def chunks(self, part: Slice | None = None) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        wanted = self.label.size
        if part is not None:
            wanted = part.length
            self.file.seek(LABEL_BYTES + part.start)
        while wanted > 0 and (chunk := await loop.run_in_executor(self.threads, self.file.read, min(_CHUNK, wanted))):
            wanted -= len(chunk)
            yield chunk

    async def close(self) -> None:
        self.file.close()

    def read(self, most_bytes: int = -1) -> bytes:
        wanted = self.label.size if most_bytes < 0 else min(most_bytes, self.label.size)
        pieces = []
        while wanted > 0 and (piece := self.file.read(wanted)):
            pieces.append(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def copy_to(self, other: BinaryIO) -> None:
        while chunk := self.file.read(_CHUNK):
            other.write(chunk)


class Incoming:
    """A file on its way: of no name yet, and gone unless it is committed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / secrets.token_hex(16)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        with full_disk_is_told():
            self.file: BinaryIO = os.fdopen(os.open(self.path, flags, 0o600), "wb")
            self.file.seek(LABEL_BYTES)
        self.size = 0
        self._digest = sha256()

    def write(self, chunk: bytes) -> None:
        with full_disk_is_told():
            self.file.write(chunk)
        self.size += len(chunk)
        self._digest.update(chunk)

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    def finish(self, label: Label) -> None:
        """Put the label in front and everything on the disk."""
        self.file.seek(0)
        self.file.write(label.bytes())
        self.file.flush()
        os.fsync(self.file.fileno())

    def discard(self) -> None:
        with suppress(OSError):
            self.file.close()
        self.path.unlink(missing_ok=True)


def clear(incoming: Path, before: float | None = None) -> int:
    """Remove what a process left behind when it was killed; younger ones may be somebody's work."""
    limit = time.time() - _ABANDONED_SECONDS if before is None else before
    removed = 0
    for entry in incoming.iterdir():
        with suppress(FileNotFoundError):
            if entry.stat().st_mtime < limit:
                entry.unlink()
                removed += 1
    return removed


def listed_in(folder: Path, prefix: str) -> Iterator[ListedFile]:
    """Every file under a part of the folder; links and what is on its way are none."""
    waiting = [prefix]
    while waiting:
        current = waiting.pop()
        try:
            entries = sorted(os.scandir(folder / current), key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in entries:
            name = f"{current}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                waiting.append(name)
            elif entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # deleted meanwhile
                    found = entry.stat(follow_symlinks=False)
                    saved_at = datetime.fromtimestamp(found.st_mtime, UTC)
                    yield ListedFile(name, max(0, found.st_size - LABEL_BYTES), saved_at)


@contextmanager
def full_disk_is_told() -> Iterator[None]:
    """A disk that takes no more is no mistake of ours, and none of the person's."""
    try:
        yield
    except OSError as error:
        _log.error("a file could not be kept: %s", error)
        raise Unavailable("The file could not be kept. Try again later.", code="file_not_kept") from error
