"""Searching 20,000 resources: what people wait for an answer."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from partita.kit.search import Catalog, Document, Search
from partita.table import Attribute, CursorKeys, Item, Table, attribute

COUNT = 20_000
_ASKED = 200
_DEMO = Path(__file__).parent.parent / "src" / "partita" / "apps" / "kelifax" / "demo" / "resources.json"
_WANTED = 20
"""Milliseconds that a search with facets may take in the middle."""

RESOURCES = Table("bench-resources", pk="slug")


class Resource(Item, table=RESOURCES):
    """A resource with what people can find it by."""

    slug: Attribute[str]
    name: Attribute[str]
    tags: Attribute[tuple[str, ...]]
    category: Attribute[str]
    purpose: Attribute[str]
    details: Attribute[str]
    created_at: Attribute[str]
    view_count: Attribute[int] = attribute(default=0)


def _document(resource: Resource) -> Document:
    return Document(
        id=resource.slug,
        fields={
            "name": resource.name,
            "tags": " ".join(resource.tags),
            "category": resource.category,
            "purpose": resource.purpose,
            "details": resource.details,
        },
        filters={"category": resource.category, "tag": resource.tags},
        sorts={"created_at": resource.created_at, "views": resource.view_count, "name": resource.name},
    )


CATALOG = Catalog(
    name="bench.resources",
    item_type=Resource,
    document=_document,
    weights={"name": 10.0, "tags": 5.0, "category": 3.0, "purpose": 2.0, "details": 1.0},
    sources=(),
    filters=("category", "tag"),
    sorts=("created_at", "views", "name"),
    order="-created_at",
)


@dataclass(slots=True)
class SearchResult:
    """How long searches took."""

    count: int
    found: float = 0
    """How many resources a search found, in the middle."""
    built: float = 0
    """Seconds to build the index."""
    milliseconds: dict[str, list[float]] = field(default_factory=dict)
    """By what was asked."""


def compare(say: Callable[[str], None], count: int = COUNT) -> SearchResult:
    """Build an index of resources whose words are mixed from the demo data, and search it as people do."""
    entries: list[dict[str, Any]] = orjson.loads(_DEMO.read_bytes())
    dice = random.Random(20)
    say(f"an index of {count:,} resources")
    with tempfile.TemporaryDirectory(prefix="partita-search-") as folder:
        search = Search(Path(folder) / "search.db", CursorKeys(b"measured" * 4))
        try:
            return asyncio.run(_measure(search, entries, dice, count))
        finally:
            search.close()


async def _measure(search: Search, entries: list[dict[str, Any]], dice: random.Random, count: int) -> SearchResult:
    resources = [_mixed(entries, dice, number) for number in range(count)]
    result = SearchResult(count)

    async def items() -> AsyncIterator[Resource]:
        for each in resources:
            yield each

    begun = time.perf_counter()
    await search.rebuild(CATALOG, items())
    result.built = time.perf_counter() - begun
    totals: list[int] = []

    def words() -> str:
        said = dice.choice(entries)["resource"]["usagePurpose"].split()
        asked = " ".join(dice.sample(said, min(2, len(said))))
        return asked[: max(4, len(asked) - dice.randrange(4))]  # the last word is often unfinished

    def tag() -> str:
        return str(dice.choice(dice.choice(entries)["resource"]["tags"]))

    def category() -> frozenset[str]:
        return frozenset({str(dice.choice(entries)["resource"]["category"])})

    async def two_words() -> None:
        totals.append((await search.find(CATALOG, words())).total)

    async def with_facets() -> None:
        await search.find(CATALOG, words(), match="relaxed", suggest=True, facets=CATALOG.filters)

    async def narrowed() -> None:
        await search.find(CATALOG, words(), filters={"category": category()}, facets=CATALOG.filters)

    async def by_views() -> None:
        await search.find(CATALOG, words(), sort="-views", facets=CATALOG.filters)

    async def newest() -> None:
        await search.find(CATALOG, "", facets=CATALOG.filters)

    async def newest_of_category() -> None:
        await search.find(CATALOG, "", filters={"category": category()}, facets=CATALOG.filters)

    async def newest_with_tag() -> None:
        await search.find(CATALOG, "", filters={"tag": (tag(),)}, facets=CATALOG.filters)

    async def misspelled() -> None:
        asked = words()
        place = dice.randrange(1, len(asked) - 1)
        swapped = asked[:place] + asked[place + 1] + asked[place] + asked[place + 2 :]
        await search.find(CATALOG, swapped, match="relaxed", suggest=True, facets=CATALOG.filters)

    async def completion() -> None:
        await search.complete(CATALOG, tag()[: dice.randrange(1, 4)], filter="tag")

    asked: dict[str, Callable[[], Awaitable[None]]] = {
        "two words, the last often unfinished": two_words,
        "two words, with facets": with_facets,
        "two words in a category, with facets": narrowed,
        "two words, most viewed first, with facets": by_views,
        "everything, newest first, with facets": newest,
        "a category, newest first, with facets": newest_of_category,
        "a tag, newest first, with facets": newest_with_tag,
        "two words with an error, with facets and a correction": misspelled,
        "completing a tag": completion,
    }
    for name, ask in asked.items():
        result.milliseconds[name] = [await _timed(ask) for _ in range(_ASKED)]
    result.found = statistics.median(totals)
    return result


async def _timed(ask: Callable[[], Awaitable[None]]) -> float:
    begun = time.perf_counter()
    await ask()
    return (time.perf_counter() - begun) * 1000


def _mixed(entries: list[dict[str, Any]], dice: random.Random, number: int) -> Resource:
    """A resource with the name of one, the purpose of another and the features of a third."""
    name, purpose, details = (dice.choice(entries) for _ in range(3))
    return Resource(
        slug=f"resource-{number}",
        name=name["resource"]["resourceName"],
        tags=tuple(name["resource"]["tags"]),
        category=name["resource"]["category"],
        purpose=purpose["resource"]["usagePurpose"],
        details=" ".join((*details["details"]["keyFeatures"], *details["details"]["useCases"])),
        created_at=f"2026-01-{dice.randrange(1, 29):02}T{dice.randrange(24):02}:{dice.randrange(60):02}:00.000000Z",
        view_count=int(dice.paretovariate(1)),
    )


def section(result: SearchResult) -> list[str]:
    """What there is to say of a run."""
    lines = [
        "## Search",
        "",
        f"{_ASKED} searches of a kind in {result.count:,} resources, indexed in {result.built:.1f} s. Two words in the",
        f"middle find {result.found:,.0f}. Wanted: a median under {_WANTED} ms.",
        "",
        "| what | in the middle | 95 of 100 within |",
        "|---|---:|---:|",
    ]
    for name, milliseconds in result.milliseconds.items():
        ordered = sorted(milliseconds)
        middle, most = statistics.median(ordered), ordered[len(ordered) * 95 // 100]
        lines.append(f"| {name} | {middle:.1f} ms | {most:.1f} ms |")
    return lines
