"""Keys that last, so that a cursor outlives the store object that gave it: from a setting, or from the data folder."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from partita.lasting import sync
from partita.private_files import close_to_others
from partita.table.cursors import CursorKeys

VARIABLE = "PARTITA_CURSOR_KEYS"
_FILE = "cursor-keys"
_BYTES = 32


def set_keys() -> CursorKeys | None:
    """The keys in PARTITA_CURSOR_KEYS, hexadecimal and separated by commas; the first signs, all verify."""
    given = os.environ.get(VARIABLE, "").replace(" ", "")
    if not given:
        return None
    try:
        return CursorKeys(*(bytes.fromhex(key) for key in given.split(",")))
    except ValueError:
        raise ValueError(
            f"{VARIABLE} must be keys of at least 16 random bytes each in hexadecimal, separated by commas: make one "
            "with python -c 'import secrets; print(secrets.token_hex(32))'"
        ) from None


def lasting_keys(folder: Path) -> CursorKeys:
    """The keys of the setting, or those of a data folder, made there by whoever opens it first."""
    return set_keys() or CursorKeys(_kept(folder / _FILE))


def _kept(path: Path) -> bytes:
    """The key in a file; only its owner can read it. It is there whole or not at all, however many make it at once."""
    close_to_others(path)
    try:
        return bytes.fromhex(path.read_text())
    except FileNotFoundError:
        pass
    new = path.with_name(f".{path.name}-{os.getpid()}-{secrets.token_hex(8)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(new, path)
    finally:
        new.unlink()
    sync(path.parent)
    return bytes.fromhex(path.read_text())
