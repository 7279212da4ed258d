"""Sources that somebody brought for a newsletter, or chose for it, and that its text does not cite."""

from __future__ import annotations

from collections.abc import Iterable

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Draft, Source
from partita.apps.newsletter.service.editing.citations import cited
from partita.kit.kit import Kit
from partita.kit.lists import find

_MOST = 50
"""So many of the newest sources of a newsletter are looked at."""


class Unused:
    """Tells them, so that nobody has to compare lists."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def of(self, code: str, draft: Draft, texts: Iterable[str]) -> tuple[Source, ...]:
        """Those that a text could cite and does not: first the newsletter's own."""
        numbers = {number for text in texts for number in cited(text)}
        used = {each.get("source_id") for each in draft.citations if each.get("n") in numbers}
        own = (await self._store.page(schema.sources(code), limit=_MOST)).items
        topics = await find(self._store, schema.topics, code)
        chosen = tuple(topics.source_ids)[:_MOST] if topics is not None else ()
        others = await self._store.batch_get(schema.sources_with(chosen)) if chosen else []
        known = {each.source_id: each for each in (*own, *others) if each is not None and each.searched}
        return tuple(each for each in known.values() if each.source_id not in used)
