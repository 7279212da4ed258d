"""Fetches a page: from a public address only, checked at every step, within one deadline and one size."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address

import aiohttp

from partita import __version__
from partita.kit.fetcher.addresses import Address, is_public
from partita.kit.fetcher.bodies import read_body, too_large
from partita.kit.fetcher.charsets import text_of
from partita.kit.fetcher.connecting import Allows, CheckedConnector
from partita.kit.fetcher.page import read_page
from partita.kit.fetcher.refusals import FetchRefused
from partita.kit.fetcher.resolving import Resolve, SystemResolver, got_no_answer
from partita.kit.fetcher.targets import Target, target
from partita.kit.settings import Settings

MOST_BYTES = 2_000_000
MOST_REDIRECTS = 5
SECONDS = 10.0

_ONWARD = frozenset({301, 302, 303, 307, 308})
_MOST_ADDRESSES = 16
_NO_LIMITS = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a page says; `url` is where it was in the end."""

    url: str
    title: str
    description: str
    text: str


def fetcher_for(settings: Settings) -> Fetcher:
    """As the settings say."""
    return Fetcher(contact=settings.base_url, enabled=settings.fetch, ports=settings.fetch_ports)


class Fetcher:
    """Reads pages of the public web. Keeps no cookies, no connections, and takes no proxy from the environment."""

    def __init__(
        self,
        *,
        contact: str,
        enabled: bool = True,
        ports: Collection[int] | None = (80, 443),
        seconds: float = SECONDS,
        most_bytes: int = MOST_BYTES,
        allows: Allows = is_public,
        resolve: Resolve | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._enabled = enabled
        self._ports = None if ports is None else frozenset(ports)
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._allows = allows
        self._system = SystemResolver()
        self._resolve = resolve or self._system
        self._tls = tls
        self._headers = {
            "User-Agent": f"partita/{__version__} (+{contact})",
            "Accept": "text/html",
            "Accept-Encoding": "gzip",
        }

    def close(self) -> None:
        """Let go of threads."""
        self._system.close()

    async def fetch(self, url: str) -> Fetched:
        """The page at an address, or `FetchRefused` with the reason."""
        if not self._enabled:
            raise FetchRefused("Pages are not fetched here: it is switched off.")
        try:
            async with asyncio.timeout(self._seconds):
                return await self._follow(target(url, self._ports))
        except TimeoutError:
            raise FetchRefused(f"The page took longer than {self._seconds:g} seconds.") from None

    async def _follow(self, page: Target) -> Fetched:
        seen = set()
        for _ in range(MOST_REDIRECTS + 1):
            if page.url in seen:
                raise FetchRefused("The address leads in a circle.")
            seen.add(page.url)
            found = await self._ask(page)
            if isinstance(found, Fetched):
                return found
            page = page.towards(found, self._ports)
        raise FetchRefused(f"The address leads on more than {MOST_REDIRECTS} times.")

    async def _ask(self, page: Target) -> Fetched | str:
        """The page, or where it says it is."""
        addresses = await self._addresses(page)
        try:
            async with (
                # All of it is made for one question: no connection, cookie or name is remembered.
                aiohttp.ClientSession(
                    connector=CheckedConnector(addresses, self._allows, self._tls),
                    cookie_jar=aiohttp.DummyCookieJar(),
                    headers=self._headers,
                    timeout=_NO_LIMITS,
                    auto_decompress=False,
                    trust_env=False,
                ) as session,
                session.get(page.url, allow_redirects=False) as answer,
            ):
                return await self._read(page, answer)
        except aiohttp.ClientConnectorCertificateError:
            raise FetchRefused(
                f"{page.host} cannot prove that it is {page.host}: its certificate is not valid."
            ) from None
        except (aiohttp.ClientResponseError, aiohttp.ClientPayloadError, ValueError):
            raise FetchRefused(f"{page.host} did not answer as a site does, or broke off.") from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise FetchRefused(f"{page.host} could not be reached.") from None

    async def _addresses(self, page: Target) -> list[Address]:
        """Where the page may be asked for; all addresses of a host must be public, not only the one that is used."""
        if page.literal is not None:
            found: list[Address] = [page.literal]
        else:
            try:
                found = [ip_address(each) for each in (await self._resolve(page.host, page.port))[:_MOST_ADDRESSES]]
            except (OSError, ValueError) as error:
                if got_no_answer(error):
                    raise FetchRefused(f"{page.host} could not be looked up just now. Try again later.") from None
                found = []
        if not found or not all(self._allows(address) for address in found):
            # The same words for both: nobody learns from us which names there are in our network.
            raise FetchRefused(f"There is no public site at {page.host}.")
        return found

    async def _read(self, page: Target, answer: aiohttp.ClientResponse) -> Fetched | str:
        if answer.status in _ONWARD and "Location" in answer.headers:
            return answer.headers["Location"]
        if not 200 <= answer.status < 300:
            raise FetchRefused(f"{page.host} answers {_status(answer.status)}.")
        declared = answer.headers.get("Content-Type", "")
        if declared.partition(";")[0].strip().lower() != "text/html":
            kind = "does not say what it is" if not declared.strip() else "is no web page"
            raise FetchRefused(f"What is at this address {kind}; only pages of text/html are read.")
        if (answer.content_length or 0) > self._most_bytes:
            raise too_large(self._most_bytes)
        packing = answer.headers.get("Content-Encoding", "")
        body = await read_body(answer.content.iter_any(), packing, self._most_bytes)
        charset = _CHARSET.search(declared)
        said = await asyncio.to_thread(lambda: read_page(text_of(body, charset and charset[1])))
        return Fetched(str(page.url), said.title, said.description, said.text)


def _status(status: int) -> str:
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
