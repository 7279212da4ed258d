"""Signing keys: one for each purpose, all made of the settings' secret, so that they outlive processes."""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from partita.kit.settings import Settings, SettingsError, secrets_in

_FILE = "secret"


def signing_keys(settings: Settings, purpose: str) -> tuple[bytes, ...]:
    """Keys for one purpose: the first signs, all of them verify, so that a secret can be changed without a break."""
    known = secrets_in(settings.secret) or (_kept_secret(settings.data),)
    return tuple(hmac.digest(secret.encode(), f"partita {purpose}".encode(), "sha256") for secret in known)


def _kept_secret(folder: Path) -> str:
    """The secret of the data folder, made by whoever comes first; readable by its owner alone."""
    file = folder / _FILE
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _make(file)
    kept = file.read_text().strip()
    if len(kept) < 32:
        raise SettingsError(f"{file} holds no secret. Delete it, and a new one is made; signed links then end.")
    return kept


def _make(file: Path) -> None:
    # A link is made whole or not at all, and only once: whoever else starts now reads the same secret.
    handle, name = tempfile.mkstemp(prefix=".secret-", dir=file.parent)  # nobody else may read it
    try:
        with os.fdopen(handle, "w") as new:
            new.write(secrets.token_urlsafe(48) + "\n")
            new.flush()
            os.fsync(new.fileno())
        with suppress(FileExistsError):
            os.link(name, file)
    finally:
        Path(name).unlink()
