"""URLs: which are valid, and when two are the same."""

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
_INSIDE = (".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa", ".onion")
_SAFE_PATH = "/:@!$&'()*+,;=-._~%"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]")
_WITHOUT_SCHEME = re.compile(r"(?P<rest>[^\s/?#:@.]+(\.[^\s/?#:@.]+)+\.?(:\d+)?([/?#].*)?)\Z", re.DOTALL)
_WWW = "www."
_LEADING = re.compile(r"(?:www\.(?=[^:]*\.))*")
"""As many `www.` as a name begins with, if at least two labels follow."""


class AddressError(ValueError):
    """An invalid URL; the message says what to write instead."""


class UrlTaken(Exception):
    """The guard of a URL belongs to another item; services say which."""

    def __init__(self, owner: str) -> None:
        super().__init__(owner)
        self.owner = owner


def checked(url: str) -> str:
    """The URL without surrounding spaces; `AddressError` unless it is http or https with a host and no password."""
    text = url.strip()
    # The normalised form is the key of a guard, and a key has at most 2,048 bytes.
    longest = max(len(text), len(normalise(text)) if len(text) <= MOST_CHARACTERS else 0)
    if longest > MOST_CHARACTERS:
        raise AddressError(f"At most {MOST_CHARACTERS:,} characters; this has {longest:,}.")
    return text


def completed(text: str) -> str:
    """What somebody typed as a URL: `example.org/a` is `https://example.org/a`, everything else stays as it is."""
    without_scheme = _WITHOUT_SCHEME.match(text.strip())
    return f"https://{without_scheme['rest']}" if without_scheme else text


def public(url: str) -> str:
    """The URL, if everybody could reach it; `AddressError` for one inside a machine or a network."""
    host = host_of(urlsplit(url))
    try:
        reachable = ip_address(host).is_global
    except ValueError:
        reachable = not host.endswith(_INSIDE)
    if not reachable:
        raise AddressError("This address works only inside a network. Use one that everybody can open.")
    return url


def normalise(url: str) -> str:
    """The same text for URLs that lead to the same page.

    http or https, the case of the host, a default port, a trailing slash, the fragment and tracking parameters make no
    difference. For comparing only: some sites respond to one scheme only.
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


def with_or_without_www(normal: str) -> str | None:
    """The other spelling of a normalised URL: without the `www.` that it has, or with one; None for a number.

    `normalise` keeps the `www.`, since guards are stored under what it gives: whoever asks whether an address is taken
    asks for both spellings.
    """
    parts = urlsplit(normal)
    host, rest = parts.netloc, normal.removeprefix("https://").removeprefix(parts.netloc)
    if _is_number(parts.hostname or ""):
        return None
    # Each spelling has one other, so the second www of www.www.example.org is part of a name.
    leading = _LEADING.match(host)
    has_www = leading is not None and leading.end() // len(_WWW) % 2
    return f"https://{host.removeprefix(_WWW) if has_www else _WWW + host}{rest}"


def spellings(url: str) -> tuple[str, ...]:
    """The normalised URL, and the same with or without `www.`: the keys under which its guard may be stored."""
    normal = normalise(url)
    other = with_or_without_www(normal)
    return (normal,) if other is None else (normal, other)


def same_page(url: str) -> str:
    """One text for all spellings of a URL: two are the same page if theirs are equal."""
    return min(spellings(url), key=lambda spelling: (len(spelling), spelling))


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _plain(escape: re.Match[str]) -> str:
    """Unescape characters that need no escape, and write the others in upper case. `%2F` stays: it is not a slash."""
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def host_of(parts: SplitResult) -> str:
    """The host in lower case and IDNA."""
    host = (parts.hostname or "").rstrip(".")
    return _ascii_host(host)


@lru_cache(maxsize=1024)
def _ascii_host(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise AddressError(f"{host!r} is not a valid host name.") from None


def _parts(text: str) -> SplitResult:
    if not text:
        raise AddressError("Enter a URL, such as https://example.org.")
    if _SPACES.search(text):
        raise AddressError("A URL cannot contain spaces.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise AddressError("This URL contains an invalid character.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"This is not a valid URL: {error}.") from None
    if parts.scheme not in _PORTS:
        raise AddressError("A URL starts with http:// or https://.")
    if parts.username is not None or parts.password is not None:
        raise AddressError("A URL must not contain a username or password.")
    if port == 0:
        raise AddressError("Port 0 is not valid.")
    host = host_of(parts) if parts.hostname else ""
    if "." not in host and ":" not in host:
        raise AddressError("A URL needs a host with a dot, such as example.org.")
    return parts
