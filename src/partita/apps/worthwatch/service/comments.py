"""Comments on live lists, with one level of replies; what is removed and has replies keeps their place.

`commentCount` is the number of comments that were not removed, `replyCount` that of the replies that are there.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import comment_parts
from partita.apps.worthwatch.inputs import CommentEdit, CommentInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import Comment, ListTotals, Log, User, Watchlist
from partita.apps.worthwatch.service.lists import Lists, no_such_list
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.people import People
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find_or, follow_page
from partita.kit.permissions import Viewer, refuse_withheld
from partita.kit.problems import Conflict, Forbidden, NotFound
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Delete, Page, Put, Transaction, Update, any_of
from partita.table.types import timestamp

COMMENTING = Rule("worthwatch-comment", most=10, seconds=600)
MOST_REPLIES = 50
"""How many replies a page shows with their thread."""
_TRIES = 40
_WIDEST_STEP = 14
"""Comments of one person in one tick are at most 2^14 microseconds apart."""

Remover: TypeAlias = Literal["author", "curator", "moderator"]


class CommentRemoved(Conflict):
    """There is nothing to answer or to edit."""

    code = "comment_removed"

    def __init__(self) -> None:
        super().__init__("This comment was removed. Write a comment of your own.")


@dataclass(frozen=True, slots=True)
class CommentEntry:
    """A comment, who wrote it, and what the viewer may do with it."""

    comment: Comment
    author: User | None
    """None if it was removed, or its author has left or is suspended."""
    may_edit: bool = False
    may_delete: bool = False
    may_report: bool = False

    @property
    def name(self) -> str:
        return self.comment.name

    @property
    def removed(self) -> bool:
        return self.comment.removed_by is not None


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with its replies, oldest first."""

    entry: CommentEntry
    replies: tuple[CommentEntry, ...] = ()
    more: bool = False
    """Whether there are more replies than these."""


