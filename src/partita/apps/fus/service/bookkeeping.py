"""What changes together with a site or a rating: guards, tags, totals; from before and after to writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from partita.apps.fus.schema import SITE_URL, Comment, Rating, Site, SiteTag, TagTotal, Total
from partita.apps.fus.service.counting import NeverCounted, one_more_comment, stars
from partita.store.store import AsyncStore
from partita.table import Action, ChangedMeanwhileError, Check, Delete, Put, Transaction, Update

Write = Put[Any] | Update[Any] | Delete[Any] | Check[Any]


def creation(site: Site) -> tuple[Write, ...]:
    """Everything that a new site writes."""
    return (Put(site).if_new(), *changes(None, site))


def changes(before: Site | None, after: Site | None) -> tuple[Write, ...]:
    """Everything beside the site itself that a change of it writes."""
    return (*_guard(before, after), *_tags(before, after), *_total(before, after))


def actions(before: Site, after: Site) -> tuple[Action, ...]:
    """What an edit updates: the fields that differ. Counters and derived fields are written by others."""
    return tuple(
        attribute.remove() if getattr(after, field) is None else attribute.set(getattr(after, field))
        for field, attribute in Site.__attributes__.items()
        if not attribute.is_derived and field != "revision" and getattr(before, field) != getattr(after, field)
    )


def rating_writes(before: Rating | None, after: Rating, counted: int | None = None) -> tuple[Write, ...]:
    """A rating and the sums of its site, which contain `counted` stars of it; refused if it has changed since."""
    if before is None:
        own = Put(after).if_new().otherwise(lambda there: ChangedMeanwhileError("Your rating", there))
    else:
        own = Put(after).unless_changed(before, Rating.stars, Rating.updated_at, Rating.counted_stars)
    return stars(after.site_id, counted, after.stars), own


async def write_rating(store: AsyncStore, before: Rating | None, after: Rating, counted: int | None) -> None:
    """Write a rating and count it: instead of the stars that are counted, or as a new one."""
    try:
        await store.transact(Transaction(*rating_writes(before, after, counted)))
    except NeverCounted:  # another program has overwritten the site
        await store.transact(Transaction(*rating_writes(before, after, None)))


def new_comment(comment: Comment) -> tuple[Write, ...]:
    """A comment, and one more on its site; neither if the site is gone."""
    return one_more_comment(comment.site_id), Put(comment).if_new()


def _guard(before: Site | None, after: Site | None) -> tuple[Write, ...]:
    if before is not None and after is not None:
        return (*SITE_URL.move(before, after), *SITE_URL.unclaimed(before, after))
    if after is not None:
        return (*SITE_URL.claim(after), *SITE_URL.unclaimed(None, after))
    return SITE_URL.release(before) if before is not None else ()


def _tags(before: Site | None, after: Site | None) -> Iterator[Write]:
    """Exactly the tags that come and go, each with its total."""
    old = set(before.tags) if before is not None else set[str]()
    new = set(after.tags) if after is not None else set[str]()
    for tag in sorted(new - old):
        assert after is not None
        yield Put(SiteTag(site_id=after.site_id, tag=tag))
        yield _tag_total(tag, 1)
    for tag in sorted(old - new):
        assert before is not None
        yield Delete(SiteTag.key(SiteTag.site_id(before.site_id), SiteTag.tag(tag)))
        yield _tag_total(tag, -1)


def _tag_total(tag: str, amount: int) -> Update[TagTotal]:
    return Update(TagTotal.key(TagTotal.tag(tag)), TagTotal.count.add(amount)).or_new()


def _total(before: Site | None, after: Site | None) -> Iterator[Write]:
    amount = (after is not None) - (before is not None)
    if amount:
        yield Update(Total.key(Total.of("sites")), Total.amount.add(amount)).or_new()
