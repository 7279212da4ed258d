"""Names of requests, the log, HEAD and metrics."""

from __future__ import annotations

import logging
import re

import orjson
import pytest

from partita.web.logs import JsonLines
from tests.web.conftest import PASSWORD, Served
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


async def test_every_answer_has_a_request_id(visitor: Visitor) -> None:
    first, second = await visitor.get("/healthz"), await visitor.get("/healthz")
    assert re.fullmatch(r"[0-9a-z]{26}", first.headers["x-request-id"])
    assert first.headers["x-request-id"] != second.headers["x-request-id"]


async def test_a_sane_request_id_is_kept(visitor: Visitor) -> None:
    answer = await visitor.get("/healthz", x_request_id="proxy-7f3a.2026_01")
    assert answer.headers.get_all("x-request-id") == ["proxy-7f3a.2026_01"]


@pytest.mark.parametrize("given", ["short", "a" * 65, "with space here", "<script>alert(1)</script>", '{"a":1}12345'])
async def test_any_other_request_id_is_replaced(visitor: Visitor, given: str) -> None:
    assert (await visitor.get("/healthz", x_request_id=given)).headers["x-request-id"] != given


async def test_the_problem_document_and_the_error_page_name_the_request(visitor: Visitor) -> None:
    document = await visitor.get("/api/press/fail/conflict")
    assert document.json["request_id"] == document.headers["x-request-id"]
    page = await visitor.get("/press/fail/conflict")
    assert page.headers["x-request-id"] in page.text


async def test_one_line_is_logged_per_request_with_the_route_and_who_asked(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    ada = await served.person("Ada")
    caplog.clear()
    with caplog.at_level(logging.INFO, "partita.requests"):
        answer = await ada.get("/press/fail/conflict")
    (record,) = [each for each in caplog.records if each.name == "partita.requests"]
    line = orjson.loads(JsonLines().format(record))
    assert line | {"at": "", "ms": 0} == {
        "at": "",
        "level": "info",
        "from": "partita.requests",
        "event": "request",
        "method": "GET",
        "route": "/press/fail/{how}",
        "status": 409,
        "ms": 0,
        "request_id": answer.headers["x-request-id"],
        "user": ada.account.user_id,
    }
    assert line["ms"] > 0


async def test_static_files_are_logged_only_if_they_are_not_there_or_the_level_is_debug(
    visitor: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    def logged() -> list[int]:
        return [vars(each)["status"] for each in caplog.records if each.name == "partita.requests"]

    with caplog.at_level(logging.INFO, "partita.requests"):
        assert (await visitor.get("/static/app.css")).status == 200
        assert (await visitor.get("/static/absent.css")).status == 404
    assert logged() == [404]
    with caplog.at_level(logging.DEBUG, "partita.requests"):
        await visitor.get("/static/app.css")
    assert logged() == [404, 200]


async def test_nothing_secret_is_logged(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ada = await served.person("Ada", "press:editor")
    chosen = {"name": "script", "days": "9", "scopes": "press:article:publish"}
    made = await ada.follow(await ada.post("/account/tokens", chosen))
    (token,) = re.findall(r"<code>(pat_\w[^<]+)</code>", made.text)
    await ada.call("POST", "/api/press/articles", {"title": "What nobody may know", "pages": 1}, token=token)
    await ada.get("/press?q=what-nobody-may-know")
    await ada.get("/account/reset?token=what-nobody-may-know")
    await ada.get("/nowhere/what-nobody-may-know")
    await ada.post("/sign-in", {"identity": "what-nobody-may-know", "password": "what-nobody-may-know"})
    told = "\n".join(JsonLines().format(record) for record in caplog.records)
    assert '"route":"/account/reset"' in told
    for secret in (PASSWORD, token, ada.cookies["partita"], "what-nobody-may-know", "What nobody may know"):
        assert secret not in told


async def test_an_unexpected_error_is_logged_with_its_trace_and_told_without_it(
    visitor: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    for path in ("/api/press/fail/bug", "/press/fail/bug"):
        caplog.clear()
        answer = await visitor.get(path)
        assert answer.status == 500
        assert "hunter2" not in answer.text
        (record,) = [each for each in caplog.records if each.name == "partita.errors"]
        line = orjson.loads(JsonLines().format(record))
        assert line["request_id"] == answer.headers["x-request-id"]
        assert "RuntimeError: the secret is hunter2" in line["error"]


async def test_head_is_get_without_the_body(visitor: Visitor) -> None:
    got, head = await visitor.get("/press"), await visitor.ask("HEAD", "/press")
    assert head.status == got.status == 200
    assert head.body == b""
    assert head.headers["content-type"] == got.headers["content-type"]


async def test_a_page_can_tell_head_from_get(visitor: Visitor) -> None:
    assert (await visitor.get("/press")).headers["x-method"] == "GET"
    assert (await visitor.ask("HEAD", "/press")).headers["x-method"] == "HEAD"


async def test_metrics_count_answers_by_route_and_what_tables_were_asked(served: Served, visitor: Visitor) -> None:
    visitor.address = "127.0.0.1"
    answered = 'partita_requests_total{method="GET",route="/api/press/articles",status="200"}'
    unknown = 'partita_requests_total{method="GET",route="-",status="404"}'
    asked = 'partita_table_requests_total{error="",operation="Query",table="press-articles"}'

    async def counted() -> dict[str, float]:
        told = (await visitor.get("/metrics")).text
        lines = (line.rpartition(" ") for line in told.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _, value in lines}

    before = await counted()
    for _ in range(3):
        await visitor.get("/api/press/articles")
    await visitor.get("/nowhere")
    after = await counted()
    grown = {name: after[name] - before.get(name, 0.0) for name in (answered, unknown, asked)}
    assert grown == {answered: 3.0, unknown: 1.0, asked: 3.0}
    assert after["partita_requests_running"] == 1.0


async def test_metrics_are_for_the_own_machine_and_those_who_may_read_them(served: Served, visitor: Visitor) -> None:
    assert (await visitor.get("/metrics")).status == 303
    visitor.address = "127.0.0.1"
    assert (await visitor.get("/metrics", x_forwarded_for="198.51.100.4")).status == 303
    assert (await visitor.get("/metrics")).status == 200
    assert (await (await served.person("Ada")).get("/metrics")).status == 403
    assert (await (await served.person("Eve", "admin")).get("/metrics")).status == 200


async def test_the_house_says_that_it_lives_and_that_it_can_work(visitor: Visitor) -> None:
    assert (await visitor.get("/healthz")).json == {"status": "ok"}
    assert (await visitor.get("/readyz")).json == {"status": "ok"}
