"""What is compressed, and what is not."""

from __future__ import annotations

import gzip

import pytest

from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("path", ["/", "/press/fail/conflict", "/api/openapi.json"])
async def test_pages_and_documents_are_compressed_for_those_who_can_read_it(visitor: Visitor, path: str) -> None:
    plain = await visitor.get(path)
    packed = await visitor.get(path, accept_encoding="br, gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert int(packed.headers["content-length"]) == len(packed.body) < len(plain.body) / 2
    assert packed.status == plain.status
    assert len(gzip.decompress(packed.body)) == len(plain.body)
    assert "content-encoding" not in plain.headers


async def test_what_is_small_stays_as_it_is(visitor: Visitor) -> None:
    answer = await visitor.get("/api/press/mine", accept_encoding="gzip")
    assert answer.json["code"] == "sign_in_required"
    assert "content-encoding" not in answer.headers


async def test_what_is_packed_already_is_not_packed_again(visitor: Visitor) -> None:
    answer = await visitor.get("/static/app.css", accept_encoding="gzip")
    assert answer.headers.get_all("content-encoding") == ["gzip"]
    assert b"--accent" in gzip.decompress(answer.body)


async def test_an_answer_without_a_body_is_left_alone(visitor: Visitor) -> None:
    answer = await visitor.get("/press/desk", accept_encoding="gzip")
    assert (answer.status, answer.body) == (303, b"")
