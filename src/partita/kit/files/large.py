"""Large values of items, kept among the other files."""

from __future__ import annotations

import asyncio
from typing import Protocol

from partita.kit.files.files import StoredFile
from partita.kit.problems import NotFound

_TYPES = {"txt": "text/plain; charset=utf-8", "json": "application/json"}


class BlockingFiles(Protocol):
    """What `LocalFiles` and `S3Files` do without an event loop too."""

    def save_blocking(self, name: str, data: bytes, content_type: str) -> None: ...

    def load_blocking(self, name: str) -> StoredFile: ...

    def delete_blocking(self, name: str) -> None: ...

    def close_blocking(self) -> None: ...


class LargeValues:
    """A store's `LargeFiles`: names are used once, and lie apart from what people upload."""

    def __init__(self, files: BlockingFiles, *, prefix: str = "large-values") -> None:
        self._files = files
        self._prefix = prefix

    def close(self) -> None:
        """Let go of the files."""
        self._files.close_blocking()

    def save(self, name: str, content: bytes) -> None:
        kind = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
        self._files.save_blocking(self._named(name), content, kind)

    def load(self, name: str) -> bytes | None:
        try:
            return self._files.load_blocking(self._named(name)).data
        except NotFound:
            return None

    def delete(self, name: str) -> None:
        self._files.delete_blocking(self._named(name))

    async def save_async(self, name: str, content: bytes) -> None:
        await asyncio.to_thread(self.save, name, content)

    async def load_async(self, name: str) -> bytes | None:
        return await asyncio.to_thread(self.load, name)

    async def delete_async(self, name: str) -> None:
        await asyncio.to_thread(self.delete, name)

    def _named(self, name: str) -> str:
        return f"{self._prefix}/{name[:2]}/{name}"
