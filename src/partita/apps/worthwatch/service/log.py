"""The log: every change that others can see, once for each sequence number of the change stream.

It says who changed what, and for lists and titles from what to what. It holds no words of comments, reviews and
profiles, which people can take back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import content_name
from partita.apps.worthwatch.schema import (
    Application,
    Comment,
    ListRemoval,
    Log,
    Movie,
    Rating,
    Report,
    Show,
    User,
    Watchlist,
    WatchlistItem,
)
from partita.apps.worthwatch.service.labels import titles_by_ref
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.titles import parsed
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import follow_page
from partita.kit.problems import BadRequest
from partita.table import AttributeOf, Page, Put
from partita.table.changes import Change
from partita.table.types import timestamp

_DIGITS = 40
_LIST = (
    Watchlist.title,
    Watchlist.description,
    Watchlist.tags,
    Watchlist.is_public,
    Watchlist.is_ranked,
    Watchlist.hidden,
    Watchlist.cover_image_url,
    Watchlist.cover_file,
)
_ITEM = (WatchlistItem.curator_note, WatchlistItem.note_spoils)
_PERSON = (User.username, User.bio, User.avatar_url, User.avatar_file, User.favourites)
_FACTS = ("title", "genres", "cast", "synopsis", "poster_url", "poster_file")
_IDS = ("tmdb_id", "imdb_id", "other_titles", "checked_at")
_MOVIE = (*_FACTS, *_IDS, "release_year", "directors", "runtime")
_SHOW = (*_FACTS, *_IDS, "start_year", "end_year", "creators", "number_of_seasons", "number_of_episodes", "status")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the log and who did it."""

    log: Log
    who: User | None
    name: str | None = None
    """What it happened to, as everybody may call it now; None if it is private or gone."""


