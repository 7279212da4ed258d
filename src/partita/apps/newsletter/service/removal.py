"""Deleting a newsletter: it is hidden at once, and what belonged to it goes in batches that can be resumed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Draft, Issue, Newsletter, Outline, Removal, Topics
from partita.apps.newsletter.service.access import Access, no_newsletter
from partita.apps.newsletter.service.files import EDITIONS, keys_of, own_files
from partita.apps.newsletter.service.steps import Steps
from partita.kit.jobs import Arguments, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, refuse_withheld
from partita.kit.problems import Forbidden, NotFound
from partita.table import Delete, Put, Query, Transaction
from partita.table.types import timestamp

KIND = "newsletter.remove"
_BATCH = 25
_COUNTED = 100


@dataclass(frozen=True, slots=True)
class Losses:
    """What is lost with a newsletter."""

    versions: int
    notes: int
    files: int
    private_sources: int
    shares: int
    link: bool


class Removals:
    """Deleting newsletters."""

    def __init__(self, kit: Kit, access: Access, steps: Steps) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._steps = steps
        self.delete_source: Callable[[str], Awaitable[None]] | None = None
        """Deletes a source of the newsletter's own shelf, with its passages and file."""

    async def losses(self, viewer: Viewer, code: str) -> tuple[Newsletter, Losses]:
        """What would be lost, for whoever may delete it."""
        newsletter = await self._deletable(viewer, code)
        draft = await find(self._store, schema.draft, code)
        return newsletter, Losses(
            versions=await self._count(schema.text_versions(code)),
            notes=await self._count(schema.notes_on(code)),
            files=0 if draft is None else sum(1 for each in _entries(draft) if as_plain(each).get("s3_key")),
            private_sources=await self._count(schema.sources(code)),
            shares=await self._count(schema.shares_of(code)),
            link=newsletter.link_digest is not None,
        )

    async def delete(self, viewer: Viewer, code: str) -> Removal:
        """Delete a newsletter: nobody finds it from now on, and the rest follows."""

        async def attempt() -> Removal:
            return await self._hide(await self._deletable(viewer, code), viewer.id)

        removal = await self._store.attempt(attempt)
        await self.begin(removal)
        return removal

    async def remove(self, code: str, *, by: str) -> None:
        """Delete a newsletter whose owner is erased; once more is harmless."""
        newsletter = await find(self._store, schema.newsletter, code)
        if newsletter is not None:
            with suppress(NotFound):
                await self.begin(await self._hide(newsletter, by))

    async def _hide(self, newsletter: Newsletter, by: str) -> Removal:
        code = newsletter.newsletter_code
        draft = await find(self._store, schema.draft, code)
        removal = Removal(
            subject=code,
            title=newsletter.title,
            removed_by=by,
            removed_at=timestamp(self._kit.clock.now()),
            series_id=newsletter.series_id,
            issue_at=newsletter.created_at if newsletter.series_id else None,
            link_digest=newsletter.link_digest,
            file_keys=_files(draft),
        )
        gone = Delete(newsletter.own_key).if_there().otherwise(no_newsletter())
        await self._store.transact(Transaction(gone, Put(removal)))
        return removal

    async def begin(self, removal: Removal) -> None:
        """Start the work that is left; also called by the change stream, which may report a removal twice."""
        if await find(self._store, schema.removal, removal.subject) is None:
            return
        title = f"Delete “{removal.title}”"
        await self._kit.jobs.start(
            KIND, {"subject": removal.subject}, Viewer(removal.removed_by), key=removal.subject, title=title
        )

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Delete a newsletter", self._run)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        removal = await find(self._store, schema.removal, arguments["subject"])
        if removal is not None:

            async def progress(step: str) -> None:
                await running.progress(step)

            await self.finish(removal, progress)
        return Result("Deleted with everything that belonged to it.", "/newsletter")

    async def finish(self, removal: Removal, progress: Callable[[str], Awaitable[None]] | None = None) -> None:
        """Delete everything that belonged to it; may be called again at any time, and by two at once."""
        code = removal.subject
        work: tuple[tuple[str, Callable[[], Awaitable[None]]], ...] = (
            ("Stopping what runs", lambda: self._steps.stop_all(code)),
            ("Deleting files", lambda: self._delete_files(code, removal.file_keys)),
            ("Deleting its own sources", lambda: self._sources(code)),
            ("Deleting links", lambda: self._link(removal)),
            ("Deleting versions", lambda: self._delete_all(schema.text_versions(code))),
            ("Deleting notes and shares", lambda: self._notes(code)),
            ("Deleting steps", lambda: self._delete_all(schema.step_runs(code))),
            ("Deleting topics, outline and draft", lambda: self._items(code)),
        )
        for step, part in work:
            if progress is not None:
                await progress(step)
            await part()
        await self._store.write(Delete(removal.own_key))

    async def _delete_files(self, code: str, names: Iterable[str]) -> None:
        draft = await find(self._store, schema.draft, code)
        for name in own_files(EDITIONS, code, (*names, *_files(draft))):
            await self._kit.files.delete(name)

    async def _sources(self, code: str) -> None:
        if self.delete_source is None:
            return
        async for source in self._store.stream(schema.sources(code)):
            await self.delete_source(source.source_id)

    async def _link(self, removal: Removal) -> None:
        keys: list[Any] = []
        if removal.link_digest is not None:
            keys.append(schema.link(removal.link_digest).key)
        if removal.series_id is not None and removal.issue_at is not None:
            keys.append(Issue.key(Issue.series_id(removal.series_id), Issue.created_at(removal.issue_at)))
        await self._delete(keys)

    async def _notes(self, code: str) -> None:
        await self._delete_all(schema.notes_on(code))
        await self._delete_all(schema.shares_of(code))

    async def _items(self, code: str) -> None:
        """By their keys: what cannot be read any more goes as well."""
        await self._delete(
            [
                Topics.key(Topics.newsletter_code(code)),
                Outline.key(Outline.newsletter_code(code)),
                Draft.key(Draft.newsletter_code(code)),
            ]
        )
        await self._delete_all(schema.whole_newsletter(code))

    async def _deletable(self, viewer: Viewer, code: str) -> Newsletter:
        newsletter = await self._access.newsletter(viewer, code, write=True)
        if not self._access.owns(viewer, newsletter):
            refuse_withheld(viewer, Letters.MANAGE)
            raise Forbidden("Only its owner can delete a newsletter.")
        return newsletter

    async def _count(self, query: Query[Any]) -> int:
        return len(await self._store.page(query, limit=_COUNTED))

    async def _delete_all(self, query: Query[Any]) -> None:
        await self._delete([row.own_key async for row in self._store.stream(query)])

    async def _delete(self, keys: Iterable[Any]) -> None:
        listed = list(keys)
        for first in range(0, len(listed), _BATCH):
            await self._store.batch_write([Delete(key) for key in listed[first : first + _BATCH]])


def _files(draft: Draft | None) -> tuple[str, ...]:
    """The files that a draft names: exports, the pictures of their pages, and images."""
    return () if draft is None else tuple(keys_of(map(as_plain, _entries(draft))))[:200]


def _entries(draft: Draft) -> tuple[Any, ...]:
    return (*draft.exports.values(), *draft.images)
