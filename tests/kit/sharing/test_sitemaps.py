"""Sitemaps: every public address in exactly one part, and parts that stay where they are."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from partita.kit.kit import Kit
from partita.kit.sharing.sitemaps import (
    Address,
    Window,
    part_addresses,
    sitemap_index,
    url_set,
    windows,
    with_new_parts,
)
from tests.apps.house import kit_on

pytestmark = pytest.mark.anyio
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path) as kit:
        yield kit


@dataclass(slots=True)
class Shelf:
    """Things that come and go."""

    there: dict[str, str] = field(default_factory=dict)
    read: int = 0

    def add(self, name: str, minute: int) -> None:
        self.there[name] = f"2026-01-01T{minute // 60:02}:{minute % 60:02}:00Z"

    async def things(self, begins: str, ends: str | None) -> AsyncIterator[Address]:
        for created, name in sorted((created, name) for name, created in self.there.items()):
            if created >= begins and (ends is None or created < ends):
                self.read += 1
                yield Address(f"/{name}", created)


async def _all_parts(shelf: Shelf, parts: tuple[Window, ...]) -> list[list[str]]:
    return [[each.path for each in await part_addresses(shelf.things, window)] for window in parts]


async def test_every_address_is_in_exactly_one_part_whatever_comes_and_goes(kit: Kit) -> None:
    choose, shelf, known = random.Random(4), Shelf(), tuple[Window, ...]()
    for number in range(400):
        if choose.random() < 0.2 and shelf.there:
            shelf.there.pop(choose.choice(list(shelf.there)))
        else:
            # Most are new; some were made earlier and are public only now; some have the same time.
            shelf.add(f"t{number}", number if choose.random() < 0.7 else choose.randrange(number + 1))
        if number % 20 == 0:
            parts = await with_new_parts(kit.store, "shelf", shelf.things, part=10)
            found = await _all_parts(shelf, parts)
            assert sorted(path for part in found for path in part) == sorted(f"/{name}" for name in shelf.there)
            assert parts[: len(known) - 1] == known[:-1], "a part has moved"
            known = parts
    assert len(known) > 10
    assert await windows(kit.store, "shelf") == known


async def test_things_of_the_same_time_are_in_the_same_part(kit: Kit) -> None:
    shelf = Shelf()
    for number in range(50):
        shelf.add(f"imported-{number:02}", 7)
    assert len(await with_new_parts(kit.store, "shelf", shelf.things, part=10)) == 1
    shelf.add("later", 8)
    parts = await with_new_parts(kit.store, "shelf", shelf.things, part=10)
    assert [len(part) for part in await _all_parts(shelf, parts)] == [50, 1]


async def test_a_part_that_exists_is_not_read_again_to_find_the_next(kit: Kit) -> None:
    shelf = Shelf()
    for number in range(100):
        shelf.add(f"t{number}", number)
    await with_new_parts(kit.store, "shelf", shelf.things, part=10)
    shelf.read = 0
    await with_new_parts(kit.store, "shelf", shelf.things, part=10)
    assert shelf.read == 10, "only the part that is still open"
    shelf.read = 0
    await windows(kit.store, "shelf")
    assert shelf.read == 0


async def test_a_request_begins_a_few_parts_and_the_next_one_goes_on(kit: Kit) -> None:
    shelf = Shelf()
    for number in range(100):
        shelf.add(f"t{number}", number)
    lengths = [len(await with_new_parts(kit.store, "shelf", shelf.things, part=2)) for _ in range(3)]
    assert lengths == [21, 41, 50]


async def test_a_part_is_never_larger_than_the_format_allows() -> None:
    shelf = Shelf()
    for number in range(30):
        shelf.add(f"t{number}", number)
    assert len(await part_addresses(shelf.things, Window("", None), 20)) == 20


def test_the_files_are_what_search_engines_read() -> None:
    base = "https://example.org"
    part = fromstring(
        url_set(base, ["/fus"], [Address("/fus/sites/ü&1", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00.1Z")])
    )
    assert part.tag == f"{NAMESPACE}urlset"
    assert [url.text for url in part.iter(f"{NAMESPACE}loc")] == [f"{base}/fus", f"{base}/fus/sites/%C3%BC&1"]
    assert [at.text for at in part.iter(f"{NAMESPACE}lastmod")] == ["2026-02-01T00:00:00Z"]
    index = fromstring(sitemap_index(base, ["/sitemaps/fus/1.xml"]))
    assert index.tag == f"{NAMESPACE}sitemapindex"
    assert [url.text for url in index.iter(f"{NAMESPACE}loc")] == [f"{base}/sitemaps/fus/1.xml"]
