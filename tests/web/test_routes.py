"""Every route of the suite, of every system there is: who may use it, how it refuses, how it is documented."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from partita.bootstrap import build
from partita.kit.permissions import Access, Reason, Viewer
from partita.kit.routes import Routes
from partita.kit.settings import Settings
from partita.kit.suite import Suite, policy_of
from partita.web.app import create_app
from tests.web import press
from tests.web.conftest import Person, Served
from tests.web.visitor import Answer, Visitor
from tests.web.walk import Walked, walk

pytestmark = pytest.mark.anyio

HEADERS = {
    "content-security-policy": r"default-src 'none'; .*frame-ancestors 'none'.*",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin|no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": r".*camera=\(\).*",
    "x-request-id": r"[0-9a-z]{26}",
    "cache-control": ".+",
}


@dataclass(slots=True)
class Handed:
    """Grants one person what the test wants, as fus's groups do."""

    user_id: str = ""
    permissions: frozenset[str] = frozenset()

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        return self.permissions if user_id == self.user_id else frozenset()

    async def reasons_for(self, user_id: str) -> list[Reason]:
        return [Reason("The test", await self.permissions_of(user_id))]

    async def holders(self, permission: str) -> list[str]:
        return []

    async def members_of(self, group: str) -> list[str] | None:
        return None

    async def groups_named(self, start: str, limit: int) -> list[str]:
        return []


@dataclass(frozen=True, slots=True)
class House(Served):
    """The suite as it is served, and what its routes say of themselves."""

    routes: tuple[Walked, ...]
    handed: Handed = field(default_factory=Handed)

    @property
    def names(self) -> set[str]:
        return {system.name for system in self.suite.systems}

    @property
    def known(self) -> frozenset[str]:
        return policy_of(self.suite.systems).known

    @property
    def members(self) -> frozenset[str]:
        return policy_of(self.suite.systems).members


