"""What a step of a newsletter needs before it can start: topics before the outline, the outline before the draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.service.outline import plan_of
from partita.apps.newsletter.service.steps import not_ready
from partita.kit.kit import Kit
from partita.kit.lists import find


class Readiness:
    """Whether the steps of a newsletter can start."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def retrieval(self, code: str, _inputs: Mapping[str, Any]) -> None:
        """Topics must be chosen."""
        topics = await find(self._store, schema.topics, code)
        if topics is None or not topics.selected_types:
            raise not_ready("Choose at least one topic first.", 2)

    async def outline(self, code: str, _inputs: Mapping[str, Any]) -> None:
        """Content must have been found."""
        topics = await find(self._store, schema.topics, code)
        if topics is not None and not topics.retrieved_content and topics.retrieval_completed_at is not None:
            step = "Add sources, or choose other topics."
            if topics.source_ids:
                step = "Only the sources that you chose were searched: search all sources, or add some."
            raise not_ready(f"Nothing was found for your topics. {step}", 2)
        if topics is None or not topics.retrieved_content:
            raise not_ready("Find content for your topics first; an outline is made of what was found.", 2)

    async def draft(self, code: str, _inputs: Mapping[str, Any]) -> None:
        """The outline must have something to write."""
        outline = await find(self._store, schema.outline, code)
        if outline is None or not outline.sections or outline.generated_at is None:
            raise not_ready("Make the outline first; the draft follows it.", 3)
        if not any(section.written for section in plan_of(outline).sections):
            raise not_ready("Every item of the outline is switched off. Switch on at least one.", 3)

    async def section(self, code: str, inputs: Mapping[str, Any]) -> None:
        """There must be a draft, and the section in the outline."""
        await self.draft(code, inputs)
        await self.export(code, inputs)
        outline = await find(self._store, schema.outline, code)
        wanted = inputs.get("key")
        if outline is None or not any(each.key == wanted and each.written for each in plan_of(outline).sections):
            raise not_ready("The outline has nothing for this section. Add an item to it first.", 3)

    async def export(self, code: str, _inputs: Mapping[str, Any]) -> None:
        """There must be a draft."""
        draft = await find(self._store, schema.draft, code)
        if draft is None or draft.generated_at is None:
            raise not_ready("Write the draft first.", 4)
