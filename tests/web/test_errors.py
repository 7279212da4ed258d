"""Errors have one shape each: a problem document for programs, a page for people."""

from __future__ import annotations

import pytest

from partita.dynamo import requests
from partita.dynamo.values import Item as WireItem
from partita.table import Delete
from partita.table.effects import Steps
from partita.web.logs import JsonLines
from tests.web.conftest import Served
from tests.web.press import ARTICLES, Article
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio

TOLD = [
    ("conflict", 409, "name_taken"),
    ("invalid", 422, "invalid"),
    ("missing", 404, "not_found"),
    ("often", 429, "too_many_requests"),
    ("throttled", 503, "busy"),
    ("changed", 409, "changed_meanwhile"),
    ("large", 413, "too_large"),
    ("key", 404, "not_found"),
    ("unreadable", 500, "unreadable_item"),
    ("wrong-request", 500, "internal_error"),
    ("bug", 500, "internal_error"),
]


@pytest.mark.parametrize(("how", "status", "code"), TOLD)
async def test_the_api_answers_with_a_problem_document(visitor: Visitor, how: str, status: int, code: str) -> None:
    answer = await visitor.get(f"/api/press/fail/{how}")
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["type"] == f"urn:partita:problem:{code}"
    assert {"type", "title", "status", "detail", "code", "request_id"} <= answer.json.keys()
    assert (answer.json["status"], answer.json["code"]) == (status, code)


@pytest.mark.parametrize(("how", "status", "code"), TOLD)
async def test_pages_tell_the_same_to_people(visitor: Visitor, how: str, status: int, code: str) -> None:
    document = (await visitor.get(f"/api/press/fail/{how}")).json
    page = await visitor.get(f"/press/fail/{how}")
    assert page.status == status
    assert page.headers["content-type"].startswith("text/html")
    for told in (document["title"], document["detail"], code):
        assert told in page.shown


async def test_every_bad_field_is_named(visitor: Visitor) -> None:
    expected = [
        {"field": "title", "message": "Too short."},
        {"field": "author.email", "message": "Please fill this in."},
    ]
    assert (await visitor.get("/api/press/fail/invalid")).json["errors"] == expected
    assert "author.email" in (await visitor.get("/press/fail/invalid")).text


async def test_what_the_framework_refuses_is_told_in_the_same_words(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    answer = await ada.call("POST", "/api/press/articles", {"title": "A", "pages": 0}, sec_fetch_site="same-origin")
    assert (answer.status, answer.json["code"]) == (422, "invalid")
    assert answer.json["errors"] == [
        {"field": "title", "message": "At least 3 characters; this has 1."},
        {"field": "pages", "message": "At least 1."},
    ]


async def test_a_bad_parameter_is_named_without_where_it_came_from(visitor: Visitor) -> None:
    answer = await visitor.get("/api/press/articles?limit=1000")
    assert answer.json["errors"] == [{"field": "limit", "message": "At most 100."}]


async def test_a_body_that_is_no_json_is_a_bad_request(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    sent = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
    answer = await ada.ask("POST", "/api/press/articles", b"{title", sent)
    assert (answer.status, answer.json["code"]) == (400, "invalid_json")


@pytest.mark.parametrize("body", [b"title=Mine&pages=1", b'{"title": "Mine", "pages": 1}', b""])
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""])
async def test_a_body_that_does_not_say_that_it_is_json_is_refused_by_its_type(
    served: Served, kind: str, body: bytes
) -> None:
    """Forms of other sites can be of these types, and of no others."""
    ada = await served.person("Ada", "press:editor")
    sent = {"sec-fetch-site": "same-origin"} | ({"content-type": kind} if kind else {})
    answer = await ada.ask("POST", "/api/press/articles", body, sent)
    assert (answer.status, answer.json["code"]) == (415, "wrong_content_type")
    assert answer.json["detail"] == "Send JSON, with the header Content-Type: application/json."


