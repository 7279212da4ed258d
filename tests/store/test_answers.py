"""What an endpoint answers becomes a response, or the error it is."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import orjson
import pytest

from partita.dynamo import errors
from partita.dynamo.errors import DynamoError
from partita.store.answers import ConnectionFailedError, RemoteError, read_answer


def _refused(status: int, **members: Any) -> DynamoError:
    with pytest.raises(DynamoError) as refused:
        read_answer(status, None, orjson.dumps(members))
    return refused.value


def test_an_answer_is_its_json_and_an_empty_one_says_nothing() -> None:
    body = b'{"Count":1}'
    assert read_answer(200, str(crc32(body)), body) == {"Count": 1}
    assert read_answer(200, None, body) == {"Count": 1}
    assert read_answer(200, "0", b"") == {}


KNOWN = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, DynamoError) and "code" in vars(kind) and kind is not DynamoError
]


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.__name__)
def test_every_error_of_the_protocol_comes_back_as_its_own_class(kind: type[DynamoError]) -> None:
    sent = kind([{"Code": "None"}]) if kind is errors.TransactionCanceledError else kind("Because.")
    found = _refused(sent.status, **sent.wire())
    assert type(found) is kind
    told = "The endpoint answers UnknownOperationException and gives no reason." if sent.silent else sent.message
    assert found.message == told


def test_a_failed_condition_brings_the_item_that_was_there() -> None:
    item = {"PK": {"S": "a"}}
    found = _refused(400, __type="x#ConditionalCheckFailedException", message="No.", Item=item)
    assert isinstance(found, errors.ConditionalCheckFailedError)
    assert found.item == item


def test_a_cancelled_transaction_brings_its_reasons_even_where_none_are_given() -> None:
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "No."}]
    found = _refused(400, __type="x#TransactionCanceledException", Message="No.", CancellationReasons=reasons)
    assert isinstance(found, errors.TransactionCanceledError)
    assert list(found.reasons) == reasons
    bare = _refused(400, __type="x#TransactionCanceledException", Message="No.")
    assert isinstance(bare, errors.TransactionCanceledError)
    assert [reason["Code"] for reason in bare.reasons] == ["Unknown"]


@pytest.mark.parametrize(
    ("status", "members", "kind", "text"),
    [
        (
            400,
            {"__type": "com.amazon#ImportConflictException", "Message": "No."},
            RemoteError,
            "ImportConflictException: No.",
        ),
        (400, {"__type": "PointInTimeRecoveryUnavailable"}, RemoteError, "PointInTimeRecoveryUnavailable: "),
        (403, {"message": "No."}, RemoteError, "403: No."),
        (500, {"__type": "x#SomethingNew", "message": "No."}, errors.InternalServerError, "SomethingNew: No."),
        (503, {}, errors.InternalServerError, "503: "),
    ],
)
def test_an_error_without_a_class_keeps_its_name(
    status: int, members: dict[str, Any], kind: type[DynamoError], text: str
) -> None:
    found = _refused(status, **members)
    assert type(found) is kind
    assert str(found) == text
    if isinstance(found, RemoteError):
        assert found.remote_code == text.partition(":")[0]


def test_what_is_no_json_is_a_failure_of_the_way() -> None:
    with pytest.raises(errors.InternalServerError, match="502 without a reason"):
        read_answer(502, None, b"<html>Bad gateway</html>")
    with pytest.raises(ConnectionFailedError, match="200 with something that is not JSON"):
        read_answer(200, None, b"<html>Hello</html>")


def test_a_body_that_differs_from_its_checksum_is_not_read() -> None:
    with pytest.raises(ConnectionFailedError, match="CRC32"):
        read_answer(200, "1", b'{"Count":1}')
    with pytest.raises(ConnectionFailedError, match="CRC32"):
        read_answer(400, "1", b'{"__type":"x#ValidationException"}')
