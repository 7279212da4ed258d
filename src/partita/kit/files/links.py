"""Signed links: the signature covers the file, what may be done with it, and until when."""

from __future__ import annotations

import hmac
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from partita.kit.clock import Clock
from partita.kit.files.names import FileNameError, segments_of
from partita.kit.problems import Forbidden, NotFound

_NUMBER = re.compile(r"[0-9]{1,15}")


class Links:
    """Signs with the first key and verifies with all, so that keys can be rotated."""

    def __init__(self, keys: Sequence[bytes], clock: Clock, *, path: str) -> None:
        if not keys or any(len(key) < 16 for key in keys):
            raise ValueError("links need at least one key, of at least 16 bytes")
        self._keys = tuple(keys)
        self._clock = clock
        self._path = path

    def path(self, name: str) -> str:
        """The path of a file."""
        return f"{self._path}/{quote(name)}"

    def read(self, name: str, *, seconds: int, download_as: str | None) -> str:
        """A link to read a file, for so many seconds."""
        query = {"expires": str(self.expiry(seconds))}
        if download_as is not None:
            query["download"] = download_as
        query["signature"] = self.sign("read", name, query)
        return f"{self.path(name)}?{urlencode(query)}"

    def expiry(self, seconds: int) -> int:
        """The time in so many seconds, in seconds since 1970."""
        return int(self._clock.now().timestamp()) + seconds

    def sign(self, action: str, name: str, terms: Mapping[str, str]) -> str:
        """The signature of an action on a file and its terms."""
        return _signature(self._keys[0], action, name, terms)

    def check(self, action: str, name: str, terms: Mapping[str, str], signature: str) -> None:
        """Raise unless we signed this and it has not expired; `terms` contain `expires`."""
        sent = signature.encode("utf-8", "replace")
        # Every key is tried, so that the time it takes reveals nothing.
        matches = [hmac.compare_digest(sent, _signature(key, action, name, terms).encode()) for key in self._keys]
        if not any(matches):
            raise Forbidden("This link is invalid. Open the page again for a new one.", code="invalid_link")
        if not _NUMBER.fullmatch(terms["expires"]) or int(terms["expires"]) <= self._clock.now().timestamp():
            raise Forbidden("This link has expired. Open the page again for a new one.", code="link_expired")


def named(name: str) -> str:
    """A file name from a URL; `NotFound` if no file can have that name."""
    try:
        segments_of(name)
    except FileNameError:
        raise NotFound("There is no such file.") from None
    return name


def _signature(key: bytes, action: str, name: str, terms: Mapping[str, str]) -> str:
    # JSON keeps the parts apart, so that no text can move from one into the next.
    signed = json.dumps([action, name, sorted(terms.items())]).encode()
    return urlsafe_b64encode(hmac.digest(key, signed, "sha256")).decode().rstrip("=")
