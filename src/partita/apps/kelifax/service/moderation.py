"""Moderation: the queue, decisions and edits, each with its entry in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import join_features, join_learning, join_tags, place_at, search_text
from partita.apps.kelifax.inputs import EditForm, ResourceEdit
from partita.apps.kelifax.schema import MODERATED, Decision, Resource, Status
from partita.apps.kelifax.service.bookkeeping import (
    REPORTS_AT_ONCE,
    completed,
    decision,
    deletion_writes,
    derived_writes,
    rewrite,
)
from partita.apps.kelifax.service.history import RESOURCE_FIELDS
from partita.apps.kelifax.service.resources import Resources, no_resource, url_conflict
from partita.kit.accounts import Account
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.kit.urls import UrlTaken
from partita.table import ChangedMeanwhileError, Delete, Page, Put, Transaction, Update

MOST_FEATURED = 24
STEP = 1_000_000
"""How far the places of featured resources are apart: there is room for twenty others between two."""
_JOINS: dict[str, Callable[[Any], str | None]] = {
    "tags": join_tags,
    "key_features": join_features,
    "use_cases": join_features,
    "learning_resources": join_learning,
    "licence": lambda licence: licence or None,
    "pricing": lambda pricing: pricing or None,
}


@dataclass(frozen=True, slots=True)
class Decided:
    """What came of many decisions."""

    decided: int
    left: int
    """Others were faster, they were changed, or another resource has their address."""


class Moderation:
    """What moderators decide."""

    def __init__(self, kit: Kit, resources: Resources) -> None:
        self._kit = kit
        self._store = kit.store
        self._resources = resources

    async def queue(self, status: Status, *, limit: int = 20, cursor: str | None = None) -> Page[Resource]:
        """Resources of a status: pending ones oldest first, the others newest first."""
        query = schema.pending_resources() if status == "pending" else schema.resources_with_status(status)
        return await self._store.page(query, limit=limit, after=cursor)

    async def inspect(self, slug: str) -> Resource:
        """A resource of any status."""
        return await find_or(no_resource(slug), self._store, schema.resource, slug)

    async def log(
        self, action: str = "", by: str = "", *, limit: int = 20, cursor: str | None = None
    ) -> Page[Decision]:
        """Decisions, newest first: all of them, or those of a kind, of one moderator, or both."""
        query = schema.decisions()
        if action:
            query = query.where(Decision.action.equals(action))
        if by:
            query = query.where(Decision.by.equals(by))
        return await self._store.page(query, limit=limit, after=cursor)

    async def deciders(self, decisions: Iterable[Decision]) -> dict[str, Account]:
        """The accounts of those who decided, by the names in the log; programs and people who left have none."""
        return await self._kit.accounts.people.with_usernames(each.by for each in decisions)

    async def decide_many(self, viewer: Viewer, revisions: Mapping[str, int], reason: str | None) -> Decided:
        """Approve submissions, or reject them with a reason; those that have changed meanwhile, or whose
        address is taken, are left alone."""
        decided = 0
        for slug, revision in revisions.items():
            with suppress(Conflict, NotFound):
                if reason is None:
                    await self.approve(viewer, slug, revision)
                else:
                    await self.reject(viewer, slug, reason, revision)
                decided += 1
        return Decided(decided, len(revisions) - decided)

    async def history(self, slug: str, limit: int = 20, *, cursor: str | None = None) -> Page[Decision]:
        """Decisions on a resource, newest first; also if it was deleted."""
        return await self._store.page(schema.decisions_on(slug), limit=limit, after=cursor)

    async def approve(self, viewer: Viewer, slug: str, revision: int | None = None) -> Resource:
        """Make a resource public. With a revision, only if nothing has happened since the moderator looked."""
        now = stamp(self._kit.clock)

        def approved(resource: Resource) -> Resource:
            if resource.is_approved:
                raise Conflict("This resource is approved already.", code="already_approved")
            _check_revision(resource, revision)
            update = {"resource_status": "approved", "approved_at": now, "rejected_at": "", "rejection_reason": ""}
            return resource.model_copy(update=update)

        return await self._change(viewer, slug, "approve", approved, seen=_seen(revision))

    async def reject(self, viewer: Viewer, slug: str, reason: str, revision: int | None = None) -> Resource:
        """Keep a resource out of the directory, or remove it from there, with a reason for the submitter. With a
        revision, only if nothing has happened since the moderator looked."""
        now = stamp(self._kit.clock)

        def rejected(resource: Resource) -> Resource:
            if resource.resource_status == "rejected":
                raise Conflict("This resource is rejected already.", code="already_rejected")
            _check_revision(resource, revision)
            update = {"resource_status": "rejected", "rejected_at": now, "rejection_reason": reason}
            return resource.model_copy(update={**update, "approved_at": "", "featured": False})

        return await self._change(viewer, slug, "reject", rejected, reason, seen=_seen(revision))

    async def reopen(self, viewer: Viewer, slug: str, revision: int | None = None) -> Resource:
        """Take a decision back: the resource waits again. With a revision, only if nothing has happened since."""

        def reopened(resource: Resource) -> Resource:
            if resource.resource_status == "pending":
                raise Conflict("This resource is waiting for a decision already.", code="already_pending")
            _check_revision(resource, revision)
            update = {"resource_status": "pending", "approved_at": "", "rejected_at": "", "rejection_reason": ""}
            return resource.model_copy(update={**update, "featured": False})

        return await self._change(viewer, slug, "reopen", reopened, seen=_seen(revision))

    async def feature(self, viewer: Viewer, slug: str, *, featured: bool) -> Resource:
        """Feature an approved resource on the home page, before the others, or stop featuring it."""
        if featured and len(await self._resources.featured()) >= MOST_FEATURED:
            message = f"{MOST_FEATURED} resources are featured already. Stop featuring one of them first."
            raise Conflict(message, code="too_many_featured")
        place = place_at(stamp(self._kit.clock))

        def with_feature(resource: Resource) -> Resource:
            if not resource.is_approved:
                raise Conflict("Only an approved resource can be featured.", code="not_approved")
            if resource.featured == featured:
                message = "This resource is featured already." if featured else "This resource is not featured."
                raise Conflict(message, code="already_featured" if featured else "not_featured")
            return resource.model_copy(update={"featured": featured, "featured_order": place if featured else None})

        return await self._change(viewer, slug, "feature" if featured else "unfeature", with_feature)

    async def move_featured(self, viewer: Viewer, slug: str, before: str) -> Resource:
        """Show a featured resource before another one; after all of them if none is named."""

        async def attempt() -> Resource:
            featured = await self._resources.featured()
            others = [each for each in featured if each.resource_slug != slug]
            if len(others) == len(featured) or (before and before not in {each.resource_slug for each in others}):
                raise Conflict("One of the two is not featured any more.", code="not_featured")
            names = [each.resource_slug for each in others]
            at = names.index(before) if before else len(others)
            place = free_place([each.featured_place for each in others], at)
            if place is None:
                await self._spread(featured)
                raise ChangedMeanwhileError("the places were too close to each other")
            moved = Resource.featured_order(place)
            return await self._change(viewer, slug, "move", lambda resource: resource.with_(moved))

        return await self._store.attempt(attempt)

    async def _spread(self, featured: Sequence[Resource]) -> None:
        """Give the featured ones places with room between them, in the order that they have."""
        first = place_at(stamp(self._kit.clock))
        await self._store.transact(
            Transaction(
                *(
                    Update(each.own_key, Resource.featured_order.set(first - number * STEP)).unless_changed(
                        each, Resource.featured, Resource.featured_order
                    )
                    for number, each in enumerate(featured)
                )
            )
        )

    async def edit(self, viewer: Viewer, slug: str, edit: ResourceEdit | EditForm) -> Resource:
        """Change the description of a resource; refused if it names a revision that is not the current one."""
        update = {name: _stored(name, value) for name, value in edit.changes.items()}

        def edited(resource: Resource) -> Resource:
            edit.check_revision(resource.revision)
            after = resource.model_copy(update=update)
            text = search_text(after.resource_name, after.tag_list, after.category, after.feature_list)
            return after.model_copy(update={"search_text": text})

        return await self._change(viewer, slug, "edit", edited, seen=_seen(edit.revision))

    async def set_logo(self, viewer: Viewer, slug: str, logo_image: str, revision: int | None = None) -> Resource:
        """Give a resource another logo, which was uploaded before; or none, with an empty name."""
        new = Resource.logo_image(logo_image)

        def with_logo(resource: Resource) -> Resource:
            _check_revision(resource, revision)
            return resource.with_(new)

        action = "replace logo" if logo_image else "remove logo"
        return await self._change(viewer, slug, action, with_logo, seen=_seen(revision), beside=self._claim)

    def _claim(self, resource: Resource) -> tuple[Delete[Any], ...]:
        return () if resource.logo_file is None else (self._kit.uploads.claim(resource.logo_file),)

    async def delete(self, viewer: Viewer, slug: str) -> None:
        """Delete a resource with its tags and its guard, and close its reports; its change does the rest."""

        async def attempt() -> None:
            before = await self.inspect(slug)
            reports = await self._store.page(schema.open_reports_of(slug), limit=REPORTS_AT_ONCE)
            log_entry = decision(self._kit, viewer, slug, "delete")
            await self._store.transact(Transaction(*deletion_writes(before, reports, log_entry)))

        await self._store.attempt(attempt)

    async def _change(
        self,
        viewer: Viewer,
        slug: str,
        action: str,
        decide: Callable[[Resource], Resource],
        reason: str = "",
        seen: tuple[str, ...] = (),
        beside: Callable[[Resource], tuple[Any, ...]] = lambda _after: (),
    ) -> Resource:
        """Read, decide and write in one transaction; again if somebody changed meanwhile what it rests on."""

        async def attempt() -> Resource:
            before = await self.inspect(slug)
            decided = decide(before)
            if decided == before:
                return before
            after = completed(decided).with_(Resource.revision(before.revision + 1))
            update = rewrite(before, after, *seen).next_version(before)
            edited = action == "edit"
            changed = _edited_names(before, after) if edited else ()
            edits = RESOURCE_FIELDS.changes(before, after) if edited else ()
            log_entry = decision(self._kit, viewer, slug, action, reason, changed, edits)
            try:
                await self._store.transact(
                    Transaction(update, *derived_writes(before, after), Put(log_entry), *beside(after))
                )
            except UrlTaken as taken:
                raise await url_conflict(self._store, taken, "resourceUrl") from None
            return after

        return await self._store.attempt(attempt)


def free_place(places: Sequence[int], at: int) -> int | None:
    """A place before the one at an index, with those from high to low; None if there is no room between two."""
    if not places:
        return 0
    if at == 0:
        return places[0] + STEP
    if at == len(places):
        return places[-1] - STEP
    middle = (places[at - 1] + places[at]) // 2
    return middle if places[at] < middle < places[at - 1] else None


def _check_revision(resource: Resource, revision: int | None) -> None:
    """A decision is on what the moderator saw."""
    if revision not in (None, resource.revision):
        message = "Somebody has changed this resource since you opened it. Look at it before you decide."
        raise Conflict(message, code="changed_meanwhile")


def _seen(revision: int | None) -> tuple[str, ...]:
    """What must not change while somebody who named a revision decides."""
    return () if revision is None else MODERATED


def _stored(name: str, value: Any) -> Any:
    """A field of an edit as the resource stores it."""
    join = _JOINS.get(name)
    return value if join is None else join(value)


def _edited_names(before: Resource, after: Resource) -> tuple[str, ...]:
    """The attributes that an edit changed, for the log; not those that are derived from them."""
    changed = (field for field in MODERATED if getattr(before, field) != getattr(after, field))
    return tuple(Resource.__attributes__[field].stored_name for field in changed)