@pytest.fixture(scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    suite = build(Settings(data=tmp_path_factory.mktemp("house"), fetch=False))
    handed = Handed()
    suite.kit.accounts.use(policy_of(suite.systems), (*_grants(suite), handed))
    app = create_app(suite)
    async with app.router.lifespan_context(app):
        yield House(suite, app, tuple(walk(app)), handed)


@pytest.fixture(scope="module")
async def somebody(house: House) -> Person:
    """An account without roles; tests hand permissions to it."""
    person = await house.person("Somebody")
    house.handed.user_id = person.account.user_id
    return person


# ---- what routes say


async def test_every_route_says_who_may_use_it(house: House) -> None:
    assert len(house.routes) > 80
    assert [str(route) for route in house.routes if not route.permission] == []


async def test_routes_are_examined_by_those_who_serve_them_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examined: list[str] = []
    add = APIRouter.add_api_route

    def noted(router: APIRouter, path: str, *arguments: Any, **settings: Any) -> None:
        examined.append(path)
        add(router, path, *arguments, **settings)

    monkeypatch.setattr(APIRouter, "add_api_route", noted)
    suite = build(Settings(data=tmp_path), builders=[press.build])
    try:
        assert examined == []
        served = {route.path for route in walk(create_app(suite))}
        assert "/press/steady" in served
        assert len(served) > 40
    finally:
        await suite.close()


async def test_routes_can_be_added_after_others_were_served() -> None:
    routes = Routes("/shed", tag="shed", pages=True)
    for path in ("/rake", "/hoe"):
        routes.get(path, Access.PUBLIC)(_cellar)
        assert [route.path for route in routes.router.routes if isinstance(route, APIRoute)][-1] == f"/shed{path}"
    assert len(routes.router.routes) == 2


async def test_a_route_that_says_nothing_is_noticed() -> None:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.get("/back-door")(lambda: "open")
    app.mount("/side-door", FastAPI())
    app.add_route("/cellar", _cellar)
    assert [route.path for route in walk(app) if not route.permission] == ["/back-door", "/side-door", "/cellar"]


async def _cellar(_request: Request) -> Response:
    return Response()


async def test_no_route_can_be_made_without_saying_it() -> None:
    with pytest.raises(TypeError, match="permission"):
        Routes("/api/new", tag="new").get("/things")  # type: ignore[call-arg]


async def test_routes_ask_for_permissions_that_can_be_granted(house: House) -> None:
    assert {route.permission for route in house.routes if route.granted} <= house.known


async def test_the_routes_of_a_system_are_under_its_name(house: House) -> None:
    for route in house.routes:
        first = route.path.removeprefix("/api").split("/")[1]
        if route.tag in house.names:
            assert first == route.tag, route
        else:
            assert first not in house.names or route.path.endswith(("/design", first)), route


OVER_NAMES = {
    "/admin/users/new": "ids are made by us",
    "/fus/groups/~new": "no name of a group",
    "/fus/sites/new": "ids are made by us",
    "/kelifax/moderation/broken": "no slug",
    "/kelifax/moderation/export": "no slug",
    "/kelifax/moderation/featured": "no slug",
    "/kelifax/moderation/import": "no slug",
    "/kelifax/moderation/log": "no slug",
    "/kelifax/moderation/many": "no slug",
    "/kelifax/moderation/reports": "no slug",
    "/enablement/import/example.csv": "ids are made by us",
    "/newsletter/proposals/new": "codes begin with PROP",
    "/newsletter/sources/table": "ids are made by us",
    "/worthwatch/lists/new": "ids are made by us, and those of other programs are longer",
    "/api/enablement/notifications/preferences": "ids are digests of ours, or made by the original program",
    "/api/enablement/notifications/unread": "ids are digests of ours, or made by the original program",
    "/api/kelifax/moderation/log": "no slug",
    "/api/newsletter/sources/search": "ids are made by us",
    "/api/kelifax/moderation/reports": "no slug",
}


async def test_no_page_hides_something_that_has_its_name(house: House) -> None:
    shown = {route.path for route in house.routes if route.method == "GET"}
    named = [re.compile(re.sub(r"\{\w+\}", "[^/{}]+", path)) for path in shown if "{" in path and ":path" not in path]
    over = {path for path in shown if "{" not in path and any(pattern.fullmatch(path) for pattern in named)}
    assert over == OVER_NAMES.keys()


async def test_navigation_leads_to_pages_that_ask_for_the_same_permission(house: House) -> None:
    pages = {route.path: route.permission for route in house.routes if route.method == "GET"}
    for system in house.suite.systems:
        for link in system.navigation:
            assert pages[link.path] == link.permission, (system.name, link)


# ---- who may use them


async def test_nobody_gets_past_a_route_that_needs_somebody(house: House) -> None:
    for route in house.routes:
        if not route.public:
            answer = await _ask(house.visitor(), route)
            _check_headers(answer, route)
            if route.api:
                _check_problem(answer, route, 401, "sign_in_required")
                assert answer.headers["www-authenticate"] == "Bearer", route
            else:
                assert answer.status == 303, route
                came = route.filled() if route.method == "GET" else ""
                assert answer.location == (f"/sign-in?next={came}" if came else "/sign-in"), route


async def test_whoever_holds_every_permission_but_the_one_is_refused(house: House, somebody: Person) -> None:
    for route in house.routes:
        if route.granted and route.permission not in house.members:
            house.handed.permissions = house.known - {route.permission}
            answer = await _ask(somebody, route)
            _check_headers(answer, route)
            if route.api:
                _check_problem(answer, route, 403, "forbidden")
            else:
                _check_page(answer, route, 403, "forbidden")
            assert route.permission in answer.text, route


async def test_whoever_holds_the_one_permission_is_let_in(house: House, somebody: Person) -> None:
    for route in house.routes:
        if not route.public and str(route) not in ("POST /account/erase", "DELETE /api/account"):  # nobody comes back
            house.handed.permissions = frozenset({route.permission})
            answer = await _ask(somebody, route)
            assert answer.status not in (401, 403, 405), (route, answer.text[:300])
            assert answer.status < 500, (route, answer.text[:300])


async def test_a_token_changes_nothing_without_a_permission_of_the_system(house: House, somebody: Person) -> None:
    """Some routes need an account and no permission: whoever has a token that was made for reading, or for another
    system, does not get to use them."""
    house.handed.permissions = house.known
    accounts = house.suite.kit.accounts
    viewer = await accounts.recognition.from_session(somebody.cookies["partita"])
    program = house.visitor()

    async def token(scopes: Iterable[str]) -> str:
        return (await accounts.tokens.create(viewer, "program", list(scopes), 1)).text

    reader = await token(())
    given = {name: await token(each for each in house.known if each.startswith(f"{name}:")) for name in house.names}
    kept_out = {name: await token(each for each in house.known if not each.startswith(f"{name}:")) for name in given}
    found = [route for route in house.routes if route.api and route.mutates and route.permission == Access.SIGNED_IN]
    assert {"worthwatch", "fus", "jobs"} <= {route.tag for route in found}
    for route in found:
        refused = [reader, *([kept_out[route.tag]] if route.tag in kept_out else [])]
        for text in refused:
            answer = await program.call(route.method, route.filled(), token=text)
            _check_problem(answer, route, 403, "forbidden")
        allowed = await program.call(route.method, route.filled(), token=given.get(route.tag, given["fus"]))
        assert "only reads" not in allowed.text, route


@dataclass(slots=True)
class Programmer:
    """Somebody who writes a program, and does what its refusals say: by the permissions that they name."""

    house: House
    viewer: Viewer
    scopes: frozenset[str] = frozenset()
    token: str = ""

    async def create(self, scopes: Iterable[str]) -> None:
        tokens = self.house.suite.kit.accounts.tokens
        for old in await tokens.list(self.viewer):
            await tokens.revoke(self.viewer, old.token_id)
        has = self.house.members | self.house.handed.permissions
        self.viewer = replace(self.viewer, permissions=has)
        self.scopes = frozenset(scopes)
        self.token = (await tokens.create(self.viewer, "program", sorted(self.scopes), 1)).text

    async def call(self, route: Walked) -> Answer:
        return await self.house.visitor().call(route.method, route.filled(), token=self.token)

    async def follow(self, refusal: str) -> None:
        """Do what a refusal says."""
        named = re.findall(r"\((\w+:[\w-]+:[\w-]+)\)", refusal)
        assert named, refusal
        if "Ask an administrator" in refusal:
            self.house.handed.permissions |= set(named)
        if "create another token" in refusal:
            chosen = named[:1] if "one of them" in refusal else named
            await self.create({*chosen, *(self.scopes if "and those that this one has" in refusal else ())})


@pytest.fixture
async def programmer(house: House, somebody: Person) -> Programmer:
    viewer = await house.suite.kit.accounts.recognition.from_session(somebody.cookies["partita"])
    return Programmer(house, replace(viewer, confirmed=True))


async def test_a_token_that_does_what_its_refusal_says_is_not_refused_again(
    house: House, programmer: Programmer
) -> None:
    """Whatever single permission it lacks, and whether its owner has that one, never had it or has lost it."""
    by_permission = {route.permission: route for route in house.routes if route.api and route.granted}
    assert len(by_permission) > 35
    for permission, route in by_permission.items():
        for case in ("its owner has it", "never had it", "has lost it", "it has nothing"):
            house.handed.permissions = house.known
            if case == "never had it":
                house.handed.permissions -= {permission}
            if case == "never had it" and permission in house.members:
                continue
            lacking = {permission} if case != "has lost it" else set[str]()
            await programmer.create(() if case == "it has nothing" else house.known - lacking)
            if case == "has lost it":
                house.handed.permissions = house.known - {permission}
                if permission in house.members:
                    continue
            before = programmer.scopes
            refusal = await programmer.call(route)
            _check_problem(refusal, route, 403, "forbidden")
            await programmer.follow(refusal.json["detail"])
            again = await programmer.call(route)
            assert again.status not in (401, 403), (case, str(route), refusal.json["detail"], again.text)
            assert programmer.scopes == before | {permission}, (case, str(route), "no more than it needs")


async def test_a_token_that_only_reads_is_told_which_permission_lets_it_write(
    house: House, programmer: Programmer
) -> None:
    found = [route for route in house.routes if route.api and route.mutates and route.permission == Access.SIGNED_IN]
    for route in found:
        if str(route) == "DELETE /api/account":  # nobody comes back
            continue
        for has in (house.known, house.members):
            house.handed.permissions = has
            await programmer.create(())
            refusal = await programmer.call(route)
            _check_problem(refusal, route, 403, "forbidden")
            await programmer.follow(refusal.json["detail"])
            again = await programmer.call(route)
            assert again.status not in (401, 403), (str(route), refusal.json["detail"], again.text)


async def test_a_permission_that_no_system_knows_is_held_by_nobody(house: House) -> None:
    api = Routes("/api/attic", tag="attic")

    @api.get("/chest", "attic:chest:open")
    async def chest() -> str:
        return "gold"

    house.app.include_router(api.router)
    admin = await house.person("Eve", "admin")
    answer = await admin.get("/api/attic/chest")
    assert (answer.status, answer.json["code"]) == (403, "forbidden")


async def test_what_is_public_needs_nobody(house: House) -> None:
    for route in house.routes:
        # Metrics are public to the own machine, files to whoever has a link to them.
        if route.public and route.tag != "files" and route.path != "/metrics":
            answer = await _ask(house.visitor(), route)
            _check_headers(answer, route)
            assert answer.status not in (403, 405), (route, answer.text[:300])
            assert answer.status != 401 or route.path == "/sign-in", route
            assert answer.status < 500, (route, answer.text[:300])
            assert not (answer.status == 303 and answer.location.startswith("/sign-in?next")), route


async def test_what_is_not_there_is_told_in_the_shape_of_the_place(house: House, somebody: Person) -> None:
    house.handed.permissions = house.known
    document = (await somebody.get("/api/openapi.json")).json
    for route in house.routes:
        if "{" in route.path and route.method == "GET":
            answer = await _ask(somebody, route)
            assert answer.status in (200, 404, 422), (route, answer.text[:300])  # a list of nothing is a list
            if answer.status == 404 and route.api:
                _check_problem(answer, route, 404, "not_found")
                assert "404" in document["paths"][route.path]["get"]["responses"], route
            elif answer.status == 404:
                _check_page(answer, route, 404, "not_found")
            elif route.api and answer.status == 200:
                assert answer.json["items"] == [], route


# ---- forged requests


@pytest.mark.parametrize(
    "headers",
    [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.example"}, {}],
    ids=str,
)
async def test_no_route_that_changes_something_can_be_used_from_elsewhere(
    house: House, somebody: Person, headers: dict[str, str]
) -> None:
    house.handed.permissions = house.known
    mutating = [route for route in house.routes if route.mutates]
    assert len(mutating) > 30
    for route in mutating:
        answer = await somebody.ask(route.method, route.filled(), headers=headers)
        _check_headers(answer, route)
        if route.api:
            _check_problem(answer, route, 403, "cross_site")
        else:
            _check_page(answer, route, 403, "cross_site")


async def test_methods_that_nobody_declared_do_nothing(house: House, somebody: Person) -> None:
    house.handed.permissions = house.known
    for path in {route.filled() for route in house.routes}:
        for method in ("OPTIONS", "TRACE", "PROPFIND"):
            answer = await somebody.ask(method, path, headers={"sec-fetch-site": "same-origin"})
            assert answer.status == 405, (method, path)
            assert answer.headers["allow"], (method, path)


async def test_a_reload_of_a_refused_form_leads_to_the_page_it_was_on(house: House, somebody: Person) -> None:
    house.handed.permissions = house.known
    shown = {route.path for route in house.routes if route.method == "GET"}
    named = [re.compile(re.sub(r"\{\w+\}", "[^/{}]+", path)) for path in shown]
    taken = [r for r in house.routes if r.method == "POST" and not r.api and r.tag != "files"]
    taken = [route for route in taken if not any(page.fullmatch(route.filled()) for page in named)]
    assert len(taken) > 50
    for route in taken:
        nearest = max((path for path in shown if route.path.startswith(path.rstrip("/") + "/")), key=len)
        for method in ("GET", "HEAD"):
            answer = await somebody.ask(method, route.filled())
            page = Walked("GET", nearest, "", {}, "", False).filled()
            assert (answer.status, answer.headers["location"]) == (303, page), (method, route)


# ---- documentation


async def test_every_route_of_an_api_is_documented(house: House) -> None:
    document = (await house.visitor().get("/api/openapi.json")).json
    documented = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    tags = house.names | {"jobs", "account"}
    routes = {(route.method, route.path) for route in house.routes if route.tag in tags and route.api}
    assert documented - {("GET", "/api/attic/chest")} == routes
    assert {tag["name"] for tag in document["tags"]} == tags


async def test_the_documentation_says_what_a_route_does_needs_and_refuses(house: House) -> None:
    document = (await house.visitor().get("/api/openapi.json")).json
    for route in house.routes:
        if route.api:
            _check_operation(document["paths"][route.path][route.method.lower()], route)


async def test_operations_have_names_of_their_own(house: House) -> None:
    document = (await house.visitor().get("/api/openapi.json")).json
    names = [each["operationId"] for methods in document["paths"].values() for each in methods.values()]
    assert len(names) == len(set(names))


def _check_operation(operation: dict[str, Any], route: Walked) -> None:
    assert operation["tags"] == [route.tag], route
    assert operation["summary"].endswith("."), f"{route} has no docstring to be summed up by"
    assert operation["x-permission"] == route.permission, route
    told = operation["responses"]
    wanted = {str(status) for status in route.extra["x-refuses"]}
    if not route.public:
        wanted.add("401")
        assert operation["security"] == [{"token": []}, {"session": []}], route
    if route.granted:
        wanted.add("403")
    if "requestBody" in operation:
        wanted |= {"400", "413", "422"}
    if any(parameter["in"] == "query" for parameter in operation.get("parameters", ())):
        wanted.add("422")
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ())):
        wanted.add("400")
    assert wanted <= told.keys(), (str(route), wanted - told.keys())
    for status, answer in told.items():
        if status >= "400":
            assert list(answer["content"]) == ["application/problem+json"], (str(route), status)
        elif status not in ("204", "302"):  # neither an answer without content nor a redirect has any
            assert answer.get("content"), (str(route), status)
            assert all(content["schema"] for content in answer["content"].values()), (str(route), status)


