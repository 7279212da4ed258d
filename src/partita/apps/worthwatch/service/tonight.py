"""Tonight: three titles that fit somebody's time, each with a person's reason.

They come from To watch, saved lists and the curators somebody follows; for visitors, and if those say too little, from
popular lists. A title about which nobody says why is left out. Nothing here grows: twelve lists at most are read, the
first titles of each, the newest ratings of a few people, and the marks of the best candidates alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2s
from typing import Literal

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import Label, User, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.labels import Ref
from partita.apps.worthwatch.service.lists import Lists, seen_by_everybody
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.shelves import Shelves
from partita.apps.worthwatch.service.tiles import Tile, tile_of_label
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.store.store import AsyncStore

Minutes = Literal[90, 120, 150]
MOST_LISTS = 12
THREE = 3
MOST_SKIPPED = 60
_TITLES_OF_A_LIST = 16
_QUEUED = 40
_CHECKED_AT_ONCE = 12
"""Of so many candidates it is looked up at once whether the viewer has seen them."""
_MOST_SEEN = 20
"""So many more are looked at if the viewer has seen the best ones."""
_ASKED = 3
"""For so many titles without a note on the lists that were read, other lists are asked why."""
_TASTES = 160
"""So many ratings of each person are compared, the newest."""
_COMPARED = 3
"""With so many curators, those who recommend most, the viewer's taste is compared."""
_LEAST_IN_COMMON = 5
_NOBODY = 50.0
"""How far one agrees with somebody whose taste cannot be compared."""
_WITH_A_TITLE = 6


@dataclass(frozen=True, slots=True)
class Reason:
    """Who recommends a title, on which list, and why."""

    watchlist: Watchlist
    curator: User | None
    note: str = ""
    note_spoils: bool = False


@dataclass(slots=True)
class Candidate:
    """A title that could be watched tonight."""

    ref: Ref
    label: Label | None
    queued: bool = False
    reasons: list[Reason] = field(default_factory=list)

    @property
    def curators(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reason.watchlist.curator_id for reason in self.reasons))

    @property
    def best(self) -> Reason | None:
        """The note to show: one that does not tell the ending, if there is one; None if nobody says why."""
        return min((each for each in self.reasons if each.note), key=lambda each: each.note_spoils, default=None)


@dataclass(frozen=True, slots=True)
class Pick:
    """One of the three."""

    tile: Tile
    reason: Reason
    others: int
    """How many more curators recommend it."""
    queued: bool


