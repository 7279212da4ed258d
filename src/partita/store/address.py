"""Where an endpoint is, and how long to wait for it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds."""

    connect: float = 5.0
    read: float = 30.0
    """For the next piece of an answer, not for the whole."""
    idle: float = 60.0
    """A connection unused for longer is not used again: routers forget such connections and tell no one."""


DEFAULT_TIMEOUTS = Timeouts()


@dataclass(frozen=True, slots=True)
class Address:
    """A host, a port, and what it takes to trust it."""

    url: str
    host: str
    port: int
    authority: str
    """Host and port as the `Host` header has them."""
    tls: ssl.SSLContext | None
    timeouts: Timeouts


def address(url: str, timeouts: Timeouts) -> Address:
    """Read an endpoint's URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no endpoint: write it as https://host or http://host:port")
    secure = parts.scheme == "https"
    authority = parts.netloc.rpartition("@")[2]
    port = parts.port or (443 if secure else 80)
    tls = _tls() if secure else None
    return Address(f"{parts.scheme}://{authority}/", parts.hostname, port, authority, tls, timeouts)


def _tls() -> ssl.SSLContext:
    """Certificates are checked against those the system trusts (or SSL_CERT_FILE), names too."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
