"""What `[3]` in a proposal leads to, and citing a passage by hand."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored
from partita.apps.newsletter.inputs import NewProposalCitation
from partita.apps.newsletter.schema import SHARED_SHELF, Chunk, Proposal, Source
from partita.apps.newsletter.service.citations import CitedPassage, cited_passage, passage_of
from partita.apps.newsletter.service.draft import with_citation
from partita.apps.newsletter.service.editing.paragraphs import joined, paragraphs
from partita.apps.newsletter.service.proposals import OpenProposal, Proposals, with_text
from partita.apps.newsletter.service.sources import Sources
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid, NotFound

_MOST_QUOTED = 4000


class ProposalCitations:
    """Citations of proposals that the viewer may read."""

    def __init__(self, kit: Kit, proposals: Proposals, sources: Sources) -> None:
        self._store = kit.store
        self._proposals = proposals
        self._sources = sources

    async def one(self, viewer: Viewer, code: str, number: int) -> CitedPassage:
        """What a number of the proposal leads to; refused if it leads nowhere."""
        there = await self._proposals.read(viewer, code)
        for each in there.proposal.citations:
            if int(each.get("n") or 0) == number:
                plain = as_plain(each)
                return cited_passage(plain, *await passage_of(self._store, plain))
        raise NotFound(f"[{number}] leads to no source of this proposal.", code="no_such_citation")

    async def add(self, viewer: Viewer, code: str, new: NewProposalCitation) -> int:
        """The number for a passage of the proposal's files or of a shared source, a new one if need be. With a section,
        the sentences are put at its end with that number."""
        await self._proposals.read(viewer, code, write=True)
        source = await self._sources.get(viewer, new.source_id)
        chunk = await self._chunk(source, new.chunk_id)
        if chunk is None or source.shelf not in (SHARED_SHELF, code):
            raise NotFound("There is no such passage for this proposal.", code="no_such_passage")
        passage = " ".join(chunk.text.split())
        lines = [" ".join(line.split()) for line in new.quote.split("\n") if line.strip()]
        if not all(line in passage for line in lines):
            raise Invalid(FieldError("quote", "These words are not in the passage. Choose a sentence of it."))
        citation = _citation(source, chunk, "\n".join(lines) or chunk.text[:_MOST_QUOTED])
        number = 0

        def change(before: OpenProposal) -> Proposal:
            nonlocal number
            number, citations = with_citation(before.proposal.citations, citation)
            cited = before.proposal.model_copy(update={"citations": as_stored(citations)})
            if not new.section:
                return cited
            put_in = " ".join((*lines, f"[{number}]"))
            return with_text(cited, new.section, joined([*paragraphs(before.one(new.section).text), put_in]))

        await self._proposals.change(viewer, code, change, keep=bool(new.section))
        return number

    async def _chunk(self, source: Source, chunk_id: str) -> Chunk | None:
        async for each in self._store.stream(schema.chunks_of(source.source_id)):
            if each.chunk_id == chunk_id:
                return each if each.enabled and source.searched else None
        return None


def _citation(source: Source, chunk: Chunk, quote: str) -> dict[str, Any]:
    """A citation as a proposal keeps it; what is not known is left out."""
    values = {
        "chunk_id": chunk.chunk_id,
        "source_id": source.source_id,
        "title": source.title,
        "url": source.url,
        "date": source.published,
        "page": chunk.page,
        "position": chunk.position,
        "publisher": source.publisher,
        "heading": chunk.heading,
        "quote": quote,
    }
    return {name: value for name, value in values.items() if value not in (None, "")}
