"""Restoring a backup into a new data folder."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from partita.engine.database import FILE_NAME
from partita.engine.openings import lock_of
from partita.engine.rewind import rewind
from partita.engine.snapshot import Snapshot, renew_records
from partita.kit.backup.errors import BackupError, check_name
from partita.kit.backup.manifest import FOLDERS, KEYS, BackedUpFile, BackedUpTable, Manifest
from partita.kit.backup.reading import Backup, Progress, open_backup
from partita.kit.backup.writing import sync_folders, write_file
from partita.lasting import sync
from partita.private_files import private_folder
from partita.store.files import LARGE_VALUES, put_back

_RESTORING = ".restoring"
OnKept = Callable[[tuple[str, ...]], None]
"""Told the tables that stay as they are now, since their changes are not kept."""


def restore(
    folder: Path,
    data: Path,
    *,
    passphrase: str | None = None,
    at: datetime | None = None,
    progress: Progress = lambda _what, _done, _total: None,
    on_kept: OnKept = lambda _names: None,
) -> Manifest:
    """Restore a backup into an empty or new folder; nothing is written before everything was checked. Its tables can be
    taken further back, to the end of a second, as far as it has their changes; tables without any stay as they are."""
    check_empty(data)
    backup = open_backup(folder, passphrase)
    manifest = backup.manifest
    backup.check(progress)
    with new_data(data, manifest.bytes) as staging:
        _write(backup, staging, progress)
        return finished(staging, manifest, at, progress, on_kept)


def finished(staging: Path, manifest: Manifest, at: datetime | None, progress: Progress, on_kept: OnKept) -> Manifest:
    """Take the tables back to a moment, if one is given, and make the records of their streams as young as then."""
    moment = manifest.moment.timestamp()
    if at is not None:
        second = int(at.timestamp())
        on_kept(rewind(staging, second, moment, lambda done, total: progress("undoing", done, total)))
        with Snapshot(staging / FILE_NAME) as snapshot:
            tables = tuple(
                BackedUpTable(name=each.name, items=each.items, bytes=each.bytes) for each in snapshot.tables()
            )
        put_back(staging / LARGE_VALUES)
        moment = second + 1.0
        manifest = manifest.model_copy(update={"tables": tables, "moment": datetime.fromtimestamp(second, UTC)})
    renew_records(staging / FILE_NAME, moment, time.time())
    return manifest


@contextmanager
def new_data(data: Path, needed: int = 0) -> Iterator[Path]:
    """A folder to fill, which is in its place as a data folder when it is complete and on the disk."""
    made = not data.exists()
    private_folder(data)
    try:
        _check_room(data, needed)
        # Within the folder, which may be a mount that no other can take the place of. The tables come last: a folder
        # without them is no data folder yet.
        staging = data / _RESTORING
        staging.mkdir(mode=0o700)
        yield staging
        sync(staging / FILE_NAME)
        sync_folders(staging)
        for name in (*FOLDERS, *KEYS, FILE_NAME):
            if (staging / name).exists():
                (staging / name).rename(data / name)
        lock_of(staging / FILE_NAME).unlink(missing_ok=True)
        staging.rmdir()
        sync(data)
    except BaseException:
        shutil.rmtree(data / _RESTORING, ignore_errors=True)
        if made and not any(data.iterdir()):
            data.rmdir()
        raise


def check_empty(data: Path) -> None:
    check_name(data)
    if data.exists() and not data.is_dir():
        raise BackupError(f"{data} is a file. Name a new folder.")
    inside = sorted(entry.name for entry in data.iterdir() if not _of_a_mount(entry)) if data.exists() else []
    if inside == [_RESTORING]:
        raise BackupError(f"A restore into {data} was interrupted. Delete {data / _RESTORING} and start again.")
    if inside:
        raise BackupError(f"{data} is not empty: it has {inside[0]}. Name a new folder; nothing is overwritten.")


def _of_a_mount(entry: Path) -> bool:
    """`lost+found`, which a new ext4 file system has; only root may look into it."""
    if entry.name != "lost+found":
        return False
    try:
        return not any(entry.iterdir())
    except PermissionError:
        return True
    except NotADirectoryError:
        return False


def _check_room(data: Path, needed: int) -> None:
    free = shutil.disk_usage(data).free
    if free < needed:
        raise BackupError(f"The backup needs {needed:,} bytes, and {data} has {free:,}. Free some space.")


def _write(backup: Backup, target: Path, progress: Progress) -> None:
    done = 0

    def told(file: BackedUpFile) -> Iterator[bytes]:
        nonlocal done
        for chunk in backup.chunks(file):
            done += len(chunk)
            progress("restoring", done, backup.manifest.bytes)
            yield chunk

    for file in backup.manifest.files:
        write_file(target / file.path, told(file))
