"""Content: reading one item, creating drafts, and editing by named attributes on condition of the version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import ContentEdit, NewContent
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import FIELDS, PREVIEW_FIELDS, Content, ContentFields, Proposal, fields_of
from partita.apps.enablement.service.access import Visibility, no_such_content, visible_to
from partita.apps.enablement.service.bookkeeping import Write, entry
from partita.apps.enablement.service.changing import Changing, Step, changed, check_version
from partita.apps.enablement.service.checks import check_dates
from partita.apps.enablement.service.proposals import Proposals, fields_with
from partita.apps.enablement.service.texts import Texts
from partita.kit.inputs import nothing_to_change
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import BadRequest, Conflict, Problem
from partita.table import Put, Query, Transaction
from partita.table.types import timestamp

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

OWN_ID = re.compile(r"[0-9A-Za-z]{26}")
"""An id as we make them."""
CREATING = Rule("enablement-create", most=600, seconds=3600)


class ContentExists(Conflict):
    """There is content with this id already."""

    code = "content_exists"

    def __init__(self, content_id: str) -> None:
        super().__init__(f"There is content {content_id} already.")


class Contents:
    """Content items, whatever their state."""

    def __init__(self, kit: Kit, changing: Changing, proposals: Proposals, texts: Texts) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._proposals = proposals
        self._texts = texts

    async def look(self, viewer: Viewer, content_id: str) -> tuple[Content, Visibility]:
        """One content item and what the viewer sees of it; a page that is `short` shows title, reason, replacement."""
        content = await self._changing.content(content_id)
        visibility = visible_to(viewer, content, self._changing.now())
        if visibility.page == "none":
            raise no_such_content(content_id)
        return content, visibility

    async def item(self, content_id: str) -> Content:
        """One content item, for those whose right to it was checked."""
        return await self._changing.content(content_id)

    async def visible(
        self, viewer: Viewer, content_ids: Iterable[str], together: Query[Content] | None = None
    ) -> list[Content]:
        """Those of several items that the viewer may find, in their order: what a search found is read again.

        `together` is a list of the table that begins with most of them. Read in one query they cost by their size; one
        by one, each costs as much as four kilobytes.
        """
        wanted = tuple(dict.fromkeys(content_ids))
        items: dict[str, Content | None] = dict.fromkeys(wanted)
        if together is not None and wanted:
            page = await self._store.page(together, limit=len(wanted))
            items |= {each.content_id: each for each in page if each.content_id in items}
        missing = tuple(each for each, found in items.items() if found is None)
        rest = await self._store.batch_get(schema.content_found(missing).keys) if missing else []
        items |= zip(missing, rest, strict=True)
        return self.seen(viewer, filter(None, items.values()))

    def seen(self, viewer: Viewer, items: Iterable[Content]) -> list[Content]:
        """Those of several items that the viewer may find."""
        now = self._changing.now()
        return [each for each in items if visible_to(viewer, each, now).listed]

    async def text(self, source: Any) -> str:
        """The text of a content item, or of the fields of a proposal or version."""
        return await self._texts.load(source)

    def new_id(self) -> str:
        """The id of a draft that somebody is about to write: files can be sent for it before it is saved."""
        return self._kit.ids.new()

    async def create_as(
        self,
        viewer: Viewer,
        new: NewContent,
        content_id: str,
        *,
        file: Mapping[str, Any] | None = None,
        writes: tuple[Write, ...] = (),
    ) -> Content:
        """A draft under an id of `new_id`, made once however often it is asked for: then `ContentExists`."""
        if not OWN_ID.fullmatch(content_id):
            raise BadRequest("This form is damaged. Open it again.")
        await self._kit.limits.check(CREATING, viewer.id)
        return await self.create(viewer, new, content_id=content_id, file=file, writes=writes)

    async def create(
        self,
        viewer: Viewer,
        new: NewContent,
        *,
        content_id: str | None = None,
        file: Mapping[str, Any] | None = None,
        writes: tuple[Write, ...] = (),
    ) -> Content:
        """A draft of the viewer's own, with the `FILE_FIELDS` of an attachment if there is one, whose claim is among
        the `writes`. An id is given by imports, which count as one act; if it is taken, `ContentExists`."""
        authorize(viewer, Enablement.WRITE)
        if content_id is None:
            await self._kit.limits.check(CREATING, viewer.id)
        check_dates(new)
        now = self._changing.now()
        async with self._kept(new.text) as (uri, claims):
            content = Content(
                content_id=content_id or self._kit.ids.new(),
                owner_user_id=viewer.id,
                changed_by=viewer.id,
                last_updated=timestamp(now),
                **dict(new.fields.model_copy(update={"s3_uri": uri, **(file or {})})),
            )
            told = entry(self._kit.ids.new(), viewer.id, "created", now, before=None, after=content)
            own = Put(content).if_new().otherwise(ContentExists(content.content_id))
            await self._store.transact(Transaction(own, Put(told).if_new(), *claims, *writes))
        return content

    async def edit(
        self,
        viewer: Viewer,
        content_id: str,
        edit: ContentEdit,
        *,
        file: Mapping[str, Any] | None = None,
        writes: tuple[Write, ...] = (),
    ) -> Content | Proposal:
        """Change a draft; or, if it is approved, the proposal to change it. `file` are the `FILE_FIELDS` of an
        attachment that comes with it, whose claim is among the `writes`."""
        changes = {**edit.changes, **(file or {})}
        text = changes.pop("text", None) if "text" in changes else None
        if "text" not in edit.model_fields_set:
            return await self.change_fields(viewer, content_id, changes, version=edit.version, writes=writes)
        content = await self._changing.allowed(viewer, content_id, Action.EDIT)
        current = await self._fields(content)
        if (text or "") == await self._texts.load(current):
            return await self.change_fields(viewer, content_id, changes, version=edit.version, writes=writes)
        async with self._kept(text) as (uri, claims):
            changes["s3_uri"] = uri
            return await self.change_fields(
                viewer, content_id, changes, version=edit.version, writes=(*claims, *writes)
            )

    async def change_fields(
        self,
        viewer: Viewer,
        content_id: str,
        changes: Mapping[str, Any],
        *,
        version: str | None = None,
        writes: tuple[Write, ...] = (),
    ) -> Content | Proposal:
        """Change documented attributes by name, of the draft or of the proposal; `writes` belong to the transaction, as
        the claim of a file that is attached."""
        unknown = set(changes).difference(FIELDS)
        if unknown:
            raise ValueError(f"These are no fields that people edit: {sorted(unknown)}")
        content = await self._changing.allowed(viewer, content_id, Action.EDIT)
        if content.status != "Draft":
            return await self._proposals.change_fields(viewer, content_id, changes, version=version, writes=writes)

        async def edited(before: Content, now: datetime) -> Step:  # noqa: ARG001
            check_version(version, before.version)
            if before.status != "Draft":
                raise changed(before.version)  # it was approved in this moment: from now on there is a proposal
            if all(getattr(before, name) == value for name, value in changes.items()):
                raise nothing_to_change()
            new_file = dict.fromkeys(PREVIEW_FIELDS) if "s3_key" in changes else {}
            after = before.model_copy(update={**changes, **new_file, "changed_by": viewer.id})
            check_dates(after)
            return Step(after, "edited", writes=writes)

        return await self._changing.change(viewer, content_id, Action.EDIT, edited)

    async def for_editor(self, viewer: Viewer, content_id: str) -> tuple[Content, Proposal | None, ContentFields]:
        """What somebody who may change an item edits: the item, its proposal if there is one, and the fields as they
        will be."""
        content = await self._changing.allowed(viewer, content_id, Action.EDIT)
        proposal = None if content.status == "Draft" else await self._changing.proposal(content_id)
        return content, proposal, fields_with(content, proposal)

    async def _fields(self, content: Content) -> Any:
        """The fields that an edit changes: of the draft, or of the proposal if there is one."""
        if content.status == "Draft":
            return fields_of(content)
        return fields_with(content, await self._changing.proposal(content.content_id))

    @asynccontextmanager
    async def _kept(self, text: str | None) -> AsyncIterator[tuple[str | None, tuple[Write, ...]]]:
        """The name of a text that is kept, and the write that claims it; given up if the edit is refused."""
        if not text:
            yield None, ()
            return
        uri, claim = await self._texts.keep(text)
        try:
            yield uri, (claim,)
        except Problem:
            await self._texts.discard(uri)
            raise
