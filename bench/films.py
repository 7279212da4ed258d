"""Searching 100,000 films by words: what the search page of WorthWatch waits for."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import orjson

from partita.apps.worthwatch.schema import Movie
from partita.apps.worthwatch.search import FILMS
from partita.kit.search import Search
from partita.table import CursorKeys

COUNT = 100_000
WANTED = 50
"""Milliseconds of processor time that 95 of 100 searches with words, filters and facets may take."""
_ASKED = 100
_FACETS = ("genre", "decade", "length")
_DEMO = Path(__file__).parent.parent / "src" / "partita" / "apps" / "worthwatch" / "demo" / "titles.json"
_MOMENT = "2026-01-01T00:00:00.000000Z"


@dataclass(slots=True)
class FilmResult:
    """How long searches took."""

    count: int
    built: float = 0
    """Seconds to build the index."""
    found: dict[str, float] = field(default_factory=dict)
    """How many films there were, in the middle, by what was asked."""
    milliseconds: dict[str, list[float]] = field(default_factory=dict)
    anew: dict[str, list[float]] = field(default_factory=dict)
    """The same, each after the words of a film were changed: nothing that was found before is kept."""


def compare(say: Callable[[str], None], films_wanted: int = COUNT) -> FilmResult:
    """Build an index of films whose words are mixed from the demo data, and search it as its page does."""
    demo = [each for each in orjson.loads(_DEMO.read_bytes()) if each.get("synopsis")]
    say(f"an index of {films_wanted:,} films")
    with tempfile.TemporaryDirectory(prefix="partita-films-") as folder:
        search = Search(Path(folder) / "search.db", CursorKeys(b"measured" * 4))
        try:
            return asyncio.run(_measure(search, demo, random.Random(24), films_wanted))
        finally:
            search.close()


async def _measure(search: Search, demo: list[dict[str, Any]], dice: random.Random, films_wanted: int) -> FilmResult:
    result = FilmResult(films_wanted)

    async def films() -> AsyncIterator[Movie]:
        for number in range(films_wanted):
            yield mixed(demo, dice, number)

    begun = time.perf_counter()
    await search.rebuild(FILMS, films())
    result.built = time.perf_counter() - begun

    def title() -> str:
        return str(dice.choice(demo)["title"])

    def a_word() -> str:
        return dice.choice(title().split())

    def of_the_story(words: int) -> str:
        said = dice.choice(demo)["synopsis"].split()
        return " ".join(dice.sample(said, min(words, len(said))))

    def genres() -> frozenset[str]:
        return frozenset(dice.sample(_genres(dice.choice(demo)), 1))

    asked: dict[str, Callable[[], tuple[str, dict[str, Any]]]] = {
        "a word of a title": lambda: (a_word(), {}),
        "three letters": lambda: (title()[:3], {}),
        "a whole title": lambda: (title(), {}),
        "a word of a story": lambda: (of_the_story(1), {}),
        "two words of a story": lambda: (of_the_story(2), {}),
        "a word of a title, in a genre": lambda: (a_word(), {"genre": genres()}),
        "a word of a story, by year": lambda: (of_the_story(1), {"sort": "-year"}),
        "the": lambda: ("the", {}),
        "a": lambda: ("a", {}),
        "three common words": lambda: ("and the of", {}),
        "a title that nobody made": lambda: (f"the {a_word()} of nowhere", {}),
    }
    for name, ask in asked.items():
        totals: list[int] = []
        result.milliseconds[name] = [await _timed(search, totals, place, *ask()) for place in range(_ASKED)]
        result.found[name] = statistics.median(totals)
    film = mixed(demo, dice, 0)
    changes = count()
    for name, ask in asked.items():
        result.anew[name] = []
        for place in range(_ASKED):
            number = next(changes)
            changed = film.with_(Movie.title(f"Another title {number}"))
            await search.apply(FILMS, film, changed, sequence=str(number))
            result.anew[name].append(await _timed(search, [], place, *ask()))
    return result


async def _timed(search: Search, totals: list[int], place: int, words: str, wanted: dict[str, Any]) -> float:
    """One search. No two ask for the same number of values, since the second answer would come from memory."""
    sort = wanted.pop("sort", None)
    begun = time.process_time()
    page = await search.find(
        FILMS,
        words,
        filters=wanted,
        match="relaxed",
        sort=sort,
        facets=_FACETS,
        most_values=24 + place,
        suggest=True,
        limit=24,
    )
    totals.append(page.total)
    return (time.process_time() - begun) * 1000


def mixed(demo: list[dict[str, Any]], dice: random.Random, number: int) -> Movie:
    """A film with a word of one title and a word of another, people of a third and the story of a fourth."""
    one, other, made, told = (dice.choice(demo) for _ in range(4))
    return Movie(
        movie_id=f"film-{number}",
        title=f"{dice.choice(one['title'].split())} {dice.choice(other['title'].split())} {number % 997}",
        release_year=dice.randrange(1920, 2026),
        runtime=dice.randrange(60, 200),
        genres=_genres(one),
        directors=tuple(made.get("directors") or made.get("creators") or ()),
        synopsis=told["synopsis"],
        listed_in=int(dice.paretovariate(1)),
        created_at=_MOMENT,
        updated_at=_MOMENT,
    )


def _genres(title: dict[str, Any]) -> tuple[str, ...]:
    return tuple(title.get("genres") or ("Drama",))


def section(result: FilmResult) -> list[str]:
    """What there is to say of a run."""
    lines = [
        "### Films by words",
        "",
        f"{_ASKED} searches of a kind in {result.count:,} films of WorthWatch, indexed in {result.built:.0f} s, as its",
        "page asks: the first 24, the total, three facets, a correction. Milliseconds of processor time; wanted are",
        f"under {WANTED} for 95 of 100. Then the same with a change of a film's words before each search, so that no",
        "set of documents with common words is there from before.",
        "",
        "| what | films found | in the middle | 95 of 100 within | after changes: in the middle | 95 of 100 within |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, milliseconds in result.milliseconds.items():
        figures = (*_of(milliseconds), *_of(result.anew[name]))
        lines.append(f"| {name} | {result.found[name]:,.0f} | {' | '.join(f'{each:.1f} ms' for each in figures)} |")
    return lines


def _of(milliseconds: list[float]) -> tuple[float, float]:
    """The one in the middle, and what 95 of 100 stay within."""
    ordered = sorted(milliseconds)
    return statistics.median(ordered), ordered[len(ordered) * 95 // 100]
