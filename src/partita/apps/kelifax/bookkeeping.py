"""What changes together with a resource: its URL's guard, its tags, the totals; from before and after to writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from partita.apps.kelifax.formats import search_text, split_features, split_tags
from partita.apps.kelifax.schema import RESOURCE_URL, Resource, ResourceTag, ResourceUrl, Total
from partita.kit.urls import AddressError, checked, normalise
from partita.table import Delete, Put, Update, any_of
from partita.table.attributes import Action

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


def placed(resource: Resource) -> Resource:
    """The resource with all that follows from what it says: keys of sparse indexes, its claim, what it counts as."""
    approved = resource.resource_status == "approved"
    return resource.model_copy(
        update={
            "approved_category": resource.category if approved else None,
            "popular_in": "all" if approved else None,
            "featured_as": "featured" if approved and resource.featured else None,
            "booked_as": resource.resource_status,
            "claimed_url": _claimed(resource),
            "submitter_domain": resource.submitter_domain or resource.submitter_email.rpartition("@")[2] or None,
            "search_text": resource.search_text or _search_text(resource),
        }
    )


def booked(resource: Resource | None) -> Resource | None:
    """The resource as guard, tags and totals know it, whatever another program has written since; None: not at all."""
    if resource is None or resource.booked_as is None:
        return None
    category = resource.approved_category or resource.category
    return resource.model_copy(update={"resource_status": resource.booked_as, "category": category})


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
    if placed(before) != before:
        told = (*told, *_left_out(after, {action.field for action in told}))
    return Update(before.own_key, *told).unless_changed(before, *rests_on(before, after, *seen))


def _left_out(resource: Resource, told: set[str]) -> Iterator[Action]:
    """What indexes need and another program leaves out: the number of views, and keys that a setting spreads."""
    yield Resource.view_count.add(0)
    for field in sorted({field for made in Resource.__layout__.derived.values() for field in made.fields} - told):
        value = getattr(resource, field)
        if value is not None:
            yield Resource.__attributes__[field].set(value)  # the keys made of it are made with it


def actions(before: Resource, after: Resource) -> tuple[Action, ...]:
    """The update that makes one of the other. Views are counted by others meanwhile, so they are never written."""
    changed: list[Action] = []
    for field, attribute in Resource.__attributes__.items():
        old, new = getattr(before, field), getattr(after, field)
        if old != new and field != "view_count":
            changed.append(attribute.remove() if new is None else attribute.set(new))
    return tuple(changed)


def rests_on(before: Resource, after: Resource, *seen: str) -> tuple[Any, ...]:
    """The attributes a change rests on: those it changes, those that others follow from, and what somebody saw."""
    changed = {field for field in Resource.__attributes__ if getattr(before, field) != getattr(after, field)}
    names = (changed | _FOLLOWED | set(seen)) - {"view_count"}
    return tuple(Resource.__attributes__[field] for field in sorted(names))


def _claimed(resource: Resource) -> str | None:
    """A rejected resource leaves its URL to others; what is no address, as others may write it, is nobody's."""
    if resource.resource_status == "rejected":
        return None
    try:
        return normalise(checked(resource.resource_url))
    except AddressError:
        return None


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
            yield replace(released, condition=any_of(released.key.absent(), own))
    if after:
        own = ResourceUrl.claimed_by.equals(after.resource_slug)
        for claim in _GUARD.claim(after):
            yield replace(claim, condition=any_of(claim.key.absent(), own))


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
            key = Total.key(count_of=count_of, counted_as=counted_as)
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
