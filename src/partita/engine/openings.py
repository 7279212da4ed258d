"""Who has a data file open: whoever opens it while others do must find the files beside it that they use.

SQLite makes a missing -shm or -wal anew. Two processes with different ones do not see each other's locks: both write,
and the file is destroyed. So each that has the file open holds a shared lock on a lock file that is never deleted. It
is opened and closed in turn, with a lock on the folder, so that nobody meets files that are just made or removed.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from partita.dynamo.errors import InternalServerError, StorageMissingError

_ENDS = ("", "-wal", "-shm")
_TURN_SECONDS = 60.0
_PAUSE_SECONDS = 0.002
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


def lock_of(file: Path) -> Path:
    """The lock file of a data file: hidden, so that whoever deletes the files beside it leaves this one."""
    real = Path(os.path.realpath(file))
    return real.with_name(f".{real.name}.lock")


class Opening:
    """One's use of a data file, from before it is opened until after it is closed."""

    def __init__(self, file: Path) -> None:
        self._file = os.path.realpath(file)
        self._handle = -1
        self._in_turn = False

    @contextmanager
    def begin(self, *, reads: bool = False) -> Iterator[None]:
        """Open the file in here; refused if others use files beside it that are not there any more. Whoever only
        `reads` may do so in a folder where nothing can be written."""
        if sys.platform == "win32":  # deletes no file that somebody has open
            yield
            return
        with self._turn():
            try:
                alone = self._join(reads=reads)
                yield
                if alone:
                    self._note()
            except BaseException:
                self._leave()
                raise

    @contextmanager
    def end(self) -> Iterator[None]:
        """Close the file in here."""
        if self._handle < 0:
            yield
            return
        with self._turn():
            try:
                yield
            finally:
                self._leave()

    def _join(self, *, reads: bool) -> bool:
        """Whether nobody else has the file open; from now on, this has."""
        import fcntl

        try:
            self._handle = _open(self._file)
        except OSError as error:
            if reads and error.errno in _READ_ONLY:
                return False
            raise InternalServerError(
                f"The data folder cannot be used ({error}). Check that it exists and is writable."
            ) from error
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(self._handle, fcntl.LOCK_SH)
        except BlockingIOError:
            fcntl.flock(self._handle, fcntl.LOCK_SH)
            self._check()
            return False
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
            return False
        return True

    def _check(self) -> None:
        """Others use the files that they have noted: they must be there."""
        noted = os.pread(self._handle, 200, 0).decode().split()
        for end, number in zip(_ENDS, noted or [""] * len(_ENDS), strict=False):
            found = _number(self._file + end)
            if found is None or (number and number != found):
                raise StorageMissingError(_told(os.path.basename(self._file + end)))

    def _note(self) -> None:
        """Which files are used from now on, by all who come before everybody has left."""
        numbers = " ".join(_number(self._file + end) or "0" for end in _ENDS).encode()
        with suppress(OSError):  # such as a full disk: then it counts only whether there are any
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, numbers, 0)

    def _leave(self) -> None:
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        import fcntl

        if self._in_turn:  # it is closed since it could not be opened
            yield
            return
        folder = os.open(os.path.dirname(self._file), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            until = time.monotonic() + _TURN_SECONDS
            while True:
                try:
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise InternalServerError(
                            "Another process has been opening or closing the data file for a minute. Try again."
                        ) from None
                    time.sleep(_PAUSE_SECONDS)
                except OSError as error:
                    if error.errno not in _WITHOUT_LOCKS:
                        raise
                    break
            self._in_turn = True
            yield
        finally:
            self._in_turn = False
            os.close(folder)


def _open(file: str) -> int:
    """The lock file; whoever owns the data file, or its folder, owns it too, though root may be the first to use it."""
    lock = str(lock_of(Path(file)))
    try:
        return os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if os.geteuid() == 0:
        owner = os.stat(file if os.path.exists(file) else os.path.dirname(file))
        with suppress(OSError):
            os.fchown(handle, owner.st_uid, owner.st_gid)
    return handle


def _number(file: str) -> str | None:
    try:
        return str(os.stat(file).st_ino)
    except FileNotFoundError:
        return None


def _told(name: str) -> str:
    if name.endswith(("-wal", "-shm")):
        remedy = "Stop all processes that use the folder, and start them again; nothing is lost."
    else:
        remedy = "Put it back, or stop them and restore a backup."
    return f"{name} was deleted or replaced while other processes use it; nothing was opened. {remedy}"
