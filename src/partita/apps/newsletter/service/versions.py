"""Versions of a draft: each generation, reset and restore, and one for ten minutes of a person's editing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Draft, HistoryAction, TextVersion
from partita.apps.newsletter.service.draft_texts import version_of, version_texts
from partita.apps.newsletter.service.editing.comparing import normal
from partita.kit.kit import Kit
from partita.kit.lists import find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import Delete, Page, Put
from partita.table.versions import changed_meanwhile

_MINUTES = 10
_FIRST: tuple[HistoryAction, str] = ("generated", "")
"""A text that was there before there was a history."""
_ELSEWHERE: tuple[HistoryAction, str] = ("saved", "another program")
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
    ) -> tuple[Draft, list[Entry]]:
        """What belongs to a change: the draft with its new revision, and the writes of its version, in the place of the
        one of the same ten minutes. A text before it that no version has is kept under a revision of its own."""
        latest = await self.latest(after.newsletter_code)
        if latest is not None and latest.revision > before.revision:
            raise changed_meanwhile(before.own_key)(None)  # somebody has saved between our two reads
        unkept = revision_of_unkept(latest, before.revision, texts_before)
        after = after.with_(Draft.revision((unkept or before.revision) + 1))
        new = version_of(after, texts, action, by=viewer.id, by_name=viewer.name, at=now)
        writes: list[Entry] = [Put(new).if_new()]
        if unkept is not None:
            there = before.with_(Draft.revision(unkept))
            how, who = _FIRST if latest is None else _ELSEWHERE
            writes.append(Put(version_of(there, texts_before, how, by="", by_name=who, at=before.updated_at)))
        elif latest is not None and _same_sitting(latest, new):
            writes.append(Delete(schema.text_version(latest.code, latest.revision).key))
        return after, writes

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

    async def latest(self, code: str) -> TextVersion | None:
        """The newest version, whole."""
        return await self._store.first(schema.text_versions(code).consistently())


def revision_of_unkept(latest: TextVersion | None, revision: int, texts: Mapping[str, str]) -> int | None:
    """The revision under which a text is kept that no version has: another program has written it, which keeps none
    and counts no revision. None if the newest version has it."""
    if latest is None:
        return revision
    return None if _told(version_texts(latest)) == _told(texts) else max(revision, latest.revision + 1)


def _told(texts: Mapping[str, str]) -> dict[str, str]:
    return {key: normal(text) for key, text in texts.items() if text.strip()}


def _same_sitting(latest: TextVersion, new: TextVersion) -> bool:
    """Whether two versions are of the same ten minutes of one person's editing."""
    same = latest.action == new.action == "saved" and latest.by == new.by
    return same and _window(latest.at) == _window(new.at)


def _window(at: str) -> tuple[str, int]:
    """The ten minutes that a moment is in."""
    moment = datetime.fromisoformat(at)
    return moment.strftime("%Y-%m-%dT%H"), moment.minute // _MINUTES
