"""Covers and labels are what items and titles make of them, after any changes and however often the handler runs."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch import system
from partita.apps.worthwatch.inputs import MoveInput, MovieEdit
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.kit import Kit
from tests.apps.house import replay, worker_of
from tests.apps.worthwatch.conftest import LIBRARIAN, add, curator, film, new_list

pytestmark = pytest.mark.anyio


async def test_a_cover_has_the_first_five_titles_in_their_order(kit: Kit, service: WorthWatchService) -> None:
    built = system.build(kit)
    worker = worker_of(kit, built)
    ada = await curator(kit)
    watchlist = await new_list(service, ada)
    films = [await film(service, f"Film {number}") for number in range(7)]
    for each in films:
        await add(service, ada, watchlist, each)

    async def cover() -> list[str]:
        await worker.drain()
        stored = await service.lists.watchlist(watchlist.watchlist_id)
        return [each.title for each in stored.cover_items or ()]

    assert await cover() == ["Film 0", "Film 1", "Film 2", "Film 3", "Film 4"]
    await service.items.move(ada, watchlist.watchlist_id, "MOVIE", films[6].movie_id, MoveInput(position=1))
    assert await cover() == ["Film 6", "Film 0", "Film 1", "Film 2", "Film 3"]
    await service.items.remove(ada, watchlist.watchlist_id, "MOVIE", films[0].movie_id)
    assert await cover() == ["Film 6", "Film 1", "Film 2", "Film 3", "Film 4"]
    await service.titles.edit(LIBRARIAN, films[1].movie_id, MovieEdit(title="Renamed", genres=("Horror",)))
    assert await cover() == ["Film 6", "Renamed", "Film 2", "Film 3", "Film 4"]
    item = await service.items.item(watchlist.watchlist_id, "MOVIE", films[1].movie_id)
    assert item.label is not None
    assert (item.label.title, item.label.genres) == ("Renamed", ("Horror",))
    for name in ("worthwatch.labels", "worthwatch.covers"):
        await replay(kit, built, name)
    assert await cover() == ["Film 6", "Renamed", "Film 2", "Film 3", "Film 4"]
    for each in films[1:]:
        await service.items.remove(ada, watchlist.watchlist_id, "MOVIE", each.movie_id)
    assert await cover() == []
