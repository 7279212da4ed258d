"""The one protocol of all writers: outline, section, rewrite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from partita.apps.newsletter.service.generators.values import (
    OutlineTask,
    RewriteTask,
    SectionTask,
    WrittenOutline,
    WrittenSection,
    WrittenText,
)

Listen = Callable[[str], object]
"""Called with the text so far while it arrives. It is not checked yet: for progress, never to be kept."""


class WriterFailed(Exception):
    """A writer could not do it; the message says why and what to do, and holds no secret."""


class Writer(Protocol):
    """Writes. Whatever is returned has passed the checks."""

    @property
    def name(self) -> str:
        """`extractive`, `bedrock`, `openai`."""

    @property
    def model(self) -> str:
        """The model; empty without one."""

    async def outline(self, task: OutlineTask) -> WrittenOutline:
        """Sections with stories, of what was found."""

    async def section(self, task: SectionTask, listen: Listen | None = None) -> WrittenSection:
        """A section in Markdown with citations."""

    async def rewrite(self, task: RewriteTask, listen: Listen | None = None) -> WrittenText:
        """The same in other words. Writers without a model refuse."""
