"""The report card of a text, and other sentences for it, from what was found and planned for its newsletter."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored
from partita.apps.newsletter.schema import Draft, Newsletter
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.draft_texts import texts_of
from partita.apps.newsletter.service.drafting.values import (
    citation_of,
    edition_of,
    found_in,
    matches_of,
    sections_of,
    without_dropped,
)
from partita.apps.newsletter.service.editing.citations import cited
from partita.apps.newsletter.service.outline import plan_of
from partita.apps.newsletter.service.passages import Passages
from partita.apps.newsletter.service.writing.quality import report_card
from partita.apps.newsletter.service.writing.retrieval import Match
from partita.apps.newsletter.service.writing.suggestions import Suggestion, other_sentences
from partita.apps.newsletter.service.writing.values import Edition, Library, Passage, Section
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound


@dataclass(frozen=True, slots=True)
class _Made:
    """What a text was made from."""

    edition: Edition
    outline: tuple[Section, ...]
    matches: tuple[Match, ...]
    """What may be told; passages that a person has dropped are not among it."""
    found: tuple[Passage, ...]
    """All that was found: a text may cite a passage that was dropped after it was written."""
    dropped: frozenset[str]


class ReportCards:
    """Judges texts, and offers sentences that the sources still have."""

    def __init__(self, kit: Kit, access: Access, passages: Passages) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._passages = passages

    async def card(self, newsletter: Newsletter, draft: Draft, texts: Mapping[str, str]) -> dict[str, Any]:
        """The report card of a text, as a draft keeps it."""
        made = await self._made(newsletter)
        citations = [citation_of(each) for each in draft.citations]
        by_models = frozenset(
            key
            for key, how in as_plain(draft.made_with).items()
            if isinstance(how, Mapping) and how.get("model") and not how.get("fallback")
        )
        found = await asyncio.to_thread(
            report_card, made.edition, made.outline, dict(texts), citations, made.found, by_models
        )
        stored: dict[str, Any] = as_stored(found.stored)
        return stored

    async def sentences(self, viewer: Viewer, code: str, key: str) -> tuple[Suggestion, ...]:
        """The next best sentences for a section, from what was found for it and from the passages that it cites: those
        of a person's own story were never found for a topic."""
        newsletter = await self._access.newsletter(viewer, code)
        draft = await find(self._store, schema.draft, code)
        made = await self._made(newsletter)
        text = texts_of(draft).get(key) if draft is not None else None
        section = next((each for each in made.outline if each.key == key), None)
        if draft is None or (section is None and text is None):
            raise NotFound(f"This draft has no section {key[:80]}.", code="no_such_section")
        if section is None:
            return ()
        passages = {each.passage.id: each.passage for each in made.matches}
        topical = [each.passage for each in made.matches if each.topic == section.topic]
        topical += await self._cited(draft, text or "", made.dropped)
        citations = [citation_of(each) for each in draft.citations]
        return await asyncio.to_thread(
            other_sentences, made.edition, section, Library(passages), text or "", citations, topical
        )

    async def _cited(self, draft: Draft, text: str, dropped: frozenset[str]) -> list[Passage]:
        """The passages that a text cites, as they are now."""
        numbers = set(cited(text))
        named = [each for each in as_plain(draft.citations) if int(each.get("n") or 0) in numbers]
        wanted = {each.get("chunk_id") for each in named} - dropped
        places = [(str(each["source_id"]), int(each["position"])) for each in named if "position" in each]
        return [each for each in await self._passages.at(places) if each.id in wanted]

    async def _made(self, newsletter: Newsletter) -> _Made:
        code = newsletter.newsletter_code
        edition = edition_of(newsletter, self._kit.clock.now().date())
        outline = await find(self._store, schema.outline, code)
        topics = await find(self._store, schema.topics, code)
        dropped = frozenset(topics.excluded) if topics is not None else frozenset()
        return _Made(
            edition,
            sections_of(without_dropped(plan_of(outline), dropped), edition) if outline is not None else (),
            matches_of(topics, newsletter.language) if topics is not None else (),
            tuple(each.passage for each in found_in(topics, newsletter.language)) if topics is not None else (),
            dropped,
        )
