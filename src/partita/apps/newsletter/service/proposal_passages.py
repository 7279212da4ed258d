"""Passages for a section of a proposal: from the call, its files and the common sources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Chunk, Source
from partita.apps.newsletter.service.calls import call_sources
from partita.apps.newsletter.service.proposals import OpenProposal, Proposals, SectionState
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.terms import terms, vectors
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer

MOST_PASSAGES = 12
_MOST_CHUNKS = 1_500
_LEAST = 0.03
SharedSearch = Callable[[Viewer, str, int], Awaitable[Sequence[Chunk]]]


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that may help with a section."""

    chunk: Chunk
    source: Source
    score: float
    of_call: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """What can be put into a text by itself; nothing of a table."""
        if self.chunk.kind == "table":
            return ()
        return tuple(" ".join(each.text.split()) for each in sentences(self.chunk.text))


class ProposalPassages:
    """Finding passages."""

    def __init__(self, kit: Kit, proposals: Proposals) -> None:
        self._kit = kit
        self._store = kit.store
        self._proposals = proposals
        self.shared: SharedSearch | None = None
        """Finds passages of the common sources by words."""

    async def suggestions(self, viewer: Viewer, code: str, key: str) -> list[FoundPassage]:
        """The passages that have most to do with a section, best first."""
        there = await self._proposals.read(viewer, code)
        return await self._found(viewer, there, there.one(key))

    async def _found(self, viewer: Viewer, there: OpenProposal, section: SectionState) -> list[FoundPassage]:
        code = there.proposal.proposal_code
        words = " ".join(
            [section.title, section.title, section.section.guidance, there.proposal.title]
            + [each.text for each in section.requirements]
        )
        known: dict[str, Source] = {}
        async for source in self._store.stream(schema.sources(code)):
            known[source.source_id] = source
        chunks: list[Chunk] = []
        for source_id, source in known.items():
            if source.searched:
                async for chunk in self._store.stream(schema.chunks_of(source_id)):
                    if chunk.enabled and chunk.kind != "references" and len(chunks) < _MOST_CHUNKS:
                        chunks.append(chunk)
        if self.shared is not None:
            shared = list(await self.shared(viewer, words, MOST_PASSAGES))
            wanted = tuple({each.source_id for each in shared} - set(known))
            others = await self._store.batch_get(schema.sources_with(wanted).keys) if wanted else []
            known |= {each.source_id: each for each in others if each is not None}
            chunks += [each for each in shared if each.source_id in known]
        return _ranked(words, chunks, known, set(call_sources(there.proposal)))


def _ranked(words: str, chunks: Sequence[Chunk], known: dict[str, Source], calls: set[str]) -> list[FoundPassage]:
    """By the cosine of their weighted words with those of the section."""
    if not chunks:
        return []
    query, *others = vectors([terms(words), *(terms(f"{chunk.heading} {chunk.text}") for chunk in chunks)])
    found = []
    for chunk, vector in zip(chunks, others, strict=True):
        score = sum(weight * vector.get(term, 0.0) for term, weight in query.items())
        if score >= _LEAST:
            source = known[chunk.source_id]
            found.append(FoundPassage(chunk, source, score, chunk.source_id in calls))
    found.sort(key=lambda each: (-each.score, each.chunk.source_id, each.chunk.position))
    return found[:MOST_PASSAGES]
