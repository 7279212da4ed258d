"""Reports: what people object to, once for each person and thing; moderators keep, remove or suspend."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import comment_parts
from partita.apps.worthwatch.inputs import ReportInput, ResolutionInput
from partita.apps.worthwatch.schema import Comment, ContentType, Rating, Report, User, Watchlist
from partita.apps.worthwatch.service.comments import Comments
from partita.apps.worthwatch.service.curators import Curators, NothingToDecide
from partita.apps.worthwatch.service.labels import Title, titles_by_ref
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.people import People
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import Page, Put, Update

REPORTING = Rule("worthwatch-report", most=20, seconds=86_400)
What: TypeAlias = Literal["list", "comment", "review", "person"]
_PREFIX = {"list": "LIST", "comment": "COMMENT", "review": "REVIEW", "person": "PERSON"}
_WHAT: dict[str, What] = {"LIST": "list", "COMMENT": "comment", "REVIEW": "review", "PERSON": "person"}


class AlreadyReported(Conflict):
    """One report per person and thing."""

    code = "already_reported"

    def __init__(self) -> None:
        super().__init__("You have reported this already. A moderator looks at it.")


@dataclass(frozen=True, slots=True)
class Reported:
    """A reported thing as it is now: what it is, whose, and where."""

    what: What
    id: str
    watchlist: Watchlist | None = None
    comment: Comment | None = None
    review: Rating | None = None
    title: Title | None = None
    person: User | None = None
    """Whose it is; None if they have left."""

    @property
    def there(self) -> bool:
        """Whether there is something to decide about."""
        if self.what == "comment":
            return self.comment is not None and self.comment.removed_by is None
        if self.what == "review":
            return self.review is not None and bool(self.review.review)
        return (self.watchlist if self.what == "list" else self.person) is not None


@dataclass(frozen=True, slots=True)
class ReportWithThing:
    """A report that waits, and what it is about."""

    report: Report
    thing: Reported
    reporter: User | None


class Reports:
    """What waits for moderators."""

    def __init__(self, kit: Kit, people: People, lists: Lists, comments: Comments, curators: Curators) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._lists = lists
        self._comments = comments
        self._curators = curators

    async def report(self, viewer: Viewer, wanted: ReportInput) -> Report:
        """Report something that the viewer can see."""
        await self._check_visible(viewer, wanted.what, wanted.id)
        await self._kit.limits.check(REPORTING, viewer.id)
        await self._people.me(viewer)
        report = Report(
            what=key_of(wanted.what, wanted.id),
            user_id=viewer.id,
            reported_at=stamp(self._kit.clock),
            reason=wanted.reason,
        )
        await self._store.write(Put(report).if_new().otherwise(AlreadyReported()))
        return report

    async def waiting(self, *, limit: int = 20, cursor: str | None = None) -> Page[ReportWithThing]:
        """Reports that wait, oldest first."""

        async def follow(reports: Sequence[Report]) -> list[ReportWithThing]:
            reporters = await self._people.by_id(each.user_id for each in reports)
            wanted = list(dict.fromkeys(each.what for each in reports))
            found = await asyncio.gather(*(self._thing(*parts_of(what)) for what in wanted))
            things = dict(zip(wanted, found, strict=True))
            return [ReportWithThing(each, things[each.what], reporters.get(each.user_id)) for each in reports]

        return await follow_page(self._store, schema.open_reports(), follow, limit=limit, after=cursor)

    async def count_waiting(self, most: int) -> int:
        """How many reports wait, up to `most`."""
        return len((await self._store.page(schema.open_reports(), limit=most)).items)

    async def of_thing(self, what: What, thing_id: str, *, limit: int = 50) -> tuple[Reported, Page[ReportWithThing]]:
        """A reported thing, and everybody's words about it."""
        thing = await self._thing(what, thing_id)
        page = await self._store.page(schema.reports_of(key_of(what, thing_id)), limit=limit)
        if not page.items:
            raise NotFound("Nobody has reported this.")
        reporters = await self._people.by_id(each.user_id for each in page)
        found = tuple(ReportWithThing(each, thing, reporters.get(each.user_id)) for each in page)
        return thing, Page(found, page.next_cursor)

    async def resolve(self, viewer: Viewer, what: What, thing_id: str, wanted: ResolutionInput) -> int:
        """Keep a reported thing, remove it, or suspend its curator; returns how many reports that ends. Doing it again
        after an interruption ends those that are left."""
        thing = await self._thing(what, thing_id)
        open_ones = [
            each
            async for each in self._store.stream(schema.reports_of(key_of(what, thing_id)).consistently())
            if each.state == "open"
        ]
        if not open_ones:
            raise NotFound("No report of this waits.")
        state: Literal["kept", "removed", "suspended"] = "kept"
        if wanted.decision == "remove":
            state = "removed"
            await self._remove(viewer, thing)
        elif wanted.decision == "suspend":
            state = "suspended"
            await self._suspend(viewer, thing, wanted.reason or open_ones[0].reason)
        ended = 0
        for each in open_ones:
            change = Update(
                each.own_key,
                Report.state.set(state),
                Report.resolved_by.set(viewer.id),
                Report.resolved_at.set(stamp(self._kit.clock)),
            )
            try:
                await self._store.write(change.when(Report.state.equals("open")).otherwise(_Ended()))
            except _Ended:
                continue  # another moderator was faster
            ended += 1
        return ended

    # -- rules

    async def _remove(self, viewer: Viewer, thing: Reported) -> None:
        if not thing.there:
            return
        if thing.what == "person":
            raise Conflict("A person cannot be removed here. Suspend them instead.", code="cannot_remove")
        if thing.what == "list" and thing.watchlist is not None:
            await self._lists.delete(viewer, thing.watchlist.watchlist_id)
        elif thing.comment is not None:
            await self._comments.delete(viewer, thing.comment.watchlist_id, thing.comment.name)
        elif thing.review is not None:
            await self._store.attempt(lambda: self._remove_review(thing))

    async def _remove_review(self, thing: Reported) -> None:
        """The words go, the rating stays and counts."""
        assert thing.review is not None
        rating = await find(
            self._store, schema.rating, thing.review.user_id, thing.review.content_type, thing.review.content_id
        )
        if rating is not None and rating.review:
            await self._store.write(
                Update.between(rating, rating.with_(Rating.review(None), Rating.has_spoilers(None)))
            )

    async def _suspend(self, viewer: Viewer, thing: Reported, reason: str) -> None:
        if thing.person is None:
            raise Conflict("Whoever this belonged to has left.", code="has_left")
        if thing.person.curator_status == "suspended":
            return
        if not thing.person.approved:
            raise NothingToDecide(
                "This person is no curator. An administrator can suspend the account in the administration."
            )
        await self._curators.suspend(viewer, thing.person.user_id, reason)

    async def _check_visible(self, viewer: Viewer, what: What, thing_id: str) -> None:
        """What cannot be seen cannot be reported."""
        if what == "list":
            await self._lists.visible(viewer, thing_id)
        elif what == "comment":
            watchlist_id, _, name = thing_id.partition("/")
            if (await self._comments.entry(viewer, watchlist_id, name)).removed:
                raise _nothing()
        else:
            thing = await self._thing(what, thing_id)
            hidden = thing.person is not None and thing.person.curator_status == "suspended"
            if not thing.there or hidden:
                raise _nothing()

    async def _thing(self, what: What, thing_id: str) -> Reported:
        if what == "person":
            return Reported(what, thing_id, person=await self._people.find(thing_id))
        if what == "list":
            watchlist = await find(self._store, schema.watchlist, thing_id)
            watchlist = watchlist if watchlist is not None and watchlist.is_public else None
            owner = None if watchlist is None else await self._people.find(watchlist.curator_id)
            return Reported(what, thing_id, watchlist, person=owner)
        if what == "comment":
            return await self._reported_comment(thing_id)
        return await self._reported_review(thing_id)

    async def _reported_comment(self, thing_id: str) -> Reported:
        watchlist_id, _, name = thing_id.partition("/")
        parts = comment_parts(name)
        comment = None if parts is None else await find(self._store, schema.comment, watchlist_id, *parts)
        watchlist = await find(self._store, schema.watchlist, watchlist_id)
        if comment is None or watchlist is None or not watchlist.is_public:
            return Reported("comment", thing_id)
        return Reported("comment", thing_id, watchlist, comment, person=await self._people.find(comment.user_id))

    async def _reported_review(self, thing_id: str) -> Reported:
        kind, _, rest = thing_id.partition("/")
        content_id, _, user_id = rest.rpartition("/")
        content_type: ContentType = "SHOW" if kind.upper() == "SHOW" else "MOVIE"
        review = await find(self._store, schema.rating, user_id, content_type, content_id)
        titles = await titles_by_ref(self._store, [(content_type, content_id)])
        return Reported(
            "review",
            thing_id,
            review=review,
            title=titles.get((content_type, content_id)),
            person=None if review is None else await self._people.find(user_id),
        )


def key_of(what: What, thing_id: str) -> str:
    """A reported thing in one text."""
    return f"{_PREFIX[what]}#{thing_id}"


def parts_of(key: str) -> tuple[What, str]:
    """What it is, and its id."""
    prefix, _, thing_id = key.partition("#")
    return _WHAT.get(prefix, "list"), thing_id


def _nothing() -> NotFound:
    return NotFound("There is nothing here to report. It may have been removed.")


class _Ended(Exception):
    """Somebody else has resolved it."""
