"""Merging a title into another one of its type: nothing that lists, people and diaries say of it is lost.

The first transaction deletes the title, gives its names and ids to the other one, and leaves a mark that redirects for
good. From then on nobody can rate it or put it on a list, since both need it to be there. A job moves the rest, each
thing in a transaction of its own with its counts; it is done when nothing is found any more. What somebody wrote at
that very moment is moved by the change stream.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import MOST_OTHER_TITLES
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import (
    ContentType,
    ExternalId,
    Merged,
    Mine,
    Rating,
    Viewing,
    Watchlist,
    WatchlistItem,
)
from partita.apps.worthwatch.service import mine as marks
from partita.apps.worthwatch.service.addresses import title_path
from partita.apps.worthwatch.service.labels import Ref, Title, label_of, title_get
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.ratings import TRIES, contains, sums_of
from partita.apps.worthwatch.service.titles import (
    Titles,
    actions,
    beside,
    edited,
    names_of,
    no_such_title,
    one_use_more,
)
from partita.kit.clock import stamp
from partita.kit.jobs import Arguments, Job, JobFailed, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, FieldError, Invalid
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Delete, Put, Transaction, Update

KIND = "worthwatch.merge"
_LONGEST_NOTE = 1000
_MOST_HOPS = 8
_IDS = ("tmdb_id", "imdb_id")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two titles side by side, and what moves."""

    title: Title
    into: Title

    @property
    def same_type(self) -> bool:
        return self.title.content_type == self.into.content_type

    @property
    def moves(self) -> tuple[tuple[str, int], ...]:
        return ("lists", self.title.listed_in or 0), ("ratings", self.title.rating_count or 0)


class Merging:
    """Two titles become one."""

    def __init__(self, kit: Kit, titles: Titles) -> None:
        self._kit = kit
        self._store = kit.store
        self._titles = titles
        self._move = Moves(kit.store)

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Merge titles", self.run, needs=WorthWatch.CATALOG)

    async def compare(self, content_type: ContentType, content_id: str, into: str) -> Comparison:
        """Both titles as they are."""
        return Comparison(
            await self._titles.title(content_type, content_id), await self._titles.title(content_type, into)
        )

    async def begin(self, viewer: Viewer, content_type: ContentType, content_id: str, into: str) -> Job:
        """Merge a title into another one of its type; returns the job that moves what refers to it. Asked again while
        it is not done, it goes on."""
        authorize(viewer, WorthWatch.CATALOG)
        if content_id == into:
            raise Invalid(FieldError("into", "A title cannot be merged into itself. Choose another one."))

        async def attempt() -> str:
            mark = await find(self._store, schema.merged, content_type, content_id)
            if mark is not None:
                if mark.into != into:
                    raise Conflict(f"It was merged into {mark.into} already.", code="already_merged")
                return mark.title
            both = await self.compare(content_type, content_id, into)
            await self._store.transact(Transaction(*self._first(both, viewer.id)))
            return both.title.title

        title = await self._store.attempt(attempt)
        arguments = {"type": content_type, "id": content_id, "into": into}
        key = f"{content_type} {content_id}"
        return await self._kit.jobs.start(KIND, arguments, viewer, key=key, title=f"Merge {title}")

    async def resolve(self, content_type: ContentType, content_id: str) -> Ref | None:
        """Where a merged title went, if it was one; also if that was merged again."""
        return await merged_into(self._store, content_type, content_id)

    async def run(self, running: Running, arguments: Arguments) -> Result:
        """Move what refers to the title, until nothing does."""
        ref: Ref = arguments["type"], arguments["id"]
        into: Ref = arguments["type"], arguments["into"]
        moved: int = running.saved or 0
        while True:
            before = moved
            async for move in self._found(ref, into):
                await running.progress("Moving", done=moved)
                moved += await move()
            await running.checkpoint(moved)
            if moved == before:
                break
        mark = await find(self._store, schema.merged, *ref)
        if mark is None:
            raise JobFailed("The mark of this merge is gone. Merge again.")
        if mark.done_at is None:
            await self._store.write(Update(mark.own_key, Merged.done_at.set(stamp(self._kit.clock))))
        title: Title | None = await find(self._store, title_get, *into)
        path = title_path(*into, title.title if title else mark.title)
        return Result(f"Merged. {moved:,} {'thing' if moved == 1 else 'things'} moved.", path, {"moved": moved})

    async def late(self, thing: WatchlistItem | Mine | Viewing) -> None:
        """Move something that was written while its title was merged."""
        ref = thing.content_type, thing.content_id
        mark = await find(self._store, schema.merged, *ref)
        if mark is not None:
            await self._mover(thing, ref, (ref[0], mark.into))()

    async def _found(self, ref: Ref, into: Ref) -> AsyncIterator[Callable[[], Awaitable[int]]]:
        """Everything that refers to a title; a rating is found by the mark that repeats it, and moves before it."""
        for query in (
            schema.lists_with(*ref),
            schema.marks_of(*ref),
            schema.viewings_of(*ref),
        ):
            async for thing in self._store.stream(query):
                yield self._mover(thing, ref, into)

    def _mover(self, thing: Any, ref: Ref, into: Ref) -> Callable[[], Awaitable[int]]:
        async def move() -> int:
            match thing:
                case WatchlistItem():
                    return await self._move.item(thing.watchlist_id, ref, into)
                case Mine():
                    moved = await self._move.rating(thing.user_id, ref, into)
                    return moved + await self._move.mark(thing.user_id, ref, into)
                case Viewing():
                    return await self._move.viewing(thing, into)
            raise AssertionError(f"{type(thing).__name__} does not move")

        return move

    def _first(self, both: Comparison, by: str) -> list[Write]:
        """Delete the title, leave the mark, and give the other one its names, and what it lacks: external ids, and an
        uploaded poster."""
        title, before = both.title, both.into
        now = stamp(self._kit.clock)
        known = {before.title, *(before.other_titles or ())}
        names = [name for name in (title.title, *(title.other_titles or ())) if name not in known]
        others = (*(before.other_titles or ()), *names)[:MOST_OTHER_TITLES]
        taken = {name: getattr(title, name) for name in _IDS if getattr(before, name) is None and getattr(title, name)}
        facts: dict[str, Any] = {"other_titles": others or None, **taken}
        if before.picture is None and title.picture is not None:
            facts["poster_file"] = title.poster_file
        if before.maybe_same == f"{title.content_type}#{title.content_id}":
            facts["maybe_same"] = None
        after = before.model_copy(update={**facts, "updated_at": now, "updated_by": by})
        mark = Merged(
            content_type=title.content_type,
            content_id=title.content_id,
            into=before.content_id,
            title=title.title,
            merged_by=by,
            merged_at=now,
        )
        own = Update(before.own_key, *actions(before, after)).unless_changed(before, *_compared(before))
        gone = Delete(title.own_key).unless_changed(title, *_compared(title))
        return [gone, own, Put(mark).if_new(), *_names(title, before, after), *_guards(title, after, set(taken))]


