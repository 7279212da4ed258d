"""A data folder without its file of tables: never used, or robbed of it."""

from __future__ import annotations

from pathlib import Path

from partita.engine.database import FILE_NAME

_SIGNS = ("secret", "cursor-keys", "search.db", f"{FILE_NAME}-wal")
_FOLDERS = ("files", "large-values", "backups")


def left_behind(folder: Path) -> tuple[str, ...]:
    """What a folder has beside tables, if they are not there: it had some, then."""
    if (folder / FILE_NAME).exists() or not folder.is_dir():
        return ()
    with_files = (name for name in _FOLDERS if any(path.is_file() for path in (folder / name).rglob("*")))
    return (*(name for name in _SIGNS if (folder / name).exists()), *with_files)


def lost_tables(folder: Path) -> str | None:
    """What to do about a folder whose tables are gone; None if there is nothing to say."""
    found = left_behind(folder)
    if not found:
        return None
    return (
        f"{folder.resolve()} has {', '.join(found)}, but {FILE_NAME} with the tables is gone. Put it back, or restore "
        "a backup into another folder; partita serve --new begins with empty tables."
    )
