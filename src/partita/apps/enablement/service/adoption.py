"""Rows that the original program wrote: how they get the keys of the clock and of our lists, snapshots of what readers
have, and the rows by which subscriptions are found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_of, due_of, expiry_key, today_of
from partita.apps.enablement.schema import Content, Notification, Subscription, matches_of
from partita.apps.enablement.service.bookkeeping import due_steps, next_due, snapshot, with_clock_keys
from partita.apps.enablement.service.subscriptions import Subscriptions
from partita.dynamo.errors import ConditionalCheckFailedError
from partita.kit.adoption import Adoption, AdoptionRefused, plainly
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import Action, ChangedMeanwhileError, KeyPartError, Put, Transaction, Update

ADOPTED = "adoption"
"""Who approved what another program approved; no account has this id."""


def adoptions(kit: Kit, subscriptions: Subscriptions) -> tuple[Adoption[Any], ...]:
    """How each type is adopted."""
    adopt = _Adopting(kit, subscriptions)
    return (
        Adoption(Content, "content item", adopt.content, is_due=plainly(adopt.content_is_due)),
        Adoption(Subscription, "subscription", adopt.subscription, is_due=adopt.subscription_is_due),
        Adoption(Notification, "notification", adopt.notification, is_due=plainly(_stale)),
    )


def adopted(content: Content, now: datetime) -> Content:
    """An item as ours would be: readers have it since its last update, or it waits for its day; and the clock finds it.
    What is in order stays as it is."""
    after = _released(content, now)
    keys = with_clock_keys(after, None, now)
    update: dict[str, Any] = {}
    if not _expiry_is_right(after):
        update |= {"expiry_key": keys.expiry_key, "expiry_day": keys.expiry_day}
    if not _due_is_right(after, now):
        update |= {"due_key": keys.due_key, "due_day": keys.due_day}
    return after.model_copy(update=update)


def _released(content: Content, now: datetime) -> Content:
    if not _is_foreign(content):
        return content
    begins = day_of(content.effective_date)
    if begins is not None and begins > today_of(now):
        waits = {"approval_state": "scheduled", "submitted_at": content.submitted_at or content.last_updated}
        return content.model_copy(update=waits)
    return content.model_copy(update={"released_at": content.last_updated})


def _is_foreign(content: Content) -> bool:
    """What we approve is released or scheduled; the original program knows neither."""
    return content.status == "Approved" and content.released_at is None and content.approval_state != "scheduled"


def _expiry_is_right(content: Content) -> bool:
    key = expiry_key(content.expiry_date, content.content_id) if content.status == "Approved" else None
    return content.expiry_key == key and (content.expiry_day is None) == (key is None)


def _due_is_right(content: Content, now: datetime) -> bool:
    """It waits for one of its steps; or for none, because none is to come."""
    if content.due_key is None or content.due_day is None:
        nothing = content.due_key is None and content.due_day is None
        return nothing and next_due(content, None, today_of(now)) is None
    waiting = due_of(content.due_key)
    return waiting is not None and content.due_key == waiting.key(content.content_id) and waiting in due_steps(content)


class _Adopting:
    """What adopts a row of each type; see `kit.adoption`."""

    def __init__(self, kit: Kit, subscriptions: Subscriptions) -> None:
        self._kit = kit
        self._store = kit.store
        self._subscriptions = subscriptions

    def content_is_due(self, content: Content) -> bool:
        """Whether a key is missing or wrong."""
        try:
            return bool(content.stale()) or adopted(content, self._kit.clock.now()) != content
        except KeyPartError:
            raise AdoptionRefused(
                "take the # out of its suite, concept or audience: it separates them in keys"
            ) from None

    async def content(self, seen: Content, _before: Content | None) -> bool:
        if not self.content_is_due(seen):
            return False

        async def attempt() -> bool:
            content = await find(self._store, schema.content, seen.content_id)
            if content is None or not self.content_is_due(content):
                return False
            await self._store.transact(Transaction(self._completed(content), *await self._snapshot(content)))
            return True

        return await self._store.attempt(attempt)

    def _completed(self, content: Content) -> Update[Content]:
        after = adopted(content, self._kit.clock.now())
        changed = [
            attribute
            for field, attribute in Content.__attributes__.items()
            if not attribute.is_derived and getattr(content, field) != getattr(after, field)
        ]
        actions: list[Action[Content]] = [
            attribute.remove()
            if getattr(after, attribute.field_name) is None
            else attribute.set(_value(after, attribute))
            for attribute in changed
        ]
        # An update sets something; that is all that is left if only keys are made anew.
        own = Update(content.own_key, *(actions or [Content.title.set(content.title)])).making_anew(content)
        seen = (Content.version, Content.status, Content.approval_state, Content.last_updated, Content.effective_date)
        return own.unless_changed(content, *seen, Content.expiry_date, Content.review_due_date)

    async def _snapshot(self, content: Content) -> tuple[Put[schema.Version], ...]:
        """What readers have, so that a later version can be compared with it."""
        if not _is_foreign(content) or not content.major or "#" in content.content_id:
            return ()
        if await find(self._store, schema.version_of, content.content_id, content.major) is not None:
            return ()
        made = snapshot(content, ADOPTED, content.last_updated)
        return (Put(made).if_new().otherwise(ChangedMeanwhileError("The version")),)

    async def subscription_is_due(self, subscription: Subscription) -> bool:
        """Whether one of the rows is missing by which it is found."""
        wanted = matches_of(subscription)
        found = await self._store.batch_get([match.own_key for match in wanted], consistent=True)
        return any(there != match for there, match in zip(found, wanted, strict=True))

    async def subscription(self, seen: Subscription, _before: Subscription | None) -> bool:
        if not await self.subscription_is_due(seen):
            return False
        await self._subscriptions.follow_row(None, seen)
        return True

    async def notification(self, seen: Notification, _before: Notification | None) -> bool:
        """Counted among the unread ones, if it is one."""
        if not _stale(seen):
            return False
        try:
            await self._store.write(Update(seen.own_key, Notification.read.set(seen.read)).making_anew(seen))
        except ConditionalCheckFailedError:  # it was read or deleted meanwhile
            return False
        return True


def _stale(notification: Notification) -> bool:
    return bool(notification.stale())


def _value(content: Content, attribute: Any) -> Any:
    return getattr(content, attribute.field_name)
