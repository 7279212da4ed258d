"""Addresses of the web: what is taken for one, and when two are the same."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

import idna

MOST_CHARACTERS = 2000

_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"(utm_\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi"
    r"|vero_id|oly_enc_id|oly_anon_id|ref_src|spm)\Z"
)
_SAFE_PATH = "/:@!$&'()*+,;=-._~%"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]")


class AddressError(ValueError):
    """A text that is no address of the web; the message says what to write instead."""


def checked(url: str) -> str:
    """The address without spaces around it, or why it is none: http or https, a host, nobody's name or password."""
    text = url.strip()
    # The normalised form is the key of a guard, and a key has at most 2,048 bytes.
    longest = max(len(text), len(normalise(text)) if len(text) <= MOST_CHARACTERS else 0)
    if longest > MOST_CHARACTERS:
        raise AddressError(f"At most {MOST_CHARACTERS:,} characters; this has {longest:,}.")
    return text


def normalise(url: str) -> str:
    """One spelling for addresses that lead to the same place.

    http and https, upper and lower case of the host, a default port, a slash at the end, a fragment and parameters that
    only track people make no difference. For comparing, not for following: some places answer to one scheme only.
    """
    parts = _parts(url.strip())
    host = host_of(parts)
    port = parts.port
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port not in _PORTS.values():
        netloc += f":{port}"
    path = quote(_ESCAPE.sub(_plain, parts.path), safe=_SAFE_PATH).rstrip("/")
    query = [
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(name)
    ]
    return f"https://{netloc}{path}" + (f"?{urlencode(query)}" if query else "")


def _plain(escape: re.Match[str]) -> str:
    """What needs no escape loses it; the others are spelled in capitals. `%2F` is no slash, and stays."""
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def host_of(parts: SplitResult) -> str:
    """The host as machines spell it: lower case, IDNA."""
    host = (parts.hostname or "").rstrip(".")
    return _spelled(host)


@lru_cache(maxsize=1024)
def _spelled(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise AddressError(f"{host!r} is no name of a host.") from None


def _parts(text: str) -> SplitResult:
    if not text:
        raise AddressError("An address is needed, such as https://example.org.")
    if _SPACES.search(text):
        raise AddressError("An address has no spaces.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise AddressError("An address is text; this holds half a character.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"This is no address of the web: {error}.") from None
    if parts.scheme not in _PORTS:
        raise AddressError("An address starts with http:// or https://.")
    if parts.username is not None or parts.password is not None:
        raise AddressError("An address must not hold a name or a password.")
    if port == 0:
        raise AddressError("Port 0 leads nowhere.")
    host = host_of(parts) if parts.hostname else ""
    if "." not in host and ":" not in host:
        raise AddressError("An address names a host with a dot in it, such as example.org.")
    return parts
