"""Asking many hosts without being a nuisance to any: some at once, each for one thing at a time, with pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

from partita.kit.jobs import Running

T = TypeVar("T")
AT_ONCE = 6


async def visit_hosts(
    running: Running,
    things: Iterable[T],
    url_of: Callable[[T], str],
    visit: Callable[[T], Awaitable[None]],
    *,
    pause: float,
) -> None:
    """Visit each thing, those of a host in turn with so many seconds between. Ends early if the job must."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def visit_host(of_host: Sequence[T]) -> None:
        async with turns:
            for number, thing in enumerate(of_host):
                if number:
                    await asyncio.sleep(pause)
                if running.stopping.is_set():
                    return
                await visit(thing)

    # Errors are raised when all have ended: nothing goes on behind the back of the job.
    ended = await asyncio.gather(*map(visit_host, _by_host(things, url_of)), return_exceptions=True)
    running.check()
    for each in ended:
        if isinstance(each, BaseException):
            raise each


def _by_host(things: Iterable[T], url_of: Callable[[T], str]) -> list[list[T]]:
    hosts: dict[str, list[T]] = {}
    for thing in things:
        hosts.setdefault(_host(url_of(thing)), []).append(thing)
    return list(hosts.values())


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