class Logs:
    """Who changed what."""

    def __init__(self, kit: Kit, people: People, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._lists = lists

    async def on_day(self, day: str | None, *, limit: int = 50, cursor: str | None = None) -> Page[Entry]:
        """What happened on a day, today if none is named, newest first."""
        wanted = stamp(self._kit.clock)[:10] if day is None else checked_day(day)
        return await self._page(schema.log_on(wanted), limit, cursor)

    async def of(self, what: str, *, limit: int = 50, cursor: str | None = None) -> Page[Entry]:
        """What happened to one thing, such as `WATCHLIST#…`, newest first."""
        return await self._page(schema.log_of(what), limit, cursor)

    async def by(self, user_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[Entry]:
        """What somebody did, newest first."""
        return await self._page(schema.log_by(user_id), limit, cursor)

    async def _page(self, query: Any, limit: int, cursor: str | None) -> Page[Entry]:
        async def follow(logs: Sequence[Log]) -> list[Entry]:
            of_people = [each.what.partition("#")[2] for each in logs if each.what.startswith("USER#")]
            people = await self._people.by_id((*(each.who for each in logs if each.who), *of_people))
            names = {f"USER#{user.user_id}": user.username for user in people.values()} | await self._names(logs)
            return [Entry(each, people.get(each.who or ""), names.get(each.what)) for each in logs]

        return await follow_page(self._store, query, follow, limit=limit, after=cursor)

    async def _names(self, logs: Sequence[Log]) -> dict[str, str]:
        """What lists and titles are called; a list that is private now is not named, whatever it was called before."""
        things = [each.what.partition("#") for each in logs]
        lists = await self._lists.by_id(thing_id for kind, _, thing_id in things if kind == "WATCHLIST")
        titles = await titles_by_ref(self._store, (parsed(each.what) for each in logs if _is_title(each.what)))
        named = {f"WATCHLIST#{each.watchlist_id}": each.title for each in lists.values() if each.is_public}
        return named | {content_name(*ref): title.title for ref, title in titles.items()}

    async def write(self, change: Change) -> None:
        """Log a change, if others can see it; a second time it is the same entry."""
        entry = entry_of(change)
        if entry is not None:
            try:
                await self._store.write(Put(entry).if_new().otherwise(_Known()))
            except _Known:
                return


def entry_of(change: Change) -> Log | None:
    """What the log says of a change; None if nobody else can see it."""
    for item_type, say in _SAY:
        before, after = change.read(item_type)
        if before is not None or after is not None:
            said = say(before, after)
            if said is None:
                return None
            return Log(
                what=said.what,
                at=timestamp(change.at),
                sequence=change.sequence.rjust(_DIGITS, "0"),
                who=said.who,
                verb=said.verb,
                before=said.before,
                after=said.after,
            )
    return None


@dataclass(frozen=True, slots=True)
class _Said:
    what: str
    who: str | None
    verb: str
    before: dict[str, Any]
    after: dict[str, Any]


def _of_list(before: Watchlist | None, after: Watchlist | None) -> _Said | None:
    """A list that is public, or was; what it was before it was published is its curator's own."""
    if after is None or not (after.is_public or (before is not None and before.is_public)):
        return None  # its removal says who deleted it
    what = f"WATCHLIST#{after.watchlist_id}"
    if before is None or not before.is_public:
        return _Said(what, after.updated_by, "published list", {}, _values(after, _LIST))
    old, new = _differences(before, after, _LIST)
    if not new:
        return None
    if not after.is_public:
        return _Said(what, after.updated_by, "took back list", old, {"isPublic": False})
    if bool(before.hidden) != bool(after.hidden):  # what follows a decision on its curator
        return _Said(what, None, "hid list" if after.hidden else "restored list", {}, {})
    return _Said(what, after.updated_by, "edited list", old, new)


def _of_removal(before: ListRemoval | None, after: ListRemoval | None) -> _Said | None:
    if before is not None or after is None or not after.was_public:
        return None
    return _Said(f"WATCHLIST#{after.watchlist_id}", after.removed_by, "deleted list", {"title": after.title}, {})


def _of_item(before: WatchlistItem | None, after: WatchlistItem | None) -> _Said | None:
    """A title of a live list; only the list's curator changes it."""
    item = after if after is not None else before
    if item is None or item.live_since is None:
        return None
    what = f"WATCHLIST#{item.watchlist_id}"
    named = {"title": item.label.title if item.label else content_name(item.content_type, item.content_id)}
    if before is None:
        return _Said(what, None, "added title", {}, named)
    if after is None:
        return _Said(what, None, "removed title", named, {})
    old, new = _differences(before, after, _ITEM)
    return _Said(what, None, "edited note", named | old, named | new) if new else None


def _of_person(before: User | None, after: User | None) -> _Said | None:
    if after is None:
        return None if before is None else _Said(f"USER#{before.user_id}", before.user_id, "left", {}, {})
    what = f"USER#{after.user_id}"
    if before is None:
        return _Said(what, after.updated_by, "joined", {}, {})
    if before.curator_status != after.curator_status:
        old, new = before.curator_status or "member", after.curator_status or "member"
        return _Said(what, after.updated_by, "changed status", {"status": old}, {"status": new})
    _, new_values = _differences(before, after, _PERSON)
    return _Said(what, after.updated_by, "edited profile", {}, {"fields": sorted(new_values)}) if new_values else None


def _of_title(before: Movie | Show | None, after: Movie | Show | None) -> _Said | None:
    title = after if after is not None else before
    assert title is not None
    names = _MOVIE if isinstance(title, Movie) else _SHOW
    what = content_name(title.content_type, title.content_id)
    attributes = [type(title).__attributes__[name] for name in names]
    if before is None:
        return _Said(what, title.updated_by, "added to catalog", {}, {"title": title.title})
    if after is None:
        return _Said(what, None, "deleted from catalog", {"title": title.title}, {})
    old, new = _differences(before, after, attributes)
    return _Said(what, after.updated_by, "edited facts", old, new) if new else None


def _of_review(before: Rating | None, after: Rating | None) -> _Said | None:
    rating = after if after is not None else before
    assert rating is not None
    old, new = before.review if before else None, after.review if after else None
    if (old or None) == (new or None):
        return None
    verb = "wrote review" if not old else "edited review" if new else "removed review"
    # Its author, or a moderator: the rating does not say who.
    who = rating.user_id if new else None
    return _Said(content_name(rating.content_type, rating.content_id), who, verb, {}, {"of": rating.user_id})


def _of_comment(before: Comment | None, after: Comment | None) -> _Said | None:
    """Written or edited; who removes one writes that down together with it."""
    if after is None or after.removed_by is not None:
        return None
    what, named = f"WATCHLIST#{after.watchlist_id}", {"comment": after.name}
    if before is None:
        return _Said(what, after.user_id, "replied" if after.reply_to else "commented", {}, named)
    edited = before.comment_text != after.comment_text
    return _Said(what, after.user_id, "edited comment", {}, named) if edited else None


def _of_application(before: Application | None, after: Application | None) -> _Said | None:
    """Decisions; that somebody applies is between them and the moderators."""
    if after is None or after.decided_at is None or (before is not None and before.decided_at == after.decided_at):
        return None
    return _Said(f"USER#{after.user_id}", after.decided_by, f"{after.decision} curator", {}, {"reason": after.reason})


def _of_report(before: Report | None, after: Report | None) -> _Said | None:
    if after is None or after.resolved_at is None or (before is not None and before.resolved_at == after.resolved_at):
        return None
    return _Said(f"REPORTED#{after.what}", after.resolved_by, "resolved report", {}, {"decision": after.state})


_SAY: tuple[tuple[type[Any], Callable[[Any, Any], _Said | None]], ...] = (
    (Watchlist, _of_list),
    (ListRemoval, _of_removal),
    (WatchlistItem, _of_item),
    (User, _of_person),
    (Movie, _of_title),
    (Show, _of_title),
    (Rating, _of_review),
    (Comment, _of_comment),
    (Application, _of_application),
    (Report, _of_report),
)


def _is_title(what: str) -> bool:
    return what.startswith(("MOVIE#", "SHOW#"))


def _values(item: Any, attributes: Iterable[AttributeOf[Any, Any]]) -> dict[str, Any]:
    values = {each.stored_name: _plain(getattr(item, each.field_name)) for each in attributes}
    return {name: value for name, value in values.items() if value not in (None, "", [], False)}


def _differences(
    before: Any, after: Any, attributes: Iterable[AttributeOf[Any, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields that differ, as they were and as they are."""
    changed = [each for each in attributes if getattr(before, each.field_name) != getattr(after, each.field_name)]
    return (
        {each.stored_name: _plain(getattr(before, each.field_name)) for each in changed},
        {each.stored_name: _plain(getattr(after, each.field_name)) for each in changed},
    )


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def checked_day(day: str) -> str:
    """A day as the log is read by; refused if it is none."""
    if len(day) != 10 or not day.replace("-", "").isdigit():
        raise BadRequest("A day is written as 2026-05-01.", code="invalid_day")
    return day


class _Known(Exception):
    """The entry is there."""
