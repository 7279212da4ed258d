"""Notices: news of saved lists and followed curators, comments and replies, decisions, and what waits for moderators.

What a list gained on a day is counted in one item, `TOLD#<day>`; its first title starts one pass over those who saved
the list. Their notices look the number up when they are read, so that the titles that follow need no further pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import Application, Comment, Report, Told, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.addresses import list_path
from partita.apps.worthwatch.service.lists import Lists, seen_by_everybody
from partita.apps.worthwatch.service.people import People
from partita.kit.clock import stamp
from partita.kit.jobs import Arguments, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.notifications import Channels, Kind, Words
from partita.store.store import AsyncStore
from partita.table import Action, ChangedMeanwhileError, Update, any_of

_PAGE = 200
_KEPT = timedelta(days=100)
"""Longer than notices are kept, so that those can look their numbers up."""
_DIGITS = 40


def _list_news(data: Mapping[str, Any], _count: int) -> Words:
    titles = data.get("titles", 1)
    return Words(f"{'A new title' if titles == 1 else f'{titles:,} new titles'} on “{data['title']}”")


def _new_list(data: Mapping[str, Any], _count: int) -> Words:
    return Words(f"{data['curator']} has a new list: “{data['title']}”")


def _commented(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{'A new comment' if count == 1 else f'{count:,} new comments'} on “{data['title']}”")


def _replied(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{'A reply' if count == 1 else f'{count:,} replies'} to your comment on “{data['title']}”")


def _decided(data: Mapping[str, Any], _count: int) -> Words:
    reason = f"The reason: {data['reason']}" if data.get("reason") else ""
    titles = {
        "approved": "You are a curator now",
        "declined": "Your application as a curator was declined",
        "suspended": "You are suspended as a curator",
    }
    following = {
        "approved": "You can publish your lists.",
        "declined": "You can apply again after 30 days.",
        "suspended": "Your lists are hidden from others. None is deleted.",
    }
    return Words(titles[data["decision"]], " ".join(filter(None, (following[data["decision"]], reason))))


def _applied(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{data['name']} applies as a curator" if count == 1 else f"{count:,} people apply as curators")


def _reported(_data: Mapping[str, Any], count: int) -> Words:
    return Words("Something was reported" if count == 1 else f"{count:,} reports wait")


class Notices:
    """Tells people; each of these may run any number of times for one cause."""

    def __init__(self, kit: Kit, people: People, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._notifications = kit.notifications
        self._people = people
        self._lists = lists
        moderators = "You get this because you moderate WorthWatch."
        self.list_news = Kind(
            "worthwatch.list-news",
            "New titles on a list that I saved",
            _list_news,
            "You get this because you saved this list in WorthWatch.",
            look_up=self._lists_now,
        )
        self.new_list = Kind(
            "worthwatch.new-list",
            "A new list by a curator whom I follow",
            _new_list,
            "You get this because you follow this curator in WorthWatch.",
            look_up=self._lists_now,
        )
        self.commented = Kind(
            "worthwatch.comment",
            "A comment on a list of mine",
            _commented,
            "You get this because the list is yours.",
            look_up=self._lists_now,
        )
        self.replied = Kind(
            "worthwatch.reply",
            "A reply to a comment of mine",
            _replied,
            "You get this because you commented on this list in WorthWatch.",
            look_up=self._lists_now,
        )
        self.decided = Kind(
            "worthwatch.decision",
            "Decisions on me as a curator",
            _decided,
            "You get this because you applied as a curator of WorthWatch, or are one.",
            Channels(suite=True, mail="once"),
        )
        self.applied = Kind(
            "worthwatch.application-waiting",
            "Somebody applies as a curator",
            _applied,
            moderators,
            needs=WorthWatch.DECIDE,
        )
        self.reported = Kind(
            "worthwatch.report-waiting",
            "Something was reported",
            _reported,
            moderators,
            needs=WorthWatch.MODERATE,
        )
        self.tell_savers = JobKind("worthwatch.tell-savers", "Tell of new titles", self._tell_savers)
        self.tell_followers = JobKind("worthwatch.tell-followers", "Tell of a new list", self._tell_followers)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return (
            self.list_news,
            self.new_list,
            self.commented,
            self.replied,
            self.decided,
            self.applied,
            self.reported,
        )

    @property
    def jobs(self) -> tuple[JobKind, ...]:
        return self.tell_savers, self.tell_followers

    # -- news of lists

    async def count_title(self, item: WatchlistItem, sequence: str, *, gone: bool) -> None:
        """Count a title that a live list gained, or lost on the same day, once for each change. The changes of one
        list come in order, so what is not after the last one that was counted is counted already."""
        watchlist = await find(self._store, schema.watchlist, item.watchlist_id)
        if watchlist is None or not watchlist.live or item.added_at <= (watchlist.published_at or ""):
            return  # what it was published with is no news
        day, number = _day(item.added_at), sequence.rjust(_DIGITS, "0")
        key = Told.key(Told.watchlist_id(item.watchlist_id), Told.day(day))
        uncounted = any_of(Told.counted_to.missing(), Told.counted_to < number)
        actions: list[Action[Told]] = [Told.titles.add(-1 if gone else 1), Told.counted_to.set(number)]
        change = Update(key, *actions)
        if not gone:
            first = Told.began_at.set_if_missing(item.added_at)
            change = Update(key, *actions, first, Told.expires_at.set(_expiry(day))).or_new()
        with suppress(_Counted):
            await self._store.write(change.when(uncounted).otherwise(_Counted()))

    async def begin_savers(self, told: Told) -> None:
        """Start the pass over those who saved a list that gained its first title of a day, unless it was made."""
        now = await find(self._store, schema.told, told.watchlist_id, told.day)
        if now is None or now.told_at is not None:
            return
        arguments = {"list": told.watchlist_id, "day": told.day}
        await self._kit.jobs.start(self.tell_savers, arguments, None, key=f"{told.watchlist_id}#{told.day}")

    async def begin_followers(self, watchlist: Watchlist) -> None:
        """Start the pass over the followers of a curator who has a new list, unless it was made."""
        if watchlist.published_at is None:
            return
        day = _day(watchlist.published_at)
        now = await find(self._store, schema.told, watchlist.watchlist_id, day)
        if now is not None and now.followers_told_at is not None:
            return
        arguments = {"list": watchlist.watchlist_id, "day": day}
        await self._kit.jobs.start(self.tell_followers, arguments, None, key=watchlist.watchlist_id)

    async def _tell_savers(self, running: Running, arguments: Arguments) -> Result:
        watchlist_id, day = str(arguments["list"]), str(arguments["day"])
        told = await find(self._store, schema.told, watchlist_id, day)
        if told is None or told.told_at is not None:
            return Result("Told already.")
        cursor, count = running.saved or (None, 0)
        while True:
            watchlist = await self._visible(watchlist_id)
            if watchlist is None:
                return Result("The list is not public any more.")
            page = await self._store.page(schema.savers_of(watchlist_id), limit=_PAGE, after=cursor)
            for saved in page:
                if saved.tell_me is False or saved.user_id == watchlist.curator_id:
                    continue
                await self._notifications.tell(
                    saved.user_id,
                    self.list_news,
                    cause=f"{watchlist_id} {day}",
                    at=told.began_at or f"{day}T00:00:00.000000Z",
                    data={"list": watchlist_id, "day": day},
                    link=list_path(watchlist),
                )
                count += 1
            cursor = page.next_cursor
            if cursor is None:
                break
            await running.checkpoint((cursor, count))
        key = Told.key(Told.watchlist_id(watchlist_id), Told.day(day))
        with suppress(ChangedMeanwhileError, _Counted):
            await self._store.write(Update(key, Told.told_at.set(stamp(self._kit.clock))).otherwise(_Counted()))
        return Result(f"{count:,} people told.", values={"people": count})

    async def _tell_followers(self, running: Running, arguments: Arguments) -> Result:
        watchlist_id, day = str(arguments["list"]), str(arguments["day"])
        cursor, count = running.saved or (None, 0)
        while True:
            watchlist = await self._visible(watchlist_id)
            if watchlist is None or watchlist.published_at is None:
                return Result("The list is not public any more.")
            page = await self._store.page(schema.followers_of(watchlist.curator_id), limit=_PAGE, after=cursor)
            for follow in page:
                await self._notifications.tell(
                    follow.user_id,
                    self.new_list,
                    cause=watchlist_id,
                    at=watchlist.published_at,
                    data={"list": watchlist_id},
                    link=list_path(watchlist),
                )
                count += 1
            cursor = page.next_cursor
            if cursor is None:
                break
            await running.checkpoint((cursor, count))
        key = Told.key(Told.watchlist_id(watchlist_id), Told.day(day))
        done = Update(key, Told.followers_told_at.set(stamp(self._kit.clock)), Told.expires_at.set(_expiry(day)))
        await self._store.write(done.or_new())
        return Result(f"{count:,} people told.", values={"people": count})

    # -- comments and decisions

    async def tell_commented(self, written: Comment) -> None:
        """Somebody commented: to the list's curator, or to whom they answered; nobody hears of their own."""
        comment = await find(self._store, schema.comment, written.watchlist_id, written.created_at, written.user_id)
        watchlist = await self._visible(written.watchlist_id)
        if comment is None or comment.removed_by is not None or watchlist is None:
            return  # removed meanwhile
        data, link = {"list": watchlist.watchlist_id}, f"{list_path(watchlist)}#comments"
        answered = (comment.reply_to or "").rpartition("~")[2]
        if answered and answered != comment.user_id:
            await self._notifications.tell(
                answered,
                self.replied,
                cause=f"{watchlist.watchlist_id} {comment.name}",
                at=comment.created_at,
                data=data,
                link=link,
                group=f"{watchlist.watchlist_id} {comment.reply_to}",
            )
        if watchlist.curator_id not in (comment.user_id, answered):
            await self._notifications.tell(
                watchlist.curator_id,
                self.commented,
                cause=f"{watchlist.watchlist_id} {comment.name}",
                at=comment.created_at,
                data=data,
                link=link,
                group=watchlist.watchlist_id,
            )

    async def tell_decided(self, decided: Application) -> None:
        """A moderator has decided: to the applicant or curator, by mail too, unless it was decided anew meanwhile."""
        now = await self._application(decided)
        if now is None or now.decided_at != decided.decided_at or decided.decided_at is None:
            return
        await self._notifications.tell(
            decided.user_id,
            self.decided,
            cause=f"{decided.applied_at} {decided.decided_at}",
            at=decided.decided_at,
            data={"decision": decided.decision, "reason": decided.reason or ""},
            link="/worthwatch/apply",
        )

    async def tell_applied(self, applied: Application) -> None:
        """Somebody applied: to those who decide, unless it is decided."""
        now = await self._application(applied)
        user = await self._people.find(applied.user_id)
        if now is None or now.decision is not None or user is None:
            return
        for user_id in await self._kit.accounts.permissions.holders(WorthWatch.DECIDE):
            await self._notifications.tell(
                user_id,
                self.applied,
                cause=f"{applied.user_id} {applied.applied_at}",
                at=applied.applied_at,
                data={"name": user.username},
                link="/worthwatch/applications",
                group="applications",
            )

    async def tell_reported(self, report: Report) -> None:
        """Somebody reported something: to those who look at it, unless it is resolved."""
        now = await find(self._store, schema.report, report.what, report.user_id)
        if now is None or now.state != "open":
            return
        for user_id in await self._kit.accounts.permissions.holders(WorthWatch.MODERATE):
            await self._notifications.tell(
                user_id,
                self.reported,
                cause=f"{report.what} {report.user_id}",
                at=report.reported_at,
                data={},
                link="/worthwatch/reports",
                group="reports",
            )

    # -- rules

    async def _application(self, wanted: Application) -> Application | None:
        key = Application.get(Application.user_id(wanted.user_id), Application.applied_at(wanted.applied_at))
        return await self._store.get(key.consistently())

    async def _visible(self, watchlist_id: str) -> Watchlist | None:
        """A list that everybody can see."""
        watchlist = await find(self._store, schema.watchlist, watchlist_id)
        if watchlist is None or not watchlist.live:
            return None
        curator = await self._people.find(watchlist.curator_id)
        return watchlist if seen_by_everybody(watchlist, curator) else None

    async def _lists_now(self, told: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any] | None]:
        """The lists of notices as they are now: name, curator and number; None for those that others cannot see."""
        return await _look_up(self._store, self._people, self._lists, told)


async def _look_up(
    store: AsyncStore, people: People, lists: Lists, told: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any] | None]:
    known = await lists.by_id(str(each["list"]) for each in told)
    curators = await people.by_id(each.curator_id for each in known.values())
    days = tuple(dict.fromkeys((str(each["list"]), str(each["day"])) for each in told if "day" in each))
    counted = dict(zip(days, await store.batch_get(schema.told_by_day(days).keys), strict=True)) if days else {}

    def now(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        watchlist = known.get(str(data["list"]))
        if watchlist is None or not watchlist.live:
            return None
        curator = curators.get(watchlist.curator_id)
        if not seen_by_everybody(watchlist, curator):
            return None
        day = counted.get((watchlist.watchlist_id, str(data.get("day"))))
        return {
            **data,
            "title": watchlist.title,
            "curator": curator.username if curator else "Somebody",
            "titles": max(1, day.titles) if day else 1,
        }

    return [now(each) for each in told]


def _day(at: str) -> str:
    moment = datetime.fromisoformat(at)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).date().isoformat()


def _expiry(day: str) -> int:
    return int((datetime.fromisoformat(day).replace(tzinfo=UTC) + _KEPT).timestamp())


class _Counted(Exception):
    """The change is counted already, or there is nothing to count it in."""
