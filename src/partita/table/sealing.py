"""Sealed text: what browsers and programs carry for us and cannot change, base64 of a signature and what it signs."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

_SIGNATURE_BYTES = 16
_LONGEST = 8192


class BrokenSealError(ValueError):
    """A text that we did not seal, or not for this purpose; the message says what is wrong with it."""


def seal(keys: tuple[bytes, ...], purpose: bytes, payload: bytes) -> str:
    """The payload as text, signed with the first key. The purpose is signed too, and must be said to open it."""
    return _spelled(_signature(keys[0], purpose, payload) + payload)


def unseal(keys: tuple[bytes, ...], purpose: bytes, text: str) -> bytes:
    """The payload of a sealed text. Any of the keys may have signed it, so keys can be changed without a break."""
    if len(text) > _LONGEST:
        raise BrokenSealError("too long")
    try:
        raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise BrokenSealError("not base64") from None
    if _spelled(raw) != text:
        raise BrokenSealError("altered")  # base64 has spare bits: only one spelling is ours
    signature, payload = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    from hmac import compare_digest

    if not any(compare_digest(signature, _signature(key, purpose, payload)) for key in keys):
        raise BrokenSealError("altered, or of another list")
    return payload


def _spelled(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _signature(key: bytes, purpose: bytes, payload: bytes) -> bytes:
    from hmac import digest  # which loads OpenSSL: only whoever reads pages needs it

    # With its length, so that no purpose and payload together read like others.
    return digest(key, len(purpose).to_bytes(4, "big") + purpose + payload, "sha256")[:_SIGNATURE_BYTES]
