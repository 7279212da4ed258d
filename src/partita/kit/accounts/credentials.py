"""Tokens as people and programs hold them: whose, which one, and a secret. Only a digest of them is stored."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass, field
from hashlib import sha256

_ID = "[0-9a-z-]{1,40}"
_FORM = re.compile(rf"(?P<kind>pat_|)(?P<owner>{_ID})(\.(?P<which>{_ID}))?\.(?P<secret>[\w-]{{20,64}})", re.ASCII)
API_TOKEN = "pat_"
"""What API tokens start with, so that people and programs that look for lost secrets know them."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A token, taken apart."""

    owner: str
    which: str
    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """What is stored. The secret has 256 bits of chance, so that one quick digest is enough."""
        return sha256(self.text.encode()).hexdigest()

    def is_of(self, digest: str) -> bool:
        """Whether the stored digest is of this very token."""
        return hmac.compare_digest(digest, self.digest)


def make(owner: str, which: str, secret: str, *, kind: str = "") -> Credential:
    """A new token; `which` is empty where somebody has only one of its kind."""
    return Credential(owner, which, f"{kind}{owner}.{which}.{secret}" if which else f"{kind}{owner}.{secret}")


def read(text: str, *, kind: str = "") -> Credential | None:
    """A token as it was sent; None for anything that we would not have made."""
    found = _FORM.fullmatch(text)
    if found is None or found["kind"] != kind:
        return None
    return Credential(found["owner"], found["which"] or "", text)
