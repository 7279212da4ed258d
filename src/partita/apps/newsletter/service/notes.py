"""Notes: what readers say about a section of a newsletter or a proposal."""

from __future__ import annotations

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import NewNote, NoteEdit
from partita.apps.newsletter.schema import Note
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.presence import still_there
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Forbidden, NotFound
from partita.table import Delete, Put, Transaction, Update

MOST_NOTES = 300


class Notes:
    """Notes at sections."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access

    async def on(self, viewer: Viewer, code: str) -> tuple[Note, ...]:
        """The notes, oldest first, for those who may read it."""
        await self._access.subject(viewer, code)
        return await self._all(code)

    async def one(self, viewer: Viewer, code: str, note_id: str) -> Note:
        """A note that the viewer may change."""
        return await self._find(viewer, code, note_id)

    async def add(self, viewer: Viewer, code: str, new: NewNote) -> Note:
        """Leave a note; whoever may read may do that."""
        subject = await self._access.subject(viewer, code)
        if len(await self._all(code)) >= MOST_NOTES:
            raise Conflict(f"There are {MOST_NOTES} notes already. Delete some first.", code="too_many_notes")
        made = Note(
            code=code,
            created_at=stamp(self._kit.clock),
            note_id=self._kit.ids.new(),
            section_key=new.section_key,
            text=new.text,
            by=viewer.id,
            by_name=viewer.name or viewer.username,
        )
        await self._store.transact(Transaction(Put(made).if_new(), still_there(subject)))
        return made

    async def resolve(self, viewer: Viewer, code: str, note_id: str, edit: NoteEdit) -> Note:
        """Say that a note is dealt with, or open it again: whoever wrote it, and those who may edit."""
        found = await self._find(viewer, code, note_id)
        if edit.resolved == (not found.open):
            return found
        if edit.resolved:
            now = stamp(self._kit.clock)
            update = Update(found.own_key, Note.resolved_at.set(now), Note.resolved_by.set(viewer.id))
        else:
            update = Update(found.own_key, Note.resolved_at.remove(), Note.resolved_by.remove())
        await self._store.write(update.otherwise(_no_note()))
        return await self._find(viewer, code, note_id)

    async def delete(self, viewer: Viewer, code: str, note_id: str) -> None:
        """Delete a note: whoever wrote it, and those who may edit."""
        found = await self._find(viewer, code, note_id)
        await self._store.write(Delete(found.own_key))

    async def _find(self, viewer: Viewer, code: str, note_id: str) -> Note:
        subject = await self._access.subject(viewer, code)
        found = next((each for each in await self._all(code) if each.note_id == note_id), None)
        if found is None:
            raise _no_note()
        if found.by != viewer.id and not await self._access.may_write(viewer, subject):
            raise Forbidden("Only whoever wrote a note, and those who may edit, can do this.")
        return found

    async def _all(self, code: str) -> tuple[Note, ...]:
        return (await self._store.page(schema.notes_on(code), limit=MOST_NOTES)).items


def _no_note() -> NotFound:
    return NotFound("There is no such note.")
