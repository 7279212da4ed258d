"""Follows: one content item, somebody's work, or the approval queue."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.enablement import schema
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import QUEUE, Follow, FollowKind
from partita.apps.enablement.service.changing import Changing
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, NotFound
from partita.table import ChangedMeanwhileError, Delete, Put, Update

MOST = 500
"""How much somebody may follow."""


class Follows:
    """What people follow; everybody's own."""

    def __init__(self, kit: Kit, changing: Changing) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing

    async def list(self, viewer: Viewer) -> list[Follow]:
        """Everything that the viewer follows."""
        authorize(viewer, Enablement.READ)
        found = [each async for each in self._store.stream(schema.followed_by(viewer.id))]
        return [each for each in found if not each.muted]

    async def follows(self, viewer: Viewer, kind: FollowKind, followed_id: str) -> bool:
        """Whether the viewer follows something."""
        found = await find(self._store, schema.follow, kind, followed_id, viewer.id)
        return found is not None and not found.muted

    async def follow(self, viewer: Viewer, kind: FollowKind, followed_id: str) -> Follow:
        """Follow something from now on; whoever does already goes on."""
        await self._check(viewer, kind, followed_id)
        new = Follow(kind=kind, followed_id=followed_id, person=viewer.id, since=stamp(self._kit.clock))

        async def attempt() -> Follow:
            there = await find(self._store, schema.follow, kind, followed_id, viewer.id)
            if there is not None and not there.muted:
                return there
            if there is None and len(await self.list(viewer)) >= MOST:
                raise Conflict(f"You follow {MOST} things. Stop following one first.", code="too_many_follows")
            put = Put(new).if_new() if there is None else Put(new).unless_changed(there, Follow.muted, Follow.since)
            await self._store.write(put.otherwise(_changed))
            return new

        return await self._store.attempt(attempt)

    async def stop(self, viewer: Viewer, kind: FollowKind, followed_id: str) -> None:
        """Stop following; stopping twice is harmless. For the queue it is remembered, so that the next visit does not
        begin it again."""
        authorize(viewer, Enablement.READ)
        there = await find(self._store, schema.follow, kind, followed_id, viewer.id)
        if there is None:
            if kind == "queue" and followed_id == QUEUE:
                await self._store.write(Put(self._queue(viewer, muted=True)))
            return
        if kind == "queue":
            await self._store.write(Update(there.own_key, Follow.muted.set(True)))
        else:
            await self._store.write(Delete(there.own_key))

    async def visit_queue(self, viewer: Viewer) -> None:
        """An approver's first visit: from then on they hear of what is submitted, until they say otherwise."""
        if viewer.may(Enablement.APPROVE):
            with suppress(_Known):
                await self._store.write(Put(self._queue(viewer)).if_new().otherwise(_Known()))

    async def _check(self, viewer: Viewer, kind: FollowKind, followed_id: str) -> None:
        authorize(viewer, Enablement.READ)
        if kind == "content":
            await self._changing.allowed(viewer, followed_id, Action.RESPOND)
        elif kind == "person":
            person = await self._kit.accounts.people.find(followed_id)
            if person is None or person.suspended:
                raise NotFound(f"There is nobody with the id {followed_id[:80]!r}.")
        else:
            authorize(viewer, Enablement.APPROVE)
            if followed_id != QUEUE:
                raise NotFound(f"There is no queue {followed_id[:80]!r}; follow {QUEUE!r}.")

    def _queue(self, viewer: Viewer, *, muted: bool = False) -> Follow:
        return Follow(kind="queue", followed_id=QUEUE, person=viewer.id, since=stamp(self._kit.clock), muted=muted)


class _Known(Exception):
    """There is one already."""


def _changed(_there: object) -> ChangedMeanwhileError:
    return ChangedMeanwhileError("What you follow")
