"""Watchlists and their titles over HTTP: who may see and change what, and what programs are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from partita.apps.worthwatch.schema import WORTHWATCH
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import film
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


async def made(somebody: Somebody, **fields: Any) -> dict[str, Any]:
    answer = await somebody.api("POST", "/watchlists", {"title": "Night trains", **fields})
    assert answer.status == 201, answer.text
    found: dict[str, Any] = answer.json
    assert answer.headers["location"].endswith(found["watchlistId"])
    return found


async def with_titles(ww: WorthWatch, somebody: Somebody, count: int = 1, **fields: Any) -> tuple[str, list[str]]:
    list_id = (await made(somebody, **fields))["watchlistId"]
    ids = [(await film(ww.service)).movie_id for _ in range(count)]
    items = [{"contentType": "MOVIE", "contentId": each} for each in ids]
    assert (await somebody.api("POST", f"/watchlists/{list_id}/items/batch", {"items": items})).status == 200
    return list_id, ids


async def test_lists_are_public_for_curators_and_private_for_others_unless_they_say(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    assert (await made(ada))["isPublic"] is True
    assert (await made(ada, isPublic=False))["isPublic"] is False
    assert (await made(mina))["isPublic"] is False
    refused = await mina.api("POST", "/watchlists", {"title": "Mine", "isPublic": True})
    assert (refused.status, refused.json["code"]) == (403, "not_a_curator")
    wrong = await mina.api("POST", "/watchlists", {"title": "", "tags": ["a,b"], "colour": 1})
    assert wrong.status == 422
    assert {each["field"] for each in wrong.json["errors"]} == {"title", "tags.0", "colour"}
    assert (await ww.visitor().call("POST", "/api/worthwatch/watchlists", {"title": "x"})).status == 401


async def test_a_list_is_edited_published_and_taken_back_by_version(ww: WorthWatch) -> None:
    ada, eve = await ww.curator("Ada"), await ww.curator("Eve")
    list_id, _ = await with_titles(ww, ada, isPublic=False)
    before = (await ada.api("GET", f"/watchlists/{list_id}")).json
    published = await ada.api(
        "PATCH", f"/watchlists/{list_id}", {"isPublic": True, "isRanked": True, "version": before["version"]}
    )
    assert (published.status, published.json["isPublic"], published.json["isRanked"]) == (200, True, True)
    stale = await ada.api("PATCH", f"/watchlists/{list_id}", {"title": "Old", "version": before["version"]})
    assert (stale.status, stale.json["code"]) == (409, "changed_meanwhile")
    assert (await eve.api("PATCH", f"/watchlists/{list_id}", {"title": "Hers"})).status == 404
    assert (await eve.api("DELETE", f"/watchlists/{list_id}")).status == 404
    found = (await ww.visitor().call("GET", "/api/worthwatch/watchlists")).json
    assert [each["title"] for each in found["items"]] == ["Night trains"]
    assert found["items"][0]["curatorName"] == "Ada"
    assert (await ada.api("PATCH", f"/watchlists/{list_id}", {"isPublic": False})).status == 200
    assert (await ww.visitor().call("GET", "/api/worthwatch/watchlists")).json["items"] == []
    assert (await ada.api("DELETE", f"/watchlists/{list_id}")).status == 204
    assert (await ada.api("GET", f"/watchlists/{list_id}")).status == 404


async def test_public_lists_by_tag_popularity_and_curator(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    await with_titles(ww, ada, title="Trains", tags=["Trains"])
    await with_titles(ww, ada, title="Heists", tags=["crime"])
    await made(ada, title="Empty")
    ask = ww.visitor()
    for path, titles in {
        "/watchlists": ["Heists", "Trains"],
        "/watchlists?tag=trains": ["Trains"],
        f"/curators/{ada.id}/watchlists": ["Heists", "Trains"],
    }.items():
        found = (await ask.call("GET", f"/api/worthwatch{path}")).json["items"]
        assert [each["title"] for each in found] == titles, path
    popular = (await ask.call("GET", "/api/worthwatch/watchlists?sort=popular")).json["items"]
    assert {each["title"] for each in popular} == {"Heists", "Trains"}, "equally popular"
    first = (await ask.call("GET", "/api/worthwatch/watchlists?limit=1")).json
    rest = (await ask.call("GET", f"/api/worthwatch/watchlists?limit=1&cursor={first['next_cursor']}")).json
    assert [each["title"] for each in rest["items"]] == ["Trains"]
    assert (await ask.call("GET", "/api/worthwatch/watchlists?sort=old")).status == 422
    assert (await ask.call("GET", "/api/worthwatch/curators/nobody/watchlists")).status == 404
    assert [each["title"] for each in (await ada.api("GET", "/me/watchlists")).json["items"]] == [
        "Empty",
        "Heists",
        "Trains",
    ]


async def test_titles_are_added_noted_moved_and_removed(ww: WorthWatch) -> None:
    ada, eve = await ww.curator("Ada"), await ww.person("Eve")
    list_id, (one, two, three) = await with_titles(ww, ada, 3)
    items = f"/watchlists/{list_id}/items"

    async def order() -> list[str]:
        found = await ww.visitor().call("GET", f"/api/worthwatch{items}")
        return [each["contentId"] for each in found.json["items"]]

    again = await ada.api("POST", items, {"contentType": "MOVIE", "contentId": one})
    assert (again.status, again.json["code"]) == (409, "already_listed")
    became = (await ada.api("POST", f"{items}/batch", {"items": [{"contentType": "MOVIE", "contentId": one}]})).json
    assert (became["added"], [each["contentId"] for each in became["thereAlready"]]) == ([], [one])
    assert (await ada.api("POST", items, {"contentType": "MOVIE", "contentId": "nothing"})).status == 404
    noted = await ada.api("PATCH", f"{items}/MOVIE/{one}", {"curatorNote": "On a train.", "noteSpoils": True})
    assert (noted.json["curatorNote"], noted.json["noteSpoils"]) == ("On a train.", True)
    assert (await ada.api("POST", f"{items}/MOVIE/{three}/move", {"position": 1})).status == 200
    assert await order() == [three, one, two]
    after = {"after": {"contentType": "MOVIE", "contentId": two}}
    assert (await ada.api("POST", f"{items}/MOVIE/{three}/move", after)).status == 200
    assert await order() == [one, two, three]
    gone = {"before": {"contentType": "MOVIE", "contentId": "nothing"}}
    refused = await ada.api("POST", f"{items}/MOVIE/{three}/move", gone)
    assert (refused.status, refused.json["code"]) == (409, "neighbour_gone")
    assert [each["contentId"] for each in refused.json["items"]] == [one, two, three]
    assert (await ada.api("POST", f"{items}/MOVIE/{three}/move", {})).status == 422
    for method, path, content in (
        ("POST", items, {"contentType": "MOVIE", "contentId": one}),
        ("PATCH", f"{items}/MOVIE/{one}", {"curatorNote": "Hers"}),
        ("DELETE", f"{items}/MOVIE/{one}", None),
        ("POST", f"{items}/MOVIE/{one}/move", {"position": 2}),
    ):
        assert (await eve.api(method, path, content)).status == 404, (method, path)
    assert (await ada.api("DELETE", f"{items}/MOVIE/{two}")).status == 204
    assert await order() == [one, three]


async def test_a_private_list_is_shared_by_a_link_that_can_be_revoked(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    list_id, (title,) = await with_titles(ww, ada, isPublic=False)
    visitor = ww.visitor()

    async def status(path: str) -> int:
        return (await visitor.call("GET", f"/api/worthwatch/watchlists/{list_id}{path}")).status

    assert await status("") == 404
    assert await status("/items") == 404
    shared = (await ada.api("PUT", f"/watchlists/{list_id}/secret-link")).json
    secret = shared["secretLink"].rpartition("/")[2]
    assert await status(f"?secret={secret}") == 200
    assert await status(f"/items?secret={secret}") == 200
    assert await status("?secret=wrong") == 404
    seen = (await visitor.call("GET", f"/api/worthwatch/watchlists/{list_id}?secret={secret}")).json
    assert seen["secretLink"] is None
    copied = await mina.api("POST", f"/watchlists/{list_id}/clone", {"secret": secret})
    assert (copied.status, copied.json["itemCount"], copied.json["clonedFrom"]) == (201, 1, list_id)
    assert (await mina.api("POST", f"/watchlists/{list_id}/clone", {})).status == 404
    assert (await ada.api("DELETE", f"/watchlists/{list_id}/secret-link")).status == 204
    assert await status(f"?secret={secret}") == 404
    secret = (await ada.api("PUT", f"/watchlists/{list_id}/secret-link")).json["secretLink"].rpartition("/")[2]
    assert (await ada.api("PATCH", f"/watchlists/{list_id}", {"isPublic": True})).status == 200
    assert await status(f"?secret={secret}") == 404, "publishing ends it"
    assert (await ada.api("PUT", f"/watchlists/{list_id}/secret-link")).status == 409
    assert title


async def test_what_is_private_or_of_somebody_suspended_is_nowhere(ww: WorthWatch) -> None:
    ada, eve = await ww.curator("Ada"), await ww.person("Eve")
    private, _ = await with_titles(ww, ada, title="Private", isPublic=False, tags=["a"])
    public, _ = await with_titles(ww, ada, title="Public", tags=["a"])
    await ww.set_status(ada, "suspended")
    for list_id in (private, public):
        for who in (ww.visitor(), eve):
            for method, path in (("GET", ""), ("GET", "/items"), ("GET", "?secret=x")):
                answer = await who.call(method, f"/api/worthwatch/watchlists/{list_id}{path}", token=who.token)
                assert answer.status == 404, path
        assert (await eve.api("POST", f"/watchlists/{list_id}/clone", {})).status == 404
    for path in ("", "?tag=a", "?sort=popular"):
        assert (await ww.visitor().call("GET", f"/api/worthwatch/watchlists{path}")).json["items"] == []
    assert (await ww.visitor().call("GET", f"/api/worthwatch/curators/{ada.id}/watchlists")).status == 404
    own = await ada.api("GET", f"/watchlists/{public}")
    assert own.status == 200
