"""Titles have each external id once, are found by all their names, and stay while a list uses them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.worthwatch import formats, schema
from partita.apps.worthwatch.inputs import MovieEdit, NewMovie, NewShow
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.titles import ExternalIdTaken, InUse, title_version
from partita.kit.kit import Kit
from partita.kit.problems import Conflict, Forbidden, NotFound
from tests.apps.worthwatch.conftest import LIBRARIAN, add, curator, film, member, new_list

pytestmark = pytest.mark.anyio


async def test_a_title_is_found_by_all_its_names(kit: Kit, service: WorthWatchService) -> None:
    title = await film(service, "Le Samouraï", other_titles=["The Godson", "The Samurai"], release_year=1967)

    async def found(name: str) -> list[str]:
        return [named.content_id for named in await service.titles.named(name, "MOVIE")]

    assert await found("LE SAMOURAI!") == await found("samurai") == await found("The Godson") == [title.movie_id]
    edit = MovieEdit(title="Le Samourai", other_titles=("Godson",), release_year=1968)
    await service.titles.edit(LIBRARIAN, title.movie_id, edit)
    (named,) = await service.titles.named("le samourai", "MOVIE")
    assert (named.year, named.title) == (1968, "Le Samourai")
    assert (await found("samurai"), await found("the godson")) == ([], [title.movie_id])
    await service.titles.delete(LIBRARIAN, "MOVIE", title.movie_id)
    assert await found("le samourai") == await found("godson") == []


async def test_an_external_id_belongs_to_one_title_whoever_is_first(kit: Kit, service: WorthWatchService) -> None:
    tries = (film(service, imdb_id="tt1375666") for _ in range(20))
    results = await asyncio.gather(*tries, return_exceptions=True)
    (owner,) = [each for each in results if not isinstance(each, BaseException)]
    assert all(isinstance(each, ExternalIdTaken) for each in results if each is not owner)
    other = await film(service, tmdb_id="1")
    with pytest.raises(ExternalIdTaken) as taken:
        await service.titles.edit(LIBRARIAN, other.movie_id, MovieEdit(imdb_id="tt1375666"))
    assert [error.field for error in taken.value.errors] == ["imdbId"]
    await service.titles.edit(LIBRARIAN, owner.movie_id, MovieEdit(imdb_id=None))
    await service.titles.edit(LIBRARIAN, other.movie_id, MovieEdit(imdb_id="tt1375666"))
    await service.titles.delete(LIBRARIAN, "MOVIE", other.movie_id)
    await film(service, imdb_id="tt1375666", tmdb_id="1")


async def test_a_title_that_lists_use_is_not_deleted(kit: Kit, service: WorthWatchService) -> None:
    viewer = await curator(kit)
    title = await film(service)
    lists = [await new_list(service, viewer) for _ in range(2)]
    for each in lists:
        await add(service, viewer, each, title)
    with pytest.raises(InUse, match="on 2 lists"):
        await service.titles.delete(LIBRARIAN, "MOVIE", title.movie_id)
    for each in lists:
        await service.items.remove(viewer, each.watchlist_id, "MOVIE", title.movie_id)
    await service.titles.delete(LIBRARIAN, "MOVIE", title.movie_id)
    with pytest.raises(NotFound):
        await add(service, viewer, lists[0], title)


async def test_what_a_curator_adds_waits_for_a_librarian_and_says_what_it_may_be(
    kit: Kit, service: WorthWatchService
) -> None:
    known = await film(service, "Solaris", release_year=1972)
    with pytest.raises(Forbidden):
        await service.titles.add(await member(kit), NewMovie(title="Solaris"))
    added = await service.titles.add(await curator(kit), NewMovie(title="Solaris", release_year=1973))
    remake = await service.titles.add(await curator(kit), NewMovie(title="Solaris", release_year=2002))
    show = await service.titles.add(await curator(kit), NewShow(title="Solaris"))
    assert (added.maybe_same, remake.maybe_same, show.maybe_same) == (f"MOVIE#{known.movie_id}", None, None)
    waiting = [each.content_id async for each in kit.store.stream(schema.unchecked_titles())]
    assert sorted(waiting) == sorted(each.content_id for each in (added, remake, show))
    checked = await service.titles.edit(LIBRARIAN, added.content_id, MovieEdit(checked=True))
    assert (checked.feed, checked.maybe_same, checked.checked_at is None) == (None, None, False)
    assert added.content_id not in [each.content_id async for each in kit.store.stream(schema.unchecked_titles())]


async def test_an_edit_of_an_old_version_is_refused(kit: Kit, service: WorthWatchService) -> None:
    title = await film(service)
    seen = title_version(title)
    await service.titles.edit(LIBRARIAN, title.movie_id, MovieEdit(runtime=100, version=seen))
    with pytest.raises(Conflict, match="Somebody else"):
        await service.titles.edit(LIBRARIAN, title.movie_id, MovieEdit(runtime=101, version=seen))


@given(st.text(max_size=400))
def test_every_title_folds_to_a_key_and_folding_twice_changes_nothing(title: str) -> None:
    once = formats.folded(title)
    assert 0 < len(once.encode()) <= 900
    assert formats.folded(once) == once


@given(st.lists(st.text("abcXYZ", min_size=1, max_size=5), min_size=1), st.sampled_from(["", "The ", "a ", "AN "]))
def test_case_marks_and_articles_do_not_tell_titles_apart(words: list[str], article: str) -> None:
    plain = " ".join(["north", *words])
    assert formats.folded(f"{article}{', '.join(['NORTH', *words]).swapcase()}!") == formats.folded(plain)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_more_saves_are_hotter_and_heat_sorts_as_text(one: int, other: int) -> None:
    published = "2026-05-01T09:30:00.000000Z"
    low, high = sorted((one, other))
    assert formats.heat(low, published) <= formats.heat(high, published)
    assert len(formats.heat(low, published)) == len(formats.heat(high, "2099-01-01T00:00:00Z")) == 12
    later = formats.heat(low, "2026-05-15T09:30:00.000000Z")
    assert later == formats.heat(2 * low + 1, published)


async def test_a_librarians_token_that_may_not_add_titles_is_told_which_one_may(
    kit: Kit, service: WorthWatchService
) -> None:
    wanted = NewMovie(title="Metropolis", release_year=1927)
    token = replace(await member(kit), via="token", withheld=frozenset({str(WorthWatch.CATALOG)}))
    with pytest.raises(Forbidden, match=rf"lacks the permission .*{WorthWatch.CATALOG}.*, which you have"):
        await service.titles.add(token, wanted)
    another = replace(token, permissions=token.permissions | token.withheld, withheld=frozenset())
    assert (await service.titles.add(another, wanted)).title == "Metropolis"
