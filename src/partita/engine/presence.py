"""Whether the files that were opened are still where they were.

To ask for each of three files before every commit took 40 of 280 microseconds of a durable write: after waiting for the
disk, to follow a path costs ten times what it does otherwise. A file cannot be deleted, moved or replaced without
changing the times of its folder, which is kept open and tells them for next to nothing. Only if a folder further up
is moved they stay, and the files with them: that is found out a hundredth of a second later.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

_SETTLED_SECONDS = 3.0
"""Two changes of a folder within its clock's grain (2 s on the coarsest file systems) leave the same time: it says
something only if the last one is longer ago."""
_LOOK_SECONDS = 0.01
"""The files are asked for by their paths so often, whatever the folder tells."""


class Presence:
    """Some files of one folder, as they were found first."""

    def __init__(self, files: Sequence[str]) -> None:
        self.files = tuple(files)
        self._identities = [_identity(file) for file in files]
        self._folder = os.open(os.path.dirname(files[0]), os.O_RDONLY | os.O_DIRECTORY)
        self._settled: tuple[int, int, int] | None = None
        """The folder as it was when all files were there."""
        self._until = 0.0

    def missing(self) -> str | None:
        """The first file that is not there any more, or is another one."""
        now = time.monotonic()
        try:
            folder = os.fstat(self._folder)
        except OSError:
            return self._look()  # it was closed
        # If the folder is moved itself, only the second time changes.
        state = (folder.st_ino, folder.st_mtime_ns, folder.st_ctime_ns)
        if state == self._settled and now < self._until:
            return None
        file = self._look()
        quiet = time.time() - max(folder.st_mtime, folder.st_ctime) > _SETTLED_SECONDS
        self._settled = state if quiet and file is None else None
        self._until = now + _LOOK_SECONDS
        return file

    def _look(self) -> str | None:
        for file, identity in zip(self.files, self._identities, strict=True):
            try:
                if _identity(file) != identity:
                    return file
            except (FileNotFoundError, NotADirectoryError):
                return file
        return None

    def close(self) -> None:
        """From now on every file is asked for."""
        handle, self._folder = self._folder, -1
        with suppress(OSError):  # closed before
            os.close(handle)


def _identity(file: str) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_dev, status.st_ino
