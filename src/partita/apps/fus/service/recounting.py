"""What fus counts, to count it anew: sites and their tags, ratings, comments, members of groups, collections."""

from __future__ import annotations

from collections.abc import Iterator

from partita.apps.fus.schema import (
    FUS,
    STARS,
    Collection,
    CollectionMark,
    Comment,
    Group,
    Membership,
    Profile,
    Rating,
    Site,
    TagTotal,
    Total,
)
from partita.apps.fus.service.grants import began_in
from partita.kit.recounting import Counted, Recount
from partita.table import Item


def _site(site: Site) -> Iterator[Counted]:
    """One that is not listed is not counted before it is adopted."""
    if site.listed:
        yield Counted(Total.key(Total.of("sites")), Total.amount)
        for tag in set(site.tags):
            yield Counted(TagTotal.key(TagTotal.tag(tag)), TagTotal.count)


def _rating(rating: Rating) -> Iterator[Counted]:
    stars = rating.as_stored(Rating.counted_stars)
    if stars is not None and stars in STARS.histogram:
        site = Site.key(Site.site_id(rating.site_id))
        yield Counted(site, STARS.count)
        yield Counted(site, STARS.total, stars)
        yield Counted(site, STARS.histogram[stars])


def _comment(comment: Comment) -> Iterator[Counted]:
    if comment.as_stored(Comment.counted):
        yield Counted(Site.key(Site.site_id(comment.site_id)), Site.comment_count)


def _membership(membership: Membership) -> Iterator[Counted]:
    if membership.as_stored(Membership.counted):
        yield Counted(Group.key(Group.name(membership.group_name)), Group.member_count, said=membership.added_at)


def _collection(collection: Collection) -> Iterator[Counted]:
    yield Counted(Profile.key(Profile.user_id(collection.user_id)), Profile.collection_count)


def _collected(mark: CollectionMark) -> Iterator[Counted]:
    key = Collection.key(Collection.user_id(mark.of_user), Collection.collection_id(mark.collection_id))
    yield Counted(key, Collection.site_count)


def _holds(holder: Item, said: str) -> bool:
    """A membership may be of a group that had this name before."""
    return not isinstance(holder, Group) or began_in(said, holder)


RECOUNTS = (
    Recount(
        FUS,
        counters={
            Total: (Total.amount,),
            TagTotal: (TagTotal.count,),
            Site: (STARS.count, STARS.total, *STARS.histogram.values(), Site.comment_count),
            Group: (Group.member_count,),
            Profile: (Profile.collection_count,),
            Collection: (Collection.site_count,),
        },
        rows={
            Site: _site,
            Rating: _rating,
            Comment: _comment,
            Membership: _membership,
            Collection: _collection,
            CollectionMark: _collected,
        },
        made=frozenset({Total, TagTotal, Profile}),
        holds=_holds,
    ),
)
