"""Whatever people type is text: no page of any system takes it for markup, script, or a template."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import orjson
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from partita.bootstrap import build
from partita.kit.permissions import ADMIN
from partita.kit.settings import Settings
from partita.web.app import create_app
from partita.web.openapi import describe
from partita.web.reference import sample
from tests.apps.enablement.summaries import make_summaries
from tests.web.conftest import Person, Served
from tests.web.markup import ADDRESSES, PAYLOADS, SCHEME, Page
from tests.web.seen import Seen
from tests.web.visitor import Answer, Visitor
from tests.web.walk import walk

pytestmark = pytest.mark.anyio

ORDER = ("GET", "POST", "PUT", "PATCH")
MOST_PER_ROUTE = 6
AT_ONCE = " ".join(PAYLOADS)
"""All of them in one text, where it does not matter how a text begins or how long it is."""
Leaf = tuple[str | int, ...]


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    suite = build(Settings(data=tmp_path_factory.mktemp("typed"), fetch=False))
    await make_summaries(suite.kit)
    yield Served(suite, create_app(suite))
    await suite.close()


@pytest.fixture(scope="module")
async def admin(served: Served) -> Person:
    return await served.person("Ada", ADMIN)


@pytest.fixture(scope="module")
async def stored(served: Served, admin: Person) -> Counter[str]:
    """Every text field of every operation has held every payload that it takes; how often each was taken."""
    document = describe(served.app, served.suite)
    taken: Counter[str] = Counter()
    seen = Seen()
    for payload in PAYLOADS:
        for method, path, operation in _operations(document):
            if method == "GET" and payload not in (PAYLOADS[0], PAYLOADS[-1]):
                continue  # it only tells what there is
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            example = sample(body["schema"], document["components"]["schemas"]) if body else None
            taken[payload] += await _send(admin, method, path, example, payload, seen, sum(taken.values()))
    for method, path, operation in _operations(document):
        if method == "POST" and "requestBody" not in operation:  # decisions, so that everybody can see what they allow
            for number in range(3 * len(PAYLOADS)):
                await admin.call(method, _filled(path, seen, number), sec_fetch_site="same-origin")
    await served.suite.worker.drain()
    await make_summaries(served.suite.kit)
    return taken


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    known = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method.upper() in ORDER
    ]
    # What is about something comes after what makes it.
    return iter(sorted(known, key=lambda each: (each[1].count("{"), ORDER.index(each[0]))))


async def _send(admin: Person, method: str, path: str, example: Any, payload: str, seen: Seen, number: int) -> int:
    """Send the payload in every field; where fields are refused, again with the example in those. How many held it."""
    body = deepcopy(example)
    leaves = _leaves(example)
    for leaf in leaves:
        _set(body, leaf, payload)
    for _ in range(3):
        answer = await admin.call(method, _filled(path, seen, -1), _unique(body, number), sec_fetch_site="same-origin")
        assert answer.status < 500, (method, path, answer.text)
        if answer.status != 422 or not leaves:
            break
        for leaf in _refused(answer, leaves):
            leaves.remove(leaf)
            _set(body, leaf, _get(example, leaf))
    if answer.status < 300 and answer.headers["content-type"] == "application/json":
        seen.look(answer.json)
    return len(leaves) if answer.status < 300 else 0


def _filled(path: str, seen: Seen, number: int) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: quote(seen.for_parameter(found[1], number) or "nobody", safe=""), path)


def _leaves(value: Any, at: Leaf = ()) -> list[Leaf]:
    """Where the texts of a body are."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*at, key))]
    if isinstance(value, list):
        return [leaf for place, inner in enumerate(value) for leaf in _leaves(inner, (*at, place))]
    return [at] if isinstance(value, str) else []


def _get(body: Any, leaf: Leaf) -> Any:
    for part in leaf:
        body = body[part]
    return body


