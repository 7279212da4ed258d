"""Signatures are those botocore makes, and the door accepts them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials

from partita.dynamo.errors import InvalidSignatureError
from partita.engine.door.sigv4 import verify
from partita.store.signing import Credentials, Signer

MOMENT = datetime(2026, 11, 15, 10, 0, 59, tzinfo=UTC)
BODY = '{"TableName":"ü"}'.encode()


def _sent(credentials: Credentials, moment: datetime = MOMENT) -> tuple[dict[str, str], bytes]:
    signer = Signer("engine:8000", "eu-west-1", lambda: credentials)
    head, _, body = signer.request("GetItem", BODY, moment.timestamp()).partition(b"\r\n\r\n")
    return dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:]), body


@pytest.mark.parametrize("token", [None, "a/token+of=many"])
def test_a_signature_is_the_one_botocore_makes(token: str | None) -> None:
    headers, body = _sent(Credentials("AKID", "secret", token))
    names = ("content-type", "host", "x-amz-target")
    request = AWSRequest("POST", "http://engine:8000/", {name: headers[name] for name in names}, body)
    request.context["timestamp"] = headers["x-amz-date"]
    theirs = SigV4Auth(BotoCredentials("AKID", "secret", token), "dynamodb", "eu-west-1")
    if token is not None:
        request.headers["x-amz-security-token"] = token
    request.headers["X-Amz-Date"] = headers["x-amz-date"]
    canonical = theirs.canonical_request(request)
    signed = theirs.signature(theirs.string_to_sign(request, canonical), request)
    assert headers["authorization"].endswith(f"Signature={signed}")
    assert headers.get("x-amz-security-token") == token


def test_the_door_accepts_it_and_notices_a_changed_body() -> None:
    headers, body = _sent(Credentials("AKID", "secret"))
    verify("POST", "/", "", headers, body, {"AKID": "secret"}, MOMENT)
    with pytest.raises(InvalidSignatureError):
        verify("POST", "/", "", headers, body + b" ", {"AKID": "secret"}, MOMENT)


def test_the_day_is_the_day_in_utc() -> None:
    headers, _ = _sent(Credentials("AKID", "secret"), datetime.fromisoformat("2026-12-31T23:59:59-05:00"))
    assert headers["x-amz-date"] == "20270101T045959Z"
    assert "Credential=AKID/20270101/eu-west-1/dynamodb/aws4_request," in headers["authorization"]


def test_secrets_are_not_shown() -> None:
    assert repr(Credentials("AKIDEXAMPLE", "secret", "token")) == "Credentials(AKID…)"
