"""Passages of sources as retrieval finds them: from the index of the shared shelf, and from a private shelf."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import SHARED_SHELF, Chunk, Source
from partita.apps.newsletter.search import CATALOG, document_of, passage_id, place_of
from partita.apps.newsletter.service.writing.retrieval import CANDIDATES, Query, Statistics, meant, relevance
from partita.apps.newsletter.service.writing.terms import terms, word_stem
from partita.apps.newsletter.service.writing.values import Passage
from partita.kit.changes import Change, Handler, Kept
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.search import Catalog, Document
from partita.kit.search.folding import stem
from partita.kit.search.following import build_anew

MOST_PRIVATE = 5_000
"""So many passages of a private shelf are looked at."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may answer a query, and how often its words occur."""

    passages: tuple[Passage, ...]
    statistics: Statistics
    likeness: Mapping[str, float] = field(default_factory=dict)
    """Passage → how alike its meaning is to that of the query."""


class Passages:
    """Finds passages, and keeps their index."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store
        self.catalog: Catalog[Source] = replace(CATALOG, expand=self._documents)

    # -- finding

    async def candidates(
        self,
        query: Query,
        *,
        source_ids: Sequence[str] = (),
        private: Sequence[Passage] = (),
        most: int = CANDIDATES,
    ) -> Candidates:
        """The best candidates for a query among the shared sources, or some of them, and among `private` passages: at
        most so many of each."""
        filters = {"source": frozenset(source_ids)} if source_ids else None
        # The index does not know the weights of words: if they differ, it is asked for more than are kept.
        from_index = most if len(set(query.weights.values())) < 2 else 2 * most
        ranked, alike = await asyncio.gather(
            self._kit.search.rank(self.catalog, query.words_to_ask, filters=filters, limit=from_index),
            self._alike(query, filters, most),
        )
        found = await self.at([place_of(each) for each in dict.fromkeys((*ranked.ids, *alike))])
        passages = (*found, *private)
        places = {each.id: passage_id(each.source_id, each.position) for each in found}
        likeness = {each: alike[place] for each, place in places.items() if place in alike}
        query = replace(query, likeness=likeness)
        held = {word_stem(word): ranked.held_by.get(word if stem(word) else word_stem(word), 0) for word in query.words}
        lengths = [len(terms(each.text)) for each in passages]
        average = sum(lengths) / len(lengths) if lengths else 100.0
        statistics = Statistics(ranked.total + len(private), held, average)
        best = sorted(
            passages,
            key=lambda each: (-max(relevance(query, each, statistics)[0], query.meaning_of(each)), each.id),
        )
        own = [each for each in best if each.own][:most]
        others = [each for each in best if not each.own][:most]
        return Candidates((*own, *others), statistics, likeness)

    async def _alike(self, query: Query, filters: Mapping[str, frozenset[str]] | None, most: int) -> dict[str, float]:
        """Passages of the index that mean what somebody asks, in whatever words."""
        if not query.text:
            return {}
        found = await self._kit.search.nearest(self.catalog, query.text, filters=filters, limit=most)
        return meant({each.id: each.likeness for each in found})

    async def at(self, places: Sequence[tuple[str, int]]) -> tuple[Passage, ...]:
        """The passages at some places that may be used; those that are gone are left out."""
        if not places:
            return ()
        chunks = await self._store.batch_get(schema.chunks_at(tuple(dict.fromkeys(places))))
        known = [each for each in chunks if each is not None]
        return _usable(await self._sources({each.source_id for each in known}), known)

    async def private(self, shelf: str) -> tuple[Passage, ...]:
        """The passages of the shelf of one newsletter or proposal."""
        found: list[Passage] = []
        async for source in self._store.stream(schema.sources(shelf)):
            if source.enabled and len(found) < MOST_PRIVATE:
                chunks = [each async for each in self._store.stream(schema.chunks_of(source.source_id))]
                found += _usable({source.source_id: source}, chunks)
        return tuple(found[:MOST_PRIVATE])

    async def _sources(self, source_ids: Iterable[str]) -> dict[str, Source]:
        wanted = tuple(sorted(source_ids))
        found = await self._store.batch_get(schema.sources_with(wanted)) if wanted else []
        return {each.source_id: each for each in found if each is not None}

    # -- the index

    def handler(self) -> Handler:
        """Keeps the index by the changes of sources and chunks. Each change looks at what is stored now, so the last
        one that is followed leaves the index as the table is."""

        async def whole() -> bool:
            self._kit.search.understand(self.catalog)  # a model may have been installed since
            return await self._kit.search.built(self.catalog)

        async def build() -> int:
            return await build_anew(self._kit.search, self._store, self.catalog)

        async def outdate() -> None:
            await self._kit.search.outdate(self.catalog)

        return Handler("newsletter.passages", schema.MAIN, self._follow, Kept(whole, build, outdate))

    async def _follow(self, change: Change) -> None:
        old_chunk, new_chunk = change.read(Chunk)
        chunk = new_chunk or old_chunk
        if chunk is not None and old_chunk != new_chunk:
            source = await find(self._store, schema.source, chunk.source_id)
            there = await find(self._store, schema.chunk, chunk.source_id, chunk.position)
            document = None if there is None else document_of(source, there)
            identity = passage_id(chunk.source_id, chunk.position)
            await self._kit.search.put(self.catalog, identity, document, sequence=change.sequence)
        before, after = change.read(Source)
        if after is not None and before is not None and _shown(before) != _shown(after):
            async for each in self._store.stream(schema.chunks_of(after.source_id)):
                identity = passage_id(each.source_id, each.position)
                await self._kit.search.put(self.catalog, identity, document_of(after, each), sequence=change.sequence)

    async def _documents(self, source: Source) -> AsyncIterator[Document]:
        """All passages of a source, for building the index anew."""
        async for chunk in self._store.stream(schema.chunks_of(source.source_id)):
            document = document_of(source, chunk)
            if document is not None:
                yield document


def _shown(source: Source) -> tuple[object, ...]:
    """What the index knows of a source."""
    return source.title, source.shelf, source.enabled


def _usable(sources: Mapping[str, Source], chunks: Iterable[Chunk]) -> tuple[Passage, ...]:
    return tuple(
        passage_of(source, chunk)
        for chunk in chunks
        if (source := sources.get(chunk.source_id)) is not None
        and source.enabled
        and chunk.enabled
        and chunk.kind != "references"
    )


def passage_of(source: Source, chunk: Chunk) -> Passage:
    """A chunk with what is known of its source."""
    return Passage(
        id=chunk.chunk_id or f"{chunk.source_id}-{chunk.position}",
        source_id=source.source_id,
        text=chunk.text,
        title=source.title,
        heading=chunk.heading,
        page=chunk.page,
        position=chunk.position,
        published=source.published,
        language=source.language or "en",
        url=source.url,
        publisher=source.publisher,
        kind=chunk.kind,
        own=source.shelf != SHARED_SHELF,
    )