def _set(body: Any, leaf: Leaf, value: str) -> None:
    _get(body, leaf[:-1])[leaf[-1]] = value


def _unique(body: Any, number: int) -> Any:
    """The body with addresses and names that nobody has yet."""
    made = deepcopy(body)
    for leaf in _leaves(made):
        text = _get(made, leaf)
        if text.startswith("https://"):
            _set(made, leaf, f"https://example.org/{number}")
        elif leaf == ("name",) and " " not in text:
            _set(made, leaf, f"{text}-{number}")
    return made


def _refused(answer: Answer, leaves: list[Leaf]) -> list[Leaf]:
    named = {error["field"] for error in answer.json["errors"]}
    found = [leaf for leaf in leaves if any(_within(".".join(map(str, leaf)), name) for name in named)]
    assert found, (answer.json["errors"], leaves)
    return found


def _within(leaf: str, name: str) -> bool:
    return leaf == name or leaf.startswith(f"{name}.")


@pytest.mark.parametrize(
    "text",
    [
        *(f"<p>{payload}</p>" for payload in PAYLOADS if "<" in payload),
        '<a href=" java\nscript:alert(1)">',
        '<form action="data:text/html,x">',
        "<p>54439</p>",
        '<p style="color: red">',
    ],
)
async def test_markup_that_is_not_ours_is_noticed(text: str) -> None:
    assert Page(text).alien


# ---- what is stored


@pytest.mark.timeout(500)  # every page of every system
async def test_pages_show_what_was_typed_as_text(served: Served, admin: Person, stored: Counter[str]) -> None:
    assert all(stored[payload] >= 10 for payload in PAYLOADS), stored
    shown: Counter[str] = Counter()
    for visitor in (admin, served.visitor()):
        async for path, page in _crawl(served.app, visitor):
            assert page.alien == [], path
            shown.update(payload for payload in PAYLOADS if payload[:20] in page.text)
    assert all(shown[payload] >= 5 for payload in PAYLOADS), shown


async def test_a_search_marks_what_it_finds_and_nothing_else(
    served: Served, stored: Counter[str], admin: Person
) -> None:
    for system in served.suite.systems:
        for words in ("alert", "script", "img src onerror", "text", *PAYLOADS):
            if system.search_path is not None:
                path = f"{system.search_path}?{urlencode({'q': words})}"
                answer = await served.visitor().get(path)
                if answer.status == 303:  # nothing of it is public
                    answer = await admin.get(path)
                assert Page(answer.text).alien == [], (system.name, words)
                if words == "alert":
                    assert "<mark>alert</mark>" in answer.text, system.name


async def test_no_field_for_an_address_takes_what_is_none(served: Served, admin: Person) -> None:
    document = describe(served.app, served.suite)
    schemas = document["components"]["schemas"]
    tried = 0
    for method, path, operation in _operations(document):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        example = sample(body["schema"], schemas) if body else {}
        for leaf in (each for each in _leaves(example) if str(_get(example, each)).startswith("https://")):
            for address in ADDRESSES:
                sent = deepcopy(example)
                _set(sent, leaf, address)
                answer = await admin.call(
                    method, re.sub(r"\{\w+\}", "nobody", path), sent, sec_fetch_site="same-origin"
                )
                assert answer.status == 422, (method, path, address, answer.text)
                assert [error["field"] for error in answer.json["errors"]] == [".".join(map(str, leaf))]
                tried += 1
    assert tried >= len(ADDRESSES)


STRANGE = (
    "\\u0000",
    "\\ud800",
    "\\udfff\\ud800",
    "\\u202e\\u2066",
    "\\ufffe",
    "a" * 70_000,
    " ",
    "\\n\\r\\t",
    "\U0001f9ea" * 50,
)
"""As they stand in JSON: no character at all, halves of characters, characters that turn the line around."""


