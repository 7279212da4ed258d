"""What a store of files does, wherever the files are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What is known of a file without reading it."""

    name: str
    content_type: str
    size: int
    tag: str
    """Another one whenever the content is another: the ETag."""
    public: bool = False


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file, whole."""

    info: FileInfo
    data: bytes = field(repr=False)

    @property
    def content_type(self) -> str:
        return self.info.content_type

    @property
    def size(self) -> int:
        return self.info.size


class OpenFile(Protocol):
    """A file that is being read; closed by whoever asked for it."""

    @property
    def info(self) -> FileInfo:
        """What is known of it."""

    def chunks(self) -> AsyncIterator[bytes]:
        """The content, piece by piece."""

    async def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True)
class UploadForm:
    """Where a browser may post one file: a multipart form with these fields, and then the field `file`."""

    url: str
    fields: Mapping[str, str]


class Files(Protocol):
    """Keeps files by name. Whoever holds a link of `url` or `upload_form` may do what it says, until it ends."""

    async def save(self, name: str, data: bytes, content_type: str, *, public: bool = False) -> None:
        """Keep a file, in the place of one with the same name; done whole or not at all."""

    async def load(self, name: str) -> StoredFile:
        """A file, or `NotFound`."""

    async def start(self, name: str, most_bytes: int = 65_536) -> bytes:
        """How a file begins, to see what it is (`kind_of`) after somebody has uploaded it; or `NotFound`."""

    async def info(self, name: str) -> FileInfo | None:
        """What is known of a file, where there is one."""

    async def exists(self, name: str) -> bool:
        """Whether there is such a file."""

    async def delete(self, name: str) -> None:
        """Forget a file; no matter whether it was there."""

    async def set_public(self, name: str, public: bool) -> None:
        """Let everybody read a file by its `public_url`, or no longer; `NotFound` where there is none."""

    def url(self, name: str, *, seconds: int = 3600, download_as: str | None = None) -> str:
        """A link to read a file for so many seconds, for whoever holds it."""

    def public_url(self, name: str) -> str:
        """The lasting address of a file; it answers only while the file is public."""

    def upload_form(
        self, name: str, content_type: str, *, most_bytes: int, seconds: int = 300, then: str | None = None
    ) -> UploadForm:
        """Let a browser put a file there itself, of at most that size, and send it on to the address `then`."""

    @property
    def origin(self) -> str | None:
        """Where links of `url` and `upload_form` lead, for a Content-Security-Policy; None where it is our own site."""

    async def follow(self, name: str, link: Mapping[str, str]) -> OpenFile | str:
        """What our own address of a file leads to: the file, or the address where it is. `link` is its query."""

    async def close(self) -> None:
        """Let go of threads and connections."""
