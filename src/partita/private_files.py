"""Files and folders that only their owner can read, whatever the umask is and whoever made them before."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

from partita.lasting import make_folders

_log = logging.getLogger(__name__)
_OTHERS = 0o077


def private_folder(folder: Path) -> None:
    """Make a folder for its owner alone; one that was there before is closed to others."""
    if folder.is_dir():
        close_to_others(folder)
    else:
        make_folders(folder)


def folder_of_owner(data: Path, folder: Path) -> None:
    """Make a folder that whoever owns the data uses too, though somebody else, such as root, makes it."""
    new = not folder.exists()
    private_folder(folder)
    owner = data.stat()
    if new and os.name == "posix" and owner.st_uid != os.geteuid():
        os.chown(folder, owner.st_uid, owner.st_gid)


def private_file(file: Path) -> None:
    """Make an empty file for its owner alone, before anything is written to it; one that was there before is closed to
    others. SQLite gives the files beside its own the same mode."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        close_to_others(file)


def close_to_others(*paths: Path) -> None:
    """Take away what others may do with files and folders of ours; what cannot be changed is told."""
    for path in paths:
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
        except FileNotFoundError:
            continue
        if os.name != "posix" or not mode & _OTHERS:
            continue
        try:
            path.chmod(mode & ~_OTHERS)
        except OSError as error:
            _log.warning("others may read %s (mode %o), and that cannot be changed: %s", path, mode, error)
        else:
            _log.warning("others could read %s (mode %o); now only its owner can", path, mode)


def tell_if_open(folder: Path) -> None:
    """Warn about a folder that others may enter: it was there before, and may hold more than ours."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if os.name == "posix" and mode & _OTHERS:
        _log.warning(
            "others may look into %s (mode %o): run chmod 700 %s, if it holds nothing else", folder, mode, folder
        )
