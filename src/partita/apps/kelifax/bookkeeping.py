"""What changes together with a resource: its URL's guard, its tags, the totals; from before and after to writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from partita.apps.kelifax.formats import search_text, split_features, split_tags
from partita.apps.kelifax.schema import RESOURCE_URL, Resource, ResourceTag, ResourceUrl, Total
from partita.table import Action, AttributeOf, Delete, Put, Update, any_of

Write = Put[Any] | Update[Any] | Delete[Any]


class UrlTaken(Exception):
    """Another resource has this URL."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


def _taken(guard: ResourceUrl) -> UrlTaken:
    return UrlTaken(guard.claimed_by)


_GUARD = RESOURCE_URL.otherwise(_taken)
_FOLLOWED = {
    *("resource_status", "category", "tags", "resource_url", "featured"),
    *("booked_as", "approved_category", "claimed_url"),
}
"""What guard, tags, totals and the keys of the sparse indexes are made of, before and after."""


def completed(resource: Resource) -> Resource:
    """The resource with what another program may leave out and lists and search need."""
    domain = resource.submitter_domain or resource.submitter_email.rpartition("@")[2] or None
    text = resource.search_text or _search_text(resource)
    return resource.with_(Resource.submitter_domain(domain), Resource.search_text(text))


def in_order(resource: Resource) -> bool:
    """Whether lists and totals hold a resource that was read as what it is by now."""
    return not resource.stale() and completed(resource) == resource


def booked(resource: Resource | None) -> Resource | None:
    """The resource as guard, tags and totals know it, whatever another program has written since; None: not at all."""
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


def changes(before: Resource | None, after: Resource | None) -> tuple[Write, ...]:
    """Everything beside the resource itself that a change of it changes."""
    known = booked(before)
    return (*_guard(known, after), *_tags(known, after), *_totals(known, after))


def tag_items(resource: Resource | None) -> Iterator[ResourceTag]:
    """The tags of a resource that is approved."""
    if resource is None or resource.resource_status != "approved":
        return
    for tag in split_tags(resource.tags):
        yield ResourceTag(
            slug=resource.resource_slug,
            resource_tag=tag,
            tag_category=resource.category,
            created_at=resource.created_at,
        )


def forgotten(gone: Resource) -> tuple[Write, ...]:
    """What takes back what is known of a resource that is gone, once: it fails where the claim was given back."""
    known = booked(gone)
    return () if known is None else (*_GUARD.release(known), *_tags(known, None), *_totals(known, None))


def rewritten(before: Resource, after: Resource, *seen: str) -> Update[Resource]:
    """The update that makes one of the other, unless what it rests on has changed."""
    told = actions(before, after)
    if not in_order(before):
        told = (*told, Resource.view_count.add(0))  # an index sorts by it, and another program may leave it out
    return Update(before.own_key, *told).making_anew(after).unless_changed(before, *rests_on(before, after, *seen))


def actions(before: Resource, after: Resource) -> tuple[Action[Resource], ...]:
    """The update that makes one of the other. Views are counted by others meanwhile, so they are never written."""
    return tuple(attribute.set(getattr(after, attribute.field_name)) for attribute in _changed(before, after))


def rests_on(before: Resource, after: Resource, *seen: str) -> tuple[Any, ...]:
    """The attributes a change rests on: those it changes, those that others follow from, and what somebody saw."""
    names = {attribute.field_name for attribute in _changed(before, after)} | _FOLLOWED | set(seen)
    return tuple(Resource.__attributes__[field] for field in sorted(names))


def _changed(before: Resource, after: Resource) -> list[AttributeOf[Resource, Any]]:
    return [
        attribute
        for field, attribute in Resource.__attributes__.items()
        if not attribute.is_made
        and field not in ("view_count", "revision")
        and getattr(before, field) != getattr(after, field)
    ]


def _search_text(resource: Resource) -> str:
    tags, features = split_tags(resource.tags), split_features(resource.key_features)
    return search_text(resource.resource_name, tags, resource.category, features)


def _guard(before: Resource | None, after: Resource | None) -> Iterator[Write]:
    """A claim that is there already is as good as made, and one that is gone as good as given back."""
    if before and after and RESOURCE_URL.make(before) == RESOURCE_URL.make(after):
        return
    if before:
        own = ResourceUrl.claimed_by.equals(before.resource_slug)
        for released in _GUARD.release(before):
            yield replace(released, condition=any_of(released.key.absent(), own).tree)
    if after:
        own = ResourceUrl.claimed_by.equals(after.resource_slug)
        for claim in _GUARD.claim(after):
            yield replace(claim, condition=any_of(claim.key.absent(), own).tree)


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
        for counted in _counted(resource):
            amounts[counted] += sign
    for (count_of, counted_as), amount in amounts.items():
        if amount:
            key = Total.key(Total.count_of(count_of), Total.counted_as(counted_as))
            yield Update(key, Total.count.add(amount)).or_new()


def _counted(resource: Resource | None) -> Iterator[tuple[Any, str]]:
    if resource is None:
        return
    yield "status", resource.resource_status
    if resource.submitter_domain:
        yield "domain", resource.submitter_domain
    yield "day", resource.created_at[:10]
    if resource.resource_status == "approved":
        yield "category", resource.category
