"""Web pages that may use the door, if their origin is allowed: what DynamoDB tells a browser about sharing."""

from __future__ import annotations

import pytest

from partita.engine.door.admission import Admissions
from tests.engine.door.conftest import OpenDoor
from tests.engine.door.wire import Client

_PAGE = "http://localhost:3000"
_ASKED = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "x-amz-target, content-type"}


def _preflight(client: Client, origin: str = _PAGE) -> dict[str, str]:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in {"Origin": origin, **_ASKED}.items())
    client.send(f"OPTIONS / HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
    answer = client.response()
    return {"status": str(answer.status), **answer.headers}


def test_a_page_that_is_allowed_reads_answers_and_errors(open_door: OpenDoor) -> None:
    with Client(open_door(origins=[_PAGE]).port) as client:
        for operation, status in (("Echo", 200), ("Refuse", 400)):
            answer = client.ask(operation, Origin=_PAGE)
            assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, _PAGE)
            assert "x-amzn-RequestId" in answer.headers["access-control-expose-headers"]
            assert answer.headers["vary"] == "Origin"
        assert "access-control-allow-origin" not in client.ask("Echo").headers


def test_the_question_before_a_request_is_answered_with_what_was_asked(open_door: OpenDoor) -> None:
    with Client(open_door(origins=["*"]).port) as client:
        answer = _preflight(client)
        assert (answer["status"], answer["content-length"]) == ("200", "0")
        assert answer["access-control-allow-origin"] == "*"
        assert answer["access-control-allow-methods"] == "POST"
        assert answer["access-control-allow-headers"] == "x-amz-target, content-type"
        assert answer["access-control-max-age"] == "172800"
        assert client.ask("Echo", Origin="http://anywhere.example").headers["access-control-allow-origin"] == "*"


def test_another_page_is_refused_and_told_nothing(open_door: OpenDoor) -> None:
    with Client(open_door(origins=[_PAGE]).port) as client:
        for origin in ("http://elsewhere.example", "http://localhost:3000.elsewhere.example", "null"):
            answer = client.ask("Echo", Origin=origin)
            assert (answer.status, "access-control-allow-origin" in answer.headers) == (403, False)
            assert _preflight(client, origin)["status"] == "404"


@pytest.mark.parametrize("origins", [[], [_PAGE]])
def test_a_request_of_no_page_gets_no_headers_for_pages(origins: list[str]) -> None:
    assert Admissions(None, origins).cors(b"POST", {b"host": b"x"}) == b""
