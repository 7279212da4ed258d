"""The API's description is complete, and there is a page to read it on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from partita.bootstrap import build
from partita.kit.settings import Settings
from partita.web import openapi
from partita.web.app import create_app
from partita.web.openapi import describe
from tests.web.conftest import Served
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


@pytest.fixture
async def document(visitor: Visitor) -> Any:
    answer = await visitor.get("/api/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    return answer.json


async def test_only_the_api_is_described_each_system_under_its_name(document: Any) -> None:
    assert all(path.startswith("/api/") for path in document["paths"])
    assert {tag["name"] for tag in document["tags"]} == {"press", "jobs", "account"}
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    assert {tag for each in operations for tag in each["tags"]} == {"press", "jobs", "account"}
    names = [each["operationId"] for each in operations]
    assert "press_publish" in names
    assert len(names) == len(set(names))


async def test_what_a_route_refuses_is_described(document: Any) -> None:
    publish = document["paths"]["/api/press/articles"]["post"]
    assert set(publish["responses"]) == {"201", "400", "401", "403", "409", "413", "415", "422"}
    for status, response in publish["responses"].items():
        if status != "201":
            content = response["content"]["application/problem+json"]
            assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
            assert content["example"]["status"] == int(status)
    listing = document["paths"]["/api/press/articles"]["get"]
    assert set(listing["responses"]) == {"200", "400", "401", "422"}
    assert set(document["paths"]["/api/press/mine"]["get"]["responses"]) == {"200", "401", "422"}


async def test_who_may_is_described(document: Any) -> None:
    publish = document["paths"]["/api/press/articles"]["post"]
    assert publish["x-permission"] == "press:article:publish"
    assert publish["security"] == [{"token": []}, {"session": []}]
    assert "security" not in document["paths"]["/api/press/articles"]["get"]
    assert document["components"]["securitySchemes"]["session"]["name"] == "partita"


async def test_examples_and_real_problems_fit_the_schema(document: Any, visitor: Visitor) -> None:
    check = Draft202012Validator(document["components"]["schemas"]["Problem"])
    for methods in document["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                for kind, content in response.get("content", {}).items():
                    if kind == "application/problem+json":
                        check.validate(content["example"])
    for how in ("conflict", "invalid", "bug", "throttled"):
        check.validate((await visitor.get(f"/api/press/fail/{how}")).json)


async def test_it_is_made_once_and_others_are_answered_meanwhile(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, made = Event(), list[int]()

    def slowly(*_: Any) -> dict[str, Any]:
        made.append(may_go_on.wait(20))
        return {"openapi": "3.1.0"}

    monkeypatch.setattr(openapi, "describe", slowly)
    visitor = Visitor(create_app(served.suite), served.suite.kit.settings.base_url)
    asked = [asyncio.create_task(visitor.get("/api/openapi.json")) for _ in range(3)]
    assert (await visitor.get("/healthz")).status == 200
    assert not any(task.done() for task in asked)
    may_go_on.set()
    assert [(await task).json for task in asked] == [{"openapi": "3.1.0"}] * 3
    assert made == [True]


async def test_nothing_of_the_frameworks_own_errors_is_left(document: Any) -> None:
    assert "HTTPValidationError" not in str(document)


async def test_the_page_shows_every_operation_and_needs_nothing_from_elsewhere(document: Any, visitor: Visitor) -> None:
    page = await visitor.get("/api/docs")
    assert page.status == 200
    for path, methods in document["paths"].items():
        assert path in page.shown
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page.text
    assert not re.findall(r'(?:src|href)="https?://', page.text)
    assert "Needs the permission <code>press:article:publish</code>" in page.text
    assert "Publish an article." in page.text
    assert "How long it is. At least 1." in page.text


async def test_the_command_on_the_page_has_a_body_that_fits(served: Served, visitor: Visitor) -> None:
    page = await visitor.get("/api/docs")
    (body,) = re.findall(r"curl -X POST [^\n]*-d '([^']+)' 'http://127\.0\.0\.1:8080/api/press/articles'", page.shown)
    editor = await served.person("Ada", "press:editor")
    sent = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    assert (await editor.ask("POST", "/api/press/articles", body.encode(), sent)).status == 201


async def test_every_route_works_as_it_says_without_a_viewer(visitor: Visitor, document: Any) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if operation["x-permission"] != "public":
                answer = await visitor.call(method.upper(), re.sub(r"\{\w+\}", "x", path), {})
                assert answer.status == 401, f"{method} {path}"


@pytest.fixture(scope="module")
async def whole(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The description of all five systems."""
    suite = build(Settings(data=tmp_path_factory.mktemp("whole"), fetch=False))
    try:
        return describe(create_app(suite), suite)
    finally:
        await suite.close()


async def test_no_body_takes_fields_that_it_does_not_name(whole: Any) -> None:
    """So nobody sets what only the server sets, such as an owner or a state, by sending it along."""
    bodies = {
        f"{method} {path}": content["schema"]
        for path, methods in whole["paths"].items()
        for method, operation in methods.items()
        if (content := operation.get("requestBody", {}).get("content", {}).get("application/json"))
    }
    assert len(bodies) > 80
    open_ones = {name for name, schema in bodies.items() if any(open_objects(schema, whole["components"]["schemas"]))}
    assert open_ones == {
        # What somebody notes about an event is theirs to name; who and when, the server says.
        "post /api/enablement/events",
        # A proposal's metadata, of which what the server keeps there is refused.
        "post /api/newsletter/proposals",
        "patch /api/newsletter/proposals/{code}",
    }


def open_objects(schema: Any, schemas: Any, seen: frozenset[str] = frozenset()) -> Iterator[Any]:
    """The objects in a schema that take anything besides their properties, or values that are not described."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from open_objects(schemas[name], schemas, seen | {name})
        return
    if schema.get("type") == "object" and schema.get("additionalProperties", True) is True:
        yield schema
    more = schema.get("additionalProperties")
    inner = [*schema.get("properties", {}).values(), *([more] if isinstance(more, dict) else [])]
    inner += [schema["items"]] if isinstance(schema.get("items"), dict) else []
    for part in (*inner, *schema.get("anyOf", ()), *schema.get("allOf", ()), *schema.get("oneOf", ())):
        yield from open_objects(part, schemas, seen)


async def test_what_is_sent_and_answered_has_an_example_that_fits(whole: Any) -> None:
    document = whole
    fitting = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
            for told in (operation.get("requestBody", {}), *answers):
                content = told.get("content", {}).get("application/json")
                if content is not None and content["schema"]:
                    schema = Draft202012Validator({**content["schema"], "components": document["components"]})
                    assert schema.is_valid(content["example"]), (path, method, content["example"])
                    fitting += 1
    assert fitting > 40
