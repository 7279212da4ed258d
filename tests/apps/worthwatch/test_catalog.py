"""The catalog's desk: what waits, editing, files of titles, and merging by page and API."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.worthwatch.inputs import NewItem, NewMovie
from partita.apps.worthwatch.service.catalog import plain_titles
from partita.kit.kit import Kit
from tests.apps.worthwatch.conftest import LIBRARIAN, film, new_list
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve
from tests.apps.worthwatch.test_transfer_pages import upload

pytestmark = pytest.mark.anyio
TMDB = [
    {"id": 27205, "title": "Inception", "imdb_id": "tt1375666", "release_date": "2010-07-15", "runtime": 148},
    {"id": 1396, "name": "Breaking Bad", "first_air_date": "2008-01-20", "genres": [{"id": 18, "name": "Drama"}]},
    {"id": 2, "title": "Ariel", "original_title": "Ariel!", "genres": "Drama, Crime", "runtime": "73.0"},
    {"id": 3, "title": ""},
    {"id": "x", "title": "Bad id"},
    {"id": 27205, "title": "Inception, again"},
]


@pytest.fixture
def worthwatch(kit: Kit) -> WorthWatch:
    return serve(kit)


async def librarian(worthwatch: WorthWatch) -> Somebody:
    return await worthwatch.person("Lib", "worthwatch:librarian")


async def test_titles_of_a_file_are_added_once_with_a_report_of_what_was_refused(worthwatch: WorthWatch) -> None:
    lib = await librarian(worthwatch)
    service = worthwatch.service
    for data in (orjson.dumps(TMDB), b"\n".join(map(orjson.dumps, TMDB))):
        answer = await upload(lib, "/api/worthwatch/catalog/import", data, "tmdb.json")
        assert answer.status == 202
        await worthwatch.jobs.drain()
        job = (await lib.call("GET", answer.location, token=lib.token)).json
        assert job["state"] == "done", job
    movies = {each.title: each for each in (await service.titles.newest("MOVIE")).items}
    assert set(movies) == {"Inception", "Ariel"}
    assert (movies["Inception"].imdb_id, movies["Inception"].year) == ("tt1375666", 2010)
    assert movies["Ariel"].genres == ("Drama", "Crime")
    assert movies["Ariel"].checked_at is not None
    (series,) = (await service.titles.newest("SHOW")).items
    assert (series.title, series.tmdb_id, series.genres) == ("Breaking Bad", "1396", ("Drama",))
    assert "0 added, 4 already there, 2 refused" in str(job)


async def test_csv_is_read_too_and_what_is_nothing_fails_with_its_reason(worthwatch: WorthWatch) -> None:
    lib = await librarian(worthwatch)
    text = b"id,title,release_date,runtime,genres\n11,Star Wars,1977-05-25,121,Adventure|Action\n"
    await upload(lib, "/worthwatch/catalog/import", text, "movies.csv")
    await worthwatch.jobs.drain()
    (movie,) = (await worthwatch.service.titles.newest("MOVIE")).items
    assert (movie.title, movie.genres) == ("Star Wars", ("Adventure", "Action"))
    answer = await upload(lib, "/api/worthwatch/catalog/import", b"a,b\n1,2\n")
    await worthwatch.jobs.drain()
    job = (await lib.call("GET", answer.location, token=lib.token)).json
    assert (job["state"], "title or name" in job["error"]) == ("failed", True)
    assert (await upload(lib, "/worthwatch/catalog/import", b"")).status == 422
    member = await worthwatch.person("Member")
    assert (await upload(member, "/api/worthwatch/catalog/import", text)).status == 403
    for path in ("/worthwatch/catalog", "/worthwatch/catalog/import"):
        assert (await member.get(path)).status == 403


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300), st.recursive(st.none() | st.text() | st.integers(), st.lists).map(repr).map(str.encode)
    )
)
def test_no_bytes_are_an_error_that_nobody_foresaw(data: bytes) -> None:
    for start in (b"", b"[", b"{", b"title,id\n"):
        read = plain_titles(start + data)
        assert isinstance(read, str) or all(isinstance(each, dict) for each in read)


def test_a_line_with_too_many_cells_is_told() -> None:
    data = b"title,id\nM,1\n" + b"x," * 50_000 + b"\n"
    assert plain_titles(data) == "Line 3 has 50,001 cells, and at most 1,000 are read."


async def test_the_desk_shows_what_waits_and_what_may_be_the_same(worthwatch: WorthWatch) -> None:
    lib, ada = await librarian(worthwatch), await worthwatch.curator("Ada")
    service = worthwatch.service
    same = await film(service, "Breathless", release_year=1960, genres=("Drama",), synopsis="x", directors=("G",))
    twin = await service.titles.add(ada.who, NewMovie(title="Breathless", release_year=1961))
    await worthwatch.worker.drain()
    page = (await lib.get("/worthwatch/catalog")).shown
    assert "Maybe the same as" in page
    assert f"/worthwatch/catalog/film/{twin.content_id}/merge?into={same.movie_id}" in page
    answer = (await lib.api("GET", "/catalog/unchecked")).json
    assert [each["maybeSame"] for each in answer["items"]] == [f"MOVIE#{same.movie_id}"]
    lacking = (await lib.get("/worthwatch/catalog?show=films&lacks=synopsis")).text
    assert twin.content_id in lacking
    assert same.movie_id not in lacking
    assert "Nothing waits" in (await lib.get("/worthwatch/catalog?show=series")).shown


async def test_facts_are_mended_and_checked_titles_leave_the_desk(worthwatch: WorthWatch) -> None:
    lib, ada = await librarian(worthwatch), await worthwatch.curator("Ada")
    title = await worthwatch.service.titles.add(ada.who, NewMovie(title="Wrong", runtime=90, cast=("Somebody",)))
    path = f"/worthwatch/catalog/film/{title.content_id}"
    page = (await lib.get(path)).text
    version = page.partition('name="version" value="')[2].partition('"')[0]
    fields = {"title": "Right", "runtime": "", "genres": "Drama, Crime", "cast": "", "releaseYear": "1970"}
    answer = await lib.post(path, {**fields, "version": version, "checked": "true"})
    assert answer.status == 303, answer.shown
    now = await worthwatch.service.titles.title("MOVIE", title.content_id)
    assert (now.title, now.genres, now.year, now.cast) == ("Right", ("Drama", "Crime"), 1970, None)
    assert now.model_dump()["runtime"] is None
    assert "Nothing waits" in (await lib.get("/worthwatch/catalog")).shown
    stale = await lib.post(path, {**fields, "title": "Other", "version": version})
    assert stale.status == 409
    assert "Right" in stale.shown
    assert (await ada.get(path)).status == 403


async def test_a_title_on_lists_is_not_deleted_but_merged(worthwatch: WorthWatch) -> None:
    lib, ada = await librarian(worthwatch), await worthwatch.curator("Ada")
    service = worthwatch.service
    same, twin, unused = [await film(service, title) for title in ("Same", "Twin", "Unused")]
    watchlist = await new_list(service, ada.who)
    await service.items.add(ada.who, watchlist.watchlist_id, NewItem(content_type="MOVIE", content_id=twin.movie_id))
    await worthwatch.worker.drain()
    path = f"/worthwatch/catalog/film/{twin.movie_id}"
    refused = await lib.post(f"{path}/delete")
    assert (refused.status, "It is on 1 list." in refused.shown) == (409, True)
    assert (await lib.post(f"/worthwatch/catalog/film/{unused.movie_id}/delete")).status == 303
    assert "Same" in (await lib.get(f"{path}/merge?q=same")).shown
    shown = (await lib.get(f"{path}/merge?into={same.movie_id}")).shown
    assert "1 place on a list" in shown
    assert (await lib.post(f"{path}/merge?into={same.movie_id}")).status == 303
    await worthwatch.jobs.drain()
    gone = await worthwatch.visitor().get(f"/worthwatch/titles/film/{twin.movie_id}/twin")
    assert (gone.status, same.movie_id in gone.location) == (308, True) or gone.status in (301, 302, 307)
    api = await worthwatch.visitor().get(f"/api/worthwatch/movies/{twin.movie_id}")
    assert (api.status, api.location) == (308, f"/api/worthwatch/movies/{same.movie_id}")
    assert [each.content_id for each in await service.items.all_in_order(watchlist.watchlist_id)] == [same.movie_id]
    for into, status in ((same.movie_id, 202), ("other", 409)):
        assert (await lib.api("POST", f"/movies/{twin.movie_id}/merge", {"into": into})).status == status
    assert (await ada.api("POST", f"/movies/{same.movie_id}/merge", {"into": twin.movie_id})).status == 403
    assert LIBRARIAN.may("worthwatch:catalog:edit")
