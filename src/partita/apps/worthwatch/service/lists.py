"""Lists: made and edited by their curators, published by approved ones, deleted in two steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import version_of
from partita.apps.worthwatch.inputs import ListEdit, NewList
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import ListRemoval, User, Watchlist
from partita.apps.worthwatch.service.live import NotACurator, Write, approved, beside, settled
from partita.apps.worthwatch.service.people import People
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import Action, Delete, Page, Put, Transaction, Update

NEW_LISTS = Rule("worthwatch-list", most=30, seconds=86_400)
_EDITED = (
    Watchlist.title,
    Watchlist.description,
    Watchlist.tags,
    Watchlist.is_public,
    Watchlist.is_ranked,
    Watchlist.cover_image_url,
)
LIVENESS = (Watchlist.feed, Watchlist.published_at, Watchlist.is_public, Watchlist.hidden, Watchlist.tags)
"""What pointers and totals are made of; whoever writes those finds it as it was."""


@dataclass(frozen=True, slots=True)
class VisibleList:
    """A list that somebody may see, and who made it; a profile that is gone is None."""

    watchlist: Watchlist
    curator: User | None


class Lists:
    """Watchlists without their items."""

    def __init__(self, kit: Kit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    # -- reading

    async def watchlist(self, watchlist_id: str) -> Watchlist:
        """A list, whoever may see it: for rules, not for people."""
        return await find_or(no_such_list(), self._store, schema.watchlist, watchlist_id)

    async def own(self, viewer: Viewer, watchlist_id: str) -> Watchlist:
        """One of the viewer's own lists; others do not exist for them here."""
        watchlist = await self.watchlist(watchlist_id)
        if watchlist.curator_id != viewer.id:
            raise no_such_list()
        return watchlist

    async def visible(self, viewer: Viewer, watchlist_id: str) -> VisibleList:
        """A list that the viewer may see: their own, or a public one of a curator who is approved at this moment."""
        watchlist = await self.watchlist(watchlist_id)
        curator = await self._people.find(watchlist.curator_id)
        if watchlist.curator_id != viewer.user_id and not seen_by_everybody(watchlist, curator):
            raise no_such_list()
        return VisibleList(watchlist, curator)

    async def by_secret(self, watchlist_id: str, secret: str) -> VisibleList:
        """A private list by its secret link."""
        watchlist = await find(self._store, schema.watchlist, watchlist_id)
        link = None if watchlist is None or watchlist.is_public else watchlist.secret_link
        if watchlist is None or link is None or not compare_digest(link.encode(), secret.encode(errors="replace")):
            raise no_such_list()
        return VisibleList(watchlist, await self._people.find(watchlist.curator_id))

    async def readable(self, viewer: Viewer, watchlist_id: str, secret: str | None = None) -> VisibleList:
        """A list that the viewer may see, or that whoever knows the secret may see."""
        if secret is not None:
            return await self.by_secret(watchlist_id, secret)
        return await self.visible(viewer, watchlist_id)

    async def by_id(self, watchlist_ids: Iterable[str]) -> dict[str, Watchlist]:
        """Lists by their ids, many at once and in that order; those that are gone are left out. Check who sees them."""
        wanted = tuple(dict.fromkeys(watchlist_ids))
        lists = await self._store.batch_get(schema.watchlists_by_id(wanted).keys) if wanted else []
        return {each.watchlist_id: each for each in lists if each is not None}

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Watchlist]:
        """The viewer's lists, newest first, drafts too."""
        return await self._store.page(schema.watchlists_of(viewer.id), limit=limit, after=cursor)

    # -- writing

    async def create(self, viewer: Viewer, new: NewList) -> Watchlist:
        """Make an empty list. If it is not said, it is public for approved curators and private for others."""
        watchlist = await self.prepare(viewer, new)
        allowed = (approved(viewer.id),) if watchlist.is_public else ()
        await self._store.transact(Transaction(*allowed, Put(watchlist).if_new()))
        return watchlist

    async def prepare(self, viewer: Viewer, new: NewList, *, cloned_from: str | None = None) -> Watchlist:
        """An empty list that is not written yet, if the viewer may make one more today."""
        await self._kit.limits.check(NEW_LISTS, viewer.id)
        curator = await self._people.me(viewer)
        now = stamp(self._kit.clock)
        return Watchlist(
            watchlist_id=self._kit.ids.new(),
            curator_id=viewer.id,
            title=new.title,
            description=new.description,
            cover_image_url=new.cover_image_url,
            is_public=curator.approved if new.is_public is None else new.is_public,
            tags=new.tags,
            created_at=now,
            updated_at=now,
            is_ranked=new.is_ranked or None,
            cloned_from=cloned_from,
            updated_by=viewer.id,
        )

    async def edit(self, viewer: Viewer, watchlist_id: str, edit: ListEdit) -> Watchlist:
        """Change a list, publish it, or take it back. Publishing ends its secret link."""
        wanted = edit.changes

        async def attempt() -> Watchlist:
            before = await self.own(viewer, watchlist_id)
            edit.check_version(list_version(before))
            after = before.model_copy(update=_as_stored(wanted))
            if after.is_public:
                after = after.with_(Watchlist.secret_link(None))
            return await self._write(before, after, viewer.id, may_publish=after.is_public and not before.is_public)

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, watchlist_id: str) -> Watchlist:
        """Delete a list: it is gone at once, and the change stream removes its items, comments and totals. Moderators
        delete what others published."""

        async def attempt() -> Watchlist:
            before = await self.watchlist(watchlist_id)
            moderated = viewer.may(WorthWatch.MODERATE) and before.is_public
            if before.curator_id != viewer.id and not moderated:
                raise no_such_list()
            removal = ListRemoval(
                watchlist_id=watchlist_id,
                title=before.title,
                of_curator=before.curator_id,
                removed_by=viewer.id,
                removed_at=stamp(self._kit.clock),
                was_public=before.is_public or None,
            )
            gone = Delete(before.own_key).unless_changed(before, *LIVENESS)
            await self._store.transact(Transaction(gone, Put(removal), *await beside(self._store, before, None)))
            return before

        return await self._store.attempt(attempt)

    async def set_hidden(self, watchlist_id: str, hidden: bool) -> bool:
        """Hide a list of a suspended curator from the public, or bring it back; returns whether that changed anything.
        A list whose curator is not approved any more stays hidden."""

        async def attempt() -> bool:
            before = await find(self._store, schema.watchlist, watchlist_id)
            if before is None or bool(before.hidden) == hidden:
                return False
            after = before.with_(Watchlist.hidden(True if hidden else None))
            try:
                await self._write(before, after, before.updated_by, may_publish=not hidden)
            except NotACurator:
                return False
            return True

        return await self._store.attempt(attempt)

    async def share(self, viewer: Viewer, watchlist_id: str) -> Watchlist:
        """Give a private list a new secret link; an older one ends."""

        async def attempt() -> Watchlist:
            before = await self.own(viewer, watchlist_id)
            if before.is_public:
                raise Conflict("A public list needs no secret link: share its own address.", code="list_is_public")
            change = Update(before.own_key, Watchlist.secret_link.set(self._kit.ids.secret()))
            return await self._store.update(change.unless_changed(before, Watchlist.is_public, Watchlist.secret_link))

        return await self._store.attempt(attempt)

    async def revoke(self, viewer: Viewer, watchlist_id: str) -> Watchlist:
        """End a list's secret link."""
        before = await self.own(viewer, watchlist_id)
        if before.secret_link is None:
            return before
        return await self._store.update(
            Update(before.own_key, Watchlist.secret_link.remove()).otherwise(no_such_list())
        )

    async def _write(self, before: Watchlist, after: Watchlist, by: str | None, *, may_publish: bool) -> Watchlist:
        """Write a changed list and everything beside it, if what that is made of is as it was read."""
        now = stamp(self._kit.clock)
        after = settled(after, now)
        if after == before:
            return before
        after = after.with_(Watchlist.updated_at(now), Watchlist.updated_by(by))
        own = Update(before.own_key, *actions(before, after)).unless_changed(before, *_EDITED, *LIVENESS)
        if after.live:
            own = own.when(Watchlist.item_count >= 1)
        elif after.is_public and not after.hidden:
            own = own.unless_changed(before, Watchlist.item_count)
        others = await beside(self._store, before, after)
        begins = after.live and not before.live
        allowed: tuple[Write, ...] = (approved(before.curator_id),) if may_publish and not begins else ()
        await self._store.transact(Transaction(*allowed, *others, own))
        return after


def seen_by_everybody(watchlist: Watchlist, curator: User | None) -> bool:
    """Whether visitors may see a list: public, not hidden, of a curator who is not suspended. One whose curator has
    left and let it stay has none."""
    return watchlist.is_public and not watchlist.hidden and (curator is None or curator.approved)


def list_version(watchlist: Watchlist) -> str:
    """The version of what a form edits: not `updatedAt`, which every title changes."""
    return version_of(*(getattr(watchlist, each.field_name) for each in _EDITED))


def actions(before: Watchlist, after: Watchlist) -> tuple[Action[Any], ...]:
    """What a change updates: the fields that differ."""
    return tuple(
        attribute.remove() if getattr(after, field) is None else attribute.set(getattr(after, field))
        for field, attribute in Watchlist.__attributes__.items()
        if not attribute.is_derived and getattr(before, field) != getattr(after, field)
    )


def no_such_list() -> NotFound:
    return NotFound("There is no such list. It may be private, or deleted.")


def _as_stored(wanted: dict[str, Any]) -> dict[str, Any]:
    """What is not ranked does not say so."""
    return {**wanted, "is_ranked": wanted["is_ranked"] or None} if "is_ranked" in wanted else wanted