async def merged_into(store: AsyncStore, content_type: ContentType, content_id: str) -> Ref | None:
    """Where a merged title went, if it was one; also if that was merged again."""
    now = content_id
    for _ in range(_MOST_HOPS):
        mark = await find(store, schema.merged, content_type, now)
        if mark is None:
            break
        now = mark.into
    return None if now == content_id else (content_type, now)


def _compared(title: Title) -> list[Any]:
    """What must still be as it was when both were compared; a poster is uploaded without an edit."""
    return [*edited(title), type(title).poster_file]


def _names(title: Title, before: Title, after: Title) -> list[Write]:
    """The names of one become those of the other."""
    gone: list[Write] = [Delete(each.own_key) for each in names_of(title).values()]
    there = {each.own_key for each in names_of(before).values()}
    return gone + [Put(each) for each in names_of(after).values() if each.own_key not in there]


def _guards(title: Title, after: Title, taken: set[str]) -> list[Write]:
    """An id that moves keeps its guard, which names its new owner; the others are free again."""
    writes: list[Write] = []
    for write in beside(title, None):
        key = write.key if isinstance(write, Delete) else None
        if key is None or key.item_type is not ExternalId:
            continue
        writes.append(write)
    moved = {each.own_key: each for each in _external(after)}
    return [
        Put(moved[write.key]) if isinstance(write, Delete) and write.key in moved and taken else write
        for write in writes
    ]


def _external(title: Title) -> list[ExternalId]:
    return [
        write.item for write in beside(None, title) if isinstance(write, Put) and isinstance(write.item, ExternalId)
    ]


