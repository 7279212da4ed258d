"""What follows a change: emails, ranks, the lists that a title is on, and removing what deleted lists leave."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.worthwatch.schema import WORTHWATCH, ListRemoval, ListTotals, TagTotal, Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.people import EmailTaken
from partita.apps.worthwatch.service.ranks import follow_live, rank_tag, warm
from partita.apps.worthwatch.service.removal import finish_list
from partita.kit.accounts import ACCOUNTS, Account
from partita.kit.changes import Change, Handler
from partita.kit.kit import Kit


def handlers(kit: Kit, service: WorthWatchService) -> tuple[Handler, ...]:
    """The handlers of WorthWatch; each may get a change twice."""

    async def follow_account(change: Change) -> None:
        before, after = change.read(Account)
        if after is not None and (before is None or before.email != after.email):
            with suppress(EmailTaken):  # the profile keeps the address it has
                await service.people.follow_account(after)

    async def remove(change: Change) -> None:
        _, removal = change.read(ListRemoval)
        if removal is not None:
            await finish_list(kit.store, removal)

    async def rank(change: Change) -> None:
        _, tag = change.read(TagTotal)
        if tag is not None:
            await rank_tag(kit.store, tag)
        _, totals = change.read(ListTotals)
        if totals is not None:
            await warm(kit.store, totals)

    async def follow(change: Change) -> None:
        before, after = change.read(Watchlist)
        if after is not None and (before is None or _since(before) != _since(after)):
            await follow_live(kit.store, after)

    return (
        Handler("worthwatch.accounts", ACCOUNTS, follow_account),
        Handler("worthwatch.ranks", WORTHWATCH, rank),
        Handler("worthwatch.live", WORTHWATCH, follow),
        Handler("worthwatch.removal", WORTHWATCH, remove),
    )


def _since(watchlist: Watchlist) -> str | None:
    return watchlist.published_at if watchlist.live else None
