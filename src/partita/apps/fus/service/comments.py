"""Comments: written by anybody with an account, edited by their author, deleted by their author or a moderator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.formats import comment_parts
from partita.apps.fus.inputs import CommentEdit, CommentInput, NewComment
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Comment, Site
from partita.apps.fus.service.bookkeeping import new_comment
from partita.apps.fus.service.counting import NeverCounted, one_comment_less
from partita.apps.fus.service.people import People, Person
from partita.apps.fus.service.ratings import Ratings
from partita.apps.fus.service.sites import Sites
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, find_or, follow_page
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import FieldError, Forbidden, Invalid, NotFound
from partita.table import Delete, Page, Transaction, Update

COMMENTING = Rule("fus-comment", most=30, seconds=600)


@dataclass(frozen=True, slots=True)
class CommentWithAuthor:
    """A comment and who wrote it."""

    comment: Comment
    author: Person
    stars: int | None = None
    """What the author gives the site."""
    answered: Person | None = None
    """Who wrote the comment that it answers."""


@dataclass(frozen=True, slots=True)
class CommentWithSite:
    """A comment and the site it is about."""

    comment: Comment
    site: Site


class Comments:
    """Comments on sites; a site's number of comments changes in the same transaction."""

    def __init__(self, kit: Kit, people: People, sites: Sites, ratings: Ratings) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._sites = sites
        self._ratings = ratings

    async def write(self, viewer: Viewer, site_id: str, wanted: CommentInput) -> CommentWithAuthor:
        """Comment on a site, or answer a comment on it."""
        await self._sites.site(site_id)
        reply_to = wanted.reply_to if isinstance(wanted, NewComment) else ""
        if reply_to:
            await self.answerable(site_id, reply_to)
        await self._kit.limits.check(COMMENTING, viewer.id)
        now = stamp(self._kit.clock)
        comment = Comment(
            user_id=viewer.id,
            site_id=site_id,
            comment_id=self._kit.ids.new(),
            body=wanted.body,
            created_at=now,
            updated_at=now,
            reply_to=reply_to or None,
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
            await self._remove(comment)
            return comment

        return await self._store.attempt(attempt)

    async def remove_of_one_who_left(self, known: Comment) -> None:
        """Remove a comment of somebody who is erased; answers to it stay."""

        async def attempt() -> None:
            comment = await find(self._store, schema.comment, known.user_id, known.site_id, known.comment_id)
            if comment is not None:
                await self._remove(comment)

        await self._store.attempt(attempt)

    async def _remove(self, comment: Comment) -> None:
        gone = Delete(comment.own_key).unless_changed(comment, Comment.counted)
        if not comment.as_stored(Comment.counted):  # another program wrote it, and nobody has counted it
            await self._store.write(gone)
            return
        try:
            await self._store.transact(Transaction(gone, one_comment_less(comment.site_id)))
        except (NotFound, NeverCounted):  # the site is deleted, or another program has overwritten it
            await self._store.write(gone)

    async def of_site(
        self, site_id: str, *, newest_first: bool = False, limit: int = 20, cursor: str | None = None
    ) -> Page[CommentWithAuthor]:
        """The comments on a site, oldest first by default."""
        await self._sites.site(site_id)
        query = schema.comments_of(site_id)

        async def follow(comments: Sequence[Comment]) -> list[CommentWithAuthor]:
            return await self._with_authors(site_id, comments)

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

    async def answerable(self, site_id: str, name: str) -> CommentWithAuthor:
        """A comment that can be answered: one that is there."""
        try:
            return await self.comment(site_id, name)
        except NotFound:
            gone = "The comment that you reply to has been deleted. Post yours without it."
            raise Invalid(FieldError("replyTo", gone)) from None

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
        (found,) = await self._with_authors(comment.site_id, [comment])
        return found

    async def _with_authors(self, site_id: str, comments: Sequence[Comment]) -> list[CommentWithAuthor]:
        """Names and stars of all of them with two reads; the id of a comment holds its author's, so no comment is read
        for those that are answered."""
        authors = {comment.user_id for comment in comments}
        answered = {comment.name: answered_author(comment) for comment in comments}
        people = await self._people.named(authors.union(each for each in answered.values() if each))
        stars = await self._ratings.stars_of(site_id, authors)
        return [
            CommentWithAuthor(
                comment, people[comment.user_id], stars.get(comment.user_id), people.get(answered[comment.name] or "")
            )
            for comment in comments
        ]


def answered_author(comment: Comment) -> str | None:
    """Whom a comment answers, if it answers somebody."""
    parts = None if comment.reply_to is None else comment_parts(comment.reply_to)
    return None if parts is None else parts[0]


def in_threads(comments: Sequence[CommentWithAuthor]) -> list[tuple[CommentWithAuthor, bool]]:
    """The comments of a page in its order, each answer behind what it answers and marked as one, if that is there."""
    by_name = {each.comment.name: each for each in comments}
    answers: dict[str, list[CommentWithAuthor]] = {}
    for each in comments:
        answers.setdefault(_first_of_thread(each, by_name), []).append(each)
    shown: list[tuple[CommentWithAuthor, bool]] = []
    for each in comments:
        if _first_of_thread(each, by_name) == each.comment.name:
            shown.append((each, False))
            others = (answer for answer in answers[each.comment.name] if answer is not each)
            shown += [(answer, True) for answer in sorted(others, key=lambda answer: answer.comment.created_at)]
    return shown


def _first_of_thread(entry: CommentWithAuthor, by_name: Mapping[str, CommentWithAuthor]) -> str:
    """The comment that began what this one answers; itself if it answers nothing that is on the page."""
    seen = [entry.comment.name]
    while (above := by_name.get(seen[-1])) is not None and above.comment.reply_to in by_name:
        if above.comment.reply_to in seen:  # only another program can write comments that answer each other
            return min(seen)
        seen.append(str(above.comment.reply_to))
    return seen[-1]


def _no_such_comment() -> NotFound:
    return NotFound("There is no such comment. It may have been deleted.")
