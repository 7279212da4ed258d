"""Links that carry their own permission: signed over everything they allow, for as long as they say."""

from __future__ import annotations

import hmac
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import quote, urlencode

from partita.kit.clock import Clock
from partita.kit.files.names import FileNameError, segments_of
from partita.kit.problems import Forbidden, NotFound

CLAIM = "for"
"""In the query of a link: what the owner of the file is asked with whenever the link is followed."""
_NUMBER = re.compile(r"[0-9]{1,15}")


class Links:
    """Signs with the first key and believes every one, so that keys can be changed without a break."""

    def __init__(self, keys: Sequence[bytes], clock: Clock, *, path: str) -> None:
        if not keys or any(len(key) < 16 for key in keys):
            raise ValueError("links are signed with at least one key of at least 16 bytes")
        self._keys = tuple(keys)
        self._clock = clock
        self._path = path

    def path(self, name: str) -> str:
        """Where a file is served."""
        return f"{self._path}/{quote(name)}"

    def read(
        self,
        name: str,
        *,
        seconds: int,
        download_as: str | None,
        until: datetime | None = None,
        played_as: str | None = None,
        claim: str | None = None,
    ) -> str:
        """A link to read a file, for at least so many seconds and at most twice as many, and never after `until`."""
        query = {"expires": str(stable_expiry(self._clock.now().timestamp(), seconds, until))}
        if download_as is not None:
            query["download"] = download_as
        if played_as is not None:
            query["type"] = played_as
        if claim is not None:
            query[CLAIM] = claim
        query["signature"] = self.sign("read", name, query)
        return f"{self.path(name)}?{urlencode(query)}"

    def check_read(self, name: str, link: Mapping[str, str]) -> None:
        """Let pass a link of `read`; `link` is its query."""
        terms = {key: link[key] for key in ("expires", "download", "type", CLAIM) if key in link}
        self.check("read", name, {"expires": "", **terms}, link.get("signature", ""))

    def expiry(self, seconds: int) -> int:
        """When something ends that lives so many seconds."""
        return int(self._clock.now().timestamp()) + seconds

    def left(self, expires: str) -> int:
        """How many seconds there are until a link ends."""
        return max(0, int(expires) - int(self._clock.now().timestamp()))

    def sign(self, action: str, name: str, terms: Mapping[str, str]) -> str:
        """The signature of what may be done with a file, and on which terms."""
        return _signature(self._keys[0], action, name, terms)

    def check(self, action: str, name: str, terms: Mapping[str, str], signature: str) -> None:
        """Let pass what we signed and what has not ended; `terms` hold `expires`."""
        given = signature.encode("utf-8", "replace")
        # Every key is tried: the time it takes tells nothing about any of them.
        known = [hmac.compare_digest(given, _signature(key, action, name, terms).encode()) for key in self._keys]
        if not any(known):
            raise Forbidden("This link is not one of ours, or was changed. Open the page again.", code="invalid_link")
        if not _NUMBER.fullmatch(terms["expires"]) or int(terms["expires"]) <= self._clock.now().timestamp():
            raise Forbidden("This link has expired. Open the page again for a new one.", code="link_expired")


def stable_expiry(now: float, seconds: int, until: datetime | None = None) -> int:
    """When a link ends: the same moment for all links of a while, so that the address is the same and browsers keep
    what they have. Between once and twice the seconds from now, and never after `until`."""
    ends = (int(now) // seconds + 2) * seconds
    return ends if until is None else min(ends, int(until.timestamp()))


def named(name: str) -> str:
    """A name that comes from an address; what no file can be called is not there."""
    try:
        segments_of(name)
    except FileNameError:
        raise NotFound("There is no such file.") from None
    return name


def _signature(key: bytes, action: str, name: str, terms: Mapping[str, str]) -> str:
    # JSON keeps the parts apart: no text can move from one into the next.
    signed = json.dumps([action, name, sorted(terms.items())]).encode()
    return urlsafe_b64encode(hmac.digest(key, signed, "sha256")).decode().rstrip("=")
