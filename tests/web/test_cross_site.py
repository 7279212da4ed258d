"""Requests that change something must come from our own pages, or from programs with a token."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Served
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio

HOST = "127.0.0.1:8080"
PASSES, REFUSED = 303, 403

MATRIX = [
    ({"sec-fetch-site": "same-origin"}, PASSES),
    ({"sec-fetch-site": "none"}, PASSES),
    ({"sec-fetch-site": "same-site"}, REFUSED),
    ({"sec-fetch-site": "cross-site"}, REFUSED),
    ({"sec-fetch-site": "anything else"}, REFUSED),
    ({"sec-fetch-site": "cross-site", "origin": f"http://{HOST}"}, REFUSED),
    ({"origin": f"http://{HOST}"}, PASSES),
    ({"origin": "http://127.0.0.1:9999"}, REFUSED),
    ({"origin": "https://evil.example"}, REFUSED),
    ({"origin": f"http://{HOST}.evil.example"}, REFUSED),
    ({"origin": "null"}, REFUSED),
    ({"origin": ""}, REFUSED),
    ({}, REFUSED),
]


@pytest.mark.parametrize(("headers", "expected"), MATRIX, ids=str)
async def test_a_form_of_somebody_signed_in(served: Served, headers: dict[str, str], expected: int) -> None:
    ada = await served.person("Ada")
    answer = await ada.ask("POST", "/press/send", headers=headers)
    assert answer.status == expected
    if expected == REFUSED:
        assert "cross_site" in answer.text


async def test_the_api_refuses_a_cookie_from_elsewhere_with_a_problem_document(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    answer = await ada.call("POST", "/api/press/articles", {"title": "Forged", "pages": 1}, sec_fetch_site="cross-site")
    assert answer.status == 403
    assert answer.json["code"] == "cross_site"
    assert {"slug": "forged"} not in (await ada.get("/api/press/articles")).json["items"]


async def test_the_api_takes_a_cookie_from_our_own_pages(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    sent = {"title": "Ours", "pages": 1}
    assert (await ada.call("POST", "/api/press/articles", sent, sec_fetch_site="same-origin")).status == 201


async def test_a_program_with_a_token_needs_no_origin(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    chosen = {"name": "script", "days": "9", "scopes": "press:article:publish"}
    made = await ada.follow(await ada.post("/account/tokens", chosen))
    (token,) = re.findall(r"<code>(pat_[^<]+)</code>", made.text)
    program = served.visitor()
    assert (await program.call("POST", "/api/press/articles", {"title": "Sent", "pages": 1}, token=token)).status == 201


async def test_a_cookie_beside_a_token_counts_for_nothing(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    answer = await ada.call(
        "POST", "/api/press/articles", {"title": "Forged", "pages": 1}, token="nonsense", sec_fetch_site="cross-site"
    )
    assert (answer.status, answer.json["code"]) == (401, "invalid_token")


async def test_a_token_does_not_open_pages(served: Served) -> None:
    ada = await served.person("Ada")
    made = await ada.follow(await ada.post("/account/tokens", {"name": "script", "days": "9"}))
    (token,) = re.findall(r"<code>(pat_[^<]+)</code>", made.text)
    assert (await served.visitor().get("/account", authorization=f"Bearer {token}")).status == 303
    answer = await ada.ask("POST", "/press/send", headers={"authorization": f"Bearer {token}"})
    assert answer.status == 403


async def test_whoever_is_nobody_may_send_what_everybody_may(visitor: Visitor) -> None:
    assert (await visitor.call("POST", "/api/press/echo", {})).status == 200


async def test_reading_is_free_from_everywhere(visitor: Visitor) -> None:
    assert (await visitor.get("/press", sec_fetch_site="cross-site")).status == 200


@pytest.mark.parametrize("value", ["http://[", "http://[::1", "http://[evil]", "//", "http://\udc80", "null", ""])
@pytest.mark.parametrize("name", ["origin", "referer", "hx-current-url"])
async def test_no_header_that_names_a_page_is_more_than_refused(served: Served, name: str, value: str) -> None:
    """Found by fuzzing: an address that cannot be taken apart was answered with 500."""
    person = await served.person("Ada")
    headers = {name: value.encode("utf-8", "replace").decode(), "content-type": "application/x-www-form-urlencoded"}
    for visitor in (person, served.visitor()):
        for more in ({}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "same-origin", "hx-request": "true"}):
            answer = await visitor.ask("POST", "/press/send", b"a=b", {**headers, **more})
            assert answer.status in (303, 401, 403), answer.text
