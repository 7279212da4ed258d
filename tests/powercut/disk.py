"""A disk that keeps for certain only what was synced.

It watches a folder. Of every file it knows the content, and of every folder the names, as of their last fsync. At a cut
it writes what could be left into another folder: of everything that came later, each sector and each name is there, is
not there, or (a sector) is there in part. A synced file whose folder was not synced may have no name.
"""

from __future__ import annotations

import os
import random
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
_SQLITE = ".sqlite3"


class PowerCut(BaseException):
    """The power is gone: whoever works on the disk stops."""


@dataclass(slots=True)
class File:
    """A file as it is on the disk for certain."""

    handle: int
    """Keeps what was deleted readable."""
    size: int = 0
    changed: dict[int, bytes] = field(default_factory=dict)
    """What the sectors held that were written since, for files of SQLite, whose every write is seen."""
    content: bytes | None = b""
    """For other files, everything."""

    def now(self) -> bytes:
        return os.pread(self.handle, os.fstat(self.handle).st_size, 0)

    def track(self) -> None:
        """From now on every write is told."""
        if self.content is not None:
            self.size, self.changed, self.content = len(self.content), _differences(self.content, self.now()), None

    def will_write(self, offset: int, length: int) -> None:
        """Remember what is written over."""
        first, last = offset // SECTOR, (offset + length - 1) // SECTOR
        if any(sector not in self.changed for sector in range(first, last + 1)):
            before = os.pread(self.handle, (last - first + 1) * SECTOR, first * SECTOR)
            for sector in range(first, last + 1):
                start = (sector - first) * SECTOR
                self.changed.setdefault(sector, before[start : start + SECTOR])

    def synced(self) -> None:
        self.size = os.fstat(self.handle).st_size
        self.changed.clear()
        if self.content is not None:
            self.content = self.now()


Names = dict[str, int]
"""The inodes of a folder's entries."""


