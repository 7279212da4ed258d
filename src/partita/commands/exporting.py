"""What is held about somebody, with their files: in a folder, in a zip, or as JSON alone."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol
from urllib.parse import urljoin
from zipfile import ZIP_DEFLATED, ZipFile

from partita.kit.files.files import StoredFile
from partita.kit.files.names import FileNameError, segments_of
from partita.kit.problems import Conflict, NotFound
from partita.private_files import private_file, private_folder

_DOCUMENT = "data.json"
_FOLDER = "files"


class _Files(Protocol):
    async def load(self, name: str) -> StoredFile: ...

    def url(self, name: str) -> str: ...


class Parcel:
    """Something new to write: nothing is overwritten, and it is there when it is whole."""

    def __init__(self, to: Path, files: _Files, base_url: str) -> None:
        if to.exists() or to.is_symlink():
            raise Conflict(f"{to} is there already. Name something new with --to; nothing is overwritten.")
        self._to = to
        self._files = files
        self._base_url = base_url
        self._alone = to.suffix.lower() == ".json"
        self._names: list[str] = []
        self.missing: list[str] = []
        """Files that are named and not there."""

    @property
    def beside(self) -> int:
        """The files that are not in it."""
        return len(self._names) if self._alone else 0

    def link_to(self, name: str) -> str:
        """What the document says of a file: where it is beside the document, or a link to it."""
        segments_of(name)
        self._names.append(name)
        return urljoin(self._base_url, self._files.url(name)) if self._alone else f"{_FOLDER}/{name}"

    async def write(self, pieces: AsyncIterator[bytes]) -> None:
        """Write it under another name until it is whole."""
        draft = self._to.with_name(f".{self._to.name}.partial-{secrets.token_hex(4)}")
        try:
            await (self._write_document(draft, pieces) if self._alone else self._write_folder(draft, pieces))
            if self._to.suffix.lower() == ".zip":
                packed = draft.with_name(f"{draft.name}.zip")
                try:
                    _pack(draft, packed)
                    os.rename(packed, self._to)
                finally:
                    packed.unlink(missing_ok=True)
            else:
                os.rename(draft, self._to)
        finally:
            if draft.is_dir():
                shutil.rmtree(draft)
            else:
                draft.unlink(missing_ok=True)

    async def _write_document(self, file: Path, pieces: AsyncIterator[bytes]) -> None:
        private_file(file)
        with file.open("wb") as opened:
            async for piece in pieces:
                opened.write(piece)

    async def _write_folder(self, folder: Path, pieces: AsyncIterator[bytes]) -> None:
        private_folder(folder)
        await self._write_document(folder / _DOCUMENT, pieces)
        for name in self._names:
            try:
                stored = await self._files.load(name)
            except (NotFound, FileNameError):
                self.missing.append(name)
                continue
            file = folder / _FOLDER / name
            private_folder(file.parent)
            private_file(file)
            file.write_bytes(stored.data)


def _pack(folder: Path, target: Path) -> None:
    private_file(target)
    with ZipFile(target, "w", ZIP_DEFLATED) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            packed.write(file, file.relative_to(folder).as_posix())