async def test_json_of_another_shape_is_told_which(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    answer = await ada.call("POST", "/api/press/articles", ["Mine"], sec_fetch_site="same-origin")
    assert answer.json["errors"] == [{"field": "body", "message": "Enter an object."}]


async def test_the_detail_has_the_fields_sentence_by_sentence(visitor: Visitor) -> None:
    detail = (await visitor.get("/api/press/fail/invalid")).json["detail"]
    assert detail == "title: Too short. author.email: Please fill this in."


async def test_a_page_whose_address_cannot_be_used_leads_to_itself_without_what_is_wrong(served: Served) -> None:
    admin = await served.person("Ada", "admin")
    page = await admin.get(f"/admin/users?q={'x' * 500}&cursor=a&tag=a")
    assert page.status == 422
    assert "This address is not valid" in page.shown
    assert page.shown.count("“q” in the address: At most 200 characters; this has 500.") == 1
    assert 'href="/admin/users?cursor=a"' in page.text


async def test_a_cursor_that_was_altered_is_a_bad_request(visitor: Visitor) -> None:
    answer = await visitor.get("/api/press/articles?cursor=abcdefgh")
    assert (answer.status, answer.json["code"]) == (400, "invalid_cursor")


async def test_a_page_whose_cursor_is_refused_leads_to_the_beginning_of_its_list(served: Served) -> None:
    admin = await served.person("Ada", "admin")
    page = await admin.get("/admin/users?q=a&cursor=abcdefgh")
    assert (page.status, "This place in the list is not valid any more" in page.shown) == (400, True)
    assert 'href="/admin/users?q=a">Start the list again' in page.text


async def test_waiting_is_told_in_a_header(visitor: Visitor) -> None:
    assert (await visitor.get("/api/press/fail/often")).headers["retry-after"] == "7"
    assert (await visitor.get("/api/press/fail/throttled")).headers["retry-after"] == "2"
    assert (await visitor.get("/press/fail/often")).headers["retry-after"] == "7"


@pytest.mark.parametrize("path", ["/api/nowhere", "/api/press/nowhere", "/api", "/api/"])
async def test_an_unknown_path_under_api_is_a_problem_document(visitor: Visitor, path: str) -> None:
    answer = await visitor.get(path)
    assert (answer.status, answer.json["code"]) == (404, "not_found")


async def test_a_list_passes_over_an_item_that_does_not_fit_its_type_and_the_log_names_it(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    row = {**Article(slug="broken").to_row(), "title": {"L": [{"S": "what nobody may know"}]}}
    store = served.suite.kit.store
    await store.run(_put(row))
    for path in ("/api/press/articles", "/press"):
        caplog.clear()
        answer = await served.visitor().get(path)
        assert answer.status == 200
        assert "broken" not in answer.text
        (record,) = [each for each in caplog.records if each.name == "partita.store"]
        line = JsonLines().format(record)
        assert "PK=PRESS, SK=ARTICLE#broken" in line
        assert "nobody may know" not in line
    await store.write(Delete(Article.key(Article.slug("broken"))))


def _put(row: WireItem) -> Steps[None]:
    yield requests.PutItem(table=ARTICLES.name, item=row)


async def test_an_unknown_path_elsewhere_is_a_page(visitor: Visitor) -> None:
    answer = await visitor.get("/<script>alert(1)</script>")
    assert answer.status == 404
    assert "<script>alert" not in answer.text


async def test_a_method_that_is_not_possible_is_405_and_says_which_are(visitor: Visitor) -> None:
    answer = await visitor.call("DELETE", "/api/press/mine")
    assert (answer.status, answer.json["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET"
    assert (await visitor.ask("POST", "/account")).status == 405


async def test_nobody_is_asked_to_sign_in_by_the_api_with_401(visitor: Visitor) -> None:
    answer = await visitor.get("/api/press/mine")
    assert (answer.status, answer.json["code"]) == (401, "sign_in_required")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_whoever_may_not_is_told_which_permission_is_missing(served: Served) -> None:
    ada = await served.person("Ada")
    answer = await ada.call("POST", "/api/press/articles", {"title": "Mine", "pages": 1}, sec_fetch_site="same-origin")
    assert (answer.status, answer.json["code"]) == (403, "forbidden")
    assert "press:article:publish" in answer.json["detail"]
    page = await ada.get("/press/desk")
    assert page.status == 403
    assert "press:article:publish" in page.text


async def test_a_page_leads_to_sign_in_and_back(visitor: Visitor) -> None:
    answer = await visitor.get("/press/desk?a=1&b=ä")
    assert answer.status == 303
    assert answer.location == "/sign-in?next=/press/desk%3Fa%3D1%26b%3D%C3%A4"


async def test_a_button_leads_to_sign_in_and_back_to_its_page(visitor: Visitor) -> None:
    answer = await visitor.post("/press/send", referer="http://127.0.0.1:8080/press?q=x")
    assert answer.location == "/sign-in?next=/press%3Fq%3Dx"
    elsewhere = await visitor.post("/press/send", referer="https://evil.example/press")
    assert elsewhere.location == "/sign-in"


async def test_htmx_is_led_to_sign_in_as_a_whole_page(visitor: Visitor) -> None:
    answer = await visitor.post("/press/send", hx_request="true", hx_current_url="http://127.0.0.1:8080/press?q=x")
    assert answer.status == 401
    assert answer.headers["hx-redirect"] == "/sign-in?next=/press%3Fq%3Dx"


async def test_an_error_page_knows_who_is_signed_in(served: Served) -> None:
    ada = await served.person("Ada")
    page = await ada.get("/nowhere")
    assert "Sign out" in page.text
    assert "Ada" in page.text


async def test_a_slash_too_many_leads_to_the_page_without(visitor: Visitor) -> None:
    answer = await visitor.get("/press/mine/?q=1")
    assert answer.status == 307
    assert answer.location == "http://127.0.0.1:8080/press/mine?q=1"


@pytest.mark.parametrize("path", ["/pressing", "/press-room", "/api/pressing/articles", "//press", "/press//mine"])
async def test_a_path_that_only_begins_like_a_system_is_none(visitor: Visitor, path: str) -> None:
    assert (await visitor.get(path)).status == 404
