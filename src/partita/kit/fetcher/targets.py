"""What to ask and where: an address taken apart once, so that what is checked is what is asked."""

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
    """The host, where it is an address itself."""

    def towards(self, location: str, ports: Collection[int] | None) -> Target:
        """Where an answer sends us on to."""
        # As browsers do with what servers say: spaces, and bytes that are no text, are escaped.
        escaped = _NO_TEXT.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", location.strip().replace(" ", "%20"))
        try:
            return target(urljoin(str(self.url), escaped), ports)
        except ValueError:
            raise FetchRefused("The address leads on to what is none.") from None


def target(address: str, ports: Collection[int] | None) -> Target:
    """Take an address apart, or say why nobody goes there; `ports` may be any where they are None."""
    try:
        parts = urlsplit(checked(address))
        host = host_of(parts)
    except AddressError as error:
        raise FetchRefused(str(error)) from None
    except UnicodeError:
        raise FetchRefused("The address holds characters that nobody can send.") from None
    port = parts.port or _PORTS[parts.scheme]
    if ports is not None and port not in ports:
        raise FetchRefused(f"Pages are fetched from the ports {_listed(ports)} only, not from {port}.")
    url = URL.build(
        scheme=parts.scheme,
        host=f"[{host}]" if ":" in host else host,
        port=None if port == _PORTS[parts.scheme] else port,
        # What cannot be in a request is escaped; what is escaped already stays as it is.
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
        # 127.1, 0177.0.0.1, 0x7f.1: machines do not agree on what such a number is.
        raise FetchRefused(f"{host} is no name of a host. Write an address as four plain numbers.")
    return None


def _listed(ports: Collection[int]) -> str:
    return " and ".join(map(str, sorted(ports)))
