"""Deleting for good: the item goes at once, with an entry of the history; what belonged to it goes step by step.

Every step deletes what it finds, so that after a kill the work begins again with what is left.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.permissions import Action
from partita.apps.enablement.schema import Content, ContentChange, Removal, Report, Stats, Version, Vote
from partita.apps.enablement.service.audience import JOB_DONE, job_done
from partita.apps.enablement.service.bookkeeping import entry
from partita.apps.enablement.service.changing import Changing, check_version
from partita.apps.enablement.service.fanouts import Fanouts
from partita.apps.enablement.service.files import PortalFiles, previews_of
from partita.apps.enablement.service.proposals import removal_of
from partita.apps.enablement.service.reports import REPORTED
from partita.apps.enablement.service.summaries import WINDOWS
from partita.kit.jobs import Arguments, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.table import Delete, Put, Query, Transaction
from partita.table.types import timestamp

KIND = "enablement.remove"
DELETED = "deleted"
"""The action of the entry that stays."""
_BATCH = 100
_COUNTED = 100

Progress = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Losses:
    """What is lost with a content item."""

    versions: int
    file_name: str | None
    proposal: bool
    people: int
    """Who has viewed or downloaded it."""
    votes: int
    open_reports: int
    comments: int
    must_read: bool


class Removals:
    """Deleting content items."""

    def __init__(self, kit: Kit, changing: Changing, files: PortalFiles, fanouts: Fanouts) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._files = files
        self._fanouts = fanouts

    async def losses(self, viewer: Viewer, content_id: str) -> tuple[Content, Losses]:
        """What would be lost, for whoever may delete it."""
        content = await self._changing.allowed(viewer, content_id, Action.DELETE)
        stats = await self._store.get(schema.stats(content_id)) or Stats(of_content=content_id)
        history = (await self._store.page(schema.history_of(content_id), limit=_COUNTED)).items
        reports = await self._store.page(schema.open_reports_of(content_id), limit=_COUNTED)
        return content, Losses(
            versions=content.major,
            file_name=content.file_name,
            proposal=await self._changing.proposal(content_id) is not None,
            people=stats.people,
            votes=stats.helped + stats.not_helped,
            open_reports=len(reports),
            comments=sum(each.action == "comment" for each in history),
            must_read=content.must_read_by is not None,
        )

    async def delete(self, viewer: Viewer, content_id: str, *, version: str | None = None) -> Removal:
        """Delete an item: nobody finds it from now on, and the rest follows."""

        async def attempt() -> Removal:
            content = await self._changing.allowed(viewer, content_id, Action.DELETE)
            check_version(version, content.version)
            proposal = await self._changing.proposal(content_id)
            now = self._changing.now()
            named = self._files.named_by(content)
            if proposal is not None:
                named |= self._files.named_by(proposal.fields)
            removal = Removal(
                of_content=content_id,
                title=content.title,
                removed_by=viewer.id,
                removed_at=timestamp(now),
                majors=content.major,
                file_keys=tuple(sorted(named)),
            )
            told = entry(
                self._kit.ids.new(), viewer.id, DELETED, now, before=content, after=None, comment=content.title
            )
            gone = Delete(content.own_key).unless_changed(
                content, Content.version, Content.status, Content.approval_state
            )
            proposed = () if proposal is None else removal_of(proposal)
            await self._store.transact(Transaction(gone, Put(removal), Put(told).if_new(), *proposed))
            return removal

        return await self._store.attempt(attempt)

    async def begin(self, removal: Removal) -> None:
        """Start the work that is left; for the change stream, which may report the same removal twice."""
        title = f"Delete “{removal.title}”"
        key = removal.of_content
        if await find(self._store, schema.removal, key) is None:
            return
        await self._kit.jobs.start(KIND, {"content": key}, Viewer(removal.removed_by), key=key, title=title)

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Delete content", self._run)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        removal = await find(self._store, schema.removal, arguments["content"])
        if removal is not None:

            async def progress(step: str) -> None:
                await running.progress(step)

            await self.finish(removal, progress)
        return Result("Deleted with everything that belonged to it.", "/enablement")

    async def finish(self, removal: Removal, progress: Progress | None = None) -> None:
        """Delete everything that belonged to an item; may be called again at any time, and by two at once."""
        content_id = removal.of_content
        history = [each async for each in self._store.stream(schema.history_of(content_id))]
        reports = [each.change_id for each in history if each.action == REPORTED]
        steps: tuple[tuple[str, Callable[[], Awaitable[None]]], ...] = (
            ("Deleting versions and their files", lambda: self._versions(content_id, removal.majors)),
            ("Deleting files", lambda: self._delete_files(removal.file_keys)),
            ("Deleting reports", lambda: self._delete(_reports(content_id, reports))),
            ("Deleting readers and votes", lambda: self._readers(content_id)),
            ("Deleting follows and reading lists", lambda: self._follows(content_id)),
            ("Deleting numbers", lambda: self._numbers(content_id)),
            ("Deleting the history", lambda: self._delete(_before(history))),
        )
        for step, work in steps:
            if progress is not None:
                await progress(step)
            await work()
        told = job_done(removal.removed_by, f"“{removal.title}” was deleted", "/enablement")
        cause = self._fanouts.due(f"removal.{content_id}", JOB_DONE, content_id, removal.removed_at, details=told)
        await self._store.transact(Transaction(Delete(removal.own_key), Put(cause)))

    async def _versions(self, content_id: str, majors: int) -> None:
        """The files first: as long as a version is there, somebody comes for its files."""
        for first in range(1, majors + 1, _BATCH):
            some = tuple(range(first, min(first + _BATCH, majors + 1)))
            found = await self._store.batch_get(schema.versions_of(content_id, some).keys, consistent=True)
            there: list[Version] = [each for each in found if each is not None]
            for each in there:
                await self._delete_files(self._files.named_by(each.fields))
            await self._delete(each.own_key for each in there)

    async def _delete_files(self, names: Iterable[str]) -> None:
        for name in names:
            for each in (name, *previews_of(name)):
                await self._kit.files.delete(each)

    async def _readers(self, content_id: str) -> None:
        """Whoever has voted has read it; the votes first, since the readers tell who voted."""
        waiting: list[str] = []

        async def forget() -> None:
            await self._delete(Vote.key(Vote.of_content(content_id), Vote.voter(person)) for person in waiting)
            await self._delete(schema.reader(content_id, person).key for person in waiting)
            waiting.clear()

        async for reader in self._store.stream(schema.readers_of(content_id)):
            waiting.append(reader.person)
            if len(waiting) == _BATCH:
                await forget()
        await forget()

    async def _follows(self, content_id: str) -> None:
        await self._delete_all(schema.followers_of("content", content_id))
        await self._delete_all(schema.readers_asked(content_id))

    async def _numbers(self, content_id: str) -> None:
        await self._delete_all(schema.series_of(content_id, "0000-00-00"))
        await self._delete([schema.stats(content_id).key])
        await self._delete(schema.summary(days).key for days in WINDOWS)  # they name it; the next look makes new ones

    async def _delete_all(self, query: Query[Any]) -> None:
        await self._delete([row.own_key async for row in self._store.stream(query)])

    async def _delete(self, keys: Iterable[Any]) -> None:
        listed = list(keys)
        for first in range(0, len(listed), _BATCH):
            await self._store.batch_write([Delete(key) for key in listed[first : first + _BATCH]])


def _reports(content_id: str, report_ids: Sequence[str]) -> Iterator[Any]:
    for report_id in report_ids:
        yield Report.key(Report.of_content(content_id), Report.report_id(report_id))


def _before(history: Sequence[ContentChange]) -> Iterator[Any]:
    """Everything but the entry that it was deleted."""
    return (each.own_key for each in history if each.action != DELETED)
