"""Votes: whether content helped somebody, one per person, with the totals in the same transaction."""

from __future__ import annotations

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import VoteInput
from partita.apps.enablement.permissions import Action
from partita.apps.enablement.schema import Stats, Vote
from partita.apps.enablement.service.bookkeeping import Write
from partita.apps.enablement.service.changing import Changing
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import ChangedMeanwhileError, Delete, Put, Transaction, Update
from partita.table.types import timestamp


class Votes:
    """Voting, and changing one's mind."""

    def __init__(self, kit: Kit, changing: Changing) -> None:
        self._store = kit.store
        self._changing = changing

    async def mine(self, viewer: Viewer, content_id: str) -> Vote | None:
        """The viewer's vote."""
        return await self._store.get(schema.vote(content_id, viewer.id).consistently())

    async def vote(self, viewer: Viewer, content_id: str, given: VoteInput) -> Vote:
        """Say whether it helped; the last word counts."""

        async def attempt() -> Vote:
            content = await self._changing.allowed(viewer, content_id, Action.RESPOND)
            before = await self.mine(viewer, content_id)
            after = Vote(
                of_content=content_id,
                voter=viewer.id,
                helped=given.helped,
                voted_at=timestamp(self._changing.now()),
                about_major=content.major,
            )
            put = Put(after).if_new() if before is None else Put(after).unless_changed(before, Vote.helped)
            totals = await self._totals(content_id, before, after)
            await self._store.transact(Transaction(put.otherwise(ChangedMeanwhileError("Your vote")), *totals))
            return after

        return await self._store.attempt(attempt)

    async def remove_of_one_who_left(self, known: Vote) -> None:
        """Take a vote out of the totals."""

        async def attempt() -> None:
            vote = await self._store.get(schema.vote(known.of_content, known.voter).consistently())
            if vote is None:
                return
            gone = Delete(vote.own_key).unless_changed(vote, Vote.helped)
            stats = await self._store.get(schema.stats(known.of_content).consistently())
            counted = Stats.helped if vote.helped else Stats.not_helped
            less = () if stats is None else (Update(stats.own_key, counted.add(-1)).unless_changed(stats, counted),)
            await self._store.transact(Transaction(gone, *less))

        await self._store.attempt(attempt)

    async def _totals(self, content_id: str, before: Vote | None, after: Vote) -> tuple[Write, ...]:
        helped = int(after.helped) - int(before is not None and before.helped)
        not_helped = int(not after.helped) - int(before is not None and not before.helped)
        added = [
            attribute.add(amount)
            for attribute, amount in ((Stats.helped, helped), (Stats.not_helped, not_helped))
            if amount
        ]
        if not added:
            return ()
        stats = await self._store.get(schema.stats(content_id).consistently())
        if stats is None:  # the change stream is a moment behind the release
            new = Stats(of_content=content_id, helped=helped, not_helped=not_helped)
            return (Put(new).if_new().otherwise(ChangedMeanwhileError("The totals")),)
        return (Update(stats.own_key, *added).otherwise(ChangedMeanwhileError("The totals")),)
