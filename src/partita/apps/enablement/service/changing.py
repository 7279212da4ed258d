"""One way to change a content item: read it, ask the role table, decide, and write everything in one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from partita.apps.enablement import schema
from partita.apps.enablement.formats import next_major, next_minor
from partita.apps.enablement.permissions import Action
from partita.apps.enablement.schema import Content, Proposal
from partita.apps.enablement.service.access import has_expired, no_such_content, require
from partita.apps.enablement.service.bookkeeping import CLOCK, Write, entry, rewrite, snapshot, with_clock_keys
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError
from partita.table import ChangedMeanwhileError, Put, Transaction
from partita.table.types import timestamp


@dataclass(frozen=True, slots=True)
class Step:
    """A decision about a content item: what it becomes, and what is said and written with it."""

    after: Content
    """Its version and the keys of the clock are made when it is written."""
    action: str
    comment: str | None = None
    major: bool = False
    """Whether this is an approval: it counts the major up and keeps a snapshot."""
    approved_by: str | None = None
    """Who approved it, if not whoever does this."""
    quiet: bool = False
    """No news: `last_updated` stays."""
    ask_again: bool = False
    batch: str | None = None
    """The job that does the same with several items."""
    writes: tuple[Write, ...] = ()


Decide = Callable[[Content, datetime], Awaitable[Step]]


class Changing:
    """Reads content items and writes what was decided about them."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    def now(self) -> datetime:
        """The moment at which something is decided."""
        return self._kit.clock.now()

    async def content(self, content_id: str) -> Content:
        """One content item, whoever asks."""
        return await find_or(no_such_content(content_id), self._store, schema.content, content_id)

    async def proposal(self, content_id: str) -> Proposal | None:
        """The proposal to change a content item, whoever asks."""
        return await find(self._store, schema.proposal, content_id)

    async def allowed(self, viewer: Viewer, content_id: str, action: Action) -> Content:
        """A content item that somebody may do this with; refused otherwise. What is over is expired first."""
        content = await self.content(content_id)
        now = self.now()
        if has_expired(content, now):
            content = await self.expire(content, now)
        require(viewer, content, action, now)
        return content

    async def change(self, viewer: Viewer, content_id: str, needs: Action, decide: Decide) -> Content:
        """Read, decide and write; again if somebody else was faster. What a decision cannot accept it refuses."""

        async def attempt() -> Content:
            before = await self.allowed(viewer, content_id, needs)
            now = self.now()
            return await self.commit(viewer.id, before, await decide(before, now), now)

        return await self._store.attempt(attempt)

    async def commit(self, by: str, before: Content, step: Step, now: datetime) -> Content:
        """Write a decision: the item, its history, a snapshot if it is an approval, and what else belongs to it. A
        `ChangedMeanwhileError` if the item is not what was read any more."""
        version = next_major(before.version) if step.major else next_minor(before.version)
        updated = before.last_updated if step.quiet else timestamp(now)
        after = step.after.with_(Content.version(version), Content.last_updated(updated))
        after = with_clock_keys(after, before, now)
        told = entry(
            self._kit.ids.new(),
            by,
            step.action,
            now,
            before=before,
            after=after,
            comment=step.comment,
            ask_again=step.ask_again,
            batch=step.batch,
        )
        kept = (Put(snapshot(after, step.approved_by or by, timestamp(now))).if_new(),) if step.major else ()
        await self._store.transact(Transaction(rewrite(before, after), Put(told).if_new(), *kept, *step.writes))
        return after

    async def expire(self, content: Content, now: datetime, by: str = CLOCK, comment: str | None = None) -> Content:
        """Approved → Expired, once: whoever comes second gets it as it is then."""
        try:
            return await self.commit(by, content, expiry_of(content, comment), now)
        except ChangedMeanwhileError:
            return await self.content(content.content_id)


def expiry_of(content: Content, comment: str | None = None) -> Step:
    """What expiring does; the date stays as it was."""
    return Step(
        content.with_(Content.status("Expired"), Content.approval_state(None)),
        "expired",
        comment,
    )


class Changed(StaleEdit):
    """A decision or edit that names another version than there is."""

    def __init__(self, current: str) -> None:
        super().__init__(current, "version")
        self.detail = f"Somebody has changed this; it is at version {current} now. Look at what is new and try again."
        self.args = (self.detail,)
        self.errors = (FieldError("version", self.detail),)


def changed(current: str) -> Changed:
    """The refusal of a decision or edit that names another version than there is."""
    return Changed(current)


def check_version(seen: str | None, current: str) -> None:
    """Refuse what was decided about another version."""
    if seen is not None and seen != current:
        raise changed(current)
