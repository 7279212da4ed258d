"""Titles and what people do with them over HTTP: what programs are told, and what nobody but oneself sees."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from partita.apps.worthwatch.schema import WORTHWATCH, Merged
from partita.table import Delete, Put
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import film
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


async def listed(ww: WorthWatch, by: Somebody, movie_id: str, note: str = "", **fields: Any) -> str:
    """A list with a film on it."""
    made = await by.api("POST", "/watchlists", {"title": "Night trains", **fields})
    list_id: str = made.json["watchlistId"]
    item = {"contentType": "MOVIE", "contentId": movie_id, "curatorNote": note}
    assert (await by.api("POST", f"/watchlists/{list_id}/items", item)).status == 201
    await ww.worker.drain()
    return list_id


async def test_librarians_add_mend_and_delete_titles_and_curators_add_them(ww: WorthWatch) -> None:
    lib, ada, mina = await ww.person("Lib", "worthwatch:librarian"), await ww.curator("Ada"), await ww.person("Mina")
    added = await lib.api("POST", "/movies", {"title": "Night Train", "releaseYear": 1959, "imdbId": "tt0053126"})
    assert (added.status, added.json["checked"]) == (201, True)
    path = added.headers["location"].removeprefix("/api/worthwatch")
    again = await lib.api("POST", "/movies", {"title": "Another", "imdbId": "tt0053126"})
    assert (again.status, again.json["code"]) == (409, "external_id_taken")
    mended = await lib.api("PATCH", path, {"runtime": 99, "version": added.json["version"]})
    assert (mended.status, mended.json["runtime"], mended.json["releaseYear"]) == (200, 99, 1959)
    stale = await lib.api("PATCH", path, {"runtime": 98, "version": added.json["version"]})
    assert stale.status == 409
    series = await ada.api("POST", "/shows", {"title": "Severance", "startYear": 2022, "status": "ongoing"})
    assert (series.status, series.json["checked"], series.json["contentType"]) == (201, False, "SHOW")
    assert (await mina.api("POST", "/movies", {"title": "Mine"})).status == 403
    assert (await ada.api("PATCH", path, {"runtime": 1})).status == 403
    wrong = await lib.api("POST", "/movies", {"title": "", "releaseYear": 1700, "imdbId": "x"})
    assert {each["field"] for each in wrong.json["errors"]} == {"title", "releaseYear", "imdbId"}
    list_id = await listed(ww, ada, added.json["movieId"])
    used = await lib.api("DELETE", path)
    assert (used.status, used.json["code"]) == (409, "title_in_use")
    assert (await ada.api("DELETE", f"/watchlists/{list_id}")).status == 204
    await ww.worker.drain()
    assert (await lib.api("DELETE", path)).status == 204
    assert (await ww.visitor().call("GET", added.headers["location"])).status == 404


async def test_the_catalog_is_listed_newest_first_in_pages(ww: WorthWatch) -> None:
    films = [await film(ww.service) for _ in range(5)]
    visitor = ww.visitor()
    first = (await visitor.call("GET", "/api/worthwatch/movies?limit=3")).json
    rest = (await visitor.call("GET", f"/api/worthwatch/movies?limit=3&cursor={first['next_cursor']}")).json
    found = [each["movieId"] for each in (*first["items"], *rest["items"])]
    assert found == [each.movie_id for each in reversed(films)]
    assert (await visitor.call("GET", "/api/worthwatch/shows")).json == {"items": [], "next_cursor": None}


async def test_a_merged_title_leads_to_the_other_one(ww: WorthWatch) -> None:
    one, other = await film(ww.service), await film(ww.service)
    mark = Merged(content_type="MOVIE", content_id=one.movie_id, into=other.movie_id, merged_at="2026-01-01T00:00:00Z")
    await ww.kit.store.write(Put(mark))
    await ww.kit.store.write(Delete(one.own_key))
    answer = await ww.visitor().call("GET", f"/api/worthwatch/movies/{one.movie_id}")
    assert (answer.status, answer.headers["location"]) == (308, f"/api/worthwatch/movies/{other.movie_id}")


async def test_a_title_is_rated_reviewed_and_taken_back(ww: WorthWatch) -> None:
    mina, ada, title = await ww.person("Mina"), await ww.curator("Ada"), await film(ww.service)
    path = f"/ratings/MOVIE/{title.movie_id}"
    assert (await mina.api("GET", path)).status == 404
    rated = await mina.api("PUT", path, {"rating": 7, "review": "The train wins.", "hasSpoilers": True})
    assert (rated.status, rated.json["rating"], rated.json["hasSpoilers"]) == (200, 7, True)
    await ada.api("PUT", path, {"rating": 10})
    quiet = await ww.person("Quiet")
    await quiet.api("PUT", path, {"rating": 1})
    await ww.worker.drain()  # a curator's rating without a review is shown by what follows its change
    found = (await ww.visitor().call("GET", f"/api/worthwatch/content/MOVIE/{title.movie_id}/ratings")).json
    assert (found["average"], found["count"], found["ratings"]) == (6, 3, [1, 0, 0, 0, 0, 0, 1, 0, 0, 1])
    assert {(each["username"], each["rating"], each["isCurator"]) for each in found["items"]} == {
        (mina.who.username, 7, False),
        ("Ada", 10, True),
    }
    reviews = (await ww.visitor().call("GET", f"/api/worthwatch/content/MOVIE/{title.movie_id}/reviews")).json
    assert [(each["review"], each["hasSpoilers"]) for each in reviews["items"]] == [("The train wins.", True)]
    mine = (await mina.api("GET", "/ratings")).json["items"]
    assert [(each["rating"], each["title"]["title"]) for each in mine] == [(7, title.title)]
    assert (await mina.api("DELETE", path)).status == 204
    assert (await mina.api("DELETE", path)).status == 404
    wrong = await mina.api("PUT", path, {"rating": 11, "review": "x" * 5001})
    assert {each["field"] for each in wrong.json["errors"]} == {"rating", "review"}
    assert (await ww.visitor().call("PUT", f"/api/worthwatch{path}", {"rating": 5})).status == 401
    assert (await mina.api("PUT", "/ratings/BOOK/x", {"rating": 5})).status == 422


async def test_seen_to_watch_and_not_for_me_are_put_and_deleted(ww: WorthWatch) -> None:
    mina, title = await ww.person("Mina"), await film(ww.service)
    one = f"MOVIE/{title.movie_id}"
    wanted = await mina.api("PUT", f"/to-watch/{one}")
    assert (wanted.status, wanted.json["toWatch"], wanted.json["seen"]) == (200, True, False)
    assert [each["title"] for each in (await mina.api("GET", "/to-watch")).json["items"]] == [title.title]
    seen = await mina.api("PUT", f"/seen/{one}", {"day": "2026-05-01"})
    assert (seen.json["seen"], seen.json["toWatch"], seen.json["times"]) == (True, False, 1)
    assert (await mina.api("GET", "/to-watch")).json["items"] == []
    refused = await mina.api("DELETE", f"/seen/{one}")
    assert (refused.status, refused.json["code"]) == (409, "in_the_diary")
    (entry,) = (await mina.api("GET", "/diary")).json["items"]
    assert (await mina.api("DELETE", f"/diary/{entry['day']}/{entry['viewingId']}")).status == 204
    assert (await mina.api("DELETE", f"/seen/{one}")).status == 204
    assert (await mina.api("DELETE", f"/seen/{one}")).status == 204, "twice is harmless"
    assert (await mina.api("PUT", f"/not-for-me/{one}")).json["notForMe"] is True
    (aside,) = (await mina.api("GET", "/not-for-me")).json["items"]
    assert (aside["title"]["title"], aside["mine"]["notForMe"]) == (title.title, True)
    assert (await mina.api("DELETE", f"/not-for-me/{one}")).status == 204
    assert (await mina.api("PUT", "/seen/MOVIE/nothing")).status == 404
    assert (await mina.api("PUT", f"/seen/{one}", {"day": "2999-01-01"})).json["errors"][0]["field"] == "day"


async def test_the_diary_is_logged_listed_and_deleted(ww: WorthWatch) -> None:
    mina, title = await ww.person("Mina"), await film(ww.service)
    viewing = {"contentType": "MOVIE", "contentId": title.movie_id, "day": "2026-05-01", "rating": 8, "note": "Alone"}
    logged = await mina.api("POST", "/diary", viewing)
    assert (logged.status, logged.json["title"], logged.json["note"]) == (201, title.title, "Alone")
    assert (await mina.api("GET", f"/ratings/MOVIE/{title.movie_id}")).json["rating"] == 8
    assert len((await mina.api("GET", "/diary")).json["items"]) == 1
    eve = await ww.person("Eve")
    assert (await eve.api("GET", "/diary")).json["items"] == []
    for path in (f"/diary/2026-05-01/{logged.json['viewingId']}", "/diary/yesterday/x%23y"):
        assert (await eve.api("DELETE", path)).status == 404


async def test_lists_are_saved_with_news_and_forgotten(ww: WorthWatch) -> None:
    ada, mina, title = await ww.curator("Ada"), await ww.person("Mina"), await film(ww.service)
    list_id = await listed(ww, ada, title.movie_id)
    for _ in range(2):
        saved = await mina.api("PUT", f"/saved/{list_id}", {"tellMe": False})
        assert (saved.status, saved.json["tellMe"], saved.json["itemCount"]) == (200, False, 1)
    assert (await mina.api("GET", f"/watchlists/{list_id}")).json["saveCount"] == 1
    await mina.api("PUT", f"/seen/MOVIE/{title.movie_id}")
    other = await film(ww.service)
    await ada.api("POST", f"/watchlists/{list_id}/items", {"contentType": "MOVIE", "contentId": other.movie_id})
    (each,) = (await mina.api("GET", "/saved")).json["items"]
    assert (each["title"], each["new"], each["seen"], each["itemCount"]) == ("Night trains", 1, 1, 2)
    assert (await ada.api("PUT", f"/saved/{list_id}")).json["code"] == "own_list"
    await ada.api("PATCH", f"/watchlists/{list_id}", {"isPublic": False, "title": "Secret plans"})
    gone = await mina.api("GET", "/saved")
    assert (gone.json["items"][0]["available"], gone.json["items"][0]["title"]) == (False, "Night trains")
    assert "Secret" not in gone.text
    assert title.movie_id not in gone.text
    for _ in range(2):
        assert (await mina.api("DELETE", f"/saved/{list_id}")).status == 204


async def test_private_hidden_and_suspended_lists_are_nowhere(ww: WorthWatch) -> None:
    """Whatever can name a list of a title or keep it names none that the public cannot see."""
    ada, mina, title = await ww.curator("Ada"), await ww.person("Mina"), await film(ww.service)
    public = await listed(ww, ada, title.movie_id, "Whispered note", title="Whispered list")
    private = await listed(ww, ada, title.movie_id, "Whispered note", title="Whispered list", isPublic=False)
    assert "Whispered" in (await mina.api("GET", f"/content/MOVIE/{title.movie_id}/lists")).text
    await ada.api("PUT", f"/ratings/MOVIE/{title.movie_id}", {"rating": 2, "review": "Whispered review"})
    await mina.api("PUT", f"/to-watch/MOVIE/{title.movie_id}", {"fromList": public})
    assert "Whispered" in (await mina.api("GET", "/to-watch")).text
    await mina.api("PUT", f"/saved/{public}")
    await ww.set_status(ada, "suspended")
    for path in (f"/content/MOVIE/{title.movie_id}/lists", f"/content/MOVIE/{title.movie_id}/reviews", "/to-watch"):
        answer = await mina.api("GET", path)
        assert answer.status == 200
        assert "Whispered" not in answer.text, path
    assert (await mina.api("GET", "/saved")).json["items"][0]["available"] is False
    for list_id in (public, private):
        eve = await ww.person("Eve")
        assert (await eve.api("PUT", f"/saved/{list_id}")).status == 404
        await eve.api("PUT", f"/to-watch/MOVIE/{title.movie_id}", {"fromList": list_id})
        assert (await eve.api("GET", "/to-watch")).json["items"][0]["fromList"] is None
