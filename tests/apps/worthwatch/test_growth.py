"""What pages read does not grow with lists, titles and people; `make growth` tries it with many of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from partita.apps.worthwatch.schema import (
    WORTHWATCH,
    Comment,
    CuratorPointer,
    Follow,
    Label,
    ListTotals,
    Mine,
    Movie,
    Popularity,
    Rating,
    SavedWatchlist,
    TagPointer,
    TagTotal,
    User,
    Watchlist,
    WatchlistItem,
)
from partita.apps.worthwatch.service.order import START, STEP
from partita.kit.clock import SystemClock, stamp
from partita.store import EmbeddedStore
from partita.table import Item
from tests.apps.filling import Like, fill, partition_hash
from tests.apps.growth import check_growth, sizes, units_of_pages
from tests.apps.house import kit_on
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve

pytestmark = pytest.mark.anyio
SIZES = sizes("300,450")
"""How many lists, at least so many that every page is full; there are ten times as many titles."""
NOW = stamp(SystemClock())
LIMITS = {
    "Discover": 30,
    "Discover, member": 50,
    "list": 12,
    "list, member": 26,
    "title": 16,
    "title, member": 20,
    "curator": 18,
    "Tonight, member": 60,
    "saved": 70,
    "my lists": 30,
    "tag": 30,
    "popular lists": 30,
    "curators": 30,
    "comments": 20,
    "lists with a title": 30,
    "reviews of a title": 30,
    "agreement": 15,
    "To watch": 30,
    "diary": 30,
    "ratings": 60,
}
"""Read units; a title's page has the member's own marks and rating besides, of which the specification says nothing."""
_CURATORS = 12
_TITLES = 24
_RATED = 500
"""By the member and by each curator."""


@dataclass(frozen=True, slots=True)
class World:
    """What is in the table."""

    lists: int
    curators: tuple[str, ...]
    member: str

    @property
    def titles(self) -> int:
        return 10 * self.lists

    def rows(self) -> Iterator[Item | Like]:
        """Half of the lists are private; all have one film, and the first is saved by as many people as there are
        lists. What is many comes in the order of the file, which saves hours of looking for pages."""
        yield from self._people()
        yield self._title(0)
        for number in sorted(range(1, self.titles), key=lambda number: partition_hash(f"MOVIE#{_film(number)}")):
            yield Like(_EXAMPLE_FILM, _FILM_TEXTS, (_film(number), _numbered(number), _at(number)))
        for number in sorted(range(self.lists), key=lambda number: partition_hash(f"WATCHLIST#{_list_id(number)}")):
            yield from self._list(number)
        yield from self._around_the_first()

    def _people(self) -> Iterator[Item]:
        for number, curator in enumerate(self.curators):
            yield User(
                user_id=curator,
                email=f"{curator}@example.org",
                username=f"Curator {number}",
                created_at=_at(number),
                updated_at=NOW,
                is_curator=True,
                curator_status="approved",
                live_list_count=self.lists // 2 // len(self.curators),
            )
            yield Follow(user_id=self.member, curator=curator, followed_at=_at(number))

    def _title(self, number: int) -> Movie:
        return _EXAMPLE_FILM.with_(
            Movie.movie_id(_film(number)),
            Movie.title(_numbered(number)),
            Movie.created_at(_at(number)),
            Movie.listed_in(self.lists),
        )

    def _list(self, number: int) -> Iterator[Item | Like]:
        list_id, curator, live = _list_id(number), self.curators[number % len(self.curators)], number % 2 == 0
        published = _at(number) if live else None
        yield Watchlist(
            watchlist_id=list_id,
            curator_id=curator,
            title=f"List number {number}",
            description="For long rides. " * 10,
            is_public=live,
            tags=("trains", f"tag-{number % 500}"),
            item_count=_TITLES,
            created_at=_at(number),
            updated_at=NOW,
            published_at=published,
            last_item_at=NOW,
            feed="LIVE" if live else None,
        )
        for place in range(_TITLES):
            film = self._film_on(number, place)
            yield Like(
                _example_item(place, live=live), _ITEM_TEXTS, (list_id, _film(film), _numbered(film), _at(number))
            )
        if published is not None:
            yield ListTotals(watchlist_id=list_id, save_count=number % 50)
            yield Popularity(watchlist_id=list_id, heat=_against(published))
            yield CuratorPointer(curator=curator, published_at=published, watchlist_id=list_id)
            yield TagPointer(tag="trains", published_at=published, watchlist_id=list_id)
        if number < 500:
            yield TagTotal(tag=f"tag-{number}", count=1 + self.lists // 1000, rank=f"{number:08}#tag-{number}")

    def _around_the_first(self) -> Iterator[Item]:
        first = _list_id(0)
        for number in range(self.lists):
            yield SavedWatchlist(user_id=f"saver-{number:08}", watchlist_id=first, saved_at=_at(number))
            yield Rating(
                user_id=f"saver-{number:08}",
                content_type="MOVIE",
                content_id=_film(0),
                rating=1 + number % 10,
                review="A review of some words. " * 4,
                rated_at=_at(number),
            )
        for number in range(self.lists // 10):
            yield Comment(
                watchlist_id=first, user_id=f"saver-{number:08}", comment_text="So true.", created_at=_at(number)
            )
        for number in range(0, min(24, self.lists), 2):
            yield SavedWatchlist(user_id=self.member, watchlist_id=_list_id(number), saved_at=_at(number))
        for person in (self.member, *self.curators):
            for number in range(_RATED):
                yield Rating(
                    user_id=person,
                    content_type="MOVIE",
                    content_id=_film(1 + number),
                    rating=1 + number % 10,
                    rated_at=_at(number),
                )
        for number in self._seen():
            yield Mine(user_id=self.member, content_type="MOVIE", content_id=_film(number), marked_at=_at(number))

    def _seen(self) -> list[int]:
        """The films that the member has seen, 999 of them: whatever is on the newest live list of each curator, and the
        first ones, which are on the saved lists. So Tonight looks as far as it ever does; otherwise chance decides how
        far, since it draws by the member's id."""
        newest: dict[int, int] = {}
        for number in range(0, self.lists, 2):
            newest[number % _CURATORS] = max(number, newest.get(number % _CURATORS, number), key=_at)
        films = (self._film_on(number, place) for number in newest.values() for place in range(1, _TITLES))
        return list(dict.fromkeys((*films, *range(1, self.titles))))[:999]

    def _film_on(self, number: int, place: int) -> int:
        return 0 if place == 0 else 1 + (number * _TITLES + place) % (self.titles - 1)