# ---- what answers look like


async def _ask(visitor: Visitor, route: Walked) -> Answer:
    return await visitor.ask(route.method, route.filled(), headers={"sec-fetch-site": "same-origin"})


def _check_headers(answer: Answer, route: Walked) -> None:
    for name, expected in HEADERS.items():
        (value,) = answer.headers.get_all(name) or [""]
        assert re.fullmatch(expected, value), (str(route), answer.status, name, value)


def _check_problem(answer: Answer, route: Walked, status: int, code: str) -> None:
    assert answer.status == status, (str(route), answer.text[:300])
    assert answer.headers["content-type"] == "application/problem+json", route
    told = answer.json
    assert (told["status"], told["code"], told["type"]) == (status, code, f"urn:partita:problem:{code}"), route
    assert told["request_id"] == answer.headers["x-request-id"], route
    assert told["title"], route
    assert told["detail"], route


def _check_page(answer: Answer, route: Walked, status: int, code: str) -> None:
    assert answer.status == status, (str(route), answer.text[:300])
    assert answer.headers["content-type"] == "text/html; charset=utf-8", route
    for told in ("<h1>", code, answer.headers["x-request-id"]):
        assert told in answer.text, (str(route), told)


def _grants(suite: Suite) -> tuple[Any, ...]:
    return tuple(system.grants for system in suite.systems if system.grants is not None)