async def test_no_text_is_too_strange(served: Served, admin: Person, stored: Counter[str]) -> None:
    document = describe(served.app, served.suite)
    sent = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    for method, path, operation in _operations(document):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        example = sample(body["schema"], document["components"]["schemas"]) if body else {}
        for leaf in _leaves(example):
            for text in STRANGE:
                changed = deepcopy(example)
                _set(changed, leaf, "@@")
                raw = orjson.dumps(changed).replace(b"@@", text.encode())
                answer = await admin.ask(method, re.sub(r"\{\w+\}", "nobody", path), raw, sent)
                assert answer.status < 500, (method, path, leaf, text[:20])


# ---- what comes back at once


async def test_forms_come_back_with_what_was_typed_as_text(served: Served, admin: Person, stored: Counter[str]) -> None:
    sent: set[str] = set()
    for visitor in (admin, served.visitor()):
        async for path, page in _crawl(served.app, visitor, per_route=1):
            for form in page.forms:
                if form.typed and form.method == "post":
                    for payload in (AT_ONCE, SCHEME, PAYLOADS[len(sent) % len(PAYLOADS)]):
                        typed = [*form.values, *((name, payload) for name in form.typed)]
                        answer = await visitor.post(form.action or path, typed)
                        await _check(visitor, answer, f"{form.action} with {payload}")
                        sent.add(form.action)
    assert len(sent) >= 10, sent


async def test_parameters_of_pages_come_back_as_text(served: Served, admin: Person) -> None:
    tried = 0
    for each in iter_route_contexts(served.app.routes):
        if "GET" in (each.methods or ()) and not each.include_in_schema:
            path = re.sub(r"\{\w+(:path)?\}", "nobody", str(each.path))
            for parameter in each.dependant.query_params:
                for payload in (AT_ONCE, SCHEME):
                    answer = await admin.get(f"{path}?{urlencode({parameter.alias: payload})}")
                    await _check(admin, answer, f"{path}?{parameter.alias}")
                    tried += 1
    assert tried > 60


async def test_names_in_paths_come_back_as_text(served: Served, admin: Person) -> None:
    for route in walk(served.app):
        if "{" in route.path and route.method == "GET" and not route.documented:
            for payload in (AT_ONCE, SCHEME):
                answer = await admin.get(route.filled(quote(payload, safe="").replace("\\", "")))
                await _check(admin, answer, str(route))


async def _check(visitor: Visitor, answer: Answer, what: str) -> None:
    assert answer.status < 500, (what, answer.text[:300])
    if answer.status == 303:
        assert urlsplit(answer.location).netloc == "", (what, answer.location)
        answer = await visitor.follow(answer)
    if answer.headers["content-type"].startswith("text/html"):
        assert Page(answer.text).alien == [], what


async def _crawl(app: FastAPI, visitor: Visitor, per_route: int = MOST_PER_ROUTE) -> AsyncIterator[tuple[str, Page]]:
    """Pages, by following links; of each route a few."""
    patterns = [
        (route.path, re.compile(re.sub(r"\{\w+\}", "[^/]+", re.sub(r"\{\w+:path\}", ".+", route.path))))
        for route in walk(app)
        if route.method == "GET" and not route.path.startswith(("/api/openapi", "/static/", "/files/", "/fus/export/"))
    ]
    waiting, known, times = deque(["/"]), {"/"}, Counter[str]()
    while waiting:
        path = waiting.popleft()
        route = next((name for name, pattern in patterns if pattern.fullmatch(urlsplit(path).path)), None)
        if route is None or times[route] >= per_route:
            continue
        answer = await visitor.get(path)
        if answer.status == 303:
            waiting.append(answer.location)
            continue
        if answer.status == 200 and answer.headers["content-type"].startswith("text/html"):
            times[route] += 1
            page = Page(answer.text)
            yield path, page
            for link in (link.partition("#")[0] for link in page.links):
                if link.startswith("/") and link not in known:
                    known.add(link)
                    waiting.append(link)
