"""What Kelifax counts, to count it anew: resources by status, category, domain and day, and who likes them."""

from __future__ import annotations

from collections.abc import Iterator

from partita.apps.kelifax.schema import RESOURCES, Resource, Total, Upvote
from partita.apps.kelifax.service.bookkeeping import booked, counted_in
from partita.kit.recounting import Counted, Recount
from partita.table import Item


def _resource(resource: Resource) -> Iterator[Counted]:
    """Where it is counted, whatever another program wrote since."""
    for count_of, counted_as in counted_in(booked(resource)):
        yield Counted(Total.key(Total.count_of(count_of), Total.counted_as(counted_as)), Total.count)


def _upvote(vote: Upvote) -> Iterator[Counted]:
    yield Counted(Resource.key(Resource.resource_slug(vote.slug)), Resource.upvotes, said=vote.of_submission)


def _holds(holder: Item, said: str) -> bool:
    """An upvote may be of a resource that had this slug before."""
    return not isinstance(holder, Resource) or holder.submission_id == said


RECOUNTS = (
    Recount(
        RESOURCES,
        counters={Total: (Total.count,), Resource: (Resource.upvotes,)},
        rows={Resource: _resource, Upvote: _upvote},
        made=frozenset({Total}),
        holds=_holds,
    ),
)
