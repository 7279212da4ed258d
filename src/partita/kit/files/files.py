"""The interface of file stores."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FileInfo:
    """The metadata of a file."""

    name: str
    content_type: str
    size: int
    tag: str
    """The ETag: it changes with the content."""
    public: bool = False


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with its content."""

    info: FileInfo
    data: bytes = field(repr=False)

    @property
    def content_type(self) -> str:
        return self.info.content_type

    @property
    def size(self) -> int:
        return self.info.size


class OpenFile(Protocol):
    """A file that is being read; the caller closes it."""

    @property
    def info(self) -> FileInfo:
        """Its metadata."""

    def chunks(self) -> AsyncIterator[bytes]:
        """The content, piece by piece."""

    async def close(self) -> None:
        """Close the file."""


@dataclass(frozen=True, slots=True)
class UploadForm:
    """Where a browser may upload one file: a multipart form with these fields, then the field `file`."""

    url: str
    fields: Mapping[str, str]


class Files(Protocol):
    """Stores files by name. Whoever has a link of `url` or `upload_form` may use it until it expires."""

    async def save(self, name: str, data: bytes, content_type: str, *, public: bool = False) -> None:
        """Save a file, replacing one with the same name; atomic."""

    async def load(self, name: str) -> StoredFile:
        """A file, or `NotFound`."""

    async def start(self, name: str, most_bytes: int = 65_536) -> bytes:
        """The start of a file, to detect its type (`kind_of`) after an upload; or `NotFound`."""

    async def info(self, name: str) -> FileInfo | None:
        """The metadata of a file; None if there is no such file."""

    async def exists(self, name: str) -> bool:
        """Whether there is such a file."""

    async def delete(self, name: str) -> None:
        """Delete a file, if it exists."""

    async def set_public(self, name: str, public: bool) -> None:
        """Allow or stop reading by `public_url`; `NotFound` if there is no such file."""

    def url(self, name: str, *, seconds: int = 3600, download_as: str | None = None) -> str:
        """A link that lets whoever has it read the file for so many seconds."""

    def public_url(self, name: str) -> str:
        """The permanent URL of a file; it works only while the file is public."""

    def upload_form(
        self, name: str, content_type: str, *, most_bytes: int, seconds: int = 300, then: str | None = None
    ) -> UploadForm:
        """Lets a browser upload a file of at most that size, and then redirects it to the URL `then`."""

    @property
    def origin(self) -> str | None:
        """The origin of `url` and `upload_form`, for a Content-Security-Policy; None if it is our own site."""

    async def follow(self, name: str, link: Mapping[str, str]) -> OpenFile | str:
        """The file of one of our own URLs, or the URL to redirect to. `link` is the query."""

    async def close(self) -> None:
        """Close threads and connections."""
