"""Where an endpoint is, and how long to wait for it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

CONNECT_SECONDS = 5.0
READ_SECONDS = 30.0
"""For the next piece of an answer, not for the whole."""
IDLE_SECONDS = 60.0
"""Routers forget connections that nobody uses, and tell no one."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host, a port, and what it takes to trust it."""

    url: str
    host: str
    port: int
    authority: str
    """Host and port as the `Host` header has them."""
    tls: ssl.SSLContext | None


def address(url: str) -> Address:
    """Read an endpoint's URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no endpoint: write it as https://host or http://host:port")
    secure = parts.scheme == "https"
    authority = parts.netloc.rpartition("@")[2]
    port = parts.port or (443 if secure else 80)
    return Address(f"{parts.scheme}://{authority}/", parts.hostname, port, authority, _tls() if secure else None)


def _tls() -> ssl.SSLContext:
    """Certificates are checked against those the system trusts (or SSL_CERT_FILE), names too."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
