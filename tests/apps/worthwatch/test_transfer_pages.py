"""Import and export over HTTP: by page and by API, for their owner alone."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch.inputs import ListEdit, NewItem
from partita.kit.kit import Kit
from tests.apps.worthwatch.conftest import film, new_list
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio
LIST = (
    "Position,Name,Year,URL,Description\n1,Cold War,2018,u,Why\n2,The Lives of Others,2007,u,\n3,<b>Nowhere,1950,u,\n"
)


@pytest.fixture
def worthwatch(kit: Kit) -> WorthWatch:
    return serve(kit)


async def upload(somebody: Somebody, path: str, data: bytes, name: str = "shelf.csv") -> Answer:
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    headers = {"content-type": "multipart/form-data; boundary=x", "sec-fetch-site": "same-origin"}
    if path.startswith("/api/"):
        headers["authorization"] = f"Bearer {somebody.token}"
    return await somebody.ask("POST", path, head + data + b"\r\n--x--\r\n", headers)


async def test_file_review_done_by_pages_alone(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.person("Ada")
    await film(worthwatch.service, "Cold War", release_year=2018)
    lives = await film(worthwatch.service, "The Lives of Others", release_year=2006)
    assert "Where to find it" in (await ada.get("/worthwatch/import")).shown
    answer = await upload(ada, "/worthwatch/import", LIST.encode())
    page = await ada.follow(answer)
    assert "Please check" in page.shown
    assert "The Lives of Others" in page.shown
    assert f"film/{lives.movie_id}" in page.text
    here = answer.location
    missing = (await ada.get(f"{here}?show=missing")).text
    assert "&lt;b&gt;Nowhere" in missing
    decided = {"row.2": f"film/{lives.movie_id}", "target": "new", "title": "My shelf", "do": "save", "show": "check"}
    page = await ada.follow(await ada.post(here, decided))
    assert "Add 2 titles" in page.shown
    begun = await ada.post(here, {"do": "apply", "target": "new", "title": "My shelf"})
    assert begun.status == 303
    assert begun.location.startswith("/jobs/")
    await worthwatch.jobs.drain()
    done = (await ada.get(here)).shown
    assert "Added" in done
    assert "Not found" in done
    assert "See the list" in done
    csv = await ada.get(f"{here}/csv")
    assert csv.headers["content-type"].startswith("text/csv")
    assert "3,<b>Nowhere,1950,Not found" in csv.text
    bob = await worthwatch.person("Bob")
    for path in (here, f"{here}/csv"):
        assert (await bob.get(path)).status == 404


async def test_a_wrong_file_is_answered_with_what_it_looks_like(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.person("Ada")
    for data, says in ((b"a,b\n1,2\n", "The first line has: a, b."), (b"", "")):
        answer = await upload(ada, "/worthwatch/import", data)
        assert answer.status == 422
        assert says in answer.shown
    assert (await worthwatch.visitor().get("/worthwatch/import")).status in (302, 303)


async def test_the_same_by_the_api(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.person("Ada")
    await film(worthwatch.service, "Cold War", release_year=2018)
    lives = await film(worthwatch.service, "The Lives of Others", release_year=2006)
    made = await upload(ada, "/api/worthwatch/imports", LIST.encode())
    assert made.status == 201
    path = made.location.removeprefix("/api/worthwatch")
    assert made.json["counts"] == {"found": 1, "check": 1, "missing": 1}
    right = {"contentType": "MOVIE", "contentId": lives.movie_id}
    decided = await ada.api("PATCH", path, {"choices": {"2": right}, "leaveOut": [3]})
    assert [each["state"] for each in decided.json["rows"]] == ["found", "found", "left-out"]
    assert decided.json["rows"][1]["chosen"]["contentId"] == lives.movie_id
    job = await ada.api("POST", f"{path}/apply")
    assert job.status == 202
    assert (await ada.api("POST", f"{path}/apply")).json["jobId"] == job.json["jobId"]
    await worthwatch.jobs.drain()
    done = (await ada.api("GET", path)).json
    assert done["state"] == "done"
    assert [each["outcome"] for each in done["rows"]] == ["Added", "Added", "Left out"]
    assert (await ada.api("PATCH", path, {"leaveOut": [1]})).status == 409
    assert [each["state"] for each in (await ada.api("GET", "/imports")).json["items"]] == ["done"]
    bob = await worthwatch.person("Bob")
    for method, below in (("GET", ""), ("POST", "/apply")):
        assert (await bob.api(method, path + below)).status == 404
    assert (await upload(ada, "/api/worthwatch/imports", b"x" * 2_000_100)).status == 413


async def test_lists_are_exported_for_those_who_may_see_them(worthwatch: WorthWatch) -> None:
    ada = await worthwatch.curator("Ada")
    service, visitor = worthwatch.service, worthwatch.visitor()
    watchlist = await new_list(service, ada.who, title="Night trains", is_public=True)
    made = await film(service, "+Train", release_year=1950)
    await service.items.add(ada.who, watchlist.watchlist_id, NewItem(content_type="MOVIE", content_id=made.movie_id))
    page, api = (
        f"/worthwatch/lists/{watchlist.watchlist_id}/export/letterboxd",
        f"/api/worthwatch/watchlists/{watchlist.watchlist_id}/export?format=letterboxd",
    )
    for path in (page, api):
        answer = await visitor.get(path)
        assert answer.headers["content-disposition"] == 'attachment; filename="night-trains.csv"'
        assert "\r\n'+Train,1950," in answer.text
    await service.lists.edit(ada.who, watchlist.watchlist_id, ListEdit(is_public=False))
    secret = (await service.lists.share(ada.who, watchlist.watchlist_id)).secret_link
    for path in (page, api):
        assert (await visitor.get(path)).status == 404
        mark = "&" if "?" in path else "?"
        assert (await visitor.get(f"{path}{mark}secret={secret}")).status == 200
        assert (await visitor.get(f"{path}{mark}secret=wrong")).status == 404
    await service.lists.revoke(ada.who, watchlist.watchlist_id)
    assert (await visitor.get(f"{page}?secret={secret}")).status == 404
    assert (await visitor.get("/api/worthwatch/me/history/export")).status == 401
    assert (await ada.get("/worthwatch/history/export/json")).json == []
    assert (await ada.get("/worthwatch/history/export/xml")).status == 404
