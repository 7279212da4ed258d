"""Files in a folder: written whole or not at all, never through a symbolic link, served by addresses that we sign."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, TypeVar
from urllib.parse import urlencode

from partita.held_folders import may_change
from partita.kit.clock import Clock
from partita.kit.files.disk import Incoming, LocalFile, clear, full_disk_is_told, listed_in
from partita.kit.files.files import FileInfo, ListedFile, StoredFile, UploadForm
from partita.kit.files.headers import film_type
from partita.kit.files.labels import LABEL_BYTES, Label
from partita.kit.files.links import CLAIM, Links, named
from partita.kit.files.names import FileNameError, download_name, segments_of
from partita.kit.problems import Conflict, NotFound, TooLarge, Unavailable
from partita.private_files import private_folder

T = TypeVar("T")

_INCOMING = ".incoming"
_PUBLIC_SECONDS = 300  # a public file may be withdrawn, so nobody keeps it for long
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_log = logging.getLogger(__name__)


class LocalFiles:
    """Keeps each file with its label in front (what it is, how long, whether public), so that both change as one."""

    def __init__(self, folder: Path, keys: Sequence[bytes], clock: Clock, *, path: str = "/files") -> None:
        self._folder = folder
        self._links = Links(keys, clock, path=path)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="files")
        incoming = folder / _INCOMING
        for each in (folder, incoming):
            private_folder(each)
        clear(incoming)

    async def close(self) -> None:
        await asyncio.to_thread(self.close_blocking)

    def close_blocking(self) -> None:
        """`close`, for whoever has no event loop."""
        self._threads.shutdown()

    # -- keeping

    async def save(self, name: str, data: bytes, content_type: str, *, public: bool = False) -> None:
        await self._run(self.save_blocking, name, data, content_type, public)

    def save_blocking(self, name: str, data: bytes, content_type: str, public: bool = False) -> None:
        """`save`, for whoever has no event loop."""
        label = Label(content_type, len(data), sha256(data).hexdigest(), public)
        self._write(segments_of(name), label, lambda file: file.write(data))

    async def receive(
        self, name: str, chunks: AsyncIterable[bytes], content_type: str, *, most_bytes: int, once: bool = False
    ) -> FileInfo:
        """`once` refuses what has its name from another sender meanwhile: what was checked is never replaced."""
        segments = segments_of(name)
        incoming = await self._run(Incoming, self._folder / _INCOMING)
        try:
            async for chunk in chunks:
                if incoming.size + len(chunk) > most_bytes:
                    raise TooLarge(f"At most {most_bytes:,} bytes; this is more.")
                await self._run(incoming.write, chunk)
            label = Label(content_type, incoming.size, incoming.digest, False)
            await self._run(self._commit, incoming, segments, label, once)
        finally:
            await self._run(incoming.discard)
        return label.info(name)

    async def settled(self, name: str, to: str) -> FileInfo | None:
        return await self.info(name)  # `once` has settled it

    async def set_public(self, name: str, public: bool) -> None:
        def change() -> None:
            with self._open(name) as file:
                if file.info.public != public:
                    self._write(segments_of(name), replace(file.label, public=public), file.copy_to)

        await self._run(change)

    async def delete(self, name: str) -> None:
        await self._run(self.delete_blocking, name)

    def delete_blocking(self, name: str) -> None:
        """`delete`, for whoever has no event loop."""
        segments = segments_of(name)
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError), self._parent(segments) as parent:
            with may_change(self._folder):
                os.unlink(segments[-1], dir_fd=parent)
            os.fsync(parent)

    # -- reading

    async def load(self, name: str) -> StoredFile:
        return await self._run(self.load_blocking, name)

    def load_blocking(self, name: str) -> StoredFile:
        """`load`, for whoever has no event loop."""
        with self._open(name) as file:
            data = file.read()
        if sha256(data).hexdigest() != file.info.tag:
            raise _damaged(name)
        return StoredFile(file.info, data)

    async def start(self, name: str, most_bytes: int = 65_536) -> bytes:
        def beginning() -> bytes:
            with self._open(name) as file:
                return file.read(most_bytes)

        return await self._run(beginning)

    async def info(self, name: str) -> FileInfo | None:
        def known() -> FileInfo | None:
            try:
                with self._open(name) as file:
                    return file.info
            except NotFound:
                return None

        return await self._run(known)

    async def exists(self, name: str) -> bool:
        return await self.info(name) is not None

    async def listed(self, prefix: str) -> AsyncIterator[ListedFile]:
        segments_of(prefix)
        for each in await self._run(lambda: list(listed_in(self._folder, prefix))):
            yield each

    async def clear_incoming(self, before: datetime) -> int:
        return await self._run(clear, self._folder / _INCOMING, before.timestamp())

    # -- addresses

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
        segments_of(name)
        shown = None if download_as is None else download_name(download_as)
        return self._links.read(
            name, seconds=seconds, download_as=shown, until=until, played_as=film_type(played_as), claim=claim
        )

    def public_url(self, name: str) -> str:
        segments_of(name)
        return self._links.path(name)

    def upload_form(
        self, name: str, content_type: str, *, most_bytes: int, seconds: int = 300, then: str | None = None
    ) -> UploadForm:
        segments_of(name)
        # In the address, not in fields: it is checked before a byte of the file is taken.
        terms = {"expires": str(self._links.expiry(seconds)), "most": str(most_bytes), "type": content_type}
        if then is not None:
            terms["then"] = then
        query = {**terms, "signature": self._links.sign("upload", name, terms)}
        return UploadForm(f"{self._links.path(name)}?{urlencode(query)}", {})

    @property
    def origin(self) -> None:
        """Files are served by ourselves."""

    async def follow(self, name: str, link: Mapping[str, str]) -> LocalFile:
        if "signature" in link:
            self._links.check_read(named(name), link)
            file = await self._run(self._open, name)
            info = replace(file.info, content_type=film_type(link.get("type")) or file.info.content_type)
            return replace(file, info=info, keep_seconds=0 if CLAIM in link else self._links.left(link["expires"]))
        file = await self._run(self._open, named(name))
        if not file.info.public:
            # Who has no link is not told that there is a file.
            await file.close()
            raise _missing(name)
        return replace(file, keep_seconds=_PUBLIC_SECONDS)

    def check_upload(self, name: str, link: Mapping[str, str]) -> UploadTerms:
        """What a link of `upload_form` allows; refuses what we did not sign and what has ended."""
        terms = {key: link[key] for key in ("expires", "most", "type", "then") if key in link}
        self._links.check("upload", named(name), {"expires": "", **terms}, link.get("signature", ""))
        return UploadTerms(int(terms["most"]), terms["type"], terms.get("then"))

    # -- the disk

    async def _run(self, function: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    def _open(self, name: str) -> LocalFile:
        segments = segments_of(name)
        try:
            return self._read(name, segments)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise _missing(name) from None
        except OSError as error:
            if error.errno == errno.ELOOP:  # a symbolic link, which nobody put there through us
                raise _missing(name) from None
            raise

    def _read(self, name: str, segments: tuple[str, ...]) -> LocalFile:
        with self._parent(segments) as parent:
            handle = os.open(segments[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        file = os.fdopen(handle, "rb", buffering=0)
        try:
            label = Label.read(file.read(LABEL_BYTES))
            if label is None or os.fstat(handle).st_size != LABEL_BYTES + label.size:
                raise _damaged(name)
        except BaseException:
            file.close()
            raise
        return LocalFile(label.info(name), label, file, self._threads)

    def _write(self, segments: tuple[str, ...], label: Label, fill: Callable[[BinaryIO], object]) -> None:
        incoming = Incoming(self._folder / _INCOMING)
        try:
            with full_disk_is_told():
                fill(incoming.file)
            self._commit(incoming, segments, label)
        finally:
            incoming.discard()

    def _commit(self, incoming: Incoming, segments: tuple[str, ...], label: Label, once: bool = False) -> None:
        with full_disk_is_told(), self._parent(segments, make=True) as parent:
            incoming.finish(label)
            try:
                with may_change(self._folder):
                    if once:
                        # A second name for the file, which is refused if there is one; the first goes with `discard`.
                        os.link(incoming.path, segments[-1], dst_dir_fd=parent, follow_symlinks=False)
                    else:
                        os.rename(incoming.path, segments[-1], dst_dir_fd=parent)
            except FileExistsError:
                raise already_sent() from None
            except IsADirectoryError:
                raise FileNameError(f"{'/'.join(segments)!r} is the beginning of other names") from None
            os.fsync(parent)

    @contextmanager
    def _parent(self, segments: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        """The folder a file is in, entered step by step, so that no step can be a link that leads elsewhere."""
        current = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for segment in segments[:-1]:
                if make:
                    _make_folder(segment, current)
                try:
                    inner = os.open(segment, _DIRECTORY, dir_fd=current)
                except NotADirectoryError:
                    if make:
                        raise FileNameError(f"{'/'.join(segments)!r} begins with the name of a file") from None
                    raise
                os.close(current)
                current = inner
            yield current
        finally:
            os.close(current)


@dataclass(frozen=True, slots=True)
class UploadTerms:
    """What an upload may be."""

    most_bytes: int
    content_type: str
    then: str | None


def _make_folder(segment: str, parent: int) -> None:
    with suppress(FileExistsError):
        os.mkdir(segment, 0o700, dir_fd=parent)
        os.fsync(parent)


def already_sent() -> Conflict:
    """The refusal of a second file for one link."""
    return Conflict("A file has arrived here already. Open the page again for a new link.", code="already_sent")


def _missing(name: str) -> NotFound:
    return NotFound(f"There is no file {name}.")


def _damaged(name: str) -> Unavailable:
    _log.error("the file %s is damaged: its content is not what its label says", name)
    return Unavailable(f"The file {name} is damaged.", code="file_damaged")
