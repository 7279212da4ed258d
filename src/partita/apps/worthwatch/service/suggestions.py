"""Titles for somebody who types their beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import ContentType
from partita.apps.worthwatch.search import FILMS, SERIES
from partita.apps.worthwatch.service.labels import Ref
from partita.apps.worthwatch.service.tiles import Tile, tile_of_title
from partita.apps.worthwatch.service.titles import Titles
from partita.kit.kit import Kit
from partita.kit.search import Catalog

MOST = 8
_CATALOGS: tuple[tuple[Catalog[Any], ContentType], ...] = ((FILMS, "MOVIE"), (SERIES, "SHOW"))


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

    async def exactly(self, name: str) -> list[Ref]:
        """Films and series with exactly this name, or with this other title."""
        named = [*await self._titles.named(name, "MOVIE"), *await self._titles.named(name, "SHOW")]
        return list(dict.fromkeys((each.content_type, each.content_id) for each in named))

    async def for_list(self, watchlist_id: str, words: str) -> list[Suggestion]:
        """The same, with those that are on a list already."""
        tiles = await self.titles(words) if words.strip() else []
        keys = [schema.item_of(watchlist_id, *tile.ref).key for tile in tiles]
        there = await self._store.batch_get(keys) if keys else []
        return [Suggestion(tile, item is not None) for tile, item in zip(tiles, there, strict=True)]

    async def _refs(self, words: str, limit: int) -> list[Ref]:
        """Those with exactly this name first, then what the search finds, also if it is misspelled. The search may be a
        moment late."""
        found: list[tuple[float, Ref]] = []
        for catalog, content_type in _CATALOGS:
            page = await self._kit.search.find(catalog, words, suggest=True, limit=limit)
            if not page.hits and page.suggestion:  # misspelled
                page = await self._kit.search.find(catalog, page.suggestion, limit=limit)
            found += [(hit.score, (content_type, hit.id)) for hit in page.hits]
        best = [ref for _, ref in sorted(found, key=lambda hit: hit[0], reverse=True)]
        return list(dict.fromkeys((*await self.exactly(words), *best)))[:limit]
