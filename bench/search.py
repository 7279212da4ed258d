"""Searching 20,000 resources: what people wait for an answer."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from partita.apps import kelifax
from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.schema import Resource
from partita.apps.kelifax.search import CATALOG
from partita.apps.kelifax.service.submissions import resource_of
from partita.kit.search import Search
from partita.table import CursorKeys

COUNT = 20_000
_DEMO = Path(kelifax.__file__).parent / "demo" / "resources.json"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How long searches took."""

    count: int
    milliseconds: list[float]
    found: float
    """How many resources a search found, in the middle."""


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
    async def resources() -> AsyncIterator[Resource]:
        for number in range(count):
            yield _mixed(entries, dice, number)

    await search.rebuild(CATALOG, resources())
    milliseconds: list[float] = []
    totals: list[int] = []
    for _ in range(200):
        words = dice.choice(entries)["resource"]["usagePurpose"].split()
        asked = " ".join(dice.sample(words, min(2, len(words))))
        asked = asked[: max(4, len(asked) - dice.randrange(4))]  # the last word is often unfinished
        begun = time.perf_counter()
        page = await search.find(CATALOG, asked)
        milliseconds.append((time.perf_counter() - begun) * 1000)
        totals.append(page.total)
    return SearchResult(count, milliseconds, statistics.median(totals))


def _mixed(entries: list[dict[str, Any]], dice: random.Random, number: int) -> Resource:
    """A resource with the name of one, the purpose of another and the features of a third."""
    name, purpose, details = (dice.choice(entries) for _ in range(3))
    submission = Submission.model_validate(
        {
            "submitter": name["submitter"],
            "resource": {**name["resource"], "usagePurpose": purpose["resource"]["usagePurpose"]},
            "details": details["details"],
        }
    )
    resource = resource_of(submission, f"resource-{number}", str(number), "2026-01-01T00:00:00.000000Z")
    return resource.model_copy(update={"resource_status": "approved"})


def section(result: SearchResult) -> list[str]:
    """What there is to say of a run."""
    ordered = sorted(result.milliseconds)
    middle, most = statistics.median(ordered), ordered[len(ordered) * 95 // 100]
    return [
        "## Search",
        "",
        f"{len(ordered)} searches for two words, the last often unfinished, in {result.count:,} resources; one in the",
        f"middle finds {result.found:,.0f}. Median {middle:.1f} ms (wanted < 20 ms), 95 of 100 within {most:.1f} ms.",
    ]