class Comments:
    """What people say about lists."""

    def __init__(self, kit: Kit, people: People, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._lists = lists

    # -- reading; a list that the viewer may not see has no comments for them

    async def threads(
        self, viewer: Viewer, watchlist_id: str, *, limit: int = 10, cursor: str | None = None
    ) -> Page[Thread]:
        """The comments on a list with their replies, newest first."""
        watchlist = (await self._lists.visible(viewer, watchlist_id)).watchlist

        async def follow(comments: Sequence[Comment]) -> list[Thread]:
            with_replies = [each for each in comments if each.reply_count]
            pages = await asyncio.gather(
                *(
                    self._store.page(schema.replies_to(watchlist_id, each.name), limit=MOST_REPLIES)
                    for each in with_replies
                )
            )
            replies = {each.name: page for each, page in zip(with_replies, pages, strict=True)}
            everybody = [*comments, *(reply for page in pages for reply in page)]
            entries = await self._entries(viewer, watchlist, everybody)
            return [
                Thread(
                    entries[each.name],
                    tuple(entries[reply.name] for reply in replies.get(each.name, ())),
                    each.name in replies and replies[each.name].next_cursor is not None,
                )
                for each in comments
            ]

        return await follow_page(self._store, schema.threads_on(watchlist_id), follow, limit=limit, after=cursor)

    async def replies(
        self, viewer: Viewer, watchlist_id: str, name: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[CommentEntry]:
        """The replies to a comment, oldest first."""
        watchlist = (await self._lists.visible(viewer, watchlist_id)).watchlist
        await self._comment(watchlist_id, name)

        async def follow(comments: Sequence[Comment]) -> list[CommentEntry]:
            entries = await self._entries(viewer, watchlist, comments)
            return list(entries.values())

        return await follow_page(self._store, schema.replies_to(watchlist_id, name), follow, limit=limit, after=cursor)

    async def entry(self, viewer: Viewer, watchlist_id: str, name: str) -> CommentEntry:
        """One comment."""
        watchlist = (await self._lists.visible(viewer, watchlist_id)).watchlist
        comment = await self._comment(watchlist_id, name)
        return (await self._entries(viewer, watchlist, [comment]))[comment.name]

    # -- writing

    async def write(self, viewer: Viewer, watchlist_id: str, wanted: CommentInput) -> CommentEntry:
        """Comment on a live list, or answer a comment; an answer to an answer goes to the same thread."""
        watchlist = (await self._lists.visible(viewer, watchlist_id)).watchlist
        if not watchlist.live:
            raise no_such_list()
        await self._kit.limits.check(COMMENTING, viewer.id)
        await self._people.me(viewer)
        comment = await self.add(viewer, watchlist_id, wanted)
        return (await self._entries(viewer, watchlist, [comment]))[comment.name]

    async def add(self, viewer: Viewer, watchlist_id: str, wanted: CommentInput) -> Comment:
        """Store a comment. Its key is made of moment and author: one that is taken is tried some microseconds later."""
        thread = None if wanted.reply_to is None else await self._thread(watchlist_id, wanted.reply_to)
        now = self._kit.clock.now()
        for number in range(_TRIES):
            later = secrets.randbelow(2 ** min(number + 3, _WIDEST_STEP)) if number else 0
            comment = Comment(
                watchlist_id=watchlist_id,
                user_id=viewer.id,
                comment_text=wanted.comment_text,
                created_at=timestamp(now + timedelta(microseconds=later)),
                reply_to=None if thread is None else thread.name,
                has_spoilers=wanted.has_spoilers or None,
            )
            try:
                await self._store.transact(Transaction(*_one_more(comment, thread)))
            except _Collision:
                continue
            return comment
        raise Conflict("Many comments of yours came at once. Try again.", code="too_fast")

    async def edit(self, viewer: Viewer, watchlist_id: str, name: str, wanted: CommentEdit) -> CommentEntry:
        """Change a comment; only its author can, and it says so afterwards."""
        watchlist = (await self._lists.visible(viewer, watchlist_id)).watchlist
        comment = await self._comment(watchlist_id, name)
        if comment.user_id != viewer.id:
            raise Forbidden("Only its author can edit a comment.")
        spoils = Comment.has_spoilers.set(True) if wanted.has_spoilers else Comment.has_spoilers.remove()
        change = Update(
            comment.own_key,
            Comment.comment_text.set(wanted.comment_text),
            Comment.edited_at.set(stamp(self._kit.clock)),
            spoils,
        )
        edited = await self._store.update(
            change.when(Comment.removed_by.missing()).otherwise(
                lambda there: no_such_comment() if there is None else CommentRemoved()
            )
        )
        return (await self._entries(viewer, watchlist, [edited]))[edited.name]

    async def delete(self, viewer: Viewer, watchlist_id: str, name: str) -> None:
        """Remove a comment: its author, the curator of the list, or a moderator. Its replies keep their place."""
        watchlist = await self._lists.watchlist(watchlist_id)
        if not viewer.may(WorthWatch.MODERATE):
            watchlist = (await self._lists.visible(viewer, watchlist_id)).watchlist
        if watchlist.curator_id != viewer.id and not watchlist.is_public:
            raise no_such_list()  # moderators do not see private lists either

        async def attempt() -> None:
            comment = await self._comment(watchlist_id, name)
            by = _remover(viewer, watchlist, comment)
            if by is None:
                refuse_withheld(viewer, WorthWatch.MODERATE)
                raise Forbidden("Only its author, the list's curator and moderators can remove a comment.")
            if comment.removed_by is not None:
                return
            entry = self._logged(viewer, comment)
            await self._store.transact(Transaction(*await removing(self._store, comment, by), Put(entry)))

        await self._store.attempt(attempt)

    # -- rules

    async def _comment(self, watchlist_id: str, name: str) -> Comment:
        parts = comment_parts(name)
        if parts is None:
            raise no_such_comment()
        return await find_or(no_such_comment(), self._store, schema.comment, watchlist_id, *parts)

    async def _thread(self, watchlist_id: str, name: str) -> Comment:
        """The comment that an answer belongs to: answers to answers belong to what those answer."""
        comment = await self._comment(watchlist_id, name)
        return comment if comment.reply_to is None else await self._comment(watchlist_id, comment.reply_to)

    async def _entries(
        self, viewer: Viewer, watchlist: Watchlist, comments: Iterable[Comment]
    ) -> dict[str, CommentEntry]:
        known = list(comments)
        people = await self._people.by_id(each.user_id for each in known if each.removed_by is None)
        return {each.name: _entry(viewer, watchlist, each, people.get(each.user_id)) for each in known}

    def _logged(self, viewer: Viewer, comment: Comment) -> Log:
        """The log's entry. The stream would not know who did it, and the comment may be gone without a trace."""
        return Log(
            what=f"WATCHLIST#{comment.watchlist_id}",
            at=stamp(self._kit.clock),
            sequence=self._kit.ids.new(),
            who=viewer.id,
            verb="removed comment",
            before={"comment": comment.name},
        )


async def removing(store: AsyncStore, comment: Comment, by: Remover, *, keep_place: bool = False) -> tuple[Write, ...]:
    """What removing a comment writes: it goes, or keeps its place without text if it has replies; either is counted
    out of the list's totals. A thread without text goes with its last reply."""
    seen = Comment.reply_count, Comment.removed_by, Comment.counted
    emptied = Update(
        comment.own_key,
        Comment.comment_text.set(""),
        Comment.removed_by.set(by),
        Comment.edited_at.remove(),
        Comment.has_spoilers.remove(),
    )
    writes: list[Write] = []
    if comment.as_stored(Comment.counted):
        totals = await store.get(schema.totals(comment.watchlist_id).consistently())
        writes.append(_one_less(comment.watchlist_id, totals))
    if comment.reply_count or keep_place:
        return (emptied.unless_changed(comment, *seen), *writes)
    writes.insert(0, Delete(comment.own_key).unless_changed(comment, *seen))
    if comment.reply_to is not None and (parts := comment_parts(comment.reply_to)) is not None:
        writes.append(_reply_less(comment, parts, await store.get(_get(comment.watchlist_id, parts))))
    return tuple(writes)


def _get(watchlist_id: str, parts: tuple[str, str]) -> Any:
    return schema.comment(watchlist_id, *parts).consistently()


def _one_more(comment: Comment, thread: Comment | None) -> Iterable[Write]:
    """A comment and everything that counts it, if its list is live at this moment."""
    watchlist = Watchlist.key(Watchlist.watchlist_id(comment.watchlist_id))
    totals = ListTotals.key(ListTotals.watchlist_id(comment.watchlist_id))
    yield Check(watchlist, Watchlist.feed.equals("LIVE")).otherwise(no_such_list())
    if thread is not None:
        one_reply = Update(thread.own_key, Comment.reply_count.add(1)).when(Comment.removed_by.missing())
        yield one_reply.otherwise(lambda there: no_such_comment() if there is None else CommentRemoved())
    yield Put(comment).if_new().otherwise(_Collision())
    yield Update(totals, ListTotals.comment_count.add(1)).or_new()


def _one_less(watchlist_id: str, totals: ListTotals | None) -> Write:
    """That there is nothing to subtract from is checked, not assumed."""
    key = ListTotals.key(ListTotals.watchlist_id(watchlist_id))
    if totals is None:
        return Check(key, key.absent()).otherwise(_changed)
    if not totals.comment_count:
        none = any_of(ListTotals.comment_count.missing(), ListTotals.comment_count.equals(0))
        return Check(key, none).otherwise(_changed)
    return Update(key, ListTotals.comment_count.add(-1)).otherwise(_changed)


def _reply_less(reply: Comment, parts: tuple[str, str], thread: Comment | None) -> Write:
    created_at, user_id = parts
    key = Comment.key(
        Comment.watchlist_id(reply.watchlist_id), Comment.created_at(created_at), Comment.user_id(user_id)
    )
    if thread is None:
        return Check(key, key.absent()).otherwise(_changed)
    if not thread.reply_count:
        none = any_of(Comment.reply_count.missing(), Comment.reply_count.equals(0))
        return Check(key, none).otherwise(_changed)
    if thread.removed_by is not None and thread.reply_count == 1:
        return Delete(key).unless_changed(thread, Comment.reply_count, Comment.removed_by)
    same = Update(key, Comment.reply_count.add(-1)).unless_changed(thread, Comment.removed_by)
    return same.when(Comment.reply_count >= 2) if thread.removed_by is not None else same


def _remover(viewer: Viewer, watchlist: Watchlist, comment: Comment) -> Remover | None:
    if comment.user_id == viewer.user_id:
        return "author"
    if watchlist.curator_id == viewer.user_id:
        return "curator"
    return "moderator" if viewer.may(WorthWatch.MODERATE) else None


def _entry(viewer: Viewer, watchlist: Watchlist, comment: Comment, author: User | None) -> CommentEntry:
    if comment.removed_by is not None:
        return CommentEntry(comment, None)
    own = comment.user_id == viewer.user_id
    if author is not None and author.curator_status == "suspended" and not own:
        author = None  # who is suspended has no name here, nor a page
    may_delete = _remover(viewer, watchlist, comment) is not None
    return CommentEntry(comment, author, own, may_delete, viewer.may(WorthWatch.REPORT) and not own)


def no_such_comment() -> NotFound:
    return NotFound("There is no such comment. It may have been removed.")


def _changed(there: Any) -> Exception:
    return ChangedMeanwhileError("The comment", there)


class _Collision(Exception):
    """Another comment of this person has this moment."""