class Disk:
    """Watches everything below a folder; the power may be cut at the step that was chosen, or by `cut`."""

    def __init__(self, root: Path, image: Path, dice: random.Random, *, at_step: int | None = None) -> None:
        self.root = root.resolve()
        self.image = image
        self.lock = threading.RLock()
        self.is_cut = False
        self.steps = 0
        self.unsynced = 0
        """How many sectors and names were not synced when the power was cut."""
        self._at_step = at_step
        self._dice = dice
        self._files: dict[int, File] = {}
        self._folders: dict[int, Names] = {}
        for path, _, names in os.walk(self.root):
            self._folders[os.stat(path).st_ino] = _names(path)
            for name in names:
                file = self.file(Path(path, name))
                if _SQLITE in name:
                    file.track()
                file.synced()

    def watches(self, path: str | Path) -> bool:
        return not self.is_cut and Path(path).is_relative_to(self.root)

    def file(self, path: str | Path) -> File:
        """What is known of a file that is there now."""
        number = os.stat(path).st_ino
        if number not in self._files:
            self._files[number] = File(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        return self._files[number]

    def step(self) -> None:
        """Something is about to be written or synced; the power may be cut before."""
        self.steps += 1
        if self.steps == self._at_step:
            self.cut()

    def sync_folder(self, path: str | Path) -> None:
        """The names in a folder are safe."""
        self._folders[os.stat(path).st_ino] = _names(path)
        for entry in os.scandir(path):
            if entry.is_file(follow_symlinks=False):
                self.file(entry.path)  # so that it can be brought back if it is deleted

    def sync(self, handle: int) -> bool:
        """Stands in for os.fsync; whether the file or folder is on this disk."""
        path = os.readlink(f"/proc/self/fd/{handle}")
        with self.lock:
            if not self.watches(path):
                return False
            self.step()
            if not self.is_cut:
                if stat.S_ISDIR(os.fstat(handle).st_mode):
                    self.sync_folder(path)
                else:
                    self.file(path).synced()
            return True

    def cut(self, *, worst: bool = False) -> None:
        """Write what is left; nothing is watched from now on. At worst nothing is left but what was synced."""
        with self.lock:
            if self.is_cut:
                return
            self.is_cut = True
            keep = 0.0 if worst else self._dice.choice((0.0, 0.1, 0.5, 0.9))
            _Left(self._files, self._folders, self._dice, keep, self._count).write(self.root, self.image)

    def _count(self) -> None:
        self.unsynced += 1

    def close(self) -> None:
        for file in self._files.values():
            os.close(file.handle)
        self._files.clear()


class _Left:
    """What a cut leaves."""

    def __init__(
        self,
        files: dict[int, File],
        folders: dict[int, Names],
        dice: random.Random,
        keep: float,
        count: Callable[[], None],
    ) -> None:
        self._files, self._folders, self._dice, self._keep, self._count = files, folders, dice, keep, count
        self._block = dice.choice((SECTOR, 8 * SECTOR))
        """Disks write one or the other at a time."""
        self._paths: dict[int, str] = {}

    def write(self, root: Path, image: Path) -> None:
        for path, _, names in os.walk(root):
            for each in (path, *(os.path.join(path, name) for name in names)):
                self._paths[os.stat(each).st_ino] = each
        self._write_folder(root.stat().st_ino, image)

    def _write_folder(self, number: int, target: Path) -> None:
        target.mkdir(mode=0o700)
        safe = self._folders.get(number, {})
        now = _names(self._paths[number]) if number in self._paths else {}
        fate = self._fates()
        chosen: Names = {}
        for name in sorted({*safe, *now}):
            # A rename within a folder happens or does not: the file never has both names, nor none.
            old, new = safe.get(name), now.get(name)
            if old == new or fate(old if old is not None and old in now.values() else new or old or 0):
                if new is not None:
                    chosen[name] = new
            elif old is not None:
                chosen[name] = old
        for name, inode in chosen.items():
            if inode in self._files:
                self._write_file(self._files[inode], target / name)
            elif inode in self._folders or os.path.isdir(self._paths[inode]):
                self._write_folder(inode, target / name)
            else:
                with open(self._paths[inode], "rb") as opened:
                    self._write_file(File(opened.fileno()), target / name)

    def _fates(self) -> Callable[[int], bool]:
        """Whether what became of an inode's names is kept."""
        known: dict[int, bool] = {}

        def fate(inode: int) -> bool:
            self._count()
            return known.setdefault(inode, self._dice.random() < self._keep)

        return fate

    def _write_file(self, file: File, target: Path) -> None:
        now = file.now()
        size, changed = file.size, file.changed
        if file.content is not None:
            size, changed = len(file.content), _differences(file.content, now)
        length = size
        if len(now) != size and self._dice.random() < self._keep:
            length = len(now) if self._dice.random() < 0.5 else self._dice.randint(*sorted((len(now), size)))
        left = bytearray(now[:length].ljust(length, b"\0"))
        fates: dict[int, float] = {}
        for sector, before in sorted(changed.items()):
            self._count()
            start = sector * SECTOR
            fate = fates.setdefault(start // self._block, self._dice.random())
            if fate < self._keep and start < len(now):
                continue
            torn = self._dice.randrange(SECTOR) if self._keep and fate < self._keep + 0.1 and start < len(now) else 0
            old = before.ljust(SECTOR, b"\0")
            left[start + torn : start + SECTOR] = old[torn:]
        target.write_bytes(left[:length])
        target.chmod(0o600)


def _differences(before: bytes, now: bytes) -> dict[int, bytes]:
    sectors = range((max(len(before), len(now)) + SECTOR - 1) // SECTOR)
    parts = ((sector, slice(sector * SECTOR, (sector + 1) * SECTOR)) for sector in sectors)
    return {sector: before[part] for sector, part in parts if before[part] != now[part]}


def _names(path: str | Path) -> Names:
    return {entry.name: entry.inode() for entry in os.scandir(path)}
