"""Versions of a draft: each generation, reset and restore, and one for ten minutes of a person's editing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Draft, HistoryAction, TextVersion
from partita.apps.newsletter.service.draft_texts import version_of
from partita.kit.kit import Kit
from partita.kit.lists import find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import Delete, Page, Put
from partita.table.versions import changed_meanwhile

_MINUTES = 10
Entry = Put[TextVersion] | Delete[TextVersion]


class VersionSummary(BaseModel):
    """A version without its text."""

    model_config = ConfigDict(frozen=True)

    code: str
    revision: int
    by: str
    by_name: str
    action: HistoryAction
    words: int
    at: str


class Versions:
    """Writes and reads versions; whose draft it is, its callers have checked."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def entries(
        self,
        viewer: Viewer,
        before: Draft,
        texts_before: Mapping[str, str],
        after: Draft,
        texts: Mapping[str, str],
        action: HistoryAction,
        now: str,
    ) -> list[Entry]:
        """The writes that belong to a change: its version, in the place of the one of the same ten minutes."""
        new = version_of(after, texts, action, by=viewer.id, by_name=viewer.name, at=now)
        latest = await self._latest(after.newsletter_code)
        if latest is not None and latest.revision >= after.revision:
            raise changed_meanwhile(before.own_key)(None)  # somebody has saved between our two reads
        writes: list[Entry] = [Put(new).if_new()]
        if latest is None:
            # Text that was there before there was a history, such as another program's.
            first = version_of(before, texts_before, "generated", by="", by_name="", at=before.updated_at)
            writes.append(Put(first))
        elif action == latest.action == "saved" and latest.by == viewer.id and _window(latest.at) == _window(now):
            writes.append(Delete(TextVersion.key(TextVersion.code(latest.code), TextVersion.revision(latest.revision))))
        return writes

    async def page(self, code: str, *, limit: int, cursor: str | None) -> Page[VersionSummary]:
        """The versions without their texts, newest first."""
        return await self._store.page(schema.text_versions(code).shown_as(VersionSummary), limit=limit, after=cursor)

    async def version(self, code: str, revision: int) -> TextVersion:
        """One version, whole."""
        missing = NotFound("There is no such version.", code="no_such_version")
        return await find_or(missing, self._store, schema.text_version, code, revision)

    async def before(self, code: str, revision: int) -> VersionSummary | None:
        """The version before one."""
        query = schema.text_versions(code).before(TextVersion.revision(revision)).shown_as(VersionSummary)
        return await self._store.first(query)

    async def _latest(self, code: str) -> VersionSummary | None:
        return await self._store.first(schema.text_versions(code).consistently().shown_as(VersionSummary))


def _window(at: str) -> tuple[str, int]:
    """The ten minutes that a moment is in."""
    moment = datetime.fromisoformat(at)
    return moment.strftime("%Y-%m-%dT%H"), moment.minute // _MINUTES
