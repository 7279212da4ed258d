"""Titles for somebody who types their beginning."""

from __future__ import annotations

from dataclasses import dataclass

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.search import FILMS, SERIES
from partita.apps.worthwatch.service.labels import Ref
from partita.apps.worthwatch.service.tiles import Tile, tile_of_title
from partita.apps.worthwatch.service.titles import Titles
from partita.kit.kit import Kit

MOST = 8


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A title that may be meant, and whether the list has it."""

    tile: Tile
    there: bool


class Suggestions:
    """What fits the words that somebody types."""

    def __init__(self, kit: Kit, titles: Titles) -> None:
        self._kit = kit
        self._store = kit.store
        self._titles = titles

    async def titles(self, words: str, *, limit: int = MOST) -> list[Tile]:
        """Films and series with these words, the likeliest first."""
        refs = await self._refs(words, limit)
        found = await self._titles.by_ref(refs)
        return [tile_of_title(title) for title in found.values()]

    async def for_list(self, watchlist_id: str, words: str) -> list[Suggestion]:
        """The same, with those that are on a list already."""
        tiles = await self.titles(words) if words.strip() else []
        keys = [schema.item_of(watchlist_id, *tile.ref).key for tile in tiles]
        there = await self._store.batch_get(keys) if keys else []
        return [Suggestion(tile, item is not None) for tile, item in zip(tiles, there, strict=True)]

    async def _refs(self, words: str, limit: int) -> list[Ref]:
        """Those with exactly this name first, then what the search finds, which may be a moment late."""
        found: list[tuple[float, Ref]] = []
        films = await self._kit.search.find(FILMS, words, limit=limit)
        found += [(hit.score, ("MOVIE", hit.id)) for hit in films.hits]
        series = await self._kit.search.find(SERIES, words, limit=limit)
        found += [(hit.score, ("SHOW", hit.id)) for hit in series.hits]
        named = [*await self._titles.named(words, "MOVIE"), *await self._titles.named(words, "SHOW")]
        exact: list[Ref] = [(each.content_type, each.content_id) for each in named]
        best = [ref for _, ref in sorted(found, key=lambda hit: hit[0], reverse=True)]
        return list(dict.fromkeys((*exact, *best)))[:limit]
