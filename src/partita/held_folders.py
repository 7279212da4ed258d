"""Keeping files as they are for a moment: whoever adds or deletes one asks the folder first, a backup holds it.

Both use an advisory lock on the folder itself, which ends with the process, so nothing is left behind by a crash.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def may_change(folder: Path) -> Iterator[None]:
    """Give a file its name or delete it in here; waits while somebody holds the folder, and for nobody else."""
    with _locked(folder, exclusive=False):
        yield


@contextmanager
def nothing_changes(*folders: Path) -> Iterator[None]:
    """As long as this lasts, no file comes or goes in these folders. Keep it short."""
    with ExitStack() as held:
        for folder in folders:
            held.enter_context(_locked(folder, exclusive=True))
        yield


@contextmanager
def alone_in(folder: Path) -> Iterator[bool]:
    """Whether this process is the only one that works in a folder; it is not waited for others."""
    with _locked(folder, exclusive=True, wait=False) as alone:
        yield alone


@contextmanager
def _locked(folder: Path, *, exclusive: bool, wait: bool = True) -> Iterator[bool]:
    if sys.platform == "win32":  # has no such locks, and deletes no file that somebody reads
        yield True
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)
