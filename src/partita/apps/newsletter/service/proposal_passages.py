"""Passages for a section of a proposal: from the call, its files and the common sources; and a first text of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored
from partita.apps.newsletter.schema import Chunk, Proposal, Source
from partita.apps.newsletter.service.calls import call_sources
from partita.apps.newsletter.service.proposals import OpenProposal, Proposals, SectionState, with_text
from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.apps.newsletter.service.writing.terms import alike, terms, vectors
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict

MOST_PASSAGES = 12
_MOST_CHUNKS = 1_500
_DRAFT_WORDS = 180
_LEAST = 0.03
_TOO_ALIKE = 0.55
SharedSearch = Callable[[Viewer, str, int], Awaitable[Sequence[Chunk]]]


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that may help with a section."""

    chunk: Chunk
    source: Source
    score: float
    of_call: bool


class ProposalPassages:
    """Finding passages, and writing from them."""

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

    async def draft(self, viewer: Viewer, code: str, key: str) -> OpenProposal:
        """Write a first text from the passages, each sentence with its source; what is there already stays above it."""
        there = await self._proposals.read(viewer, code, write=True)
        found = [each for each in await self._found(viewer, there, there.one(key)) if not each.of_call]
        chosen = _chosen(there.one(key), found)
        if not chosen:
            raise Conflict(
                "Nothing in your files and sources has to do with this section. Add a source, or name it otherwise.",
                code="nothing_found",
            )

        def change(before: OpenProposal) -> Proposal:
            citations = [dict(as_plain(each)) for each in before.proposal.citations]
            lines = []
            for sentence, passage in chosen:
                number = _cite(citations, passage, sentence)
                lines.append(f"{sentence} [{number}]")
            text = "\n\n".join(filter(None, [before.one(key).text.rstrip(), " ".join(lines)]))
            cited = before.proposal.model_copy(update={"citations": tuple(as_stored(citations))})
            return with_text(cited, key, text)

        return await self._proposals.change(viewer, code, change, keep=True)

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


def _chosen(section: SectionState, found: Sequence[FoundPassage]) -> list[tuple[str, FoundPassage]]:
    """Whole sentences that have something to do with the section, none like another, as many as there is room for."""
    room = min(_DRAFT_WORDS, section.section.limit - section.words if section.section.limit else _DRAFT_WORDS)
    query = frozenset(terms(f"{section.title} {section.section.guidance}"))
    pool: list[tuple[float, int, str, FoundPassage]] = []
    for place, passage in enumerate(found):
        if passage.chunk.kind == "table":
            continue
        for number, sentence in enumerate(sentences(passage.chunk.text)):
            words = word_count(sentence.text)
            if 6 <= words <= 40 and sentence.text[-1] in ".።!۔" and sentence.text not in section.text:
                match = alike(query, frozenset(terms(sentence.text)))
                pool.append((match + passage.score - 0.01 * number, place * 1_000 + number, sentence.text, passage))
    chosen: list[tuple[int, str, FoundPassage]] = []
    for _, place, text, passage in sorted(pool, key=lambda each: (-each[0], each[1])):
        own = frozenset(terms(text))
        if word_count(text) <= room and all(alike(own, frozenset(terms(other))) < _TOO_ALIKE for _, other, _ in chosen):
            chosen.append((place, text, passage))
            room -= word_count(text)
    return [(text, passage) for _, text, passage in sorted(chosen, key=lambda each: each[0])]


def _cite(citations: list[dict[str, Any]], passage: FoundPassage, sentence: str) -> int:
    """The number of a passage among the citations, a new one if it has none."""
    for each in citations:
        if each.get("chunk_id") == passage.chunk.chunk_id:
            quotes = [*str(each.get("quote") or "").split("\n"), sentence]
            each["quote"] = "\n".join(dict.fromkeys(filter(None, quotes)))
            return int(each["n"])
    number = max((int(each.get("n") or 0) for each in citations), default=0) + 1
    source, chunk = passage.source, passage.chunk
    citations.append(
        {
            "n": number,
            "chunk_id": chunk.chunk_id,
            "source_id": source.source_id,
            "title": source.title,
            "publisher": source.publisher,
            "url": source.url or "",
            "date": source.published or "",
            "page": chunk.page,
            "quote": sentence,
        }
    )
    return number
