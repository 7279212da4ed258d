"""The offline writer: sentences of the sources, chosen and put in order by `writing`."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from partita.apps.newsletter.service.generators.values import (
    MadeWith,
    OutlineTask,
    RewriteTask,
    SectionTask,
    WrittenOutline,
    WrittenSection,
    WrittenText,
)
from partita.apps.newsletter.service.generators.writer import Listen, WriterFailed
from partita.apps.newsletter.service.proposing.setting import set_text
from partita.apps.newsletter.service.writing.extractive import write_section
from partita.apps.newsletter.service.writing.outline import make_outline
from partita.apps.newsletter.service.writing.values import SectionDraft


@dataclass(frozen=True, slots=True)
class ExtractiveWriter:
    """Writes without a model. It takes the processor, so it works in a thread."""

    name: str = "extractive"
    model: str = ""

    async def section(self, task: SectionTask, listen: Listen | None = None) -> WrittenSection:
        """Sentences of the section's sources."""
        begun = time.monotonic()
        if task.told:
            draft = SectionDraft(task.section.key, *set_text(task.told, task.so_far))
        else:
            outline = task.outline or (task.section,)
            draft = await asyncio.to_thread(
                write_section, task.edition, task.section, outline, task.library, task.so_far
            )
        if listen is not None:
            listen(draft.markdown)
        return WrittenSection(draft, self._made_with(begun))

    async def outline(self, task: OutlineTask) -> WrittenOutline:
        """Stories made of passages that are alike."""
        begun = time.monotonic()
        sections = await asyncio.to_thread(make_outline, task.edition, task.matches)
        return WrittenOutline(sections, self._made_with(begun))

    async def rewrite(self, task: RewriteTask, listen: Listen | None = None) -> WrittenText:
        """Sentences of sources have no other words."""
        raise WriterFailed("Only a model can say this in other words, and none is on.")

    def _made_with(self, begun: float) -> MadeWith:
        return MadeWith(self.name, seconds=round(time.monotonic() - begun, 2))
