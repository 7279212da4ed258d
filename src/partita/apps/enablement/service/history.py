"""History: who did what, comments, old versions, and what changed between two of them."""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import NewComment
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import (
    FIELDS,
    FILE_FIELDS,
    Content,
    ContentChange,
    ContentFields,
    FieldChange,
    Proposal,
    Version,
    fields_of,
)
from partita.apps.enablement.service.bookkeeping import changes_between, entry
from partita.apps.enablement.service.changing import Changing
from partita.apps.enablement.service.proposals import fields_with
from partita.apps.enablement.service.texts import Texts
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import NotFound
from partita.table import Check, Page, Put, Transaction

Mark = Literal["same", "added", "removed"]
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_PROSE = tuple(name for name in FIELDS if name not in ("s3_uri", *FILE_FIELDS))
_MOST_VERSIONS = 100
_SINCE_THEN = 50
"""So many changes back a request for changes is looked for: its author edits and comments meanwhile."""
RELEASED = ("approved", "released", "scheduled")
"""Actions whose rows of the history readers may see, as change notes."""


@dataclass(frozen=True, slots=True)
class Side:
    """A content item at one moment: a version, or as it is proposed."""

    label: str
    fields: ContentFields
    source: Any
    """The version, proposal or content item: who, when, cover."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two of them."""

    before: Side | None
    """None if it is new."""
    after: Side
    fields: dict[str, FieldChange]
    text: tuple[tuple[Mark, str], ...]
    """The words of both texts in order; empty if the text is the same."""
    file_changed: bool


@dataclass(frozen=True, slots=True)
class RequestForChanges:
    """What an approver wants changed."""

    name: str
    at: str
    words: str


