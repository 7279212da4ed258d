"""What follows a change: search, previews, files that no row names any more, numbers, and people who are told or asked
again."""

from __future__ import annotations

from collections.abc import Sequence

from partita.apps.enablement.schema import (
    CONTENT,
    EVENTS,
    SUBSCRIPTIONS,
    Content,
    ContentChange,
    Event,
    Proposal,
    Removal,
    Subscription,
)
from partita.apps.enablement.service import EnablementService
from partita.kit.adoption import adoption_handler
from partita.kit.changes import Change, Handler
from partita.kit.kit import Kit
from partita.kit.search.following import following


def handlers(kit: Kit, service: EnablementService) -> tuple[Handler, ...]:
    """The portal's handlers; each may see a change twice."""

    async def delete_files(change: Change) -> None:
        before, after = change.read(Content)
        if before is not None:
            await service.files.delete_replaced(before, after)
        proposed, left = change.read(Proposal)
        if proposed is not None:
            await service.files.delete_proposed(proposed, left)

    async def ask_again(change: Change) -> None:
        before, after = change.read(ContentChange)
        if before is None and after is not None and after.ask_again and after.action in ("approved", "released"):
            await service.reading.start_asking(after)

    async def count(change: Change) -> None:
        before, event = change.read(Event)
        if before is None and event is not None:
            await service.counting.count(event)

    async def count_together(changes: Sequence[Change]) -> None:
        read = (change.read(Event) for change in changes)
        await service.counting.count_all([event for before, event in read if before is None and event is not None])

    async def list_released(change: Change) -> None:
        before, after = change.read(Content)
        either = after or before
        if either is not None and (
            before is None or after is None or before.status != after.status or released(change)
        ):
            await service.counting.follow_release(either.content_id)

    async def remove(change: Change) -> None:
        before, after = change.read(Removal)
        if before is None and after is not None:
            await service.removals.begin(after)

    async def tell(change: Change) -> None:
        before, after = change.read(ContentChange)
        if before is None and after is not None:
            await service.fanouts.follow_change(after)

    async def match(change: Change) -> None:
        before, after = change.read(Subscription)
        if before is not None or after is not None:
            await service.subscriptions.follow_row(before, after)

    async def want_previews(change: Change) -> None:
        """Only what begins to name a file without a preview; the rest is up to the job."""
        before, after = change.read(Content)
        if after is not None and after.preview_state is None and (before is None or before.s3_key != after.s3_key):
            await service.previews.want(after.content_id, after)
        old, new = change.read(Proposal)
        if new is None or new.preview_state is not None or "s3_key" not in new.proposed:
            return
        if old is None or old.fields.s3_key != new.fields.s3_key:
            await service.previews.want(new.of_content, new.fields)

    return (
        adoption_handler("enablement.adoption", CONTENT, service.adoptions),
        Handler("enablement.ask-again", CONTENT, ask_again),
        Handler("enablement.counting", EVENTS, count, together=count_together),
        Handler("enablement.files", CONTENT, delete_files),
        Handler("enablement.previews", CONTENT, want_previews),
        Handler("enablement.released", CONTENT, list_released),
        Handler("enablement.removal", CONTENT, remove),
        Handler("enablement.subscriptions", SUBSCRIPTIONS, match),
        Handler("enablement.telling", CONTENT, tell),
        following(kit.search, kit.store, service.library.catalog, "enablement.search"),
    )


def released(change: Change) -> bool:
    """Whether what readers have of an item may have changed with this."""
    before, after = change.read(Content)
    return (before and before.released_at) != (after and after.released_at)
