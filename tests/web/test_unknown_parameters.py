"""The API refuses parameters that a route does not know, and nothing is done; pages pass over them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from partita.bootstrap import build
from partita.kit.settings import Settings
from partita.web.app import create_app
from tests.web.conftest import Person, Served
from tests.web.visitor import Answer, Visitor
from tests.web.walk import Walked, walk

pytestmark = pytest.mark.anyio

SAYS_SO = "There is no such parameter"
MADE_UP = "zzyzx"
BOUNDARY = "parts"


@dataclass(frozen=True, slots=True)
class Described(Served):
    """The suite as it is served, with its description."""

    document: Any
    routes: tuple[Walked, ...]

    @property
    def api(self) -> Iterator[Walked]:
        return (route for route in self.routes if route.api)

    def operation(self, route: Walked) -> Any:
        return self.document["paths"][route.path][route.method.lower()]

    def names(self, route: Walked) -> list[str]:
        """The query parameters of a route."""
        return [each["name"] for each in self.operation(route).get("parameters", ()) if each["in"] == "query"]

    def form(self, route: Walked) -> Any:
        """The form that a route takes, as it is described; None if it takes none."""
        content = self.operation(route).get("requestBody", {}).get("content", {})
        schema = content.get("multipart/form-data", {}).get("schema")
        while schema and "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema


@pytest.fixture(scope="module")
async def described(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Described]:
    suite = build(Settings(data=tmp_path_factory.mktemp("described"), fetch=False))
    app = create_app(suite)
    document = (await Visitor(app, suite.kit.settings.base_url).get("/api/openapi.json")).json
    yield Described(suite, app, document, tuple(walk(app)))
    await suite.close()


@pytest.fixture(scope="module")
async def admin(described: Described) -> Person:
    return await described.person("Eve", "admin")


async def _ask(described: Described, who: Visitor, route: Walked, query: str, **fields: str) -> Answer:
    """Ask with a query, and with a body of the type that the route takes."""
    sent, body = {"sec-fetch-site": "same-origin"}, b""
    if described.form(route) is not None:
        sent["content-type"] = f"multipart/form-data; boundary={BOUNDARY}"
        parts = [_part(f'name="{name}"', value) for name, value in fields.items()]
        body = "".join([*parts, f"--{BOUNDARY}--\r\n"]).encode()
    elif route.mutates:
        sent["content-type"], body = "application/json", b"{}"
    return await who.ask(route.method, f"{route.filled()}?{query}", body, sent)


def _part(disposition: str, value: str) -> str:
    return f"--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{value}\r\n"


def _refused(answer: Answer) -> dict[str, str]:
    """The unknown names of a refusal, each with what is said of it."""
    assert (answer.status, answer.json["code"]) == (422, "invalid"), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return {each["field"]: each["message"] for each in answer.json["errors"] if SAYS_SO in each["message"]}


async def test_every_parameter_that_is_described_is_accepted_and_others_are_refused(
    described: Described, admin: Person
) -> None:
    some = 0
    for route in described.api:
        names = described.names(route)
        some += len(names)
        known = "".join(f"{quote(name)}=&" for name in names)
        answer = await _ask(described, admin, route, f"{known}{MADE_UP}=1&{MADE_UP}ly=&{MADE_UP}=2")
        assert _refused(answer).keys() == {MADE_UP, f"{MADE_UP}ly"}, route
        assert "422" in described.operation(route)["responses"], route
    assert some > 200


async def test_nothing_is_written_by_a_request_with_a_parameter_that_does_not_exist(
    described: Described, admin: Person
) -> None:
    before = described.suite.kit.tables.state()
    assert before is not None
    for route in described.api:
        assert (await _ask(described, admin, route, f"{MADE_UP}=1")).status == 422, route
    assert described.suite.kit.tables.state() == before


async def test_a_parameter_says_nothing_to_those_who_may_not_use_the_route(described: Described) -> None:
    nobody, stranger = described.visitor(), await described.person("Nemo")
    refused = 0
    for route in described.api:
        for who in (nobody, stranger):
            answer = await _ask(described, who, route, f"{MADE_UP}=1")
            plain = await _ask(described, who, route, "")
            if plain.status in (401, 403):
                refused += 1
                assert (answer.status, answer.json["code"]) == (plain.status, plain.json["code"]), route
                assert SAYS_SO not in answer.text, route
    assert refused > 400


async def test_fields_of_forms_are_refused_as_well(described: Described, admin: Person) -> None:
    forms = [route for route in described.api if described.form(route) is not None]
    assert len(forms) > 10
    for route in forms:
        fields = {name: "" for name in described.form(route)["properties"] if name not in ("file", "files", "logo")}
        assert SAYS_SO not in (await _ask(described, admin, route, "", **fields)).text, route
        answer = await _ask(described, admin, route, f"{MADE_UP}=", dry_run="true", **fields)
        if "{" not in route.path or answer.status != 404:  # some look for what it is about before they read the form
            assert _refused(answer).keys() >= {MADE_UP}, route
        answer = await _ask(described, admin, route, "", dry_run="true", **fields)
        if "{" not in route.path or answer.status != 404:
            assert _refused(answer).keys() == {"dry_run"}, route


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/kelifax/resources?catgory=x", {"catgory": "; did you mean category?"}),
        (
            "/api/kelifax/resources?CATEGORY=x&=",
            {"CATEGORY": "; did you mean category?", "": "; these exist: category, "},
        ),
        ("/api/kelifax/resources?list[str]=x", {"list[str]": "; these exist: "}),
        ("/api/kelifax/categories?limit=1", {"limit": ", and no other either."}),
    ],
)
async def test_the_nearest_name_is_told_or_those_there_are(
    described: Described, path: str, said: dict[str, str]
) -> None:
    found = _refused(await described.visitor().get(path))
    assert found.keys() == said.keys()
    for name, message in found.items():
        assert message.startswith(f"{SAYS_SO}{said[name]}"), message


@pytest.mark.parametrize(
    ("path", "sent", "said"),
    [
        (
            "/api/newsletter/newsletters",
            {"titel": "x", "langage": "en"},
            {"titel": "did you mean title?", "langage": "did you mean language?"},
        ),
        ("/api/newsletter/sources", {"zzyzx": 1}, {"zzyzx": "these exist: title, text, url, "}),
        (
            "/api/kelifax/resources",
            {"submitter": {"companyEmial": "a@example.org"}},
            {"submitter.companyEmial": "did you mean companyEmail?"},
        ),
    ],
)
async def test_the_nearest_field_of_a_body_is_told_too(
    described: Described, admin: Person, path: str, sent: dict[str, Any], said: dict[str, str]
) -> None:
    same = {"sec-fetch-site": "same-origin", "content-type": "application/json"}
    answer = await admin.ask("POST", path, json.dumps(sent).encode(), same)
    assert answer.status == 422
    told = {each["field"]: each["message"] for each in answer.json["errors"]}
    for name, message in said.items():
        assert told[name].startswith(f"There is no such field; {message}"), told[name]


async def test_everything_that_is_wrong_is_told_at_once(described: Described, admin: Person) -> None:
    answer = await described.visitor().get("/api/kelifax/resources?limit=0&catgory=x&dry_run=true")
    assert {each["field"] for each in answer.json["errors"]} == {"limit", "catgory", "dry_run"}
    same = {"sec-fetch-site": "same-origin", "content-type": "application/json"}
    answer = await admin.ask("POST", "/api/kelifax/resources?dryRun=true", b'{"resource": {}}', same)
    assert {"dryRun", "details", "submitter"} <= {each["field"] for each in answer.json["errors"]}


async def test_an_import_that_was_only_to_be_tried_is_not_done(described: Described, admin: Person) -> None:
    table = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nx\r\n--{BOUNDARY}--\r\n'
    )
    sent = {"sec-fetch-site": "same-origin", "content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    answer = await admin.ask("POST", "/api/kelifax/imports?dry_run=true", table.encode(), sent)
    assert _refused(answer) == {"dry_run": f"{SAYS_SO}; did you mean dryRun?"}
    as_field = _part('name="dryRun"', "true") + table
    answer = await admin.ask("POST", "/api/kelifax/imports", as_field.encode(), sent)
    assert _refused(answer).keys() == {"dryRun"}


async def test_a_form_with_files_whose_other_fields_are_wrong_is_refused_and_its_files_are_forgotten(
    described: Described, admin: Person
) -> None:
    files = described.suite.kit.files
    before = {each.name async for each in files.listed("newsletter")}
    text = _part('name="files"; filename="a.txt"', "Goats in Garissa.") + f"--{BOUNDARY}--\r\n"
    sent = {"sec-fetch-site": "same-origin", "content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    for part, field in ((_part('name="tag"', "goats"), "tag"), (_part('name="tags"', "x" * 500), "tags")):
        answer = await admin.ask("POST", "/api/newsletter/sources/files", (part + text).encode(), sent)
        assert (answer.status, answer.json["code"]) == (422, "invalid"), answer.text
        assert [each["field"] for each in answer.json["errors"]] == [field]
    assert {each.name async for each in files.listed("newsletter")} == before


async def test_links_to_pages_may_bring_whatever_they_like(described: Described, admin: Person) -> None:
    for route in described.routes:
        # Links to files are signed, with all that is in them.
        if not route.mutates and not route.api and route.tag != "files":
            for who in (described.visitor(), admin):
                plain = await who.get(route.filled())
                answer = await who.get(f"{route.filled()}?utm_source=paper&fbclid=x")
                assert answer.status == plain.status, route
