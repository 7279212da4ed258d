"""What changes together with a resource: guard of its URL, tags, totals, log; from before and after to writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from partita.apps.kelifax.formats import search_text
from partita.apps.kelifax.schema import (
    RESOURCE_URL,
    Decision,
    FormerSubmission,
    LinkCheck,
    Report,
    Resource,
    ResourceTag,
    ResourceUrl,
    Total,
    WaitingViews,
)
from partita.kit.clock import stamp
from partita.kit.history import FieldChange
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import Action, AttributeOf, Check, Delete, Put, Update, any_of

Write = Put[Any] | Update[Any] | Delete[Any] | Check[Any]

REPORTS_AT_ONCE = 40
"""A transaction has at most a hundred writes, and tags, totals and guard need some of them."""
_SOURCES = {
    *("resource_status", "category", "tags", "resource_url", "featured"),
    *("booked_as", "approved_category", "claimed_url"),
}
"""What guard, tags, totals and the keys of the sparse indexes are derived from."""


def completed(resource: Resource) -> Resource:
    """The resource with the attributes that another program may leave out and that lists and search need."""
    domain = resource.submitter_domain or resource.submitter_email.rpartition("@")[2] or None
    text = resource.search_text or search_text(
        resource.resource_name, resource.tag_list, resource.category, resource.feature_list
    )
    return resource.with_(Resource.submitter_domain(domain), Resource.search_text(text))


def in_order(resource: Resource) -> bool:
    """Whether guard, tags, totals and index keys agree with the resource as it was read."""
    return not resource.stale() and completed(resource) == resource


def booked(resource: Resource | None) -> Resource | None:
    """The resource as guard, tags and totals hold it, whatever another program wrote since; None if they do not."""
    if resource is None:
        return None
    status = resource.as_stored(Resource.booked_as)
    if status is None:
        return None
    category, url = resource.as_stored(Resource.approved_category), resource.as_stored(Resource.claimed_url)
    return resource.with_(
        Resource.resource_status(status),
        Resource.category(category or resource.category),
        Resource.resource_url(url or ""),
    )


def derived_writes(before: Resource | None, after: Resource | None) -> tuple[Write, ...]:
    """The writes to guard, tags and totals that a change of a resource needs."""
    counted = booked(before)
    return (*_guard(counted, after), *_tags(counted, after), *_totals(counted, after))


def removal_writes(deleted: Resource) -> tuple[Write, ...]:
    """The writes that remove a deleted resource's guard, tags and totals, once: they fail if the guard is gone."""
    counted = booked(deleted)
    return () if counted is None else (*RESOURCE_URL.release(counted), *_tags(counted, None), *_totals(counted, None))


def deletion_writes(before: Resource, reports: Iterable[Report], log_entry: Decision) -> tuple[Write, ...]:
    """The writes that delete a resource with its tags, its guard and its views, and close these reports of it. They
    leave a word for the submitter's link."""
    gone = FormerSubmission(
        submission_id=before.submission_id,
        resource_name=before.resource_name,
        gone_at=log_entry.logged_at,
        withdrawn=log_entry.action == "withdraw",
    )
    return (
        Delete(before.own_key).unless_changed(before, *rests_on(before, before)),
        *derived_writes(before, None),
        *(Update(report.own_key, Report.state.set("closed")) for report in reports),
        Delete(WaitingViews.key(WaitingViews.slug(before.resource_slug))),
        Delete(LinkCheck.key(LinkCheck.slug(before.resource_slug))),
        Put(log_entry),
        Put(gone),
    )


def tag_items(resource: Resource | None) -> Iterator[ResourceTag]:
    """The tag items of a resource: none unless it is approved."""
    if resource is None or not resource.is_approved:
        return
    for tag in resource.tag_list:
        yield ResourceTag(
            slug=resource.resource_slug,
            resource_tag=tag,
            tag_category=resource.category,
            created_at=resource.created_at,
        )