def _film(number: int) -> str:
    return f"film{number:022}"


def _list_id(number: int) -> str:
    return f"list{number:022}"


def _numbered(number: int) -> str:
    return f"A film of some length, number {number:08}"


def _at(number: int) -> str:
    return f"2026-01-{1 + number % 28:02}T{number // 28 % 24:02}:{number // 672 % 60:02}:00.{number % 1_000_000:06}Z"


_SOME = 99_999_999
_FILM_TEXTS = (_film(_SOME), _numbered(_SOME), _at(_SOME))
_ITEM_TEXTS = (_list_id(_SOME), *_FILM_TEXTS)
_EXAMPLE_FILM = Movie(
    movie_id=_film(_SOME),
    title=_numbered(_SOME),
    release_year=1990,
    genres=("Drama", "Crime"),
    directors=("Ada Fox",),
    synopsis="Somebody is on a train, and nobody sleeps. " * 4,
    runtime=100,
    created_at=_at(_SOME),
    updated_at=NOW,
    listed_in=1,
)


@cache
def _example_item(place: int, *, live: bool) -> WatchlistItem:
    return WatchlistItem(
        watchlist_id=_list_id(_SOME),
        content_type="MOVIE",
        content_id=_film(_SOME),
        position=START + STEP * place,
        curator_note="Why this one, in a few words." if place < 3 else None,
        added_at=_at(_SOME),
        label=Label(title=_numbered(_SOME), year=1990, runtime=100, genres=("Drama",)),
        live_since=_at(_SOME) if live else None,
    )


def _against(moment: str) -> str:
    """The newest lists are the least popular ones, so that Discover shows as many different lists as it can."""
    return "".join(str(9 - int(each)) if each.isdigit() else each for each in moment)


async def _measure(ww: WorthWatch, world: World, member: Somebody) -> dict[str, float]:
    visitor = ww.visitor()
    pages = {
        "Discover": (visitor, "/worthwatch"),
        "Discover, member": (member, "/worthwatch"),
        "list": (visitor, f"/worthwatch/lists/{_list_id(0)}"),
        "list, member": (member, f"/worthwatch/lists/{_list_id(0)}"),
        "title": (visitor, f"/worthwatch/titles/film/{_film(0)}"),
        "title, member": (member, f"/worthwatch/titles/film/{_film(0)}"),
        "curator": (visitor, f"/worthwatch/curators/{world.curators[0]}"),
        "Tonight, member": (member, "/worthwatch/tonight"),
        "saved": (member, "/worthwatch/saved"),
        "my lists": (member, "/worthwatch/me/lists"),
        "tag": (visitor, "/worthwatch?tag=trains"),
        "popular lists": (visitor, "/worthwatch?sort=popular"),
        "curators": (visitor, "/worthwatch/curators"),
        "comments": (visitor, f"/worthwatch/lists/{_list_id(0)}/comments"),
        "lists with a title": (visitor, f"/worthwatch/titles/film/{_film(0)}/lists"),
        "reviews of a title": (visitor, f"/worthwatch/titles/film/{_film(0)}/reviews"),
        "agreement": (member, f"/worthwatch/curators/{world.curators[0]}/agreement"),
        "To watch": (member, "/worthwatch/to-watch"),
        "diary": (member, "/worthwatch/diary"),
        "ratings": (member, "/worthwatch/diary/ratings"),
    }
    return await units_of_pages(ww.kit, pages, WORTHWATCH)


@pytest.mark.timeout(20_000 if max(SIZES) > 1000 else 300)
async def test_what_pages_read_does_not_grow_with_lists_titles_and_people(tmp_path: Path) -> None:
    measured: dict[int, dict[str, float]] = {}
    for size in SIZES:
        with kit_on(tmp_path / str(size), WORTHWATCH) as kit:
            ww = serve(kit)
            member = await ww.person("Mina")
            await ww.service.people.me(member.who)
            world = World(size, tuple(f"curator{number:019}" for number in range(_CURATORS)), member.id)
            assert isinstance(kit.tables, EmbeddedStore)
            fill(kit.tables.engine, WORTHWATCH.name, world.rows())
            measured[size] = await _measure(ww, world, member)
            print(f"{size:,} lists, {world.titles:,} titles: {measured[size]}", flush=True)
    check_growth(measured, LIMITS)
