"""SQLite on such a disk: a VFS that tells it of every write and sync, and nothing waits for the real disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import apsw

from partita.engine import write_ahead_log
from tests.powercut.disk import Disk, File

_WITH_ITS_FOLDER = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL | apsw.SQLITE_OPEN_WAL


@contextmanager
def on(disk: Disk) -> Iterator[None]:
    """Whoever opens a file of SQLite, or syncs any other, does so on this disk, if it is in its folder."""
    usual = apsw.vfs_names()[0]
    real, real_zeros = os.fsync, write_ahead_log.write_zeros

    def fsync(handle: int) -> None:
        if not disk.sync(handle) and not disk.is_cut:
            real(handle)

    def write_zeros(handle: int, offset: int, length: int) -> None:
        path = os.readlink(f"/proc/self/fd/{handle}")
        with disk.lock:
            if disk.watches(path):
                disk.step()
            if disk.watches(path):
                disk.file(path).will_write(offset, length)
            real_zeros(handle, offset, length)

    vfs = _Vfs(disk, usual)
    apsw.set_default_vfs(vfs.name)
    try:
        with patch("os.fsync", fsync), patch.object(write_ahead_log, "write_zeros", write_zeros):
            yield
    finally:
        apsw.set_default_vfs(usual)
        vfs.unregister()


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk, base: str) -> None:
        self.name = f"partita-powercut-{id(disk)}"
        self._disk = disk
        self._base = base
        super().__init__(self.name, base)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None or not self._disk.watches(path):
            return apsw.VFSFile(self._base, name, flags)
        return _File(self._disk, path, self._base, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        with self._disk.lock:
            watched = self._disk.watches(filename)
            if watched:
                self._disk.step()
            super().xDelete(filename, syncdir and not watched)
            if watched and syncdir and not self._disk.is_cut:
                self._disk.sync_folder(os.path.dirname(filename))


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, path: str, base: str, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        asked = flags[0]
        super().__init__(base, name, flags)
        self._disk = disk
        # SQLite syncs the folder of a journal with the first sync of the journal, if it may have created it.
        self._folder = os.path.dirname(path) if asked & apsw.SQLITE_OPEN_CREATE and asked & _WITH_ITS_FOLDER else None
        with disk.lock:
            self._file: File = disk.file(path)
            self._file.track()

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        with self._disk.lock:
            self._disk.step()
            if not self._disk.is_cut:
                self._file.will_write(offset, len(data))
            super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        with self._disk.lock:
            self._disk.step()
            size = self.xFileSize()
            if not self._disk.is_cut and size > newsize:
                self._file.will_write(newsize, size - newsize)
            super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        with self._disk.lock:
            self._disk.step()
            if self._disk.is_cut:
                return
            self._file.synced()
            if self._folder is not None:
                self._disk.sync_folder(self._folder)
                self._folder = None
