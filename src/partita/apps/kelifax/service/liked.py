"""What members like: upvotes, saved resources, and what is popular this month."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Resource, SavedResource, Upvote
from partita.apps.kelifax.service.resources import Resources, no_resource
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import follow_page
from partita.kit.permissions import Viewer
from partita.table import Delete, Key, Page, Put, Transaction, Update, any_of

UPVOTE = 10
"""An upvote counts as much as so many views."""


class _NothingToDo(Exception):
    """It is so already."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a member marked, by slug."""

    upvoted: frozenset[str] = frozenset()
    saved: frozenset[str] = frozenset()


class Liked:
    """Upvoting and saving; doing either twice is no error."""

    def __init__(self, kit: Kit, resources: Resources) -> None:
        self._kit = kit
        self._store = kit.store
        self._resources = resources

    async def marks(self, viewer: Viewer, resources: Sequence[Resource]) -> Marks:
        """What a member marked of these; nothing for visitors."""
        if not viewer.signed_in or not resources:
            return Marks()
        ids = {each.resource_slug: each.submission_id for each in resources}
        saved = await self._store.batch_get([_saved(viewer.id, slug) for slug in ids])
        return Marks(await self.upvoted(viewer, resources), _of(saved, ids))

    async def upvoted(self, viewer: Viewer, resources: Sequence[Resource]) -> frozenset[str]:
        """The slugs of those that somebody has upvoted."""
        ids = {each.resource_slug: each.submission_id for each in resources}
        return _of(await self._store.batch_get([_upvote(viewer.id, slug) for slug in ids]), ids)

    async def upvote(self, viewer: Viewer, slug: str) -> Resource:
        """Upvote a resource."""
        resource = await self._resources.detail(slug)
        now = stamp(self._kit.clock)
        vote = Upvote(user_id=viewer.id, slug=slug, of_submission=resource.submission_id, logged_at=now)
        # An earlier one may be of a resource that had this slug before.
        new = any_of(vote.own_key.absent(), Upvote.of_submission.differs(resource.submission_id))
        return await self._count(resource, Put(vote).when(new).otherwise(_NothingToDo()), 1, now)

    async def take_back(self, viewer: Viewer, slug: str) -> Resource:
        """Take an upvote back."""
        resource = await self._resources.detail(slug)
        vote = await self._store.get(schema.upvote(viewer.id, slug).consistently())
        if vote is None or vote.of_submission != resource.submission_id:
            return resource
        gone = Delete(vote.own_key).when(Upvote.logged_at.equals(vote.logged_at)).otherwise(_NothingToDo())
        return await self._count(resource, gone, -1, vote.logged_at)

    async def remove_of_one_who_left(self, known: Upvote) -> None:
        """Take an upvote back whatever has become of the resource."""

        async def attempt() -> None:
            vote = await self._store.get(schema.upvote(known.user_id, known.slug).consistently())
            if vote is None:
                return
            gone = Delete(vote.own_key).unless_changed(vote, Upvote.logged_at)
            resource = await self._store.get(schema.resource(vote.slug).consistently())
            if resource is None or resource.submission_id != vote.of_submission:
                await self._store.write(gone)
                return
            less = Update(resource.own_key, Resource.upvotes.add(-1)).unless_changed(resource, Resource.submission_id)
            score = schema.add_to_month(vote.logged_at[:7], vote.slug, -UPVOTE)
            await self._store.transact(Transaction(gone, less, score))

        await self._store.attempt(attempt)

    async def save(self, viewer: Viewer, slug: str) -> None:
        """Keep a resource among the viewer's."""
        resource = await self._resources.detail(slug)
        now = stamp(self._kit.clock)
        saved = SavedResource(user_id=viewer.id, slug=slug, of_submission=resource.submission_id, logged_at=now)
        known = await self.marks(viewer, [resource])
        if slug not in known.saved:
            await self._store.write(Put(saved))

    async def forget(self, viewer: Viewer, slug: str) -> None:
        """Keep a resource no longer."""
        await self._store.write(Delete(_saved(viewer.id, slug)))

    async def saved(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Resource]:
        """What a member saved and is still public, the last saved first."""

        async def follow(entries: Sequence[SavedResource]) -> list[Resource]:
            found = await self._resources.approved([entry.slug for entry in entries])
            kept = ((found.get(entry.slug), entry.of_submission) for entry in entries)
            return [each for each, submission_id in kept if each is not None and each.submission_id == submission_id]

        return await follow_page(self._store, schema.saved_by(viewer.id), follow, limit=limit, after=cursor)

    async def popular(self, limit: int = 6) -> tuple[Resource, ...]:
        """What is viewed and upvoted most this month."""
        month = stamp(self._kit.clock)[:7]
        scores = await self._store.page(schema.popular_of_month(month), limit=limit)
        found = await self._resources.approved([score.slug for score in scores])
        return tuple(found[score.slug] for score in scores if score.view_count > 0 and score.slug in found)

    async def _count(self, resource: Resource, mark: Put[Upvote] | Delete[Upvote], by: int, at: str) -> Resource:
        own = Update(resource.own_key, Resource.upvotes.add(by))
        approved = own.when(Resource.resource_status.equals("approved")).otherwise(no_resource(resource.resource_slug))
        score = schema.add_to_month(at[:7], resource.resource_slug, by * UPVOTE)
        try:
            await self._store.transact(Transaction(mark, approved, score))
        except _NothingToDo:
            return resource
        return resource.with_(Resource.upvotes(resource.upvotes + by))


def _upvote(user_id: str, slug: str) -> Key[Upvote]:
    return Upvote.key(Upvote.user_id(user_id), Upvote.slug(slug))


def _saved(user_id: str, slug: str) -> Key[SavedResource]:
    return SavedResource.key(SavedResource.user_id(user_id), SavedResource.slug(slug))


def _of(marks: Iterable[Upvote | SavedResource | None], ids: dict[str, str]) -> frozenset[str]:
    """The slugs of the marks that are of these resources, and not of earlier ones with the same slug."""
    return frozenset(mark.slug for mark in marks if mark is not None and ids[mark.slug] == mark.of_submission)
