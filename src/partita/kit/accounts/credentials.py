"""The text of tokens: owner, id and secret. Only a digest of it is stored."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass, field
from hashlib import sha256

_ID = "[0-9a-z-]{1,40}"
_FORM = re.compile(rf"(?P<kind>pat_|)(?P<owner>{_ID})(\.(?P<which>{_ID}))?\.(?P<secret>[\w-]{{20,64}})", re.ASCII)
API_TOKEN = "pat_"
"""The prefix of API tokens, by which secret scanners recognise them."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A token and its parts."""

    owner: str
    which: str
    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """What is stored. The secret has 256 random bits, so one fast digest is enough."""
        return sha256(self.text.encode()).hexdigest()

    def is_of(self, digest: str) -> bool:
        """Whether this is the token with the stored digest."""
        return hmac.compare_digest(digest, self.digest)


def make(owner: str, which: str, secret: str, *, kind: str = "") -> Credential:
    """A new token; `which` is empty if somebody has only one of its kind."""
    return Credential(owner, which, f"{kind}{owner}.{which}.{secret}" if which else f"{kind}{owner}.{secret}")


def read(text: str, *, kind: str = "") -> Credential | None:
    """A token from its text; None if it is malformed."""
    match = _FORM.fullmatch(text)
    if match is None or match["kind"] != kind:
        return None
    return Credential(match["owner"], match["which"] or "", text)
