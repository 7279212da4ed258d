"""Common sources by words: their passages for a section of a proposal, and themselves for the search of the top bar."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from partita.apps.newsletter import schema
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Chunk
from partita.apps.newsletter.search import place_of
from partita.apps.newsletter.service.finding import FoundSource
from partita.apps.newsletter.service.passages import Passages
from partita.apps.newsletter.service.writing.retrieval import Query, meant
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.search.ranking import fused

_PASSAGES_A_SOURCE = 4


class SourceSearch:
    """Looks into the index of passages, which has nothing of private shelves."""

    def __init__(self, kit: Kit, passages: Passages) -> None:
        self._kit = kit
        self._store = kit.store
        self._passages = passages

    async def chunks(self, viewer: Viewer, words: str, limit: int) -> Sequence[Chunk]:
        """The passages that have most of the words, for somebody who may read the sources."""
        if not viewer.may(Letters.READ_SOURCES):
            return ()
        places = tuple(dict.fromkeys(await self._places(words, limit)))
        found = await self._store.batch_get(schema.chunks_at(places)) if places else []
        return [each for each in found if each is not None and each.enabled]

    async def sources(self, viewer: Viewer, words: str, limit: int) -> Sequence[FoundSource]:
        """The sources whose passages have most of the words."""
        if not viewer.may(Letters.READ_SOURCES):
            return ()
        places = await self._places(words, limit * _PASSAGES_A_SOURCE)
        ids = tuple(dict.fromkeys(source_id for source_id, _ in places))[:limit]
        found = await self._store.batch_get(schema.sources_with(ids)) if ids else []
        known = {each.source_id: each for each in found if each is not None}
        return [FoundSource(each, known[each].title, known[each].publisher) for each in ids if each in known]

    async def _places(self, words: str, limit: int) -> list[tuple[str, int]]:
        query = Query.of_text(words)
        if not query.words_to_ask:
            return []
        ranked, alike = await asyncio.gather(
            self._kit.search.rank(self._passages.catalog, query.words_to_ask, limit=limit),
            self._kit.search.nearest(self._passages.catalog, query.text, limit=limit),
        )
        found = meant({each.id: each.likeness for each in alike})
        return [place_of(each) for each in fused(ranked.ids, tuple(found))[:limit]]
