"""Rows that the original program wrote: they get the keys by which the desk lists what was edited last, and proposals
the key by which they are due."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Newsletter, Proposal
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.adoption import Adoption, plainly
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import Update


def adoptions(kit: Kit) -> tuple[Adoption[Any], ...]:
    """How each type is adopted."""
    store = kit.store

    async def newsletter(seen: Newsletter, _before: Newsletter | None) -> bool:
        if not _is_due(seen):
            return False
        there = await find(store, schema.newsletter, seen.newsletter_code)
        if there is None or not _is_due(there):
            return False
        touched = Newsletter.touched_at.set(there.touched_at or there.updated_at)
        update = Update(there.own_key, touched).making_anew(there).unless_changed(there, Newsletter.updated_at)
        return await _written(update)

    async def proposal(seen: Proposal, _before: Proposal | None) -> bool:
        if not _is_due(seen):
            return False
        there = await find(store, schema.proposal, seen.proposal_code)
        if there is None or not _is_due(there):
            return False
        touched = Proposal.touched_at.set(there.touched_at or there.updated_at)
        update = Update(there.own_key, touched).making_anew(there).unless_changed(there, Proposal.updated_at)
        return await _written(update)

    async def _written(update: Update[Any]) -> bool:
        try:
            await store.write(update)
        except ConditionalCheckFailedError:  # somebody has changed it meanwhile: the change stream tells of that too
            return False
        return True

    return (
        Adoption(Newsletter, "newsletter", newsletter, is_due=plainly(_is_due)),
        Adoption(Proposal, "proposal", proposal, is_due=plainly(_is_due)),
    )


def _is_due(item: Newsletter | Proposal) -> bool:
    return item.touched_at is None or bool(item.stale())
