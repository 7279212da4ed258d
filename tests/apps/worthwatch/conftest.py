"""WorthWatch on a temporary engine, with curators, members and titles to put on lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from partita.apps.worthwatch.inputs import NewItem, NewList, NewMovie
from partita.apps.worthwatch.permissions import MEMBERS, ROLES, WorthWatch
from partita.apps.worthwatch.schema import USER_EMAIL, WORTHWATCH, Movie, Rating, User, Watchlist, WatchlistItem
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.accounts import Account
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import House, Policy, Viewer
from partita.table import Put, Transaction, Update
from tests.apps.house import kit_on, person

MODERATOR = person("moderator", *ROLES["moderator"])
LIBRARIAN = person("librarian", *ROLES["librarian"])
POLICY = Policy(
    labels={str(each): each.label for each in (*House, *WorthWatch)},
    roles={f"worthwatch:{role}": granted for role, granted in ROLES.items()},
    members=frozenset(map(str, MEMBERS)),
)
_NUMBERS = count(1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        kit.accounts.use(POLICY, ())
        yield kit


@pytest.fixture
def service(kit: Kit) -> WorthWatchService:
    return WorthWatchService(kit)


async def member(kit: Kit, **profile: Any) -> Viewer:
    """Somebody with a profile, whom nobody has seen before."""
    viewer = person(f"member-{next(_NUMBERS)}", *MEMBERS)
    now = stamp(kit.clock)
    known = {"email": f"{viewer.id}@example.org", "username": viewer.name, "created_at": now, "updated_at": now}
    user = User(user_id=viewer.id, **{**known, **profile})
    await kit.store.transact(Transaction(Put(user).if_new(), *USER_EMAIL.claim(user)))
    return viewer


async def curator(kit: Kit) -> Viewer:
    """An approved curator."""
    return await member(kit, is_curator=True, curator_status="approved")


async def suspend(kit: Kit, viewer: Viewer) -> None:
    """What suspending writes first; that hides the lists comes after it."""
    key = User.key(User.user_id(viewer.id))
    await kit.store.write(Update(key, User.curator_status.set("suspended"), User.is_curator.set(False)))


async def account(kit: Kit, name: str) -> Account:
    """Somebody with an account and no profile."""
    username = f"{name.lower()}-{next(_NUMBERS)}"
    return await kit.accounts.registration.create(username, f"{username}@example.org", name, "correct horse battery")


async def film(service: WorthWatchService, title: str = "", **facts: Any) -> Movie:
    """A film in the catalog."""
    number = next(_NUMBERS)
    known = {"title": title or f"Film {number}", "release_year": 1950 + number % 70}
    made = await service.titles.add(LIBRARIAN, NewMovie.model_validate({**known, **facts}))
    assert isinstance(made, Movie)
    return made


async def new_list(service: WorthWatchService, viewer: Viewer, **fields: Any) -> Watchlist:
    """A private list, unless it says otherwise."""
    known = {"title": f"List {next(_NUMBERS)}", "is_public": False}
    return await service.lists.create(viewer, NewList.model_validate({**known, **fields}))


async def add(service: WorthWatchService, viewer: Viewer, watchlist: Watchlist, title: Movie) -> WatchlistItem:
    """Put a film on a list."""
    return await service.items.add(
        viewer, watchlist.watchlist_id, NewItem(content_type="MOVIE", content_id=title.movie_id)
    )


async def published(service: WorthWatchService, viewer: Viewer, *titles: Movie, **fields: Any) -> Watchlist:
    """A live list of a curator."""
    watchlist = await new_list(service, viewer, is_public=True, **fields)
    for title in titles or (await film(service),):
        await add(service, viewer, watchlist, title)
    return await service.lists.own(viewer, watchlist.watchlist_id)


async def signed_up(kit: Kit, service: WorthWatchService, name: str, **profile: Any) -> Viewer:
    """Somebody with an account and a profile, who can be told of things."""
    somebody = await account(kit, name)
    viewer = replace(person(somebody.user_id, *MEMBERS), name=somebody.name)
    user = await service.people.me(viewer)
    if profile:
        await kit.store.write(Put(user.model_copy(update=profile)))
    return viewer


async def ratings_of(kit: Kit, content_type: str, content_id: str) -> list[Rating]:
    """Everybody's ratings of a title, whether others may see them or not: read without any index."""
    everything = kit.store.scan_whole_table(Rating)
    return [each async for each in everything if (each.content_type, each.content_id) == (content_type, content_id)]


class Stopped:
    """A clock that stands still."""

    def __init__(self, now: datetime) -> None:
        self.moment = now

    def now(self) -> datetime:
        return self.moment
