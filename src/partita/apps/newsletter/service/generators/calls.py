"""One question to a service over HTTP: bounded in time and size, asked again while that can help."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from yarl import URL

from partita import __version__
from partita.apps.newsletter.service.generators.writer import WriterFailed

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")
Headers = Callable[[], Awaitable[Mapping[str, str]]]
"""Asked before every try: a signature holds the time."""
Chunks = AsyncIterator[bytes]
Read = Callable[[str, Chunks], Awaitable[T]]
"""From the content type and the body to what it says; raises `Passing`, ValueError or ValidationError."""

_log = logging.getLogger(__name__)
_PASSING = frozenset({408, 424, 429, 500, 502, 503, 504, 529})
"""Statuses that pass by themselves: busy, throttled, or in trouble."""
_CODE = re.compile(r"[A-Za-z][A-Za-z_.]{1,59}")
_MOST_ERROR_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what, in seconds, and how often to try."""

    connect: float = 10.0
    first_byte: float = 60.0
    in_all: float = 180.0
    """For all tries of a question together."""
    tries: int = 3
    first_pause: float = 1.0
    """The longest first pause between two tries; the next one is twice as long."""
    most_bytes: int = 2_000_000


class Passing(Exception):
    """This try failed, and another one may not."""

    def __init__(self, why: str, retry_after: float | None = None) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class Refused(WriterFailed):
    """The service refused the request itself: asking again is no use."""

    def __init__(self, why: str, *, status: int, parameter: str = "") -> None:
        super().__init__(why)
        self.status = status
        self.parameter = parameter
        """The parameter that it does not know, if it says so."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Asks one service. What it answers in error is never repeated, since some echo the key."""

    service: str
    """Its name in messages."""
    patience: Patience = Patience()
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def post(self, url: URL, body: bytes, headers: Headers, read: Read[T]) -> T:
        """What the service answers; `WriterFailed` if it does not within all patience."""
        ends = time.monotonic() + self.patience.in_all
        try:
            async with asyncio.timeout(self.patience.in_all):
                return await self._tries(url, body, headers, read, ends)
        except TimeoutError:
            raise WriterFailed(f"{self.service} took longer than {self.patience.in_all:g} seconds.") from None

    async def _tries(self, url: URL, body: bytes, headers: Headers, read: Read[T], ends: float) -> T:
        for number in range(1, self.patience.tries + 1):
            try:
                return await self._once(url, body, await headers(), read)
            except Passing as failed:
                _log.warning("writers: %s, try %d: %s", self.service, number, failed)
                pause = self._pause(number, failed)
                if number == self.patience.tries:
                    again = f" It was asked {number} times." if number > 1 else ""
                    raise WriterFailed(f"{failed}{again}") from None
                if pause >= ends - time.monotonic():
                    raise WriterFailed(f"{failed} It asks to wait for {pause:.0f} seconds: try again then.") from None
                await self.sleep(pause)
        raise AssertionError("there is at least one try")

    def _pause(self, number: int, failed: Passing) -> float:
        jitter = random.uniform(0, self.patience.first_pause * 2 ** (number - 1))
        # As long as the service asks for, and a little more, so that not everybody is back in the same moment.
        return jitter if failed.retry_after is None else failed.retry_after + jitter / 4

    async def _once(self, url: URL, body: bytes, headers: Mapping[str, str], read: Read[T]) -> T:
        import aiohttp  # takes longer than all of the writers' own; most processes ask no service

        first = asyncio.timeout(self.patience.first_byte)
        try:
            async with (
                first,
                aiohttp.ClientSession(
                    cookie_jar=aiohttp.DummyCookieJar(),
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=self.patience.connect),
                    auto_decompress=False,
                    trust_env=False,
                ) as session,
                # The key goes to the address in the settings and to no other.
                session.post(url, data=body, headers=_common(headers), allow_redirects=False) as answer,
            ):
                return await self._read(answer, first, read)
        except aiohttp.ClientConnectorCertificateError:
            raise WriterFailed(f"{url.host} cannot prove that it is {url.host}: its certificate is invalid.") from None
        except aiohttp.ConnectionTimeoutError:
            raise Passing(f"{self.service} could not be reached within {self.patience.connect:g} seconds.") from None
        except TimeoutError:
            if first.expired():
                limit = self.patience.first_byte
                raise Passing(f"{self.service} did not begin to answer within {limit:g} seconds.") from None
            raise
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            if isinstance(error, aiohttp.ClientConnectorError):
                raise Passing(f"{self.service} could not be reached.") from None
            raise Passing(f"{self.service} broke off in the middle of its answer.") from None
        except (ValidationError, ValueError, aiohttp.ClientResponseError):
            raise Passing(f"{self.service} gave an answer that cannot be read.") from None
        except (aiohttp.ClientError, OSError):
            raise Passing(f"{self.service} could not be reached.") from None

    async def _read(self, answer: aiohttp.ClientResponse, first: asyncio.Timeout, read: Read[T]) -> T:
        if answer.status != 200:
            await self._refused(answer)
        if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise Passing(f"{self.service} packed its answer, which was not asked for.")
        return await read(answer.content_type, self._chunks(answer, first))

    async def _chunks(self, answer: aiohttp.ClientResponse, first: asyncio.Timeout) -> Chunks:
        size = 0
        async for chunk in answer.content.iter_any():
            first.reschedule(None)
            size += len(chunk)
            if size > self.patience.most_bytes:
                most = self.patience.most_bytes / 1_000_000
                raise WriterFailed(f"{self.service} answered more than {most:g} MB, which no section needs.")
            yield chunk

    async def _refused(self, answer: aiohttp.ClientResponse) -> None:
        error = _error(await answer.content.read(_MOST_ERROR_BYTES))
        code = _plain(answer.headers.get("x-amzn-errortype", "").partition(":")[0]) or error.code
        told = f"{self.service} answers {answer.status}{f' ({code})' if code else ''}"
        if answer.status in _PASSING or "throttl" in code.lower():
            raise Passing(f"{told}.", _retry_after(answer.headers.get("Retry-After", "")))
        next_step = {
            401: "check the key in the settings",
            403: "check the key in the settings, and what it may do",
            404: "check the address and the model in the settings",
        }.get(answer.status, "check the model in the settings")
        raise Refused(f"{told}: {next_step}.", status=answer.status, parameter=error.parameter)


@dataclass(frozen=True, slots=True)
class _Error:
    code: str = ""
    parameter: str = ""


def _error(body: bytes) -> _Error:
    """The code of an error; only what looks like one, since messages may hold anything."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return _Error()
    error: Any = told.get("error", told) if isinstance(told, dict) else None
    if not isinstance(error, dict):
        return _Error()
    codes = (_plain(error.get(name)) for name in ("code", "type", "__type"))
    return _Error(next(filter(None, codes), ""), _plain(error.get("param")))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) and _CODE.fullmatch(value) else ""


def _retry_after(value: str) -> float | None:
    """Seconds, given as such or as a date."""
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", value.strip()):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _common(headers: Mapping[str, str]) -> dict[str, str]:
    return {"Accept-Encoding": "identity", "User-Agent": f"partita/{__version__}", **headers}


async def whole(chunks: Chunks) -> bytes:
    """The body in one piece."""
    return b"".join([chunk async for chunk in chunks])
