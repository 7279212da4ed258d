"""What changes together with a resource: its URL's guard, its tags, the totals; from before and after to writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from partita.apps.kelifax.formats import split_tags
from partita.apps.kelifax.schema import RESOURCE_URL, Resource, ResourceTag, ResourceUrl, Total
from partita.table import Delete, Put, Update
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
_FOLLOWED = {"resource_status", "category", "tags", "resource_url", "featured"}
"""What guard, tags, totals and the keys of the sparse indexes are made of."""


def placed(resource: Resource) -> Resource:
    """The resource with the keys of the sparse indexes that its status gives it."""
    approved = resource.resource_status == "approved"
    return resource.model_copy(
        update={
            "approved_category": resource.category if approved else None,
            "popular_in": "all" if approved else None,
            "featured_as": "featured" if approved and resource.featured else None,
        }
    )


def changes(before: Resource | None, after: Resource | None) -> tuple[Write, ...]:
    """Everything beside the resource itself that a change of it changes."""
    return (*_guard(before, after), *_tags(before, after), *_totals(before, after))


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


def _guard(before: Resource | None, after: Resource | None) -> tuple[Write, ...]:
    if before is not None and after is not None:
        return _GUARD.move(before, after)
    if after is not None:
        return _GUARD.claim(after)
    return _GUARD.release(before) if before is not None else ()


def _tags(before: Resource | None, after: Resource | None) -> Iterator[Write]:
    old = {item.resource_tag: item for item in _tag_items(before)}
    new = {item.resource_tag: item for item in _tag_items(after)}
    for tag, item in new.items():
        if old.get(tag) != item:
            yield Put(item)
    for tag, item in old.items():
        if tag not in new:
            yield Delete(item.own_key)


def _tag_items(resource: Resource | None) -> Iterator[ResourceTag]:
    if resource is None or resource.resource_status != "approved":
        return
    for tag in split_tags(resource.tags):
        yield ResourceTag(
            slug=resource.resource_slug,
            resource_tag=tag,
            tag_category=resource.category,
            created_at=resource.created_at,
        )


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
