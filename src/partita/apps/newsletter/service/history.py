"""The history of a draft for its people: what there was, what changed, and going back to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter.schema import Draft, TextVersion
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.draft import Drafts, DraftText
from partita.apps.newsletter.service.draft_texts import Texts, version_texts
from partita.apps.newsletter.service.editing.citations import carried_over
from partita.apps.newsletter.service.editing.comparing import Difference, differences
from partita.apps.newsletter.service.versions import Versions, VersionSummary
from partita.kit.permissions import Viewer
from partita.table import Page


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions, and what changed from one to the other."""

    before: TextVersion
    after: TextVersion
    sections: tuple[Difference, ...]

    @property
    def changed(self) -> tuple[Difference, ...]:
        """The sections that are not the same."""
        return tuple(each for each in self.sections if each.kind != "same")


class History:
    """Versions of drafts that the viewer may read."""

    def __init__(self, access: Access, drafts: Drafts, versions: Versions) -> None:
        self._access = access
        self._drafts = drafts
        self._versions = versions

    async def page(
        self, viewer: Viewer, code: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[VersionSummary]:
        """The versions without their texts, newest first."""
        await self._access.newsletter(viewer, code)
        return await self._versions.page(code, limit=limit, cursor=cursor)

    async def version(self, viewer: Viewer, code: str, revision: int) -> TextVersion:
        """One version with its text."""
        await self._access.newsletter(viewer, code)
        return await self._versions.version(code, revision)

    async def compare(self, viewer: Viewer, code: str, before: int | None, after: int) -> Comparison | None:
        """What changed from one version to another, or from the one before it; None if there is only one."""
        newer = await self.version(viewer, code, after)
        if before is None:
            previous = await self._versions.before(code, after)
            if previous is None:
                return None
            before = previous.revision
        older = await self._versions.version(code, before)
        return Comparison(older, newer, differences(version_texts(older), version_texts(newer)))

    async def restore(self, viewer: Viewer, code: str, revision: int) -> DraftText:
        """Make the text what it was; what it is now stays in the history. Numbers cite what they cited then."""
        version = await self.version(viewer, code, revision)

        def change(before: DraftText) -> tuple[Draft, Texts]:
            texts = version_texts(version)
            there = _by_number(version.citations)
            own = _by_number(before.draft.citations)
            new, added = carried_over(texts.values(), _meanings(own), _meanings(there))
            citations = (*before.draft.citations, *({**there[old], "n": number} for old, number in added.items()))
            draft = before.draft.with_(Draft.citations(citations)) if added else before.draft
            return draft, dict(zip(texts, new, strict=True))

        return await self._drafts.change(viewer, code, "restored", change)


def _by_number(citations: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    return {int(each["n"]): each for each in citations if "n" in each}


def _meanings(citations: Mapping[int, Mapping[str, Any]]) -> dict[int, str]:
    """Number → what it cites: the passage, or for other programs' rows the title and address."""
    return {
        number: str(each.get("chunk_id") or f"{each.get('title', '')} {each.get('url', '')}")
        for number, each in citations.items()
    }
