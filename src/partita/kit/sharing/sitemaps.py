"""Sitemaps (sitemaps.org): an index of parts, and in each part the addresses of things that were made in a stretch of
time. Parts begin where the one before was full; that is remembered, so work is bounded and a part stays the same."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from partita.kit.sharing.addresses import absolute
from partita.kit.sharing.schema import SitemapPart, sitemap_parts
from partita.kit.sharing.xml import add, document, timestamp
from partita.store.store import AsyncStore
from partita.table import Put

PART = 500
"""How many addresses make a part full. It is far below the limit of the format: a part is read in one request."""
MOST_ADDRESSES = 50_000
"""The limit of the format. A part grows if things of its time become public later."""
MOST_NEW_PARTS = 20
"""How many parts one request may begin; the next request goes on."""
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True, slots=True)
class Address:
    """A public page."""

    path: str
    created: str
    """When the thing was made: the order of the sitemap. It must never change."""
    updated: str = ""


Things = Callable[[str, str | None], AsyncIterator[Address]]
"""Public things made at or after a time (empty: all) and before another, the oldest first, read by an index."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What search engines may find in a system."""

    pages: tuple[str, ...] = ()
    """Pages that are always there."""
    things: Things | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The stretch of time of a part."""

    begins: str
    ends: str | None


async def windows(store: AsyncStore, system: str) -> tuple[Window, ...]:
    """The parts of a system, the oldest first. Together they are all of time, wherever parts begin."""
    return _between([each.begins async for each in store.stream(sitemap_parts(system))])


async def with_new_parts(
    store: AsyncStore, system: str, things: Things | None, *, part: int = PART
) -> tuple[Window, ...]:
    """The same; if the last part is full, the next one begins. To begin one twice is to begin it once."""
    parts = await windows(store, system)
    if things is None:
        return parts
    starts = [each.begins for each in parts[1:]]
    for _ in range(MOST_NEW_PARTS):
        begins = await _next_begin(things, starts[-1] if starts else "", part)
        if begins is None:
            break
        await store.write(Put(SitemapPart(system=system, begins=begins)))
        starts.append(begins)
    return _between(starts)


async def part_addresses(things: Things, window: Window, most: int = MOST_ADDRESSES) -> tuple[Address, ...]:
    """The addresses of a part."""
    found: list[Address] = []
    async for each in things(window.begins, window.ends):
        found.append(each)
        if len(found) >= most:
            break
    return tuple(found)


def url_set(base_url: str, pages: Iterable[str], addresses: Sequence[Address]) -> bytes:
    """A part as a file."""
    root = Element("urlset", {"xmlns": _NAMESPACE})
    for path in pages:
        add(add(root, "url"), "loc", absolute(base_url, path))
    for each in addresses:
        entry = add(root, "url")
        add(entry, "loc", absolute(base_url, each.path))
        add(entry, "lastmod", timestamp(each.updated or each.created))
    return document(root)


def sitemap_index(base_url: str, paths: Iterable[str]) -> bytes:
    """The file that names all parts."""
    root = Element("sitemapindex", {"xmlns": _NAMESPACE})
    for path in paths:
        add(add(root, "sitemap"), "loc", absolute(base_url, path))
    return document(root)


def _between(starts: Sequence[str]) -> tuple[Window, ...]:
    return tuple(Window(begins, ends) for begins, ends in zip(("", *starts), (*starts, None), strict=True))


async def _next_begin(things: Things, begins: str, part: int) -> str | None:
    """Where the part after this one begins: at the first thing that no longer fits, unless it has the same time as the
    one before; None while the part is not full."""
    count, before = 0, begins
    async for each in things(begins, None):
        if count >= part and each.created > before:
            return each.created
        count, before = count + 1, each.created
        if count > MOST_ADDRESSES:
            break
    return None
