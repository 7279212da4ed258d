"""What `[3]` in a draft leads to: the passage with the used sentences marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.inputs import NewCitation
from partita.apps.newsletter.schema import Topics
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.draft import Drafts
from partita.apps.newsletter.service.editing.quotes import Stretch, stretches
from partita.apps.newsletter.service.topics import passages
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.store.store import AsyncStore


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A citation, and the passage around what was used of it."""

    n: int
    title: str
    url: str
    date: str
    page: int | None
    publisher: str
    chunk_id: str
    source_id: str
    quote: str
    heading: str
    stretches: tuple[Stretch, ...]
    """The passage; the quote alone if the source is gone."""
    here: bool
    """Whether the source still has the passage."""
    position: int | None
    """Where the source has it."""

    @property
    def text(self) -> str:
        """The passage."""
        return "".join(each.text for each in self.stretches)


class Citations:
    """Citations of drafts that the viewer may read."""

    def __init__(self, kit: Kit, access: Access, drafts: Drafts) -> None:
        self._store = kit.store
        self._access = access
        self._drafts = drafts

    async def one(self, viewer: Viewer, code: str, number: int) -> CitedPassage:
        """What a number of the draft leads to; refused if it leads nowhere."""
        await self._access.newsletter(viewer, code)
        draft = await find(self._store, schema.draft, code)
        for each in draft.citations if draft is not None else ():
            if int(each.get("n", 0)) == number:
                return await self._passage(code, as_plain(each))
        raise NotFound(f"[{number}] leads to no source of this draft.", code="no_such_citation")

    async def add(self, viewer: Viewer, code: str, new: NewCitation) -> int:
        """The number for a sentence of a passage that was found for this newsletter or that its draft cites, a new one
        if need be."""
        await self._access.newsletter(viewer, code, write=True)
        topics = await find(self._store, schema.topics, code)
        if topics is not None and new.chunk_id in topics.excluded:
            raise Conflict("This passage is excluded. Include it on the page of the plan first.", code="excluded")
        text, citation = _found(topics, new.chunk_id) or await self._cited(code, new.chunk_id)
        passage = " ".join(text.split())
        if not all(" ".join(line.split()) in passage for line in new.quote.split("\n")):
            raise Invalid(FieldError("quote", "These words are not in the passage. Choose a sentence of it."))
        known = {name: value for name, value in citation.items() if value not in (None, "")}
        known["quote"] = new.quote
        return await self._drafts.cite(viewer, code, known, section=new.section, sentence=new.text)

    async def _cited(self, code: str, chunk_id: str) -> tuple[str, dict[str, Any]]:
        """The text of a passage that the draft cites, and what the draft says of it."""
        draft = await find(self._store, schema.draft, code)
        for each in as_plain(draft.citations) if draft is not None else ():
            if each.get("chunk_id") == chunk_id:
                text, _ = await self._text(code, each)
                return text or str(each.get("quote") or ""), each
        raise NotFound("This passage was not found for this newsletter.", code="no_such_passage")

    async def _passage(self, code: str, citation: Mapping[str, Any]) -> CitedPassage:
        return cited_passage(citation, *await self._text(code, citation))

    async def _text(self, code: str, citation: Mapping[str, Any]) -> tuple[str, str]:
        """The passage and its heading: from the source, else from what was found for this newsletter."""
        text, heading = await passage_of(self._store, citation)
        if text:
            return text, heading
        topics = await find(self._store, schema.topics, code)
        for found in passages(topics) if topics is not None else ():
            if found["id"] == citation.get("chunk_id"):
                return str(found.get("content", "")), str(found.get("metadata", {}).get("heading", ""))
        return "", ""


def _found(topics: Topics | None, chunk_id: str) -> tuple[str, dict[str, Any]] | None:
    """The text of a passage that was found, and what a citation says of it."""
    found = next((each for each in passages(topics) if each["id"] == chunk_id), None) if topics is not None else None
    if found is None:
        return None
    facts = found.get("metadata", {})
    citation = {
        "chunk_id": chunk_id,
        "source_id": facts.get("source_id", ""),
        "title": facts.get("title") or str(found.get("source", "")),
        "url": facts.get("url"),
        "date": facts.get("date"),
        "page": facts.get("page"),
        "position": facts.get("position"),
        "publisher": facts.get("publisher", ""),
        "heading": facts.get("heading", ""),
    }
    return str(found.get("content", "")), citation


async def passage_of(store: AsyncStore, citation: Mapping[str, Any]) -> tuple[str, str]:
    """The text of a cited passage and its heading, as its source has it; empty if it is there no more."""
    position = citation.get("position")
    if position is not None:
        chunk = await find(store, schema.chunk, str(citation.get("source_id")), int(position))
        if chunk is not None and chunk.chunk_id == citation.get("chunk_id"):
            return chunk.text, chunk.heading
    return "", ""


def cited_passage(citation: Mapping[str, Any], text: str, heading: str) -> CitedPassage:
    """A citation with the passage around what was used of it; without the passage, what was used."""
    quote = str(citation.get("quote") or "")
    return CitedPassage(
        n=int(citation["n"]),
        title=str(citation.get("title") or "Untitled source"),
        url=str(citation.get("url") or ""),
        date=str(citation.get("date") or ""),
        page=citation.get("page"),
        publisher=str(citation.get("publisher") or ""),
        chunk_id=str(citation.get("chunk_id") or ""),
        source_id=str(citation.get("source_id") or ""),
        quote=quote,
        heading=heading,
        stretches=stretches(text, quote.split("\n")) if text else (Stretch(quote, True),),
        here=bool(text),
        position=int(citation["position"]) if text and citation.get("position") is not None else None,
    )
