"""Sites on loopback that answer as a test says: rightly, slowly, endlessly or wrongly."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address

from partita.kit.fetcher import Fetcher
from partita.kit.fetcher.addresses import Address
from tests.listening import listening

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]

HOME = ip_address("127.0.0.1")
PAGE = b"<title>A page</title><p>Hello"


@dataclass
class Site:
    """Where a site is, what it answers, and what it was asked."""

    answers: Mapping[str, Answer]
    port: int = 0
    asked: list[str] = field(default_factory=list)
    """The heads of requests."""
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://site.example:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._converse(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # the visitor went away, which is what some are here for
        finally:
            writer.transport.abort()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.asked.append(head)
        answer = self.answers[head.split(" ")[1].partition("?")[0]]
        if isinstance(answer, bytes):
            writer.write(answer)
        else:
            await answer(writer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def serving(
    answers: Mapping[str, Answer], *, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Site]:
    """A site for as long as the block lasts."""
    site = Site(answers)
    async with listening(site.serve, host=host, port=port, tls=tls) as site.port:
        yield site


def answer(
    body: bytes = PAGE, *, status: int = 200, headers: Mapping[str, str] | None = None, length: int | None = None
) -> bytes:
    """An HTTP answer, of text/html unless told otherwise."""
    shown = {"Content-Type": "text/html", "Content-Length": str(len(body) if length is None else length)}
    shown |= headers or {}
    lines = "".join(f"{name}: {value}\r\n" for name, value in shown.items() if value)
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode() + body


def onward(location: str, status: int = 302) -> bytes:
    """An answer that leads elsewhere."""
    return answer(b"", status=status, headers={"Location": location, "Content-Type": ""})


def home_only(address: Address) -> bool:
    """The policy of these tests: 127.0.0.1 is the public web, and nothing else is."""
    return address == HOME


class Names:
    """A resolver with answers in turn; the last one stays."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers) or [["127.0.0.1"]]
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def visitor(
    names: Names | None = None, *, seconds: float = 10.0, most_bytes: int = 100_000, tls: ssl.SSLContext | None = None
) -> Fetcher:
    """A fetcher that may talk to a site of these tests."""
    return Fetcher(
        contact="https://partita.example",
        ports=None,
        seconds=seconds,
        most_bytes=most_bytes,
        allows=home_only,
        resolve=names or Names(),
        tls=tls,
    )
