"""fus over HTTP: who may do what, what every list answers, and what never leaves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from partita.apps.fus.schema import FUS
from tests.apps.fus.conftest import put
from tests.apps.fus.served import Fus, Somebody, serve
from tests.apps.house import kit_on

pytestmark = pytest.mark.anyio
SECRET = "nobody else may read this"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def fus(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fus]:
    with kit_on(tmp_path_factory.mktemp("api"), FUS) as kit:
        yield serve(kit)


@pytest.fixture(scope="module")
async def people(fus: Fus) -> dict[str, Somebody]:
    """One of each kind."""
    return {
        "visitor": fus.visitor(),
        "member": await fus.person("Member"),
        "manager": await fus.person("Manager", "fus:manager"),
        "admin": await fus.person("Admin", "fus:admin"),
    }


# ---- who may do what

_NEW = {"url": "https://new.example.org/{n}", "fetch": False}
_MATRIX: list[tuple[str, str, Any, str]] = [
    # Method, path, body, and who may: v(isitor), m(ember), M(anager), A(dmin).
    ("GET", "/sites", None, "vmMA"),
    ("GET", "/sites/{site}", None, "vmMA"),
    ("GET", "/tags", None, "vmMA"),
    ("GET", "/ratings?stars=5", None, "vmMA"),
    ("GET", "/sites/{site}/comments", None, "vmMA"),
    ("POST", "/sites", _NEW, "MA"),
    ("POST", "/sites/preview", {"url": "https://example.org"}, "MA"),
    ("PATCH", "/sites/{site}", {"title": "Changed {n}"}, "MA"),
    ("DELETE", "/sites/{fresh}", None, "MA"),
    ("PUT", "/sites/{site}/rating", {"stars": 4}, "mMA"),
    ("GET", "/sites/{site}/rating", None, "mMA"),
    ("DELETE", "/sites/{site}/rating", None, "mMA"),
    ("GET", "/me/ratings", None, "mMA"),
    ("POST", "/sites/{site}/comments", {"body": "Good"}, "mMA"),
    ("PATCH", "/sites/{site}/comments/{own}", {"body": "Better"}, "mMA"),
    ("DELETE", "/sites/{site}/comments/{own}", None, "mMA"),
    ("PATCH", "/sites/{site}/comments/{others}", {"body": "Worse"}, ""),
    ("DELETE", "/sites/{site}/comments/{others}", None, "MA"),
    ("GET", "/me/comments", None, "mMA"),
    ("GET", "/groups", None, "A"),
    ("POST", "/groups", {"name": "group-{n}", "permissions": ["fus:site:edit"]}, "A"),
    ("GET", "/groups/{group}", None, "A"),
    ("PATCH", "/groups/{group}", {"description": "Changed {n}"}, "A"),
    ("GET", "/groups/{group}/log", None, "A"),
    ("GET", "/groups/{group}/members", None, "A"),
    ("PUT", "/groups/{group}/members/{user}", None, "A"),
    ("GET", "/groups/{group}/members/{user}", None, "A"),
    ("DELETE", "/groups/{group}/members/{user}", None, "A"),
    ("DELETE", "/groups/{group}", None, "A"),
    ("GET", "/permissions", None, "A"),
    ("GET", "/me/groups", None, "mMA"),
    ("GET", "/catalog/export?format=csv", None, "MA"),
]
_LETTERS = {"visitor": "v", "member": "m", "manager": "M", "admin": "A"}


async def test_everybody_may_do_exactly_what_the_matrix_says(fus: Fus, people: dict[str, Somebody]) -> None:
    admin, others = people["admin"], await fus.person("Author")
    for number, (who, somebody) in enumerate(people.items()):
        site = await put(fus.service)
        written = await others.api("POST", f"/sites/{site.site_id}/comments", {"body": "Theirs"})
        assert (await admin.api("POST", "/groups", {"name": f"for-{who}"})).status == 201
        if who != "admin":
            await admin.api("PUT", f"/groups/for-{who}/members/{others.user_id}")
        names = {
            "site": site.site_id,
            "fresh": (await put(fus.service)).site_id,
            "group": f"for-{who}",
            "user": others.user_id,
            "others": written.json["commentId"],
            "own": "none.none",
            "n": str(number),
        }
        for method, path, body, allowed in _MATRIX:
            filled = {
                key: value.format(**names) if isinstance(value, str) else value for key, value in (body or {}).items()
            }
            answer = await somebody.api(method, path.format(**names), filled if body is not None else None)
            if _LETTERS[who] in allowed:
                assert answer.status in (200, 201, 204), (who, method, path, answer.text)
            else:
                expected = 401 if who == "visitor" else 403
                assert answer.status == expected, (who, method, path, answer.text)
                assert answer.json["code"] in ("sign_in_required", "forbidden"), answer.text
            if method == "POST" and path.endswith("/comments") and answer.status == 201:
                names["own"] = answer.json["commentId"]


async def test_an_import_needs_its_permission(fus: Fus, people: dict[str, Somebody]) -> None:
    data = b"url\nhttps://imported.example.org"
    statuses = {
        who: (await each.upload("/api/fus/catalog/import", data)).status for who, each in people.items() if each.token
    }
    assert statuses == {"member": 403, "manager": 202, "admin": 202}
    assert (await fus.visitor().call("POST", "/api/fus/catalog/import")).status == 401


async def test_a_program_reaches_no_further_than_its_scopes(fus: Fus, people: dict[str, Somebody]) -> None:
    manager = people["manager"]
    viewer = await fus.kit.accounts.recognition.from_session(manager.cookies["partita"])
    token = (await fus.kit.accounts.tokens.create(viewer, "narrow", ["fus:site:create"], 1)).text
    narrow = Somebody(fus.app, account=manager.account, token=token)
    assert (await narrow.api("POST", "/sites", {"url": "https://narrow.example.org", "fetch": False})).status == 201
    site = await put(fus.service)
    assert (await narrow.api("PATCH", f"/sites/{site.site_id}", {"title": "x"})).status == 403
    assert (await narrow.api("PUT", f"/sites/{site.site_id}/rating", {"stars": 1})).status == 403


# ---- what comes and goes


async def test_a_site_from_its_making_to_its_end(fus: Fus, people: dict[str, Somebody]) -> None:
    manager, member = people["manager"], people["member"]
    body = {"url": "https://life.example.org", "title": "Life", "description": "Of a site", "tags": ["Maps", "maps"]}
    made = await manager.api("POST", "/sites", {**body, "fetch": False})
    assert made.status == 201
    path = made.headers["location"].removeprefix("/api/fus")
    detail = made.json
    assert {key: detail[key] for key in ("url", "title", "tags", "ratingCount", "ratingAverage", "commentCount")} == {
        "url": "https://life.example.org",
        "title": "Life",
        "tags": ["maps"],
        "ratingCount": 0,
        "ratingAverage": None,
        "commentCount": 0,
    }
    again = await manager.api("POST", "/sites", {**body, "fetch": False})
    assert (again.status, again.json["code"]) == (409, "url_taken")
    rated = await member.api("PUT", f"{path}/rating", {"stars": 4, "note": SECRET})
    assert rated.json == {"siteId": detail["siteId"], "stars": 4, "note": SECRET, "updatedAt": rated.json["updatedAt"]}
    await manager.api("PUT", f"{path}/rating", {"stars": 1})
    found = (await fus.visitor().api("GET", path)).json
    assert (found["ratingCount"], found["ratingAverage"]) == (2, 2.5)
    assert found["ratingHistogram"] == {"1": 1, "2": 0, "3": 0, "4": 1, "5": 0}
    changed = await manager.api("PATCH", path, {"tags": ["art"], "revision": detail["revision"]})
    assert changed.json["tags"] == ["art"]
    late = await manager.api("PATCH", path, {"tags": [], "revision": detail["revision"]})
    assert (late.status, late.json["code"]) == (409, "changed_meanwhile")
    assert (await manager.api("DELETE", path)).status == 204
    assert (await fus.visitor().api("GET", path)).status == 404
    assert (await member.api("GET", f"{path}/rating")).status in (200, 404)
    await fus.worker.drain()
    assert (await member.api("GET", f"{path}/rating")).status == 404


async def test_every_bad_field_is_named_at_once(people: dict[str, Somebody]) -> None:
    body = {"url": "nowhere", "title": "x" * 301, "tags": ["", "y" * 41], "colour": "red"}
    answer = await people["manager"].api("POST", "/sites", body)
    assert (answer.status, answer.json["code"]) == (422, "invalid")
    assert {error["field"] for error in answer.json["errors"]} == {"url", "title", "tags.0", "tags.1", "colour"}


async def test_an_unknown_permission_is_refused_by_name(people: dict[str, Somebody]) -> None:
    answer = await people["admin"].api("POST", "/groups", {"name": "x", "permissions": ["fus:site:burn"]})
    assert (answer.status, answer.json["code"]) == (422, "unknown_permission")
    assert "fus:site:burn" in answer.json["errors"][0]["message"]


async def test_nobody_grants_what_they_do_not_hold(people: dict[str, Somebody]) -> None:
    answer = await people["admin"].api("POST", "/groups", {"name": "x", "permissions": ["house:users:manage"]})
    assert (answer.status, answer.json["code"]) == (403, "not_held")


async def test_a_group_grants_over_http_from_the_next_request_on(fus: Fus, people: dict[str, Somebody]) -> None:
    admin, ada = people["admin"], await fus.person("Ada")
    body = {"url": "https://granted.example.org", "fetch": False}
    assert (await ada.api("POST", "/sites", body)).status == 403
    await admin.api("POST", "/groups", {"name": "makers", "permissions": ["fus:site:create"]})
    await admin.api("PUT", f"/groups/makers/members/{ada.user_id}")
    viewer = await fus.kit.accounts.recognition.from_session(ada.cookies["partita"])
    ada.token = (await fus.kit.accounts.tokens.create(viewer, "more", viewer.permissions, 1)).text
    assert (await ada.api("POST", "/sites", body)).status == 201
    assert [each["name"] for each in (await ada.api("GET", "/me/groups")).json["items"]] == ["makers"]
    await admin.api("DELETE", "/groups/makers")
    assert (await ada.api("POST", "/sites", {"url": "https://late.example.org", "fetch": False})).status == 403


# ---- lists


async def _pages(somebody: Somebody, path: str, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        between = "&" if "?" in path else "?"
        more = f"&cursor={cursor}" if cursor else ""
        answer = await somebody.api("GET", f"{path}{between}limit={limit}{more}")
        assert answer.status == 200, answer.text
        items, cursor = answer.json["items"], answer.json["next_cursor"]
        found += items
        if cursor is None:
            return found
        assert len(items) == limit, path


async def test_every_list_pages_to_the_same_whole(fus: Fus) -> None:
    admin = await fus.person("Pager", "fus:admin")
    sites = [await put(fus.service, f"Paged {number}", tags=["paged", f"p{number}"]) for number in range(5)]
    for site in sites:
        await admin.api("PUT", f"/sites/{site.site_id}/rating", {"stars": 2})
        await admin.api("POST", f"/sites/{sites[0].site_id}/comments", {"body": site.title})
    for number in range(5):
        await admin.api("POST", "/groups", {"name": f"paged-{number}"})
        await admin.api("PUT", f"/groups/paged-0/members/{(await fus.person(f'P{number}')).user_id}")
    await fus.worker.drain()
    lists = [
        "/sites",
        "/sites?sort=title",
        "/sites?sort=rating",
        "/sites?tags=paged",
        "/sites?tags=paged,p1&tag_mode=or",
        "/sites?tags=paged&sort=title",
        "/sites?q=paged",
        "/tags",
        "/tags?sort=name",
        "/ratings?stars=2",
        "/me/ratings",
        "/me/comments",
        f"/sites/{sites[0].site_id}/comments",
        f"/sites/{sites[0].site_id}/comments?sort=newest",
        "/groups",
        "/groups/paged-0/members",
        "/groups/paged-0/log",
    ]
    for path in lists:
        whole = await _pages(admin, path, 100)
        assert len(whole) >= 5, path
        assert await _pages(admin, path, 2) == whole, path
        altered = await admin.api("GET", f"{path}{'&' if '?' in path else '?'}cursor=AAAA")
        assert (altered.status, altered.json["code"]) == (400, "invalid_cursor"), path
        for limit in (0, 101):
            assert (await admin.api("GET", f"{path}{'&' if '?' in path else '?'}limit={limit}")).status == 422


async def test_tags_are_wanted_all_or_any(fus: Fus) -> None:
    first = await put(fus.service, tags=["alpha", "beta"])
    second = await put(fus.service, tags=["alpha"])

    async def found(query: str) -> set[str]:
        return {each["siteId"] for each in (await fus.visitor().api("GET", f"/sites?{query}")).json["items"]}

    assert await found("tags=alpha&tags=beta") == await found("tags=alpha,Beta&tag_mode=and") == {first.site_id}
    assert await found("tags=alpha,beta&tag_mode=or") == {first.site_id, second.site_id}
    assert (await fus.visitor().api("GET", "/sites?tag_mode=xor")).status == 422
    assert (await fus.visitor().api("GET", f"/sites?tags={'x' * 41}")).status == 422


# ---- what never leaves


async def test_a_note_never_leaves_but_to_its_author(fus: Fus, people: dict[str, Somebody]) -> None:
    author = await fus.person("Author")
    site = await put(fus.service, tags=["noted"])
    await author.api("PUT", f"/sites/{site.site_id}/rating", {"stars": 5, "note": SECRET})
    await author.api("POST", f"/sites/{site.site_id}/comments", {"body": "Said aloud"})
    await fus.worker.drain()
    routes = [
        "/sites",
        "/sites?q=nobody+else+may",
        "/sites?tags=noted",
        f"/sites/{site.site_id}",
        f"/sites/{site.site_id}/comments",
        "/ratings?stars=5",
        "/tags",
        "/me/ratings",
        "/me/comments",
        f"/sites/{site.site_id}/rating",
        "/catalog/export?format=html",
        "/catalog/export?format=csv",
        "/catalog/export?format=json",
    ]
    pages = [f"/fus/sites/{site.site_id}", "/fus", "/fus?q=nobody", "/fus/me/ratings", "/fus/export/html", "/"]
    for somebody in (people["visitor"], people["member"], people["admin"]):
        for path in routes:
            assert SECRET not in (await somebody.api("GET", path)).text, path
        for path in pages:
            assert SECRET not in (await somebody.get(path)).text, path
    assert (await author.api("GET", f"/sites/{site.site_id}/rating")).json["note"] == SECRET
    assert SECRET in (await author.get("/fus/me/ratings")).text


async def test_no_address_of_a_person_leaves(fus: Fus, people: dict[str, Somebody]) -> None:
    author = await fus.person("Author")
    assert author.account is not None
    site = await put(fus.service)
    await author.api("PUT", f"/sites/{site.site_id}/rating", {"stars": 5})
    said = await author.api("POST", f"/sites/{site.site_id}/comments", {"body": "Aloud"})
    assert said.json["by"] == {"userId": author.user_id, "username": author.account.username, "name": "Author"}
    for path in (f"/sites/{site.site_id}/comments", "/ratings?stars=5"):
        assert "@example.org" not in (await fus.visitor().api("GET", path)).text
    assert "@example.org" not in (await fus.visitor().get(f"/fus/sites/{site.site_id}")).text


async def test_the_catalog_comes_and_goes_as_a_file(fus: Fus, people: dict[str, Somebody]) -> None:
    manager = people["manager"]
    data = b'[{"url": "https://file.example.org"}, {"url": "no"}]'
    started = await manager.upload("/api/fus/catalog/import", data)
    again = await manager.upload("/api/fus/catalog/import", data)
    assert (started.status, started.json["state"]) == (202, "waiting")
    assert again.json == started.json, "the same file while it waits or runs is the same job"
    job, path = f"/api/jobs/{started.json['jobId']}", f"/catalog/imports/{started.json['jobId']}"
    assert (started.headers["location"], started.json["url"]) == (job, job)
    before = (await manager.api("GET", path)).json
    assert (before["state"], before["rows"]) == ("waiting", [])
    await fus.jobs.drain()
    ended = await manager.call("GET", job, token=manager.token)
    assert (ended.json["state"], ended.json["result"]) == ("done", {"added": 1, "there": 0, "refused": 1})
    report = (await manager.api("GET", path)).json
    assert (report["state"], report["added"], report["there"], report["refused"]) == ("done", 1, 0, 1)
    assert [row["outcome"] for row in report["rows"]] == ["added", "refused"]
    assert (await people["member"].api("GET", path)).status == 403
    other = await fus.person("Other", "fus:manager")
    assert (await other.api("GET", path)).status == 404, "it is not theirs"
    for format, kind in (("html", "text/html"), ("csv", "text/csv"), ("json", "application/json")):
        answer = await manager.api("GET", f"/catalog/export?format={format}")
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["content-disposition"] == f'attachment; filename="fus-catalog.{format}"'
        assert "https://file.example.org" in answer.text
    assert (await manager.upload("/api/fus/catalog/import", b"x" * 2_000_001)).status == 413
    assert (await manager.upload("/api/fus/catalog/import", b"")).status == 422
    wrong = await manager.upload("/api/fus/catalog/import?format=json", b"{")
    await fus.jobs.drain()
    failed = (await manager.call("GET", wrong.json["url"], token=manager.token)).json
    assert (failed["state"], failed["error"][:16]) == ("failed", "This is not JSON")


@pytest.mark.parametrize("odd", ["%00", "a%23b", "x" * 3000, "..%2f..", "%F0%9F%8C%8D"])
async def test_odd_ids_are_not_found(people: dict[str, Somebody], odd: str) -> None:
    admin = people["admin"]
    for method, path, body in (
        ("GET", f"/sites/{odd}", None),
        ("PATCH", f"/sites/{odd}", {"title": "x"}),
        ("DELETE", f"/sites/{odd}", None),
        ("PUT", f"/sites/{odd}/rating", {"stars": 1}),
        ("GET", f"/sites/{odd}/rating", None),
        ("POST", f"/sites/{odd}/comments", {"body": "x"}),
        ("GET", f"/sites/{odd}/comments", None),
        ("DELETE", f"/sites/{odd}/comments/{odd}", None),
        ("GET", f"/groups/{odd}", None),
        ("GET", f"/groups/{odd}/members", None),
        ("PUT", f"/groups/{odd}/members/{odd}", None),
    ):
        assert (await admin.api(method, path, body)).status == 404, (method, path)


@pytest.mark.parametrize("stars", [True, False, "3", 3.0, None, 0, 6, [3]])
async def test_stars_are_whole_numbers_and_nothing_that_looks_like_one(
    fus: Fus, people: dict[str, Somebody], stars: object
) -> None:
    site = await put(fus.service)
    answer = await people["member"].api("PUT", f"/sites/{site.site_id}/rating", {"stars": stars})
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "stars")
