"""Fetches a page, a document or a picture: from a public address only, checked at every step, within one deadline and
one size."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Collection
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from partita import __version__
from partita.kit.fetcher.addresses import Address, is_public
from partita.kit.fetcher.bodies import read_body, too_large
from partita.kit.fetcher.charsets import text_of
from partita.kit.fetcher.page import read_page
from partita.kit.fetcher.patience import Patience
from partita.kit.fetcher.refusals import FetchRefused
from partita.kit.fetcher.resolving import Resolve, SystemResolver, got_no_answer
from partita.kit.fetcher.targets import Target, target
from partita.kit.files.content import ENDINGS, HTML, kind_of
from partita.kit.files.images import Picture
from partita.kit.previews.blocks import Block
from partita.kit.previews.documents import document_text
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.thumbnails import PICTURES, thumbnail_of
from partita.kit.settings import Settings
from partita.kit.urls import AddressError, checked

if TYPE_CHECKING:
    import aiohttp

    from partita.kit.fetcher.connecting import Allows

MOST_BYTES = 2_000_000
MOST_ASKED = 20_000_000
"""The most that a caller can ask for."""
MOST_REDIRECTS = 5
SECONDS = 10.0
"""For a page, redirects included; a larger file that keeps coming gets more (`patience.py`)."""

_ONWARD = frozenset({301, 302, 303, 307, 308})
_MOST_ADDRESSES = 16
# What servers say of files they know nothing of; what it is, the content says.
_SAYS_NOTHING = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/zip"})
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a page or a document says; `url` is where it was in the end."""

    url: str
    title: str
    description: str
    text: str
    kind: str = HTML
    blocks: tuple[Block, ...] = ()
    """The text with its structure."""
    image: str | None = None
    """The address of the picture that the page names for others to show (`og:image`)."""
    icons: tuple[str, ...] = ()
    """The addresses of the site's icons, the one that fits best first; the usual place comes last."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file of the web, as it is; `url` is where it was in the end."""

    url: str
    kind: str
    """By its content."""
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What somebody asks for."""

    kinds: tuple[str, ...]
    most_bytes: int
    status_only: bool = False
    """Whatever the answer is, it counts; its body is not read."""


@dataclass(frozen=True, slots=True)
class _Got:
    """What came."""

    url: str
    declared: str
    body: bytes = field(repr=False)
    status: int = 200


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
            "Accept-Encoding": "gzip",
        }

    def close(self) -> None:
        """Let go of threads."""
        self._system.close()

    async def fetch(self, url: str, *, accept: Collection[str] = (HTML,), most_bytes: int | None = None) -> Fetched:
        """The page at an address, or `FetchRefused` with the reason. With `accept`, also a PDF or a DOCX."""
        got = await self._get(url, accept, most_bytes)
        kind = _kind(got, accept)
        if kind != HTML:
            try:
                text = await document_text(got.body, kind)
            except PreviewRefused as refused:
                raise FetchRefused(refused.detail) from refused
            return Fetched(got.url, text.title, "", text.plain, kind, text.blocks)
        charset = _CHARSET.search(got.declared)
        said = await asyncio.to_thread(lambda: read_page(text_of(got.body, charset and charset[1])))
        base = _address(got.url, said.base) or got.url
        icons = (_address(base, each) for each in (*said.icons, urljoin(got.url, "/favicon.ico")))
        return Fetched(
            got.url,
            said.title,
            said.description,
            said.text,
            HTML,
            said.blocks,
            _address(base, said.image),
            tuple(dict.fromkeys(each for each in icons if each)),
        )

    async def fetch_file(self, url: str, *, kinds: Collection[str], most_bytes: int | None = None) -> FetchedFile:
        """A file of the given kinds, by its content and not by what the server says; or `FetchRefused`."""
        got = await self._get(url, kinds, most_bytes)
        return FetchedFile(got.url, _kind(got, kinds), got.body)

    async def status_of(self, url: str) -> int:
        """The status with which an address answers in the end, whatever is there; or `FetchRefused` if nothing does."""
        return (await self._within(url, _Wanted((HTML, "*/*;q=0.8"), 0, status_only=True))).status

    async def fetch_picture(
        self, url: str, *, width: int = 256, height: int = 256, most_bytes: int | None = None
    ) -> Picture:
        """A picture, decoded and made to fit into so many pixels: safe to keep and to serve; or `FetchRefused`."""
        found = await self.fetch_file(url, kinds=PICTURES, most_bytes=most_bytes)
        try:
            return await thumbnail_of(found.data, width=width, height=height)
        except PreviewRefused as refused:
            raise FetchRefused(refused.detail) from refused

    async def _get(self, url: str, kinds: Collection[str], most_bytes: int | None) -> _Got:
        return await self._within(url, _Wanted(tuple(kinds), min(most_bytes or self._most_bytes, MOST_ASKED)))

    async def _within(self, url: str, wanted: _Wanted) -> _Got:
        """What comes before the deadline."""
        if not self._enabled:
            raise FetchRefused("Fetching pages is switched off.")
        patience = Patience(seconds=self._seconds, page_bytes=self._most_bytes, most_bytes=wanted.most_bytes)
        async with patience:
            return await self._follow(target(url, self._ports), wanted, patience)

    async def _follow(self, page: Target, wanted: _Wanted, patience: Patience) -> _Got:
        seen = set()
        for _ in range(MOST_REDIRECTS + 1):
            if page.url in seen:
                raise FetchRefused("The address leads in a circle.")
            seen.add(page.url)
            found = await self._ask(page, wanted, patience)
            if isinstance(found, _Got):
                return found
            page = page.towards(found, self._ports)
        raise FetchRefused(f"The address leads on more than {MOST_REDIRECTS} times.")

    async def _ask(self, page: Target, wanted: _Wanted, patience: Patience) -> _Got | str:
        """The page, or where it says it is."""
        # Most processes fetch nothing, and no start waits for what it takes.
        import aiohttp

        from partita.kit.fetcher.connecting import CheckedConnector

        addresses = await self._addresses(page)
        try:
            async with (
                # All of it is made for one question: no connection, cookie or name is remembered.
                aiohttp.ClientSession(
                    connector=CheckedConnector(addresses, self._allows, self._tls),
                    cookie_jar=aiohttp.DummyCookieJar(),
                    headers={**self._headers, "Accept": ", ".join(wanted.kinds)},
                    timeout=aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
                    auto_decompress=False,
                    trust_env=False,
                ) as session,
                session.get(page.url, allow_redirects=False) as answer,
            ):
                return await self._read(page, answer, wanted, patience)
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

    async def _read(
        self, page: Target, answer: aiohttp.ClientResponse, wanted: _Wanted, patience: Patience
    ) -> _Got | str:
        if answer.status in _ONWARD and "Location" in answer.headers:
            return answer.headers["Location"]
        if wanted.status_only:
            return _Got(str(page.url), "", b"", answer.status)
        if not 200 <= answer.status < 300:
            raise FetchRefused(f"{page.host} answers {spelled_status(answer.status)}.")
        declared = answer.headers.get("Content-Type", "")
        said = declared.partition(";")[0].strip().lower()
        if wanted.kinds == (HTML,):
            if said != HTML:
                kind = "does not say what it is" if not said else "is no web page"
                raise FetchRefused(f"What is at this address {kind}; only pages of text/html are read.")
        elif said not in wanted.kinds and said not in _SAYS_NOTHING and not _kin(said, wanted.kinds):
            raise _not_wanted(wanted.kinds)  # before it is read
        if (answer.content_length or 0) > wanted.most_bytes:
            raise too_large(wanted.most_bytes)
        packing = answer.headers.get("Content-Encoding", "")
        arriving = patience.taking(answer.content.iter_any())
        return _Got(str(page.url), declared, await read_body(arriving, packing, wanted.most_bytes))


def _kind(got: _Got, kinds: Collection[str]) -> str:
    """What came, by its content; a page is what says that it is one."""
    found = kind_of(got.body)
    said = got.declared.partition(";")[0].strip().lower()
    if HTML in kinds and (found == HTML or (said == HTML and (found is None or found.startswith("text/")))):
        return HTML
    if found is None or found not in kinds:
        if said == HTML and HTML in kinds:
            return HTML  # as browsers do: whatever it holds, it is shown as a page
        raise _not_wanted(kinds)
    return found


def _kin(said: str, kinds: Collection[str]) -> bool:
    """A picture may call itself another one: `image/jpg`, `image/vnd.microsoft.icon`."""
    return any(said.partition("/")[0] == kind.partition("/")[0] == "image" for kind in kinds)


def _not_wanted(kinds: Collection[str]) -> FetchRefused:
    listed = ", ".join(ENDINGS.get(kind, kind).upper() for kind in kinds)
    return FetchRefused(f"What is at this address is none of {listed}.")


def _address(base: str, written: str) -> str | None:
    """An address on a page as a whole one; None if it leads nowhere on the web."""
    try:
        return checked(urljoin(base, written)) if written else None
    except (AddressError, ValueError):
        return None


def spelled_status(status: int) -> str:
    """`404 (Not Found)`."""
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
