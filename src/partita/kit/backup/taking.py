"""Taking a backup while the suite is in use.

Files are saved before the item that names them is written, deleted after it is gone, and never changed in place. So all
files that the tables name at a moment are there at that moment: while no file comes or goes, the snapshot of the tables
begins and every file gets a second name (a hard link). After that everything can be copied without hurry.
"""

from __future__ import annotations

import errno
import logging
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from partita import __version__
from partita.engine.database import FILE_NAME
from partita.engine.snapshot import Snapshot
from partita.held_folders import alone_in, nothing_changes
from partita.kit.backup.errors import BackupError, check_name
from partita.kit.backup.manifest import (
    BACKUPS,
    FOLDERS,
    HEADER,
    KEYS,
    UPLOADS,
    BackedUpFile,
    BackedUpTable,
    Encryption,
    Header,
    Manifest,
)
from partita.kit.backup.measuring import Measure, read_chunks
from partita.kit.backup.reading import Progress, manifest_name
from partita.kit.backup.writing import make_folder, sync_folders, write_file
from partita.lasting import make_folders, sync
from partita.private_files import folder_of_owner
from partita.store.files import KEPT

if TYPE_CHECKING:
    from partita.kit.backup.sealing import Seal

_STAGING = ".backup"
_SPARE_BYTES = 64 * 1024 * 1024
"""What whoever serves the folder may need until the copy is gone."""
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
_log = logging.getLogger(__name__)


def back_up(
    data: Path,
    folder: Path,
    *,
    passphrase: str | None = None,
    encryption: Encryption | None = None,
    progress: Progress = lambda _what, _done, _total: None,
) -> Manifest:
    """Back up a data folder into a new folder, which is there when it is complete; with a passphrase, encrypted."""
    check_name(data)
    check_name(folder)
    if not is_data(data):
        raise BackupError(f"There are no tables in {data.resolve()}. Name the data folder with --data.")
    if folder.exists():
        raise BackupError(f"{folder} is there already. Name a new folder; a backup is never written over another.")
    if folder.resolve().is_relative_to(data.resolve()):
        raise BackupError(f"{folder} is within the data folder. Name one outside, best on another disk.")
    seal = None
    if passphrase is not None:
        from partita.kit.backup.sealing import Seal, check_passphrase, new_encryption  # of the suite's packages

        check_passphrase(passphrase)
        encryption = encryption or new_encryption()
        seal = Seal(passphrase, encryption)
    with beside(data) as staging, _partial(folder) as partial:
        writing = Writing(partial, seal, progress)
        manifest = copy_all(data, staging, writing)
        writing.finish(manifest, encryption if seal is not None else None)
    return manifest


def is_data(folder: Path) -> bool:
    """Whether a folder has tables."""
    return (folder / FILE_NAME).is_file()


def copy_all(data: Path, staging: Path, writing: Writing) -> Manifest:
    """Everything as of one moment."""
    folders = [data / name for name in FOLDERS]
    for folder in folders:
        folder_of_owner(data, folder)
    with ExitStack() as opened:
        with nothing_changes(*folders):
            snapshot = opened.enter_context(Snapshot(data / FILE_NAME))
            linked = [name for name in _whole_files(data, snapshot) if _link(data / name, staging / name)]
        copy = snapshot.size if writing.seal is not None else 0
        if copy:
            _check_room(staging, copy)
        writing.expect(snapshot.size + sum((staging / name).stat().st_size for name in linked))
        writing.leave_room(staging, copy)
        tables = tuple(BackedUpTable(name=each.name, items=each.items, bytes=each.bytes) for each in snapshot.tables())
        writing.take_made(FILE_NAME, staging, lambda target: snapshot.copy(target, writing.pages))
    for name in linked:
        writing.take(name, staging / name)
        (staging / name).unlink()
    for name in KEYS:
        if (data / name).is_file():
            writing.take(name, data / name)
    moment = datetime.fromtimestamp(snapshot.moment, UTC)
    return Manifest(partita=__version__, moment=moment, tables=tables, files=tuple(writing.files))


def _check_room(staging: Path, needed: int) -> None:
    """For the plain copy of the tables, beside those that are served."""
    free = shutil.disk_usage(staging).free
    if free < needed + _SPARE_BYTES:
        raise BackupError(
            f"An encrypted backup needs {needed + _SPARE_BYTES:,} bytes in {staging.parent} for a copy of the tables "
            f"meanwhile, and there are {free:,}. Free some space, or make one that is not encrypted."
        )


def _whole_files(data: Path, snapshot: Snapshot) -> Iterator[str]:
    """The files of a data folder, and those that were deleted and are kept; others with a dot are on their way."""
    for name in snapshot.backups():
        yield f"{BACKUPS}/{name}"
    for folder in UPLOADS:
        for current, below, names in os.walk(data / folder, onerror=_refuse):
            below[:] = sorted(name for name in below if name == KEPT or not name.startswith("."))
            for name in sorted(names):
                file = Path(current, name)
                if not name.startswith(".") and not file.is_symlink():
                    yield file.relative_to(data).as_posix()


