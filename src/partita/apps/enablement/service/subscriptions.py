"""Subscriptions: what somebody wants to hear of, with the rows by which a change finds it, in one transaction."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.enablement import formats, schema
from partita.apps.enablement.inputs import NewSubscription
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Subscription, SubscriptionMatch, matches_of
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find_or
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, NotFound
from partita.table import ChangedMeanwhileError, Check, Delete, Put, Transaction

MOST = 100
"""How many subscriptions somebody may have: each is found by up to twenty rows."""


class Subscriptions:
    """What people want to hear of; everybody's own."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def list(self, viewer: Viewer) -> list[Subscription]:
        """All of the viewer's."""
        authorize(viewer, Enablement.READ)
        return [each async for each in self._store.stream(schema.subscriptions_of(viewer.id).consistently())]

    async def get(self, viewer: Viewer, subscription_id: str) -> Subscription:
        """One of the viewer's."""
        authorize(viewer, Enablement.READ)
        missing = NotFound(f"You have no subscription {subscription_id[:80]!r}.")
        return await find_or(missing, self._store, schema.subscription, viewer.id, subscription_id)

    async def create(self, viewer: Viewer, new: NewSubscription) -> Subscription:
        """Subscribe; whoever has the same subscription already gets that one."""
        own = await self.list(viewer)
        same = next((each for each in own if _wish(each) == _wish(new)), None)
        if same is not None:
            return same
        if len(own) >= MOST:
            raise Conflict(f"You have {MOST} subscriptions. Delete one first.", code="too_many_subscriptions")
        made = self._made(viewer, self._kit.ids.new(), new)
        rows = (Put(match) for match in matches_of(made))
        await self._store.transact(Transaction(schema.create_subscription(made), *rows))
        return made

    async def replace(self, viewer: Viewer, subscription_id: str, new: NewSubscription) -> Subscription:
        """Change what a subscription matches; it counts from now on."""

        async def attempt() -> Subscription:
            before = await self.get(viewer, subscription_id)
            after = self._made(viewer, subscription_id, new)
            own = Put(after).unless_changed(before, Subscription.created_at)
            wanted = {match.own_key: match for match in matches_of(after)}
            gone = (Delete(match.own_key) for match in matches_of(before) if match.own_key not in wanted)
            await self._store.transact(Transaction(own, *(Put(match) for match in wanted.values()), *gone))
            return after

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, subscription_id: str) -> Subscription:
        """Unsubscribe."""

        async def attempt() -> Subscription:
            before = await self.get(viewer, subscription_id)
            own = Delete(before.own_key).unless_changed(before, Subscription.created_at)
            await self._store.transact(Transaction(own, *(Delete(match.own_key) for match in matches_of(before))))
            return before

        return await self._store.attempt(attempt)

    async def follow_row(self, before: Subscription | None, after: Subscription | None) -> None:
        """Give a subscription that another program wrote the rows by which it is found, and take them from one that it
        changed or deleted. For the change stream: what counts is the row as it is now."""
        either = after or before
        assert either is not None
        seen = {match.own_key for each in (before, after) if each is not None for match in matches_of(each)}

        async def attempt() -> None:
            now = await self._store.get(schema.subscription(either.user_id, either.subscription_id).consistently())
            wanted = {} if now is None else {match.own_key: match for match in matches_of(now)}
            same = (
                Check(either.own_key, either.own_key.absent())
                if now is None
                else Check(now.own_key, now.own_key.unchanged_since(now, *_WISH))
            )
            writes: list[Put[SubscriptionMatch] | Delete[SubscriptionMatch]] = [Put(match) for match in wanted.values()]
            writes += [Delete(key) for key in seen if key not in wanted]
            if writes:
                await self._store.transact(Transaction(same.otherwise(_changed), *writes))

        with suppress(ChangedMeanwhileError):  # whoever changes it all the time has a newer change in the stream
            await self._store.attempt(attempt)

    def _made(self, viewer: Viewer, subscription_id: str, new: NewSubscription) -> Subscription:
        return Subscription(
            user_id=viewer.id,
            subscription_id=subscription_id,
            product_suite=new.product_suite,
            product_concept=new.product_concept,
            tags=new.tags or None,
            created_at=stamp(self._kit.clock),
        )


_WISH = (
    Subscription.created_at,
    Subscription.product_suite,
    Subscription.product_concept,
    Subscription.tags,
)


def _wish(of: Subscription | NewSubscription) -> tuple[str | None, str | None, frozenset[str]]:
    return of.product_suite, of.product_concept, frozenset(map(formats.folded, of.tags or ()))


def _changed(_there: object) -> ChangedMeanwhileError:
    return ChangedMeanwhileError("The subscription")
