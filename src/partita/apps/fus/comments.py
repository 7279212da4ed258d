"""Comments: said by anybody with an account, changed by who said it, removed by them or by a moderator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.counting import NeverCounted, one_comment_less, one_more_comment
from partita.apps.fus.filling import Filled, filled
from partita.apps.fus.formats import comment_parts
from partita.apps.fus.inputs import CommentInput
from partita.apps.fus.people import People, Person
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Comment, Site
from partita.apps.fus.sites import Sites
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Forbidden, NotFound
from partita.table import Delete, KeyPartError, Put, Transaction, Update

COMMENTING = Rule("fus-comment", most=30, seconds=600)


@dataclass(frozen=True, slots=True)
class Said:
    """A comment and who made it."""

    comment: Comment
    person: Person


@dataclass(frozen=True, slots=True)
class SaidOf:
    """A comment and the site it is about."""

    comment: Comment
    site: Site


class Comments:
    """What people say; a site's number of comments changes in the same transaction."""

    def __init__(self, kit: Kit, people: People, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._sites = sites

    async def write(self, viewer: Viewer, site_id: str, said: CommentInput) -> Said:
        """Say something about a site that is there."""
        await self._sites.site(site_id)
        await self._kit.limits.check(COMMENTING, viewer.id)
        now = stamp(self._kit.clock)
        comment = Comment(
            user_id=viewer.id,
            site_id=site_id,
            comment_id=self._kit.ids.new(),
            body=said.body,
            created_at=now,
            updated_at=now,
        )
        await self._store.transact(Transaction(*written(comment)))
        return await self._said(comment)

    async def edit(self, viewer: Viewer, site_id: str, name: str, said: CommentInput) -> Said:
        """Say it differently; only who said it can."""
        comment = await self._find(site_id, name)
        if comment.user_id != viewer.id:
            raise Forbidden("Only who wrote a comment can change it.")
        change = Update(comment.own_key, Comment.body.set(said.body), Comment.updated_at.set(stamp(self._kit.clock)))
        return await self._said(await self._store.update(change.otherwise(_gone())))

    async def delete(self, viewer: Viewer, site_id: str, name: str) -> Comment:
        """Take a comment back, or away where it is somebody else's."""

        async def attempt() -> Comment:
            comment = await self._find(site_id, name)
            authorize(viewer, Fus.COMMENT if comment.user_id == viewer.id else Fus.MODERATE)
            gone = Delete(comment.own_key).unless_changed(comment, Comment.counted)
            if not comment.as_stored(Comment.counted):  # another program's, which nobody counted
                await self._store.write(gone)
                return comment
            try:
                await self._store.transact(Transaction(gone, one_comment_less(site_id)))
            except NeverCounted:  # another program wrote over the site
                await self._store.write(gone)
            return comment

        return await self._store.attempt(attempt)

    async def of_site(
        self, site_id: str, *, newest_first: bool = False, limit: int = 20, cursor: str | None = None
    ) -> Filled[Said]:
        """What was said about a site, oldest first unless told otherwise."""
        await self._sites.site(site_id)
        query = schema.comments_of(site_id)

        async def follow(comments: Sequence[Comment]) -> list[Said]:
            people = await self._people.named(comment.user_id for comment in comments)
            return [Said(comment, people[comment.user_id]) for comment in comments]

        wanted = query.newest_first() if newest_first else query
        return await filled(self._store, wanted, follow, limit=limit, after=cursor)

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Filled[SaidOf]:
        """Everything the viewer has said, newest first."""

        async def follow(comments: Sequence[Comment]) -> list[SaidOf]:
            wanted = tuple(dict.fromkeys(comment.site_id for comment in comments))
            found = await self._store.batch_get(schema.sites_found(wanted).keys)
            sites = {site.site_id: site for site in found if site is not None}
            return [SaidOf(comment, sites[comment.site_id]) for comment in comments if comment.site_id in sites]

        return await filled(self._store, schema.my_comments(viewer.id), follow, limit=limit, after=cursor)

    async def comment(self, site_id: str, name: str) -> Said:
        """One comment."""
        return await self._said(await self._find(site_id, name))

    async def _said(self, comment: Comment) -> Said:
        people = await self._people.named([comment.user_id])
        return Said(comment, people[comment.user_id])

    async def _find(self, site_id: str, name: str) -> Comment:
        parts = comment_parts(name)
        found: Comment | None = None
        if parts is not None:
            try:
                found = await self._store.get(schema.comment(parts[0], site_id, parts[1]).consistently())
            except KeyPartError:  # no id is written like this
                found = None
        if found is None:
            raise _gone()
        return found


def written(comment: Comment) -> tuple[Update[Site] | Put[Comment], ...]:
    """A comment, and one more on its site; where the site is gone, neither."""
    return one_more_comment(comment.site_id), Put(comment).if_new()


def _gone() -> NotFound:
    return NotFound("There is no such comment. It may have been removed.")
