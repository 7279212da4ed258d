"""Folders for copies of the tables as of one moment, which nobody may keep longer than they are looked at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from partita.held_folders import alone_in, may_change
from partita.private_files import folder_of_owner

_FOLDER = ".recounts"


@contextmanager
def folder_for_copy(data: Path) -> Iterator[Path]:
    """A folder of one's own beside the tables; several processes may have one each."""
    copies = data / _FOLDER
    folder_of_owner(data, copies)
    with may_change(copies), TemporaryDirectory(dir=copies) as own:
        yield Path(own)


def clear_copies(data: Path) -> None:
    """Delete what was left by a process that was killed: everybody is in it as they were then. Those in use stay."""
    copies = data / _FOLDER
    if copies.is_dir():
        with suppress(OSError), alone_in(copies) as alone:
            for each in copies.iterdir() if alone else ():
                shutil.rmtree(each, ignore_errors=True)