class History:
    """What happened to a content item."""

    def __init__(self, kit: Kit, changing: Changing, texts: Texts) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._texts = texts

    async def entries(
        self, viewer: Viewer, content_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[ContentChange]:
        """Everything that was done and said, newest first."""
        await self._changing.allowed(viewer, content_id, Action.HISTORY)
        return await self._store.page(schema.history_of(content_id), limit=limit, after=cursor)

    async def request_for_changes(
        self, content: Content | None, proposal: Proposal | None = None
    ) -> RequestForChanges | None:
        """What an approver wants changed, while it is with its author; for those whose right to the history was
        checked."""
        if content is None or (proposal or content).approval_state != "changes_requested":
            return None
        for each in await self._store.page(schema.history_of(content.content_id), limit=_SINCE_THEN):
            if each.action == "changes_requested":
                person = await self._kit.accounts.people.find(each.changed_by)
                name = person.name if person else "somebody who has left"
                return RequestForChanges(name, each.changed_at, each.comment or "")
        return None

    async def audit(
        self, viewer: Viewer, month: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[ContentChange]:
        """Everything that happened to all content in a month, newest first; for administrators."""
        authorize(viewer, Enablement.MANAGE)
        return await self._store.page(schema.changes_in(month), limit=limit, after=cursor)

    async def comment(self, viewer: Viewer, content_id: str, new: NewComment) -> ContentChange:
        """Say something about it to its owner and the approvers."""
        content = await self._changing.allowed(viewer, content_id, Action.COMMENT)
        said = entry(
            self._kit.ids.new(),
            viewer.id,
            "comment",
            self._changing.now(),
            before=content,
            after=None,
            comment=new.comment,
        )
        there = Check(content.own_key, content.own_key.present())
        await self._store.transact(Transaction(there, Put(said).if_new()))
        return said

    async def versions(self, viewer: Viewer, content_id: str) -> list[Version]:
        """What was approved, newest first; the latest hundred."""
        content = await self._changing.allowed(viewer, content_id, Action.HISTORY)
        return await self._versions(content)

    async def change_notes(self, viewer: Viewer, content_id: str) -> list[Version]:
        """The same for readers, who see notes and days alone."""
        content = await self._changing.allowed(viewer, content_id, Action.CHANGE_NOTES)
        return await self._versions(content)

    async def latest_notes(self, content: Content, most: int) -> list[Version]:
        """The latest versions of an item that somebody may read."""
        return await self._versions(content, most)

    async def compare(self, viewer: Viewer, content_id: str, before: int, after: int | None = None) -> Comparison:
        """What changed between two versions; without the second, between one and what is proposed or drafted."""
        content = await self._changing.allowed(viewer, content_id, Action.HISTORY)
        new = await self._current(content) if after is None else await self._side(content_id, after)
        return await self._compare(await self._side(content_id, before), new)

    async def has_pending(self, content: Content) -> bool:
        """Whether there is a draft or proposal after the latest version."""
        return content.status == "Draft" or await self._changing.proposal(content.content_id) is not None

    async def pending(self, viewer: Viewer, content_id: str) -> Comparison:
        """What an approver decides on: the draft or proposal against the latest version, or whole if it is new."""
        content = await self._changing.allowed(viewer, content_id, Action.HISTORY)
        before = await self._store.get(schema.version_of(content_id, content.major)) if content.major else None
        old = None if before is None else Side(f"{content.major}", before.fields, before)
        return await self._compare(old, await self._current(content))

    async def _versions(self, content: Content, most: int = _MOST_VERSIONS) -> list[Version]:
        majors = tuple(range(content.major, max(content.major - most, 0), -1))
        found = await self._store.batch_get(schema.versions_of(content.content_id, majors).keys) if majors else []
        return [each for each in found if each is not None]

    async def _current(self, content: Content) -> Side:
        if content.status == "Draft":
            return Side("draft", fields_of(content), content)
        proposal = await self._changing.proposal(content.content_id)
        if proposal is None:
            return Side(f"{content.major}", fields_of(content), content)
        return Side("proposal", fields_with(content, proposal), proposal)

    async def _side(self, content_id: str, major: int) -> Side:
        found = await self._store.get(schema.version_of(content_id, major)) if 0 < major < 10**9 else None
        if found is None:
            raise NotFound(f"There is no version {major} of this.")
        return Side(f"{major}", found.fields, found)

    async def _compare(self, before: Side | None, after: Side) -> Comparison:
        old = ContentFields() if before is None else before.fields
        text: tuple[tuple[Mark, str], ...] = ()
        if old.s3_uri != after.fields.s3_uri:
            one, two = await self._texts.load(old), await self._texts.load(after.fields)
            # A long text takes a moment, during which others are served.
            text = await asyncio.to_thread(words_between, one, two)
        return Comparison(
            before=before,
            after=after,
            fields=dict(changes_between(old, after.fields, _PROSE)),
            text=text,
            file_changed=old.s3_key != after.fields.s3_key,
        )


def words_between(before: str, after: str) -> tuple[tuple[Mark, str], ...]:
    """The words of two texts in order, each as the same, added or removed: first by lines, then within those that
    differ. All that is not added is the first text, all that is not removed is the second."""
    if before == after:
        return ()
    return tuple(_joined(_by_lines(before.splitlines(keepends=True), after.splitlines(keepends=True))))


def _by_lines(before: list[str], after: list[str]) -> Iterator[tuple[Mark, str]]:
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after).get_opcodes():
        old, new = "".join(before[i1:i2]), "".join(after[j1:j2])
        if kind == "equal":
            yield "same", old
        elif kind == "replace" and max(len(old), len(new)) <= 20_000:
            yield from _by_words(_WORDS.findall(old), _WORDS.findall(new))
        else:
            yield "removed", old
            yield "added", new


def _by_words(before: list[str], after: list[str]) -> Iterator[tuple[Mark, str]]:
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            yield "same", "".join(before[i1:i2])
        else:
            yield "removed", "".join(before[i1:i2])
            yield "added", "".join(after[j1:j2])


def _joined(pieces: Iterator[tuple[Mark, str]]) -> Iterator[tuple[Mark, str]]:
    """Neighbours of one kind are one piece, and no piece is empty."""
    kind: Mark | None = None
    text = ""
    for mark, piece in pieces:
        if mark == kind:
            text += piece
            continue
        if kind is not None and text:
            yield kind, text
        kind, text = mark, piece
    if kind is not None and text:
        yield kind, text
