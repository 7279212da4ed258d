"""Which titles the rows of a file mean: by external id, else by name, year and type. What is not sure is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import folded
from partita.apps.worthwatch.schema import ExternalId, Named
from partita.apps.worthwatch.service.labels import Ref, titles_by_ref
from partita.apps.worthwatch.service.titles import parsed
from partita.apps.worthwatch.service.transfer.rows import Row
from partita.store.store import AsyncStore
from partita.table import Key, KeyPartError

State = Literal["found", "check", "missing", "aside"]
_MOST_CANDIDATES = 6
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Candidate:
    """A title that a row may mean."""

    ref: Ref
    title: str
    year: int | None

    @property
    def plain(self) -> list[Any]:
        return [*self.ref, self.title, self.year]

    @classmethod
    def of(cls, plain: Sequence[Any]) -> Candidate:
        kind, content_id, title, year = plain
        return cls(("MOVIE" if kind == "MOVIE" else "SHOW", content_id), title, None if year is None else int(year))


@dataclass(frozen=True, slots=True)
class Match:
    """What a row means: one title, one of several, none, or nothing that is imported."""

    state: State
    candidates: tuple[Candidate, ...] = ()

    @property
    def plain(self) -> dict[str, Any]:
        return {"state": self.state, "candidates": [each.plain for each in self.candidates]}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Match:
        return cls(plain["state"], tuple(map(Candidate.of, plain.get("candidates", ()))))


async def match_rows(store: AsyncStore, rows: Sequence[Row]) -> list[Match]:
    """A match for each row, in their order."""
    wanted = [row for row in rows if not row.aside]
    by_id = await _by_external_id(store, wanted)
    names = dict.fromkeys(folded(row.name) for row in wanted if row.number not in by_id and row.name)
    named = await _named(store, names)
    matches = {row.number: by_id.get(row.number) or _by_name(row, named.get(folded(row.name), ())) for row in wanted}
    matches |= await _doubted(store, [row for row in wanted if row.imdb and row.number not in by_id], matches)
    return [Match("aside") if row.aside else matches[row.number] for row in rows]


async def _by_external_id(store: AsyncStore, rows: Iterable[Row]) -> dict[int, Match]:
    keys: dict[Key[ExternalId], int] = {}
    wanted: dict[int, list[Key[ExternalId]]] = {}
    for row in rows:
        found = [schema.title_with("imdb", row.imdb).key] if row.imdb else []
        if row.tmdb:
            kinds = {"MOVIE": ("movie",), "SHOW": ("tv",), None: ("movie",)}[row.type]
            found += [schema.title_with("tmdb", f"{kind}/{row.tmdb}").key for kind in kinds]
        if found:
            wanted[row.number] = found
            keys |= dict.fromkeys(found, row.number)
    guards = await store.batch_get(list(keys)) if keys else []
    owners = {key: parsed(guard.of_content) for key, guard in zip(keys, guards, strict=True) if guard is not None}
    refs = {number: next((owners[key] for key in found if key in owners), None) for number, found in wanted.items()}
    titles = await titles_by_ref(store, (ref for ref in refs.values() if ref is not None))
    return {
        number: Match("found", (Candidate(ref, titles[ref].title, titles[ref].year),))
        for number, ref in refs.items()
        if ref is not None and ref in titles
    }


async def _named(store: AsyncStore, names: Iterable[str]) -> dict[str, tuple[Named, ...]]:
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(name: str) -> tuple[str, tuple[Named, ...]]:
        async with turns:
            try:
                page = await store.page(schema.titles_named(name), limit=50)
            except KeyPartError:
                return name, ()
            return name, tuple(page.items)

    return dict(await asyncio.gather(*map(one, names)))


def _by_name(row: Row, named: Sequence[Named]) -> Match:
    """One of that name and year is found; a year beside it, an unknown one or several are to be checked."""
    right = [each for each in named if row.type in (None, each.content_type)]
    exact = _candidates(each for each in right if row.year is not None and each.year == row.year)
    if len(exact) == 1:
        return Match("found", exact)
    near = exact or _candidates(
        each for each in right if row.year is None or not each.year or abs(each.year - row.year) <= 1
    )
    return Match("check", near[:_MOST_CANDIDATES]) if near else Match("missing")


def _candidates(named: Iterable[Named]) -> tuple[Candidate, ...]:
    """Each title once, though it may have two names."""
    known = {
        (each.content_type, each.content_id): Candidate(
            (each.content_type, each.content_id), each.title, each.year or None
        )
        for each in named
    }
    return tuple(known.values())


async def _doubted(store: AsyncStore, rows: Sequence[Row], matches: dict[int, Match]) -> dict[int, Match]:
    """A title of the right name that has another IMDb id is another title, unless somebody says otherwise."""
    found = {row.number: matches[row.number] for row in rows if matches[row.number].state == "found"}
    titles = await titles_by_ref(store, (match.candidates[0].ref for match in found.values()))
    return {
        number: Match("check", match.candidates)
        for number, match in found.items()
        if (title := titles.get(match.candidates[0].ref)) is not None and title.imdb_id is not None
    }
