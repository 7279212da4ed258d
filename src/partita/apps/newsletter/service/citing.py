"""Which drafts and proposals cite which sources: follows their citations, by the change stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Cited, Draft, Proposal, Source
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import ChangedMeanwhileError, Check, Delete, Put, Transaction, Update
from partita.table.types import timestamp


class Citing:
    """Keeps `Cited` and the number of them at each source."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def follow_draft(self, before: Draft | None, after: Draft | None) -> None:
        """A draft was written, edited or deleted. The table is asked for its citations: they may lie in a file."""
        either = after or before
        if either is None or (before is not None and after is not None and before.citations == after.citations):
            return
        code = either.newsletter_code
        now = await find(self._store, schema.draft, code)
        wanted = sources_in(() if now is None else now.citations)
        await self._follow(code, wanted, sources_in(() if before is None else before.citations))

    async def follow_proposal(self, before: Proposal | None, after: Proposal | None) -> None:
        """The same for a proposal."""
        either = after or before
        if either is None or (before is not None and after is not None and before.citations == after.citations):
            return
        code = either.proposal_code
        now = await find(self._store, schema.proposal, code)
        wanted = sources_in(() if now is None else now.citations)
        await self._follow(code, wanted, sources_in(() if before is None else before.citations))

    async def recount(self, source_id: str) -> None:
        """Makes `cited_in` the number of rows that there are, whoever wrote them; of a source that is gone, nothing."""
        while not await self._store.attempt(partial(self._agrees, source_id)):
            pass

    async def _follow(self, code: str, wanted: Mapping[str, int], before: Mapping[str, int]) -> None:
        for source_id, count in wanted.items():
            await self._store.attempt(partial(self._cite, source_id, code, count))
            await self.recount(source_id)
        for source_id in before:
            if source_id not in wanted:
                await self._uncite(source_id, code)
                await self.recount(source_id)

    async def _cite(self, source_id: str, code: str, count: int) -> None:
        there = await find(self._store, schema.cited, source_id, code)
        source = await find(self._store, schema.source, source_id)
        if source is None or (there is not None and there.count == count):
            return
        row = Cited(source_id=source_id, code=code, count=count, cited_at=timestamp(self._kit.clock.now()))
        still_there = Check(source.own_key, source.own_key.present())
        await self._store.transact(Transaction(Put(row), still_there.otherwise(ChangedMeanwhileError("The source"))))

    async def _uncite(self, source_id: str, code: str) -> None:
        there = await find(self._store, schema.cited, source_id, code)
        if there is not None:
            await self._store.write(Delete(there.own_key))

    async def _agrees(self, source_id: str) -> bool:
        """Whether the number was right. A number that was not is corrected and looked at again: what another handler
        wrote meanwhile is seen by whoever looks last."""
        source = await find(self._store, schema.source, source_id)
        if source is None:
            return True
        rows = await self._store.count(schema.citing(source_id).consistently())
        if rows == source.cited_in:
            return True
        counted = Update(source.own_key, Source.cited_in.set(rows))
        await self._store.write(counted.unless_changed(source, Source.cited_in))
        return False


def sources_in(citations: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Source id → how many of the citations lead to it."""
    return dict(Counter(str(each["source_id"]) for each in citations if each.get("source_id")))