class Moves:
    """One thing from one title to another, in one transaction; 0 if it is not there any more."""

    def __init__(self, store: AsyncStore) -> None:
        self._store = store

    async def item(self, watchlist_id: str, ref: Ref, into: Ref) -> int:
        """A place on a list. If both are on it: the earlier place, and both notes."""

        async def attempt() -> int:
            old = await find(self._store, schema.item_of, watchlist_id, *ref)
            if old is None:
                return 0
            new = await find(self._store, schema.item_of, watchlist_id, *into)
            title = await self._title(into)
            gone = Delete(old.own_key).unless_changed(
                old, WatchlistItem.position, WatchlistItem.curator_note, WatchlistItem.counted
            )
            key = Watchlist.key(Watchlist.watchlist_id(watchlist_id))
            counted: bool | None = old.as_stored(WatchlistItem.counted)
            if new is None:
                item = old.model_copy(update={"content_id": into[1], "label": label_of(title)})
                put = Put(WatchlistItem(**_fields(item))).if_new().otherwise(_changed("The list"))
                more = () if counted else (Update(key, Watchlist.item_count.add(1)),)
                await self._store.transact(Transaction(gone, put, one_use_more(title), *more))
                return 1
            notes = "\n\n".join(each.curator_note for each in _by_place(old, new) if each.curator_note)
            both = new.model_copy(
                update={
                    "position": min(old.position, new.position),
                    "curator_note": notes[:_LONGEST_NOTE] or None,
                    "note_spoils": (old.note_spoils or new.note_spoils) or None,
                }
            )
            put = Put(both).unless_changed(
                new, WatchlistItem.position, WatchlistItem.curator_note, WatchlistItem.note_spoils
            )
            less = (Update(key, Watchlist.item_count.add(-1)),) if counted else ()
            await self._store.transact(Transaction(gone, put, *less))
            return 1

        return await self._store.attempt(attempt, tries=TRIES)

    async def rating(self, user_id: str, ref: Ref, into: Ref) -> int:
        """A rating with its review. If both are rated, the later counts."""

        async def attempt() -> int:
            old = await find(self._store, schema.rating, user_id, *ref)
            if old is None:
                return 0
            new = await find(self._store, schema.rating, user_id, *into)
            gone = Delete(old.own_key).unless_changed(old, Rating.rating, Rating.rated_at, Rating.review)
            if new is not None and new.rated_at >= old.rated_at:
                await self._store.write(gone)
                return 1
            rating = Rating(**{**_fields(old), "content_id": into[1]})
            put = (
                Put(rating).if_new().otherwise(_changed("The rating"))
                if new is None
                else Put(rating).unless_changed(new, Rating.rating, Rating.rated_at, Rating.counted_rating)
            )
            title = await self._title(into)
            counted = None if new is None else new.as_stored(Rating.counted_rating)
            if counted is not None and not contains(title, counted):
                counted = None
            await self._store.transact(Transaction(gone, put, *sums_of(title).update(title, counted, rating.rating)))
            return 1

        return await self._store.attempt(attempt, tries=TRIES)

    async def mark(self, user_id: str, ref: Ref, into: Ref) -> int:
        """What somebody has done with a title, and its place on To watch."""

        async def attempt() -> int:
            old = await find(self._store, schema.mine, user_id, *ref)
            if old is None:
                return 0
            new = await find(self._store, schema.mine, user_id, *into)
            rating = await find(self._store, schema.rating, user_id, *into)
            both = _joined(old, new or marks.blank(user_id, into), rating)
            writes = [*marks.changes(old, marks.blank(user_id, ref)), *marks.changes(new, both)]
            if both.queued and not (new is not None and new.queued):
                place = await find(self._store, schema.queued, user_id, *ref)
                label = label_of(await self._title(into))
                at = place.queued_at if place else stamp_of(old)
                writes.append(Put(marks.place_of(both, at, place.from_list if place else None, label)))
            await self._store.transact(Transaction(*writes))
            return 1

        return await self._store.attempt(attempt, tries=TRIES)

    async def viewing(self, seen: Viewing, into: Ref) -> int:
        """An entry of a diary."""

        async def attempt() -> int:
            entry = await find(self._store, schema.viewing, seen.user_id, seen.day, seen.viewing_id)
            if entry is None or entry.content_id != seen.content_id:
                return 0
            title = await self._title(into)
            moved = Viewing(**{**_fields(entry), "content_id": into[1], "label": label_of(title)})
            await self._store.write(Put(moved).unless_changed(entry, Viewing.content_id))
            return 1

        return await self._store.attempt(attempt, tries=TRIES)

    async def _title(self, ref: Ref) -> Title:
        title: Title | None = await find(self._store, title_get, *ref)
        if title is None:
            raise no_such_title()
        return title


def stamp_of(mine: Mine) -> str:
    """When somebody last did something with a title, as far as it is known."""
    return mine.marked_at or "1970-01-01T00:00:00.000000Z"


def _joined(old: Mine, new: Mine, rating: Rating | None) -> Mine:
    """Both marks as one: seen if either is; times add up; on To watch if either is and neither is seen."""
    marked = min((each for each in (old.marked_at, new.marked_at) if each), default=None)
    last = max((each for each in (old.last_seen_on, new.last_seen_on) if each), default=None)
    return new.with_(
        Mine.times((old.times or 0) + (new.times or 0) or None),
        Mine.last_seen_on(last),
        Mine.marked_at(marked),
        Mine.queued((True if old.queued or new.queued else None) if marked is None else None),
        Mine.rating(rating.rating if rating else None),
        Mine.not_for_me(True if old.not_for_me or new.not_for_me else None),
    )


def _by_place(one: WatchlistItem, other: WatchlistItem) -> tuple[WatchlistItem, WatchlistItem]:
    return (one, other) if one.position <= other.position else (other, one)


def _fields(item: Any) -> dict[str, Any]:
    """What an item is made of, without what follows from it."""
    return {
        name: getattr(item, name) for name, attribute in type(item).__attributes__.items() if not attribute.is_derived
    }


def _changed(what: str) -> Callable[[Any], Exception]:
    return lambda there: ChangedMeanwhileError(what, there)
