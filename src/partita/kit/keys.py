"""Signing keys: one for each purpose, derived from the secret in the settings or the data folder."""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from partita.kit.settings import Settings, SettingsError, secrets_in
from partita.lasting import make_folders, sync
from partita.private_files import close_to_others

_FILE = "secret"
_PLACE = "place"


def signing_keys(settings: Settings, purpose: str) -> tuple[bytes, ...]:
    """Keys for one purpose: the first signs, all of them verify, so that a secret can be rotated."""
    all_secrets = secrets_in(settings.secret) or (_kept_secret(settings.data),)
    return tuple(hmac.digest(secret.encode(), f"partita {purpose}".encode(), "sha256") for secret in all_secrets)


def place_of(settings: Settings) -> str:
    """The random name of this data folder, which tells machines apart; it is not secret."""
    return _kept(settings.data / _PLACE, lambda: secrets.token_hex(8))


def _kept_secret(folder: Path) -> str:
    """The data folder's secret, made at the first start; only its owner can read it."""
    kept = _kept(folder / _FILE, lambda: secrets.token_urlsafe(48))
    if len(kept) < 32:
        raise SettingsError(
            f"{folder / _FILE} contains no valid secret. Delete it to get a new one; links that are already signed"
            " stop working."
        )
    return kept


def _kept(file: Path, make: Callable[[], str]) -> str:
    if not file.exists():
        make_folders(file.parent)
        _make(file, make())
    close_to_others(file)
    return file.read_text().strip()


def _make(file: Path, text: str) -> None:
    # Linking is atomic and happens once: another process that starts now reads the same secret.
    handle, name = tempfile.mkstemp(prefix=".secret-", dir=file.parent)  # nobody else may read it
    try:
        with os.fdopen(handle, "w") as new:
            new.write(text + "\n")
            new.flush()
            os.fsync(new.fileno())
        with suppress(FileExistsError):
            os.link(name, file)
    finally:
        Path(name).unlink()
    sync(file.parent)
