"""Fetches a page from a public address, checked at every redirect, within a time and size limit."""

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
    """A fetched page; `url` is its URL after redirects."""

    url: str
    title: str
    description: str
    text: str


def fetcher_for(settings: Settings) -> Fetcher:
    """The fetcher with these settings."""
    return Fetcher(contact=settings.base_url, enabled=settings.fetch, ports=settings.fetch_ports)


class Fetcher:
    """Fetches pages of the public web, without cookies, kept connections or proxies from the environment."""

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
        """Stop the threads."""
        self._system.close()

    async def fetch(self, url: str) -> Fetched:
        """The page at an address, or `FetchRefused` with the reason."""
        if not self._enabled:
            raise FetchRefused("Fetching pages is switched off.")
        try:
            async with asyncio.timeout(self._seconds):
                return await self._follow(target(url, self._ports))
        except TimeoutError:
            raise FetchRefused(f"The page took longer than {self._seconds:g} seconds.") from None

    async def _follow(self, page: Target) -> Fetched:
        seen = set()
        for _ in range(MOST_REDIRECTS + 1):
            if page.url in seen:
                raise FetchRefused("The page redirects in a circle.")
            seen.add(page.url)
            result = await self._ask(page)
            if isinstance(result, Fetched):
                return result
            page = page.towards(result, self._ports)
        raise FetchRefused(f"The page redirects more than {MOST_REDIRECTS} times.")

    async def _ask(self, page: Target) -> Fetched | str:
        """The page, or the URL it redirects to."""
        addresses = await self._addresses(page)
        try:
            async with (
                # A session for one request: no connection, cookie or DNS entry is kept.
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
            raise FetchRefused(f"The certificate of {page.host} is not valid.") from None
        except (aiohttp.ClientResponseError, aiohttp.ClientPayloadError, ValueError):
            raise FetchRefused(f"{page.host} sent an invalid or incomplete response.") from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise FetchRefused(f"{page.host} could not be reached.") from None

    async def _addresses(self, page: Target) -> list[Address]:
        """The addresses of a page's host; all of them must be public, not only the one that is used."""
        if page.literal is not None:
            found: list[Address] = [page.literal]
        else:
            try:
                found = [ip_address(each) for each in (await self._resolve(page.host, page.port))[:_MOST_ADDRESSES]]
            except (OSError, ValueError) as error:
                if got_no_answer(error):
                    raise FetchRefused(f"{page.host} could not be resolved. Try again later.") from None
                found = []
        if not found or not all(self._allows(address) for address in found):
            # The same message for both, so that nobody learns which names exist in our network.
            raise FetchRefused(f"There is no public site at {page.host}.")
        return found

    async def _read(self, page: Target, answer: aiohttp.ClientResponse) -> Fetched | str:
        if answer.status in _ONWARD and "Location" in answer.headers:
            return answer.headers["Location"]
        if not 200 <= answer.status < 300:
            raise FetchRefused(f"{page.host} responded with {_status(answer.status)}.")
        declared = answer.headers.get("Content-Type", "")
        if declared.partition(";")[0].strip().lower() != "text/html":
            raise FetchRefused("This is not a web page: its content type is not text/html.")
        if (answer.content_length or 0) > self._most_bytes:
            raise too_large(self._most_bytes)
        compression = answer.headers.get("Content-Encoding", "")
        body = await read_body(answer.content.iter_any(), compression, self._most_bytes)
        charset = _CHARSET.search(declared)
        content = await asyncio.to_thread(lambda: read_page(text_of(body, charset and charset[1])))
        return Fetched(str(page.url), content.title, content.description, content.text)


def _status(status: int) -> str:
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
