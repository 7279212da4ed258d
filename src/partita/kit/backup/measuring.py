"""A file's length and digest, taken while it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

CHUNK = 1 << 20


class Measure:
    """What has gone through it so far."""

    def __init__(self) -> None:
        self.bytes = 0
        self._digest = sha256()

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def of(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same chunks, measured as they go."""
        for chunk in chunks:
            self._digest.update(chunk)
            self.bytes += len(chunk)
            yield chunk


def read_chunks(file: Path) -> Iterator[bytes]:
    """A file piece by piece."""
    with file.open("rb", buffering=0) as opened:
        while chunk := opened.read(CHUNK):
            yield chunk
