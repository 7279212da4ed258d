"""Comments: written by anybody with an account, edited by their author, deleted by their author or a moderator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.formats import comment_parts
from partita.apps.fus.inputs import CommentEdit, CommentInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Comment, Site
from partita.apps.fus.service.bookkeeping import new_comment
from partita.apps.fus.service.counting import NeverCounted, one_comment_less
from partita.apps.fus.service.people import People, Person
from partita.apps.fus.service.sites import Sites
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find_or, follow_page
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Forbidden, NotFound
from partita.table import Delete, Page, Transaction, Update

COMMENTING = Rule("fus-comment", most=30, seconds=600)


@dataclass(frozen=True, slots=True)
class CommentWithAuthor:
    """A comment and who wrote it."""

    comment: Comment
    author: Person


@dataclass(frozen=True, slots=True)
class CommentWithSite:
    """A comment and the site it is about."""

    comment: Comment
    site: Site


class Comments:
    """Comments on sites; a site's number of comments changes in the same transaction."""

    def __init__(self, kit: Kit, people: People, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._sites = sites

    async def write(self, viewer: Viewer, site_id: str, wanted: CommentInput) -> CommentWithAuthor:
        """Comment on a site."""
        await self._sites.site(site_id)
        await self._kit.limits.check(COMMENTING, viewer.id)
        now = stamp(self._kit.clock)
        comment = Comment(
            user_id=viewer.id,
            site_id=site_id,
            comment_id=self._kit.ids.new(),
            body=wanted.body,
            created_at=now,
            updated_at=now,
        )
        await self._store.transact(Transaction(*new_comment(comment)))
        return await self._with_author(comment)

    async def edit(self, viewer: Viewer, site_id: str, name: str, wanted: CommentEdit) -> CommentWithAuthor:
        """Change a comment; only its author can."""

        async def attempt() -> CommentWithAuthor:
            comment = (await self.own(viewer, site_id, name)).comment
            wanted.check_revision(comment.revision)
            if wanted.body == comment.body:
                return await self._with_author(comment)
            now = stamp(self._kit.clock)
            change = Update(comment.own_key, Comment.body.set(wanted.body), Comment.updated_at.set(now))
            return await self._with_author(await self._store.update(change.next_version(comment)))

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, site_id: str, name: str) -> Comment:
        """Delete the viewer's own comment, or somebody else's as a moderator."""

        async def attempt() -> Comment:
            comment = (await self.deletable(viewer, site_id, name)).comment
            gone = Delete(comment.own_key).unless_changed(comment, Comment.counted)
            if not comment.as_stored(Comment.counted):  # another program wrote it, and nobody has counted it
                await self._store.write(gone)
                return comment
            try:
                await self._store.transact(Transaction(gone, one_comment_less(site_id)))
            except NeverCounted:  # another program has overwritten the site
                await self._store.write(gone)
            return comment

        return await self._store.attempt(attempt)

    async def of_site(
        self, site_id: str, *, newest_first: bool = False, limit: int = 20, cursor: str | None = None
    ) -> Page[CommentWithAuthor]:
        """The comments on a site, oldest first by default."""
        await self._sites.site(site_id)
        query = schema.comments_of(site_id)

        async def follow(comments: Sequence[Comment]) -> list[CommentWithAuthor]:
            people = await self._people.named(comment.user_id for comment in comments)
            return [CommentWithAuthor(comment, people[comment.user_id]) for comment in comments]

        ordered = query.newest_first() if newest_first else query
        return await follow_page(self._store, ordered, follow, limit=limit, after=cursor)

    async def count_mine(self, viewer: Viewer, most: int) -> int:
        """How many comments the viewer has written, up to `most`."""
        return len(await self._store.page(schema.my_comments(viewer.id), limit=most))

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[CommentWithSite]:
        """The viewer's comments, newest first."""

        async def follow(comments: Sequence[Comment]) -> list[CommentWithSite]:
            sites = await self._sites.by_id(comment.site_id for comment in comments)
            return [
                CommentWithSite(comment, sites[comment.site_id]) for comment in comments if comment.site_id in sites
            ]

        return await follow_page(self._store, schema.my_comments(viewer.id), follow, limit=limit, after=cursor)

    async def comment(self, site_id: str, name: str) -> CommentWithAuthor:
        """One comment, by its public id."""
        parts = comment_parts(name)
        if parts is None:
            raise _no_such_comment()
        user_id, comment_id = parts
        comment = await find_or(_no_such_comment(), self._store, schema.comment, user_id, site_id, comment_id)
        return await self._with_author(comment)

    async def own(self, viewer: Viewer, site_id: str, name: str) -> CommentWithAuthor:
        """A comment that the viewer may edit."""
        entry = await self.comment(site_id, name)
        if entry.comment.user_id != viewer.id:
            raise Forbidden("Only its author can edit a comment.")
        return entry

    async def deletable(self, viewer: Viewer, site_id: str, name: str) -> CommentWithAuthor:
        """A comment that the viewer may delete."""
        entry = await self.comment(site_id, name)
        authorize(viewer, Fus.COMMENT if entry.comment.user_id == viewer.id else Fus.MODERATE)
        return entry

    async def _with_author(self, comment: Comment) -> CommentWithAuthor:
        people = await self._people.named([comment.user_id])
        return CommentWithAuthor(comment, people[comment.user_id])


def _no_such_comment() -> NotFound:
    return NotFound("There is no such comment. It may have been deleted.")