@dataclass(frozen=True, slots=True)
class Evening:
    """What to watch tonight."""

    picks: tuple[Pick, ...]
    more: bool
    """Whether there are others."""
    considered: int
    lists: int
    genres: tuple[str, ...]
    """The genres of the titles that were considered, the most frequent first."""
    without_time: int
    """How many would fit at any length; tells which condition to loosen."""
    without_genre: int


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the viewer asks for."""

    minutes: Minutes | None
    genre: str
    enough: int
    """So many titles are looked for: those that are skipped, three, and one that says whether there are others."""


class Tonight:
    """Choosing."""

    def __init__(self, kit: Kit, people: People, lists: Lists, shelves: Shelves) -> None:
        self._store = kit.store
        self._people = people
        self._lists = lists
        self._shelves = shelves

    async def choose(
        self, viewer: Viewer, *, minutes: Minutes | None = None, genre: str = "", skip: int = 0
    ) -> Evening:
        """At most three titles; always the same ones until the viewer skips them, sees one, or something new comes."""
        sources = await self._sources(viewer)
        every = await self._candidates(viewer, sources)
        skip = min(max(skip, 0), MOST_SKIPPED)
        wanted = _Wanted(minutes, genre, skip + THREE + 1)
        left = await self._fitting(viewer, every, wanted)
        if viewer.signed_in and len(left) < wanted.enough and len(sources) < MOST_LISTS:
            popular = await self._popular(sources)
            sources |= popular
            more = await self._candidates(viewer, popular, known=every)
            left += await self._fitting(viewer, more, wanted)
            every += more
        return Evening(
            picks=tuple(map(_pick, left[skip : skip + THREE])),
            more=len(left) > skip + THREE,
            considered=len({each.ref for each in every}),
            lists=len(sources),
            genres=_genres(every),
            without_time=sum(_of_genre(each, genre) for each in every),
            without_genre=sum(_in_time(each, minutes) for each in every),
        )

    async def _fitting(self, viewer: Viewer, every: Iterable[Candidate], wanted: _Wanted) -> list[Candidate]:
        """The best of those that fit, are not seen, and that somebody gives a reason for."""
        fitting = [each for each in every if _in_time(each, wanted.minutes) and _of_genre(each, wanted.genre)]
        agreement = await self._agreement(viewer, fitting)
        ranked = sorted(fitting, key=lambda each: _rank(viewer, each, agreement))
        left = await self._unseen(viewer, [each for each in ranked if each.best], wanted.enough, _MOST_SEEN)
        if len(left) < wanted.enough:
            unsaid = [each for each in ranked if not each.best]
            left += await self._explained(await self._unseen(viewer, unsaid, _ASKED, _ASKED))
        return left[: wanted.enough]

    # -- where titles come from

    async def _sources(self, viewer: Viewer) -> dict[str, tuple[Watchlist, User | None]]:
        """At most twelve lists that everybody may see, with their curators."""
        ids: list[str] = []
        if viewer.signed_in:
            saved = await self._store.page(schema.saved_shelf(viewer.id), limit=MOST_LISTS)
            followed = await self._store.page(schema.followed_shelf(viewer.id), limit=MOST_LISTS // 2)
            newest = [await self._store.first(schema.live_lists_of(each.curator)) for each in followed]
            ids = _in_turn([each.watchlist_id for each in saved], [each.watchlist_id for each in newest if each])
        return await self._live(ids[:MOST_LISTS]) if ids else await self._popular({})

    async def _popular(self, besides: Collection[str]) -> dict[str, tuple[Watchlist, User | None]]:
        """Popular lists, as many as may be read besides these."""
        popular = await self._store.page(schema.popular_lists(), limit=MOST_LISTS)
        ids = [each.watchlist_id for each in popular if each.watchlist_id not in besides]
        return await self._live(ids[: MOST_LISTS - len(besides)])

    async def _live(self, ids: Sequence[str]) -> dict[str, tuple[Watchlist, User | None]]:
        lists = await self._lists.by_id(ids)
        curators = await self._people.by_id(each.curator_id for each in lists.values())
        return {
            list_id: (each, curators.get(each.curator_id))
            for list_id, each in lists.items()
            if each.live and seen_by_everybody(each, curators.get(each.curator_id))
        }

    async def _candidates(
        self,
        viewer: Viewer,
        sources: Mapping[str, tuple[Watchlist, User | None]],
        known: Iterable[Candidate] | None = None,
    ) -> list[Candidate]:
        """Everything that somebody recommends, or that is on the viewer's To watch; without those that are known."""
        found: dict[Ref, Candidate] = {}
        if viewer.signed_in and known is None:
            for queued in await self._store.page(schema.queue_shelf(viewer.id), limit=_QUEUED):
                ref = queued.content_type, queued.content_id
                found[ref] = Candidate(ref, queued.label, queued=True)
        for watchlist, curator in sources.values():
            if watchlist.curator_id == viewer.user_id:
                continue
            page = await self._store.page(schema.items_in_order(watchlist.watchlist_id), limit=_TITLES_OF_A_LIST)
            for item in page:
                candidate = found.setdefault((item.content_type, item.content_id), _new(item))
                candidate.reasons.append(_reason(item, watchlist, curator))
        before = {each.ref for each in known or () if each.best}
        return [each for each in found.values() if each.ref not in before]

    async def _unseen(
        self, viewer: Viewer, ranked: Sequence[Candidate], enough: int, most_seen: int
    ) -> list[Candidate]:
        """The first candidates that the viewer has neither seen nor put aside."""
        if not viewer.signed_in:
            return list(ranked[:enough])
        left: list[Candidate] = []
        best = ranked[: enough + most_seen]
        for start in range(0, len(best), _CHECKED_AT_ONCE):
            now = best[start : start + _CHECKED_AT_ONCE]
            mine = await self._shelves.among(viewer, (each.ref for each in now))
            for each in now:
                mark = mine.get(each.ref)
                if mark is None or not (mark.seen or mark.not_for_me):
                    left.append(each)
            if len(left) >= enough:
                break
        return left[:enough]

    async def _explained(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those for which another live list, which was not read, has a note."""
        explained = []
        for candidate in candidates:
            reason = await self._someones_reason(candidate.ref)
            if reason is not None:
                candidate.reasons.append(reason)
                explained.append(candidate)
        return explained

    async def _someones_reason(self, ref: Ref) -> Reason | None:
        page = await self._store.page(schema.live_items_with(*ref), limit=_WITH_A_TITLE)
        noted = [item for item in page if item.curator_note and not item.note_spoils][:2]
        sources = await self._live([item.watchlist_id for item in noted])
        reasons = (_reason(item, *sources[item.watchlist_id]) for item in noted if item.watchlist_id in sources)
        return next(reasons, None)

    # -- agreement

    async def _agreement(self, viewer: Viewer, candidates: Iterable[Candidate]) -> dict[str, float]:
        """How far the viewer agrees with the curators who recommend most of these."""
        if not viewer.signed_in:
            return {}
        often: dict[str, int] = {}
        for candidate in candidates:
            for curator in candidate.curators:
                often[curator] = often.get(curator, 0) + 1
        compared = sorted(often, key=lambda curator: (-often[curator], curator))[:_COMPARED]
        mine = await _taste(self._store, viewer.id) if compared else {}
        if len(mine) < _LEAST_IN_COMMON:
            return {}
        return {curator: _agreed(mine, await _taste(self._store, curator)) for curator in compared}


async def _taste(store: AsyncStore, user_id: str) -> dict[Ref, int]:
    page = await store.page(schema.taste_of(user_id), limit=_TASTES)
    return {(each.content_type, each.content_id): each.rating for each in page}


def _agreed(mine: Mapping[Ref, int], theirs: Mapping[Ref, int]) -> float:
    """100 × (1 − mean difference / 9) over the titles both rated, if they are enough."""
    common = mine.keys() & theirs.keys()
    if len(common) < _LEAST_IN_COMMON:
        return _NOBODY
    apart = sum(abs(mine[each] - theirs[each]) for each in common) / len(common)
    return 100 * (1 - apart / 9)


def _rank(viewer: Viewer, candidate: Candidate, agreement: Mapping[str, float]) -> tuple[int, float, bool, bytes]:
    """What many curators recommend comes first, then what those recommend with whom one agrees."""
    curators = candidate.curators
    agreed = max((agreement.get(each, _NOBODY) for each in curators), default=_NOBODY)
    name = f"{viewer.user_id or ''}/{candidate.ref[0]}/{candidate.ref[1]}".encode(errors="replace")
    chance = blake2s(name, digest_size=8).digest()  # so that not everybody gets the same, and each the same again
    return -len(curators), -agreed, not candidate.queued, chance


def _pick(candidate: Candidate) -> Pick:
    reason = candidate.best
    assert reason is not None  # others are not chosen
    others = set(candidate.curators) - {reason.watchlist.curator_id}
    return Pick(tile_of_label(*candidate.ref, candidate.label), reason, len(others), candidate.queued)


def _new(item: WatchlistItem) -> Candidate:
    return Candidate((item.content_type, item.content_id), item.label)


def _reason(item: WatchlistItem, watchlist: Watchlist, curator: User | None) -> Reason:
    return Reason(watchlist, curator, item.curator_note or "", bool(item.note_spoils))


def _in_time(candidate: Candidate, minutes: Minutes | None) -> bool:
    """Series are only for evenings without an end; a film of unknown length too."""
    if minutes is None:
        return True
    runtime = candidate.label.runtime if candidate.label else None
    return candidate.ref[0] == "MOVIE" and runtime is not None and 0 < runtime <= minutes


def _of_genre(candidate: Candidate, genre: str) -> bool:
    return not genre or (candidate.label is not None and genre in candidate.label.genres)


def _genres(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    often: dict[str, int] = {}
    for candidate in candidates:
        for genre in candidate.label.genres if candidate.label else ():
            often[genre] = often.get(genre, 0) + 1
    return tuple(sorted(often, key=lambda genre: (-often[genre], genre)))


def _in_turn(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """One of each in turn, each once."""
    longest = max(len(first), len(second))
    turns = (each[place] for place in range(longest) for each in (first, second) if place < len(each))
    return list(dict.fromkeys(turns))
