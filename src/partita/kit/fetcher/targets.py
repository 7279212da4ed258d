"""A URL parsed once, so that the host that is checked is the host that is requested."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urljoin, urlsplit

from yarl import URL

from partita.kit.fetcher.addresses import Address
from partita.kit.fetcher.refusals import FetchRefused
from partita.kit.urls import AddressError, checked, host_of

_PORTS = {"http": 80, "https": 443}
_NO_TEXT = re.compile("[\udc80-\udcff]")  # how Python holds bytes that are no UTF-8
_SAFE = "/:@!$&'()*+,;=-._~%?"


@dataclass(frozen=True, slots=True)
class Target:
    """One page."""

    url: URL
    host: str
    port: int
    literal: Address | None
    """The host, if it is an IP address."""

    def towards(self, location: str, ports: Collection[int] | None) -> Target:
        """The target of a redirect."""
        # As browsers do: spaces and invalid bytes in the Location are escaped.
        escaped = _NO_TEXT.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", location.strip().replace(" ", "%20"))
        try:
            return target(urljoin(str(self.url), escaped), ports)
        except ValueError:
            raise FetchRefused("The page redirects to an invalid URL.") from None


def target(address: str, ports: Collection[int] | None) -> Target:
    """Parse a URL, or refuse it; any port is allowed if `ports` is None."""
    try:
        parts = urlsplit(checked(address))
        host = host_of(parts)
    except AddressError as error:
        raise FetchRefused(str(error)) from None
    except UnicodeError:
        raise FetchRefused("The URL contains invalid characters.") from None
    port = parts.port or _PORTS[parts.scheme]
    if ports is not None and port not in ports:
        raise FetchRefused(f"Pages are fetched only from the ports {_listed(ports)}, not from {port}.")
    url = URL.build(
        scheme=parts.scheme,
        host=f"[{host}]" if ":" in host else host,
        port=None if port == _PORTS[parts.scheme] else port,
        # Escape characters that a request cannot contain, and keep existing escapes.
        path=quote(parts.path, safe=_SAFE) or "/",
        query_string=quote(parts.query, safe=_SAFE),
        encoded=True,
    )
    return Target(url, host, port, _literal(host))


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        pass
    last = host.rpartition(".")[2]
    if last.isdigit() or last.startswith("0x"):
        # 127.1, 0177.0.0.1, 0x7f.1: systems do not agree on how to read these.
        raise FetchRefused(f"{host} is not a valid host. Write an IP address as four decimal numbers.")
    return None


def _listed(ports: Collection[int]) -> str:
    return " and ".join(map(str, sorted(ports)))
