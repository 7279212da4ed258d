"""One file on disk: being read, or being written."""

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
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from partita.kit.files.files import FileInfo
from partita.kit.files.labels import LABEL_BYTES, Label
from partita.kit.problems import Unavailable

_CHUNK = 256 * 1024
_ABANDONED_SECONDS = 24 * 3600
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file that is being read; it stays readable if it is replaced or deleted meanwhile."""

    info: FileInfo
    label: Label
    file: BinaryIO
    threads: ThreadPoolExecutor

    def __enter__(self) -> LocalFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    async def chunks(self) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        while chunk := await loop.run_in_executor(self.threads, self.file.read, _CHUNK):
            yield chunk

    async def close(self) -> None:
        self.file.close()

    def read(self, most_bytes: int = -1) -> bytes:
        remaining = self.label.size if most_bytes < 0 else min(most_bytes, self.label.size)
        pieces = []
        while remaining > 0 and (piece := self.file.read(remaining)):
            pieces.append(piece)
            remaining -= len(piece)
        return b"".join(pieces)

    def copy_to(self, other: BinaryIO) -> None:
        while chunk := self.file.read(_CHUNK):
            other.write(chunk)


class Incoming:
    """A file that is being written, under a temporary name until it is committed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / secrets.token_hex(16)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        with unavailable_if_disk_fails():
            self.file: BinaryIO = os.fdopen(os.open(self.path, flags, 0o600), "wb")
            self.file.seek(LABEL_BYTES)
        self.size = 0
        self._digest = sha256()

    def write(self, chunk: bytes) -> None:
        with unavailable_if_disk_fails():
            self.file.write(chunk)
        self.size += len(chunk)
        self._digest.update(chunk)

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    def finish(self, label: Label) -> None:
        """Write the label at the start and flush everything to disk."""
        self.file.seek(0)
        self.file.write(label.bytes())
        self.file.flush()
        os.fsync(self.file.fileno())

    def discard(self) -> None:
        with suppress(OSError):
            self.file.close()
        self.path.unlink(missing_ok=True)


def sweep(incoming: Path) -> None:
    """Remove files that a killed process left behind; younger ones may still be in progress."""
    for entry in incoming.iterdir():
        with suppress(FileNotFoundError):
            if entry.stat().st_mtime < time.time() - _ABANDONED_SECONDS:
                entry.unlink()


@contextmanager
def unavailable_if_disk_fails() -> Iterator[None]:
    """Turn an error of the disk into `Unavailable`."""
    try:
        yield
    except OSError as error:
        _log.error("a file could not be saved: %s", error)
        raise Unavailable("The file could not be saved. Try again later.", code="file_not_kept") from error
