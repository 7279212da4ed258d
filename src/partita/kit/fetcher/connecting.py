"""Connections to checked addresses only; each is checked again before and after connecting."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from partita.kit.fetcher.addresses import Address

Allows = Callable[[Address], bool]
"""Whether connections to an address are allowed."""


class CheckedConnector(aiohttp.TCPConnector):
    """Connects to the given addresses, whatever the host name, and only to allowed ones."""

    def __init__(self, addresses: Sequence[Address], allows: Allows, tls: ssl.SSLContext | None) -> None:
        def open_socket(info: Any) -> socket.socket:
            family, kind, protocol, _, where = info
            # The last moment before anything is sent; aiohttp does not ask its resolver about hosts that are addresses.
            if not allows(_address(where)):
                raise OSError(errno.EACCES, f"{where[0]} is not public")
            new = socket.socket(family, kind, protocol)
            new.setblocking(False)
            return new

        super().__init__(
            resolver=_Resolved(addresses),
            use_dns_cache=False,
            force_close=True,
            socket_factory=open_socket,
            ssl=tls or True,
        )
        self._allows = allows

    async def connect(self, *arguments: Any, **named: Any) -> Any:
        """A connection to an allowed peer; nothing has been sent yet."""
        connection = await super().connect(*arguments, **named)
        transport = connection.transport
        peer = transport and transport.get_extra_info("peername")
        if not peer or not self._allows(_address(peer)):
            connection.close()
            raise aiohttp.ClientConnectionError(f"connected to {peer}, which is not public")
        return connection


class _Resolved(AbstractResolver):
    """Returns the checked addresses, so that a changed DNS entry has no effect (DNS rebinding)."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        """Nothing to close."""


def _address(where: Sequence[Any]) -> Address:
    return ip_address(where[0])
