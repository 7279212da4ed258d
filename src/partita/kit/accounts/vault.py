"""Secrets that must be read again, and so cannot be digests: encrypted with a key that is not in the table.

The library is imported with the first secret: it takes 7 MB, and most people have none.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode

from partita.kit.keys import signing_keys
from partita.kit.settings import Settings

_NONCE = 12


class Vault:
    """Encrypts with the first secret of the settings and decrypts with any of them (AES-256-GCM)."""

    def __init__(self, settings: Settings, purpose: str) -> None:
        self._settings = settings
        self._purpose = purpose

    def lock(self, owner: str, secret: bytes) -> str:
        """A secret as it is stored; only its owner's can be unlocked as theirs."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = secrets.token_bytes(_NONCE)
        key = signing_keys(self._settings, self._purpose)[0]
        return urlsafe_b64encode(nonce + AESGCM(key).encrypt(nonce, secret, owner.encode())).decode()

    def unlock(self, owner: str, stored: str) -> bytes | None:
        """The secret; None if it is somebody else's, or none of our keys opens it."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        raw = urlsafe_b64decode(stored)
        for key in signing_keys(self._settings, self._purpose):
            try:
                return AESGCM(key).decrypt(raw[:_NONCE], raw[_NONCE:], owner.encode())
            except InvalidTag:
                continue
        return None
