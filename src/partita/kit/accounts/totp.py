"""One-time codes of authenticator apps: RFC 6238 with what all apps do, SHA-1, six digits and thirty seconds."""

from __future__ import annotations

import base64
import hmac
import secrets
from urllib.parse import quote, urlencode

STEP_SECONDS = 30
DIGITS = 6
_SECRET_BYTES = 20
_AROUND = 1
"""How many steps early or late a code may come: clocks differ, and people type."""


def new_secret() -> bytes:
    """A secret, as long as the digest."""
    return secrets.token_bytes(_SECRET_BYTES)


def code(secret: bytes, step: int) -> str:
    """The code of a time step (RFC 4226, 5.3)."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**DIGITS).zfill(DIGITS)


def step_at(seconds: float) -> int:
    """The time step of a moment."""
    return int(seconds // STEP_SECONDS)


def matching_step(secret: bytes, typed: str, now: int, *, after: int = -1) -> int | None:
    """The step around now, later than `after`, whose code was typed; all are compared, so that time tells nothing."""
    found = None
    for step in range(now - _AROUND, now + _AROUND + 1):
        same = hmac.compare_digest(code(secret, step).encode(), typed.encode(errors="replace"))
        if same and step > after and found is None:
            found = step
    return found


def spelled(secret: bytes) -> str:
    """A secret for people who cannot scan it, in groups of four."""
    text = base64.b32encode(secret).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def address(secret: bytes, *, issuer: str, account: str) -> str:
    """What the app scans."""
    label = quote(f"{issuer}:{account}", safe=":")
    key = base64.b32encode(secret).decode()
    return f"otpauth://totp/{label}?{urlencode({'secret': key, 'issuer': issuer})}"
