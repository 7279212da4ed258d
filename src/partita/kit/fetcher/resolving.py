"""From names to addresses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""All addresses of a host; `OSError` where it has none, or where nobody could be asked (`got_no_answer`)."""
_NO_ANSWER = (socket.EAI_AGAIN, socket.EAI_FAIL)


class SystemResolver:
    """Asks as every program of the machine does, in threads of its own: names that take long hold up nobody else."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(8, thread_name_prefix="names")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _addresses, host, port)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _addresses(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


def got_no_answer(error: Exception) -> bool:
    """Whether nobody could say if there is such a name: no network, or name servers that fail."""
    return isinstance(error, socket.gaierror) and error.errno in _NO_ANSWER