def _refuse(error: OSError) -> None:
    raise error


def _link(file: Path, target: Path) -> bool:
    """Give a file a second name. One that is gone although nobody may delete it is told."""
    make_folder(target.parent)
    try:
        os.link(file, target, follow_symlinks=False)
    except FileNotFoundError:
        _log.warning("%s is missing, and so it is in the backup", file)
        return False
    except OSError:  # a file system without links
        shutil.copyfile(file, target)
    return True


@contextmanager
def beside(data: Path) -> Iterator[Path]:
    """A folder beside the files, for their second names; one backup at a time has it."""
    staging = data / _STAGING
    try:
        folder_of_owner(data, staging)
        if not os.access(staging, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        if error.errno not in _READ_ONLY:
            raise
        raise BackupError(
            f"Nothing can be written in {data} ({error.strerror}), where a backup gives files second names. If that"
            " cannot be changed, stop whoever serves it, copy it as it is"
            f" (cp -a {quote(str(data))} COPY), and back up the copy."
        ) from None
    with alone_in(staging) as alone:
        if not alone:
            raise BackupError(f"Another backup of {data} is running. Wait until it is done.")
        _empty(staging)  # one that was killed may have left something
        try:
            yield staging
        finally:
            _empty(staging)


def clear_left_behind(data: Path) -> None:
    """Delete what a backup left that was killed: a copy of what was there then. One that runs is left alone."""
    staging = data / _STAGING
    if staging.is_dir():
        with suppress(OSError), alone_in(staging) as alone:
            if alone:
                _empty(staging)


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


@contextmanager
def _partial(folder: Path) -> Iterator[Path]:
    """The backup under another name until it is complete."""
    make_folders(folder.parent)
    partial = folder.with_name(f".{folder.name}.partial-{secrets.token_hex(4)}")
    partial.mkdir(mode=0o700)
    try:
        yield partial
        sync_folders(partial)
        partial.rename(folder)
        sync(folder.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@dataclass(slots=True)
class Writing:
    """The files of a backup while they are written."""

    folder: Path
    seal: Seal | None
    progress: Progress
    files: list[BackedUpFile] = field(default_factory=list)
    _done: int = 0
    _total: int = 0

    def expect(self, total: int) -> None:
        """How much will be written; refused if there is no room for it."""
        self._total = total
        free = shutil.disk_usage(self.folder).free
        if free < total:
            raise BackupError(
                f"The backup needs {total:,} bytes, and {self.folder.parent} has {free:,}. Name a folder elsewhere."
            )

    def leave_room(self, staging: Path, copy: int) -> None:
        """On the disk that is served from, to whoever serves it, and to the copy of the tables if one is made there."""
        if os.stat(self.folder).st_dev != os.stat(staging).st_dev:
            return
        needed, free = self._total + copy + _SPARE_BYTES, shutil.disk_usage(self.folder).free
        if free < needed:
            raise BackupError(
                f"On the disk of {staging.parent} it needs {needed:,} bytes, of which {_SPARE_BYTES:,} are left to"
                f" whoever serves it, and there are {free:,}. Name a folder on another disk."
            )

    def pages(self, done: int, total: int) -> None:
        self.progress("tables", done, total)

    def take(self, path: str, source: Path) -> None:
        """Write a file of the data folder into the backup."""
        measure, stored = Measure(), self._stored(path)
        chunks = measure.of(self._noted(read_chunks(source)))
        write_file(self.folder / stored, chunks if self.seal is None else self.seal.sealed(stored, chunks))
        self._add(path, measure, stored)

    def take_made(self, path: str, staging: Path, make: Callable[[Path], None]) -> None:
        """Write a file that is made for the backup; if it is encrypted, it is made beside the data first."""
        if self.seal is not None:
            make(staging / path)
            self.take(path, staging / path)
            return
        measure, stored = Measure(), self._stored(path)
        target = self.folder / stored
        make_folder(target.parent)
        make(target)
        for _ in measure.of(self._noted(read_chunks(target))):
            pass
        sync(target)
        self._add(path, measure, stored)

    def finish(self, manifest: Manifest, encryption: Encryption | None) -> None:
        """Write what the backup says of itself; without it, it is none."""
        name = manifest_name(encrypted=self.seal is not None)
        text = [manifest.model_dump_json(indent=2).encode()]
        write_file(self.folder / name, text if self.seal is None else self.seal.sealed(name, text))
        digest = sha256((self.folder / name).read_bytes()).hexdigest()
        header = Header(format=manifest.format, encryption=encryption, manifest=digest)
        write_file(self.folder / HEADER, [header.model_dump_json().encode()])

    def _stored(self, path: str) -> str:
        """Where a file is in the backup; an encrypted one has no name that says something."""
        return f"data/{path}" if self.seal is None else f"sealed/{len(self.files) + 1:08}"

    def _add(self, path: str, measure: Measure, stored: str) -> None:
        self.files.append(BackedUpFile(path=path, bytes=measure.bytes, sha256=measure.sha256, stored=stored))

    def _noted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._done += len(chunk)
            self.progress("copying", self._done, max(self._total, self._done))
            yield chunk
