"""No body is larger than its route takes."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from partita.web.middleware.body_limit import BodyLimit
from tests.web.conftest import Served
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


async def test_a_body_as_large_as_allowed_is_taken(visitor: Visitor) -> None:
    assert (await visitor.ask("POST", "/api/press/echo", b"x" * 1_000_000)).json["bytes"] == 1_000_000


async def test_one_byte_more_is_refused_with_413(visitor: Visitor) -> None:
    answer = await visitor.ask("POST", "/api/press/echo", b"x" * 1_000_001)
    assert answer.status == 413
    assert answer.json["code"] == "too_large"
    assert "1,000,000 bytes" in answer.json["detail"]
    assert answer.headers["connection"] == "close"


async def test_a_route_may_take_more(visitor: Visitor) -> None:
    assert (await visitor.ask("POST", "/api/press/large", b"x" * 1_500_000)).json["bytes"] == 1_500_000
    assert (await visitor.ask("POST", "/api/press/large", b"x" * 2_000_001)).status == 413


async def test_a_length_that_is_too_much_is_refused_before_anything_is_read(served: Served) -> None:
    read = 0

    async def receive() -> Message:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b"", "more_body": False}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8080"), (b"content-length", b"99999999")]
    scope = {"type": "http", "method": "POST", "path": "/api/press/echo", "query_string": b"", "headers": headers}
    await served.app({**scope, "http_version": "1.1", "root_path": "", "scheme": "http"}, receive, send)
    assert sent[0]["status"] == 413
    assert read == 0


async def test_a_length_that_lies_does_not_help(visitor: Visitor) -> None:
    answer = await visitor.ask("POST", "/api/press/echo", b"x" * 1_000_001, {"content-length": "5"})
    assert answer.status == 413


async def test_pages_say_so_on_a_page(visitor: Visitor) -> None:
    answer = await visitor.post("/sign-in", {"identity": "x" * 1_000_001, "password": "x"})
    assert answer.status == 413
    assert "Send less." in answer.text
    assert answer.headers["content-type"].startswith("text/html")


async def test_a_body_that_is_too_large_is_also_too_large_as_json(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    sent = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    answer = await ada.ask("POST", "/api/press/articles", b'{"title": "' + b"x" * 1_000_001, sent)
    assert answer.status == 413


async def test_what_somebody_sends_who_may_not_is_not_read(served: Served) -> None:
    ada, nobody = await served.person("Ada"), served.visitor()
    sent = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    for visitor, status in ((nobody, 401), (ada, 403)):
        for body in (b'{"title": "' + b"x" * 1_000_001, b"{title"):
            assert (await visitor.ask("POST", "/api/press/articles", body, sent)).status == status


def _fields(number: int) -> bytes:
    """JSON with so many fields that no model has."""
    return b"{" + b",".join(b'"%x":0' % each for each in range(number)) + b"}"


async def test_json_with_more_values_than_fit_is_refused_before_it_is_read(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    sent = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    few = await ada.ask("POST", "/api/press/articles", _fields(20_000), sent)
    assert few.status == 422
    assert len(few.json["errors"]) <= 101
    many = await ada.ask("POST", "/api/press/articles", _fields(30_000), sent)
    assert (many.status, many.json["code"]) == (413, "too_large")
    assert "too many values" in many.json["detail"]
    words = b'{"title": "' + b"a, [b], {c} " * 80_000 + b'"}'
    assert (await ada.ask("POST", "/api/press/articles", words, sent)).status == 422, "text has no values"


async def test_what_needs_no_account_takes_less(visitor: Visitor) -> None:
    sent = {"content-type": "application/json"}
    answer = await visitor.ask("POST", "/api/press/public", b"x" * 100_001, sent)
    assert answer.status == 413
    assert "100,000 bytes" in answer.json["detail"]


async def test_of_bodies_with_many_values_one_is_worked_on_at_a_time() -> None:
    now = most = 0

    async def app(_scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal now, most
        await receive()
        now += 1
        most = max(most, now)
        for _ in range(5):
            await asyncio.sleep(0)
        now -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await never.wait()  # a reader that takes its time

    never = asyncio.Event()
    limited = BodyLimit(app)
    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
    sent = list[Message]()

    async def receive() -> Message:
        return {"type": "http.request", "body": _fields(10_000), "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asked = [asyncio.create_task(limited(dict(scope), receive, send)) for _ in range(5)]
    while len(sent) < 5:
        await asyncio.sleep(0.01)
    assert most == 1
    never.set()
    await asyncio.gather(*asked)
