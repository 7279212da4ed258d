"""Connections to addresses that were checked, and checked again before and after they are made."""

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
"""Whether an address may be talked to."""


class CheckedConnector(aiohttp.TCPConnector):
    """Goes to the given addresses whatever the host is called, and to none that is not allowed."""

    def __init__(self, addresses: Sequence[Address], allows: Allows, tls: ssl.SSLContext | None) -> None:
        def opened(info: Any) -> socket.socket:
            family, kind, protocol, _, where = info
            # The last moment before anything is sent; aiohttp does not ask its resolver about hosts that are addresses.
            if not allows(_address(where)):
                raise OSError(errno.EACCES, f"{where[0]} is not public")
            made = socket.socket(family, kind, protocol)
            made.setblocking(False)
            return made

        super().__init__(
            resolver=_Resolved(addresses),
            use_dns_cache=False,
            force_close=True,
            socket_factory=opened,
            ssl=tls or True,
        )
        self._allows = allows

    async def connect(self, *arguments: Any, **named: Any) -> Any:
        """A connection whose other end is where it should be; nothing has been asked yet."""
        connection = await super().connect(*arguments, **named)
        transport = connection.transport
        peer = transport and transport.get_extra_info("peername")
        if not peer or not self._allows(_address(peer)):
            connection.close()
            raise aiohttp.ClientConnectionError(f"connected to {peer}, which is not public")
        return connection


class _Resolved(AbstractResolver):
    """Knows the addresses already: a name that leads elsewhere by now changes nothing."""

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
        """There is nothing to let go of."""


def _address(where: Sequence[Any]) -> Address:
    return ip_address(where[0])
