"""What a store of files does, wherever the files are."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from partita.kit.files.ranges import Slice

MOST_UPLOAD = 100_000_000
"""The largest file that people can upload."""


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


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file as a listing tells of it."""

    name: str
    size: int
    saved_at: datetime


class OpenFile(Protocol):
    """A file that is being read; closed by whoever asked for it."""

    @property
    def info(self) -> FileInfo:
        """What is known of it."""

    @property
    def keep_seconds(self) -> int:
        """How long a browser may keep it without asking again: a link leads to the same content until it ends."""

    def chunks(self, part: Slice | None = None) -> AsyncIterator[bytes]:
        """The content, or a part of it, piece by piece."""

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

    async def receive(self, name: str, chunks: AsyncIterable[bytes], content_type: str, *, most_bytes: int) -> FileInfo:
        """Keep a file that comes piece by piece, so that no size of it fills the memory. `TooLarge` as soon as it is;
        what came until then is gone."""

    async def settled(self, name: str, to: str) -> FileInfo | None:
        """What has arrived by a link of `upload_form`, where nobody who holds the link can replace it: under its own
        name, or copied to the name `to`, which must be new. Whoever uses the file checks and names this one. None if
        nothing has arrived."""

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

    def listed(self, prefix: str) -> AsyncIterator[ListedFile]:
        """Every file whose name begins with `prefix/`, in no order; for operators, since it looks at all of them."""

    async def clear_incoming(self, before: datetime) -> int:
        """Remove what began to arrive before a moment and never came to its end; how many there were."""

    def url(
        self,
        name: str,
        *,
        seconds: int = 3600,
        download_as: str | None = None,
        until: datetime | None = None,
        played_as: str | None = None,
        claim: str | None = None,
    ) -> str:
        """A link to read a file, for whoever holds it: for at least so many seconds and at most twice as many, and
        never after `until`. It is the same link for a while, so that browsers keep what they have. `played_as` is the
        type of a film (`FILMS`) that was kept without one: some browsers play only what says that it is a film. With a
        `claim` it leads to our own address, where the owner of the file is asked with it each time
        (`OwnedFiles.may_follow`)."""

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
