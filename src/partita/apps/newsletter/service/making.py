"""All three steps, one after the other: from a title to a draft."""

from __future__ import annotations

from partita.apps.newsletter.schema import StepName
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.steps import Look, Steps
from partita.apps.newsletter.service.topics import TopicsOf
from partita.kit.permissions import Viewer

ALL: tuple[StepName, ...] = ("retrieval", "outline", "draft")


class Making:
    """Draft it all."""

    def __init__(self, access: Access, topics: TopicsOf, steps: Steps) -> None:
        self._access = access
        self._topics = topics
        self._steps = steps

    async def all(self, viewer: Viewer, code: str) -> Look:
        """Find content, make the outline and write the draft; with the recommended topics if none are chosen."""
        await self._access.newsletter(viewer, code, write=True)
        await self._topics.choose_recommended(viewer, code)
        return await self._steps.start(viewer, code, ALL[0], then=ALL[1:])
