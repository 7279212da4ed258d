"""Search and Tonight over HTTP: the API and the pages say the same, to everybody what they may see."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch.inputs import NewItem
from partita.kit.kit import Kit
from tests.apps.worthwatch.conftest import film, new_list
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
def worthwatch(kit: Kit) -> WorthWatch:
    return serve(kit)


async def publish(worthwatch: WorthWatch, ada: Somebody) -> str:
    service = worthwatch.service
    watchlist = await new_list(service, ada.who, title="Night trains", is_public=True)
    for title, year, runtime in (
        ("The Lady Vanishes", 1938, 96),
        ("Night Moves", 1975, 100),
        ("Long Night", 1999, 170),
    ):
        made = await film(service, title, release_year=year, runtime=runtime, genres=("Crime",))
        new = NewItem(content_type="MOVIE", content_id=made.movie_id, curator_note=f"Why: {title} <b>")
        await service.items.add(ada.who, watchlist.watchlist_id, new)
    await worthwatch.worker.drain()
    return watchlist.watchlist_id


async def test_search_gives_four_of_each_kind_or_pages_of_one(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.curator("Ada")
    await publish(worthwatch, ada)
    visitor = worthwatch.visitor()
    everything = (await visitor.get("/api/worthwatch/search?q=night")).json
    assert [each["title"] for each in everything["watchlists"]] == ["Night trains"]
    assert {each["title"] for each in everything["movies"]} == {"Night Moves", "Long Night"}
    assert everything["totals"] == {"watchlists": 1, "movies": 2, "shows": 0, "curators": 0}
    first = (await visitor.get("/api/worthwatch/search?type=movie&runtime=120&sort=year&limit=1")).json
    assert [each["title"] for each in first["movies"]] == ["Night Moves"]
    rest = await visitor.get(
        f"/api/worthwatch/search?type=movie&runtime=120&sort=year&limit=1&cursor={first['nextCursor']}"
    )
    assert [each["title"] for each in rest.json["movies"]] == ["The Lady Vanishes"]
    assert first["facets"]["decade"][0]["count"] == 1
    assert (await visitor.get("/api/worthwatch/search?cursor=x&type=movie")).status == 400
    assert (await visitor.get("/api/worthwatch/search?sort=worst")).status == 422


async def test_the_search_page_has_tabs_with_counts_filters_and_next_steps(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.curator("Ada")
    await publish(worthwatch, ada)
    visitor = worthwatch.visitor()
    page = (await visitor.get("/worthwatch/search?q=night")).shown
    assert "Results for “night”" in page
    assert "<mark>Night</mark> trains</a>" in page
    assert "Long <mark>Night</mark>" in page
    assert "Night Moves (1975)" in page
    films = (await visitor.get("/worthwatch/search?show=films&length=120")).shown
    assert "2 films" in films
    assert "Long Night" not in films
    nothing = (await visitor.get("/worthwatch/search?show=films&q=night&decade=1920s&sort=nonsense")).shown
    assert "Any decade" in nothing
    assert "Add this title" not in nothing
    assert "Add this title" in (await ada.get("/worthwatch/search?q=zzzz")).shown
    assert "Ada" in (await visitor.get("/worthwatch/search?show=curators")).shown
    assert "Not seen" not in films
    assert "Not seen" in (await ada.get("/worthwatch/search?show=films")).shown


async def test_tonight_is_the_same_by_page_and_api(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.curator("Ada")
    await publish(worthwatch, ada)
    visitor = worthwatch.visitor()
    answer = (await visitor.get("/api/worthwatch/tonight?minutes=120&genre=Crime")).json
    titles = [each["title"] for each in answer["picks"]]
    assert sorted(titles) == ["Night Moves", "The Lady Vanishes"]
    assert answer["picks"][0]["reason"]["note"] == f"Why: {titles[0]} <b>"
    page = await visitor.get("/worthwatch/tonight?minutes=120&genre=Crime")
    assert "&lt;b&gt;" in page.text
    assert page.shown.index(titles[0]) < page.shown.index(titles[1])
    assert "Long Night" not in page.shown
    assert (await visitor.get("/api/worthwatch/tonight?minutes=100")).status == 422
    assert (await visitor.get("/worthwatch/tonight?minutes=soon&skip=x")).status == 200
    assert "Any genre" in (await visitor.get("/worthwatch/tonight?genre=Opera")).shown
    assert "Any length" in (await visitor.get("/worthwatch/tonight?minutes=90")).shown


async def test_nothing_of_a_suspended_curator_is_found_by_anybody(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.curator("Ada")
    await publish(worthwatch, ada)
    await worthwatch.set_status(ada, "suspended")
    visitor = worthwatch.visitor()
    for path in ("/search?q=night", "/search?show=lists", "/search?show=curators", "/tonight"):
        page = (await visitor.get(f"/worthwatch{path}")).shown
        assert "Night trains" not in page, path
        assert "Why:" not in page, path
    answer = (await visitor.get("/api/worthwatch/search?q=night")).json
    assert answer["watchlists"] == answer["curators"] == []
    assert (await visitor.get("/api/worthwatch/tonight")).json["picks"] == []


async def test_tonight_says_as_many_candidates_as_there_are(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.curator("Ada")
    watchlist = await new_list(worthwatch.service, ada.who, is_public=True)
    assert "Candidates, each" in (await worthwatch.visitor().get("/worthwatch/tonight")).shown
    for said in ("One candidate with", "Two candidates, each", "Three candidates, each"):
        title = await film(worthwatch.service, f"A film for {said}", runtime=90)
        item = NewItem(content_type="MOVIE", content_id=title.movie_id, curator_note="Trust me.")
        await worthwatch.service.items.add(ada.who, watchlist.watchlist_id, item)
        await worthwatch.worker.drain()
        page = (await worthwatch.visitor().get("/worthwatch/tonight")).shown
        assert said in page
        assert "Show others" not in page
