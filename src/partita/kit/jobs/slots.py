"""How many child processes run at once on this machine, whichever process starts them."""

from __future__ import annotations

import asyncio
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

_LOOK_AGAIN = 0.02
_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def most_children() -> int:
    """One core stays for serving, if there are several."""
    return max(1, len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)) - 1)


@asynccontextmanager
async def slot() -> AsyncIterator[None]:
    """A place for one child process. Within this process first come is first served; processes share the places by
    locked files, which the kernel unlocks when a process is killed."""
    queue = _queues.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(most_children()))
    async with queue:
        locked = await _locked()
        try:
            yield
        finally:
            os.close(locked)


async def _locked() -> int:
    folder = _folder()
    while True:
        for number in range(most_children()):
            file = os.open(folder / f"child-{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return file
            except BlockingIOError:
                os.close(file)
        await asyncio.sleep(_LOOK_AGAIN)


def _folder() -> Path:
    """Ours alone: in a folder that everybody may write to, another could have put a link in its place."""
    folder = Path(tempfile.gettempdir()) / f"partita-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if about.st_uid != os.getuid() or folder.is_symlink():
        raise PermissionError(f"{folder} belongs to somebody else. Remove it, or set TMPDIR.")
    return folder
