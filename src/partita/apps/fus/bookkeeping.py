"""What changes together with a site: its URL's guard, its tags, the totals; from before and after to writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from partita.apps.fus.schema import SITE_URL, Site, SiteTag, SiteUrl, TagTotal, Total
from partita.table import Action, Delete, Put, Update

Write = Put[Any] | Update[Any] | Delete[Any]


class UrlTaken(Exception):
    """Another site has this URL."""

    def __init__(self, site_id: str) -> None:
        super().__init__(site_id)
        self.site_id = site_id


def _taken(guard: SiteUrl) -> UrlTaken:
    return UrlTaken(guard.of_site)


_GUARD = SITE_URL.otherwise(_taken)


def creation(site: Site) -> tuple[Write, ...]:
    """Everything that a new site writes."""
    return (Put(site).if_new(), *changes(None, site))


def changes(before: Site | None, after: Site | None) -> tuple[Write, ...]:
    """Everything beside the site itself that a change of it changes."""
    return (*_guard(before, after), *_tags(before, after), *_total(before, after))


def actions(before: Site, after: Site) -> tuple[Action, ...]:
    """The update that makes one of the other, in the fields that differ. Sums are others' business."""
    return tuple(
        attribute.remove() if getattr(after, field) is None else attribute.set(getattr(after, field))
        for field, attribute in Site.__attributes__.items()
        if not attribute.is_made and field != "revision" and getattr(before, field) != getattr(after, field)
    )


def _guard(before: Site | None, after: Site | None) -> tuple[Write, ...]:
    if before is not None and after is not None:
        return _GUARD.move(before, after)
    if after is not None:
        return _GUARD.claim(after)
    return _GUARD.release(before) if before is not None else ()


def _tags(before: Site | None, after: Site | None) -> Iterator[Write]:
    """Exactly the tags that come and go, each with its total."""
    old = set(before.tags) if before is not None else set[str]()
    new = set(after.tags) if after is not None else set[str]()
    for tag in sorted(new - old):
        assert after is not None
        yield Put(SiteTag(site_id=after.site_id, tag=tag))
        yield counted(tag, 1)
    for tag in sorted(old - new):
        assert before is not None
        yield Delete(SiteTag.key(SiteTag.site_id(before.site_id), SiteTag.tag(tag)))
        yield counted(tag, -1)


def counted(tag: str, amount: int) -> Update[TagTotal]:
    """So many more sites have a tag."""
    return Update(TagTotal.key(TagTotal.tag(tag)), TagTotal.count.add(amount)).or_new()


def _total(before: Site | None, after: Site | None) -> Iterator[Write]:
    amount = (after is not None) - (before is not None)
    if amount:
        yield Update(Total.key(Total.of("sites")), Total.amount.add(amount)).or_new()