def decision(
    kit: Kit,
    viewer: Viewer,
    slug: str,
    action: str,
    reason: str = "",
    changed: tuple[str, ...] = (),
    edits: tuple[FieldChange, ...] = (),
) -> Decision:
    """The entry of the moderation log for something that a moderator does now."""
    return Decision(
        slug=slug,
        logged_at=stamp(kit.clock),
        entry_id=kit.ids.new(),
        by=viewer.username or viewer.id,
        action=action,
        reason=reason,
        changed=changed,
        edits=edits,
    )


def rewrite(before: Resource, after: Resource, *seen: str) -> Update[Resource]:
    """The update from one to the other, unless something that it rests on has changed."""
    actions: tuple[Action[Resource], ...] = tuple(
        attribute.set(getattr(after, attribute.field_name)) for attribute in _changed(before, after)
    )
    if not in_order(before):
        actions = (*actions, Resource.view_count.add(0))  # an index sorts by it, and another program may leave it out
    return Update(before.own_key, *actions).making_anew(after).unless_changed(before, *rests_on(before, after, *seen))


def rests_on(before: Resource, after: Resource, *seen: str) -> tuple[Any, ...]:
    """The attributes that must not change meanwhile: those that change, the sources of others, and what was seen."""
    names = {attribute.field_name for attribute in _changed(before, after)} | _SOURCES | set(seen)
    return tuple(Resource.__attributes__[field] for field in sorted(names))


def _changed(before: Resource, after: Resource) -> list[AttributeOf[Resource, Any]]:
    """The attributes to write. Views are counted meanwhile and links are asked, so those are never written."""
    return [
        attribute
        for field, attribute in Resource.__attributes__.items()
        if not attribute.is_derived
        and field not in ("view_count", "upvotes", "broken_url", "broken_since", "revision")
        and getattr(before, field) != getattr(after, field)
    ]


def _guard(before: Resource | None, after: Resource | None) -> Iterator[Write]:
    """Release one URL and claim another. A guard that is already gone, or already ours, is no error."""
    if before and after and RESOURCE_URL.make(before) == RESOURCE_URL.make(after):
        return
    if before:
        own = ResourceUrl.claimed_by.equals(before.resource_slug)
        for release in RESOURCE_URL.release(before):
            yield replace(release, condition=any_of(release.key.absent(), own).tree)
    if after:
        own = ResourceUrl.claimed_by.equals(after.resource_slug)
        for claim in RESOURCE_URL.claim(after):
            yield replace(claim, condition=any_of(claim.key.absent(), own).tree)
        yield from RESOURCE_URL.unclaimed(before, after)


def _tags(before: Resource | None, after: Resource | None) -> Iterator[Write]:
    old = {item.resource_tag: item for item in tag_items(before)}
    new = {item.resource_tag: item for item in tag_items(after)}
    for tag, item in new.items():
        if old.get(tag) != item:
            yield Put(item)
    for tag, item in old.items():
        if tag not in new:
            yield Delete(item.own_key)


def _totals(before: Resource | None, after: Resource | None) -> Iterator[Write]:
    amounts: Counter[tuple[Any, str]] = Counter()
    for resource, sign in ((before, -1), (after, 1)):
        for counted in counted_in(resource):
            amounts[counted] += sign
    for (count_of, counted_as), amount in amounts.items():
        if amount:
            key = Total.key(Total.count_of(count_of), Total.counted_as(counted_as))
            yield Update(key, Total.count.add(amount)).or_new()


def counted_in(resource: Resource | None) -> Iterator[tuple[Any, str]]:
    """The totals that a resource is part of."""
    if resource is None:
        return
    yield "status", resource.resource_status
    if resource.submitter_domain:
        yield "domain", resource.submitter_domain
    yield "day", resource.created_at[:10]
    if resource.is_approved:
        yield "category", resource.category
