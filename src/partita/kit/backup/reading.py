"""Reading a backup: its header, its manifest, and its files, each with its digest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from pydantic import ValidationError

from partita.kit.backup.errors import BackupError, changed
from partita.kit.backup.manifest import FORMAT, HEADER, BackedUpFile, Header, Manifest
from partita.kit.backup.measuring import Measure, read_chunks

if TYPE_CHECKING:
    from partita.kit.backup.sealing import Seal

Progress = Callable[[str, int, int], None]
"""Told what is done, and how many bytes of how many."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup whose manifest was read, and is as it was written."""

    folder: Path
    manifest: Manifest
    seal: Seal | None

    def chunks(self, file: BackedUpFile) -> Iterator[bytes]:
        """A file's content. Whoever has read it to its end without an error has what was backed up."""
        measure = Measure()
        yield from measure.of(_content(self.folder, file.stored, self.seal))
        if (measure.bytes, measure.sha256) != (file.bytes, file.sha256):
            raise changed(file.stored)

    def check(self, progress: Progress) -> None:
        """Read everything once; nothing is written."""
        done = 0
        for file in self.manifest.files:
            for chunk in self.chunks(file):
                done += len(chunk)
                progress("checking", done, self.manifest.bytes)


def is_encrypted(folder: Path) -> bool:
    """Whether a passphrase is needed."""
    return _header(folder).encryption is not None


def open_backup(folder: Path, passphrase: str | None) -> Backup:
    """A backup, by its folder."""
    header = _header(folder)
    seal = None
    if header.encryption is not None:
        if passphrase is None:
            raise BackupError(f"{folder} is encrypted. Give its passphrase.")
        from partita.kit.backup.sealing import Seal  # only whoever encrypts needs its packages

        seal = Seal(passphrase, header.encryption)
    name = manifest_name(encrypted=seal is not None)
    stored = _whole(folder / name)
    if sha256(stored).hexdigest() != header.manifest:
        raise changed(name)
    try:
        text = b"".join(_content(folder, name, seal))
    except BackupError:
        # Its digest is right, so most likely it is the passphrase.
        raise BackupError("The passphrase is wrong, or the backup was changed. Nothing was restored.") from None
    try:
        return Backup(folder, Manifest.model_validate_json(text), seal)
    except ValidationError:
        raise changed(name) from None


def manifest_name(*, encrypted: bool) -> str:
    """The file of the manifest."""
    return "manifest.sealed" if encrypted else "manifest.json"


def _header(folder: Path) -> Header:
    if not folder.exists():
        raise BackupError(f"There is no folder {folder}.")
    if not (folder / HEADER).is_file():
        raise BackupError(f"{folder} is no backup: it has no {HEADER}. Name the folder that `partita backup` made.")
    text = _whole(folder / HEADER)
    try:
        known = orjson.loads(text)
        if isinstance(known, dict) and isinstance(known.get("format"), int) and known["format"] > FORMAT:
            raise BackupError(
                f"{folder} has format {known['format']}; this Partita knows up to {FORMAT}. Install a newer one."
            )
        return Header.model_validate_json(text)
    except (orjson.JSONDecodeError, ValidationError):
        raise changed(HEADER) from None


def _content(folder: Path, stored: str, seal: Seal | None) -> Iterator[bytes]:
    try:
        if seal is None:
            yield from read_chunks(folder / stored)
            return
        with (folder / stored).open("rb") as file:
            yield from seal.opened(stored, file)
    except (FileNotFoundError, NotADirectoryError):
        raise BackupError(f"{stored} is missing in the backup. Use another one.") from None


def _whole(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise BackupError(f"{file.name} is missing in the backup. Use another one.") from None
