"""Encryption: a key from a passphrase (scrypt), and files in chunks of AES-GCM whose order and end are authenticated.

Every file has a key of its own, made from its name: no file can take another's place. Within a file the nonce is the
number of the chunk and whether it is the last: chunks cannot be moved, left out or cut off.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from partita.kit.backup.errors import BackupError, changed
from partita.kit.backup.manifest import Encryption
from partita.kit.backup.measuring import CHUNK

SHORTEST_PASSPHRASE = 12
_TAG = 16
_PURPOSE = "partita backup 1"
SCRYPT_N = 2**17
"""128 MB and a third of a second for each guess."""


def new_encryption() -> Encryption:
    """How a new backup is encrypted."""
    return Encryption(n=SCRYPT_N, r=8, p=1, salt=secrets.token_hex(16))


class Seal:
    """Encrypts and decrypts the files of one backup."""

    def __init__(self, passphrase: str, encryption: Encryption) -> None:
        salt = bytes.fromhex(encryption.salt)
        derived = Scrypt(salt=salt, length=32, n=encryption.n, r=encryption.r, p=encryption.p)
        self._key = derived.derive(_bytes_of(passphrase))

    def sealed(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """What to write for a file."""
        cipher = self._cipher(name)
        for number, (chunk, last) in enumerate(_ends(_even(chunks))):
            yield cipher.encrypt(_nonce(number, last), chunk, None)

    def opened(self, name: str, file: BinaryIO) -> Iterator[bytes]:
        """What was written for a file; a chunk is given out only if it is authentic."""
        cipher = self._cipher(name)
        for number, (chunk, last) in enumerate(_ends(iter(lambda: file.read(CHUNK + _TAG), b""))):
            try:
                yield cipher.decrypt(_nonce(number, last), chunk, None)
            except InvalidTag:
                raise changed(name) from None

    def _cipher(self, name: str) -> AESGCM:
        purpose = f"{_PURPOSE} {name}".encode()
        return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(self._key))


def check_passphrase(passphrase: str) -> None:
    """Refuse a passphrase that is too short for a backup that lies around for years."""
    _bytes_of(passphrase)
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise BackupError(
            f"The passphrase has {len(passphrase)} characters; it needs at least {SHORTEST_PASSPHRASE}. Four or five"
            " random words are easy to write down."
        )


def _bytes_of(passphrase: str) -> bytes:
    """Bytes of the environment that are not UTF-8 are taken as they are."""
    try:
        return passphrase.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise BackupError("The passphrase has a character that no encoding has. Choose another one.") from None


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11) + bytes([last])


def _even(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in chunks of one size; only the last may be shorter."""
    waiting = bytearray()
    for chunk in chunks:
        waiting += chunk
        while len(waiting) >= CHUNK:
            yield bytes(waiting[:CHUNK])
            del waiting[:CHUNK]
    if waiting:
        yield bytes(waiting)


def _ends(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each chunk, and whether it is the last; of nothing, one that is empty."""
    before: bytes | None = None
    for chunk in chunks:
        if before is not None:
            yield before, False
        before = chunk
    yield before or b"", True
