"""The history of a draft for its people: what there was, what changed, and going back to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter.schema import Draft, TextVersion
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.draft import Drafts, DraftText, Stored
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
            citations = before.draft.citations
            texts, restored = restored_texts(version_texts(version), version.citations, citations)
            draft = before.draft if restored == citations else before.draft.with_(Draft.citations(restored))
            return draft, texts

        return await self._drafts.change(viewer, code, "restored", change)


def restored_texts(texts: Texts, cited_then: Stored, citations: Stored) -> tuple[Texts, Stored]:
    """Texts of a version with the numbers of the list as it is now, and that list with what it lacks of theirs."""
    there, own = _by_number(cited_then), _by_number(citations)
    new, added = carried_over(texts.values(), _meanings(own), _meanings(there))
    more = ({**there[old], "n": number} for old, number in added.items())
    return dict(zip(texts, new, strict=True)), (*citations, *more)


def _by_number(citations: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    return {int(each["n"]): each for each in citations if "n" in each}


def _meanings(citations: Mapping[int, Mapping[str, Any]]) -> dict[int, str]:
    """Number → what it cites: the passage, or for other programs' rows the title and address."""
    return {
        number: str(each.get("chunk_id") or f"{each.get('title', '')} {each.get('url', '')}")
        for number, each in citations.items()
    }
