"""Signatures as AWS SDKs make them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import (
    DynamoError,
    IncompleteSignatureError,
    InvalidSignatureError,
    MissingAuthenticationError,
    UnrecognizedClientError,
)
from partita.dynamo.limits import REQUEST_BYTES
from partita.dynamo.signature import ALGORITHM
from partita.engine.door import sigv4
from tests.engine.door.conftest import OpenDoor
from tests.engine.door.wire import Client, Response, StandIn

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
KEYS = {"OTHER": "other", KEY: SECRET}


def signed(
    body: bytes = b"{}",
    *,
    secret: str = SECRET,
    key: str = KEY,
    path: str = "/",
    token: str | None = None,
    **extra: str,
) -> dict[str, str]:
    """The headers of a request that botocore signs."""
    headers = {"X-Amz-Target": "DynamoDB_20120810.Echo", "Content-Type": "application/x-amz-json-1.0", **extra}
    request = AWSRequest("POST", f"http://localhost:8000{path}", headers, body)
    SigV4Auth(Credentials(key, secret, token), "dynamodb", "eu-central-1").add_auth(request)
    return {"Host": "localhost:8000", **dict(request.headers.items())}


def verify(headers: dict[str, str], body: bytes = b"{}", *, path: str = "/", now: datetime | None = None) -> None:
    """What the door does with them."""
    raw, _, query = path.partition("?")
    lowered = {name.lower(): value for name, value in headers.items()}
    sigv4.verify("POST", raw, query, lowered, body, KEYS, now or datetime.now(UTC))


@settings(deadline=None)
@given(body=st.binary(max_size=300), value=st.text("ab  \t;,=:/é", max_size=20))
def test_what_botocore_signs_is_right(body: bytes, value: str) -> None:
    headers = signed(body, **{"X-Amz-Meta": value.strip()})
    verify(headers, body)
    assert "x-amz-meta" in headers["Authorization"]


@pytest.mark.parametrize(
    "path", ["/", "/?b=2&a=1&a=0", "/?a-b=1&a=~%20%2F&empty=&none", "/some/path/%E2%82%AC/x~y", "/a%2Fb"]
)
def test_path_and_query_are_part_of_it(path: str) -> None:
    headers = signed(path=path)
    verify(headers, path=path)
    with pytest.raises(InvalidSignatureError):
        verify(headers, path=path + "1")


@pytest.mark.parametrize(
    ("damage", "error", "words"),
    [
        (lambda h: h.pop("Authorization"), MissingAuthenticationError, "missing Authentication Token"),
        (lambda h: h.update(Authorization="Basic YTpi"), MissingAuthenticationError, "missing Authentication Token"),
        (lambda h: _cut(h, "Credential"), IncompleteSignatureError, "requires 'Credential' parameter"),
        (lambda h: _cut(h, "SignedHeaders"), IncompleteSignatureError, "requires 'SignedHeaders' parameter"),
        (lambda h: _cut(h, "Signature"), IncompleteSignatureError, "requires 'Signature' parameter"),
        (lambda h: h.update(Authorization="AWS4-HMAC-SHA256"), IncompleteSignatureError, "'Credential' parameter"),
        (lambda h: h.update(Authorization="AWS4-HMAC-SHA256 x"), IncompleteSignatureError, "missing equal-sign"),
        (lambda h: h.pop("X-Amz-Date"), IncompleteSignatureError, "'X-Amz-Date' or a 'Date' header"),
        (lambda h: h.update({"X-Amz-Date": "yesterday"}), IncompleteSignatureError, "ISO-8601"),
        (lambda h: _swap(h, "AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"), IncompleteSignatureError, "algorithm"),
        (lambda h: _swap(h, "/aws4_request", ""), IncompleteSignatureError, "exactly 5 slash-delimited"),
        (lambda h: _swap(h, "/dynamodb/", "/s3/"), InvalidSignatureError, "correct service: 'dynamodb'"),
        (lambda h: _swap(h, "aws4_request", "aws5_request"), InvalidSignatureError, "valid terminator"),
        (lambda h: _swap(h, f"{KEY}/20", f"{KEY}/19"), InvalidSignatureError, "Date in Credential scope"),
        (lambda h: _swap(h, ";host;", ";"), InvalidSignatureError, "'Host' must be a 'SignedHeader'"),
        (lambda h: _swap(h, ";x-amz-target", ""), InvalidSignatureError, "'X-Amz-Target' must be a 'SignedHeader'"),
        (lambda h: _swap(h, KEY, "AKIDUNKNOWN"), UnrecognizedClientError, "security token"),
        (lambda h: _swap(h, KEY, "OTHER"), InvalidSignatureError, "does not match"),
        (lambda h: _swap(h, "eu-central-1", "eu-west-1"), InvalidSignatureError, "does not match"),
        (lambda h: _swap(h, "Signature=", "Signature=é"), InvalidSignatureError, "does not match"),
        (lambda h: h.update({"X-Amz-Target": "DynamoDB_20120810.Other"}), InvalidSignatureError, "does not match"),
        (lambda h: h.update(Host="elsewhere"), InvalidSignatureError, "does not match"),
    ],
)
def test_what_is_wrong_is_named(damage: Callable[[dict[str, str]], Any], error: type[DynamoError], words: str) -> None:
    headers = signed()
    damage(headers)
    with pytest.raises(error, match=words):
        verify(headers)


def test_a_wrong_secret_does_not_match() -> None:
    with pytest.raises(InvalidSignatureError, match="does not match"):
        verify(signed(secret="wrong"))


def test_an_altered_body_does_not_match() -> None:
    with pytest.raises(InvalidSignatureError, match="does not match"):
        verify(signed(b'{"a":1}'), b'{"a":2}')


@pytest.mark.parametrize("minutes", [-14.9, 0.0, 14.9])
def test_clocks_may_differ_by_a_quarter_of_an_hour(minutes: float) -> None:
    headers = signed()
    verify(headers, now=datetime.now(UTC) + timedelta(minutes=minutes))
    assert headers["Authorization"].startswith(ALGORITHM)


@pytest.mark.parametrize(("minutes", "words"), [(15.1, "Signature expired"), (-15.1, "Signature not yet current")])
def test_clocks_may_not_differ_by_more(minutes: float, words: str) -> None:
    with pytest.raises(InvalidSignatureError, match=words):
        verify(signed(), now=datetime.now(UTC) + timedelta(minutes=minutes))


@pytest.mark.parametrize("rest", ["", " x", " Credential=a SignedHeaders=host Signature=0"])
def test_a_wrong_clock_is_told_before_anything_else_is(rest: str) -> None:
    headers = signed()
    headers["Authorization"] = ALGORITHM + rest
    with pytest.raises(InvalidSignatureError, match="Signature expired"):
        verify(headers, now=datetime.now(UTC) + timedelta(minutes=16))


def test_the_parts_of_a_signature_may_be_separated_by_spaces() -> None:
    headers = signed()
    headers["Authorization"] = headers["Authorization"].replace(",", " ")
    verify(headers)


def test_a_date_header_does_as_well() -> None:
    headers = {
        "host": "localhost",
        "date": "Sun, 30 Aug 2015 12:36:00 GMT",
        "authorization": f"AWS4-HMAC-SHA256 Credential={KEY}/20150830/eu/dynamodb/aws4_request, "
        "SignedHeaders=date;host, Signature=0",
    }
    now = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
    claim = sigv4.read_claim(headers, KEYS, now)
    assert (claim.moment, claim.signed_headers) == ("20150830T123600Z", ("date", "host"))
    assert SECRET not in repr(claim)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_authorization_is_understood_or_refused(text: str) -> None:
    headers = signed()
    headers["Authorization"] = "AWS4-HMAC-SHA256 " + text
    with pytest.raises(DynamoError):
        verify(headers)


def test_a_door_with_keys_lets_signed_requests_in(open_door: OpenDoor) -> None:
    with Client(open_door(KEYS).port) as client:
        for body in (b"{}", b"", b"x" * 100_000):
            assert _send(client, signed(body), body).body == body


def test_a_session_token_is_signed_and_otherwise_not_looked_at(open_door: OpenDoor) -> None:
    with Client(open_door(KEYS).port) as client:
        assert _send(client, signed(token="session")).status == 200


def test_what_is_signed_of_a_compressed_body_is_the_compressed_one(open_door: OpenDoor, backend: StandIn) -> None:
    packed = gzip.compress(b'{"a":1}')
    with Client(open_door(KEYS).port) as client:
        assert _send(client, signed(packed, **{"Content-Encoding": "gzip"}), packed).status == 200
    assert backend.calls == [("Echo", b'{"a":1}')]


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        (lambda: signed(secret="wrong"), "InvalidSignatureException"),
        (lambda: signed(b"another body"), "InvalidSignatureException"),
        (lambda: signed(key="AKIDUNKNOWN"), "UnrecognizedClientException"),
        (lambda: {"Host": "x", "X-Amz-Target": "DynamoDB_20120810.Echo"}, "MissingAuthenticationTokenException"),
    ],
)
def test_a_door_with_keys_refuses_others_and_goes_on(
    open_door: OpenDoor,
    backend: StandIn,
    headers: Callable[[], dict[str, str]],  # signed now: a signature holds for a quarter of an hour
    kind: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Client(open_door(KEYS).port) as client:
        answer = _send(client, headers())
        assert (answer.status, orjson.loads(answer.body)["__type"]) == (400, f"com.amazon.coral.service#{kind}")
        assert backend.calls == []
        assert _send(client, signed()).status == 200
    assert caplog.records == []


def test_a_request_signed_long_ago_is_refused_at_the_door(open_door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    past = datetime.now(UTC).replace(tzinfo=None) - timedelta(minutes=16)
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda *_, **__: past)
    with Client(open_door(KEYS).port) as client:
        assert b"Signature expired" in _send(client, signed()).body


def test_a_body_nobody_signed_is_not_kept_but_its_connection_is(open_door: OpenDoor, backend: StandIn) -> None:
    with Client(open_door(KEYS).port) as client:
        unsigned = {"Host": "x", "X-Amz-Target": "DynamoDB_20120810.Echo"}
        assert _send(client, unsigned, b"x" * REQUEST_BYTES).status == 400
        assert _send(client, signed()).status == 200
    assert backend.calls == [("Echo", b"{}")]


def test_health_needs_no_signature(open_door: OpenDoor) -> None:
    with Client(open_door(KEYS).port) as client:
        client.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.response().body == b"healthy"


def test_a_web_page_that_signs_may_come_in(open_door: OpenDoor) -> None:
    with Client(open_door(KEYS).port) as client:
        assert _send(client, signed(Origin="http://localhost:3000")).status == 200


def _send(client: Client, headers: dict[str, str], body: bytes = b"{}") -> Response:
    headers = {**headers, "Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    client.send(f"POST / HTTP/1.1\r\n{lines}\r\n".encode() + body)
    return client.response()


def _cut(headers: dict[str, str], part: str) -> None:
    algorithm, _, rest = headers["Authorization"].partition(" ")
    kept = [piece for piece in rest.split(", ") if not piece.startswith(part + "=")]
    headers["Authorization"] = f"{algorithm} {', '.join(kept)}"


def _swap(headers: dict[str, str], old: str, new: str) -> None:
    assert old in headers["Authorization"]
    headers["Authorization"] = headers["Authorization"].replace(old, new, 1)
