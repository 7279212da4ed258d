"""Stories of a person that no source speaks of: whoever plans them is told before the draft is written."""

from __future__ import annotations

import asyncio

from partita.apps.newsletter.schema import Newsletter, Topics
from partita.apps.newsletter.service.drafting.own_stories import asked_by, own_sources
from partita.apps.newsletter.service.drafting.values import without_dropped
from partita.apps.newsletter.service.outlining import PERSON, OutlineItem, Plan
from partita.apps.newsletter.service.passages import Passages
from partita.apps.newsletter.service.writing.values import Passage

_MOST = 8
"""So many stories are looked at for one page; the rest when these have their sources."""


class Unsourced:
    """Looks for sources as the draft will."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages

    async def of(self, newsletter: Newsletter, topics: Topics, plan: Plan) -> frozenset[str]:
        """The items that would be written without any source."""
        asking = waiting(without_dropped(plan, topics.excluded))[:_MOST]
        if not asking:
            return frozenset()
        private = await self._passages.private(newsletter.newsletter_code)
        found = await asyncio.gather(*(self._speaks(newsletter, topics, each, private) for each in asking))
        return frozenset(each.id for each, speaks in zip(asking, found, strict=True) if not speaks)

    async def _speaks(
        self, newsletter: Newsletter, topics: Topics, item: OutlineItem, private: tuple[Passage, ...]
    ) -> bool:
        query = asked_by(item.title, item.description, item.note)
        found = await self._passages.candidates(query, source_ids=topics.source_ids, private=private)
        return bool(await asyncio.to_thread(own_sources, newsletter.language, query, found, topics.excluded))


def waiting(plan: Plan) -> list[OutlineItem]:
    """A person's stories that are told, and for which they have chosen no passages."""
    items = (item for section in plan.sections if section.enabled for item in section.items)
    return [each for each in items if each.enabled and each.source == PERSON and not each.references]
