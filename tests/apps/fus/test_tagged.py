"""Sites by several tags: the same as asking every site, in order, each once, and without reading what cannot match."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.fus.schema import FUS, SiteTag, TagTotal
from partita.apps.fus.service.tagged import Mode, site_ids
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.observe import Observation
from partita.table import Delete, Put

TAGS = ("a", "b", "c")
CATALOGS = st.lists(st.sets(st.sampled_from(TAGS), max_size=3), max_size=150)


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(FUS)
        yield store


def _name(number: int) -> str:
    return f"{number:06}"


def _fill(store: EmbeddedStore, sites: list[set[str]]) -> list[SiteTag]:
    entries = [SiteTag(site_id=_name(number), tag=tag) for number, tags in enumerate(sites) for tag in tags]
    store.batch_write(map(Put, entries))
    counts = Counter(entry.tag for entry in entries)
    store.batch_write(Put(TagTotal(tag=tag, count=count)) for tag, count in counts.items())
    return entries


def _ids(store: EmbeddedStore, tags: tuple[str, ...], mode: Mode, after: str | None = None) -> list[str]:
    async def collect() -> list[str]:
        return [site_id async for site_id in site_ids(store.asynchronous, tags, mode, after)]

    return asyncio.run(collect())


@settings(max_examples=60, deadline=None)
@given(CATALOGS, st.sets(st.sampled_from(TAGS), min_size=1), st.sampled_from(["and", "or"]), st.integers(0, 150))
def test_it_finds_what_asking_every_site_would_find(
    store: EmbeddedStore, sites: list[set[str]], tags: set[str], mode: Mode, place: int
) -> None:
    entries = _fill(store, sites)
    try:
        chosen = tuple(sorted(tags))
        wanted = [
            _name(number)
            for number, has in reversed(list(enumerate(sites)))
            if (tags <= has if mode == "and" else tags & has)
        ]
        assert _ids(store, chosen, mode) == wanted
        after = _name(place)
        assert _ids(store, chosen, mode, after) == [site_id for site_id in wanted if site_id < after]
    finally:
        store.batch_write(Delete(entry.own_key) for entry in entries)


def _cost(store: EmbeddedStore, tags: tuple[str, ...], mode: Mode, wanted: int | None = None) -> tuple[int, float]:
    """Ids that were found, and the read units they took; all of them, or as many as a page wants."""
    seen: list[Observation] = []
    store.observe(seen.append)

    async def collect() -> int:
        found = 0
        async for _ in site_ids(store.asynchronous, tags, mode):
            found += 1
            if found == wanted:
                break
        return found

    try:
        return asyncio.run(collect()), sum(call.units for call in seen)
    finally:
        store.observers.remove(seen.append)


def test_all_of_two_tags_among_five_thousand_sites_costs_little() -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(FUS)
        _fill(
            store,
            [
                {"every"}
                | ({"half"} if number % 2 else {"other-half"})
                | ({"rare"} if number % 500 == 0 else set())
                | ({"early"} if number < 2500 else {"late"})
                for number in range(5000)
            ],
        )
        whole = _cost(store, ("every",), "or")
        assert whole[0] == 5000
        assert whole[1] > 30, "what reading one tag to its end costs"
        # A page of what is common stops as soon as it is full.
        found, units = _cost(store, ("every", "half"), "and", wanted=21)
        assert (found, units <= 4) == (21, True), units
        # What is rare leaps over what is common: two small reads for each that is found.
        found, units = _cost(store, ("every", "rare"), "and")
        assert (found, units <= 8) == (10, True), units
        # Lists that lie apart are found to have nothing in common without being read.
        found, units = _cost(store, ("early", "late"), "and")
        assert (found, units <= 3) == (0, True), units
        # The worst that can be: both are read to their end, and never more than that.
        found, units = _cost(store, ("half", "other-half"), "and")
        assert (found, units <= whole[1] * 1.3) == (0, True), units
        found, units = _cost(store, ("early", "rare"), "or", wanted=21)
        assert (found, units <= 3) == (21, True), units
