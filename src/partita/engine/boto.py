"""boto3 without a socket: an unmodified session, client or resource that uses the engine in process.

    engine = Engine("data")
    table = connect(boto3.Session(region_name="us-east-1"), engine).resource("dynamodb").Table("films")

The client still checks and serialises its parameters, so what works here works against AWS. The request then goes to
the engine instead of being signed, sent and parsed. With a fault plan the request takes the long way, up to the point
of sending, so that boto3's own retries are at work.
"""

from __future__ import annotations

import io
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, TypeVar

import orjson

from partita.dynamo.errors import DynamoError
from partita.dynamo.parse import ITEM_OPERATIONS, parse
from partita.dynamo.values import type_names
from partita.engine.engine import Engine
from partita.extras import MissingExtraError

Target = TypeVar("Target")
_SERVICES = ("dynamodb", "dynamodb-streams")


def connect(target: Target, engine: Engine) -> Target:
    """Make a boto3 session (and every client it makes from now on), client or resource use the engine."""
    try:
        import botocore  # noqa: F401 - checks that it is installed
    except ImportError:
        raise MissingExtraError("boto3 in process", "aws") from None
    events = _events(target)
    for service in _SERVICES:
        # botocore ignores a second registration with the same id, even for another event: one id per service.
        unique = f"partita-{service}-{id(engine)}"
        if engine.faulty:
            events.register(f"before-send.{service}", _Sending(engine), unique_id=unique)
        else:
            events.register(f"before-call.{service}", _Calling(engine), unique_id=unique)
    return target


def _events(target: Any) -> Any:
    if hasattr(target, "events"):
        return target.events
    meta: Any = getattr(target, "meta", None)
    if hasattr(meta, "client"):
        meta = meta.client.meta
    if hasattr(meta, "events"):
        return meta.events
    raise TypeError(f"{type(target).__name__} is not a boto3 session, client or resource")


class _Status:
    """The parts of an HTTP response that botocore uses."""

    __slots__ = ("status_code",)

    def __init__(self, status_code: int) -> None:
        self.status_code = status_code


class _Calling:
    """Responds before botocore signs and sends."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(self, model: Any, params: dict[str, Any], **_rest: object) -> tuple[_Status, dict[str, Any]]:
        try:
            parsed = self._answer(model, orjson.loads(params["body"]))
        except DynamoError as error:
            return _Status(error.status), _refused(error)
        parsed["ResponseMetadata"] = _metadata(200)
        return _Status(200), parsed

    def _answer(self, model: Any, wire: Any) -> dict[str, Any]:
        if model.name in ITEM_OPERATIONS:
            return _with_bytes(self._engine.execute(parse(model.name, wire)))
        return _shaped(self._engine.call(model.name, wire), model.output_shape)


class _Sending:
    """Responds instead of sending, below botocore's retries."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(self, request: Any, **_rest: object) -> Any:
        from botocore.awsrequest import AWSResponse  # installed, since somebody has connected it

        operation = request.headers["X-Amz-Target"]
        operation = (operation.decode() if isinstance(operation, bytes) else operation).rpartition(".")[2]
        body = request.body if isinstance(request.body, bytes) else request.body.encode()
        status = 200
        try:
            answer = orjson.dumps(self._engine.call(operation, orjson.loads(body)))
        except DynamoError as error:
            status, answer = error.status, orjson.dumps(error.wire())
        return AWSResponse(request.url, status, {"x-amzn-requestid": "partita"}, _Raw(answer))


class _Raw(io.BytesIO):
    """A body as urllib3 returns it."""

    def stream(self, **_settings: object) -> Iterator[bytes]:
        yield self.getvalue()


def _with_bytes(response: dict[str, Any]) -> dict[str, Any]:
    """Decode base64 into bytes, as botocore does. Fast for text and numbers, which most values are."""
    for member, content in response.items():
        if member in ("Item", "Attributes", "LastEvaluatedKey"):
            _decode_item(content)
        elif member == "Items":
            for item in content:
                _decode_item(item)
        elif member not in ("Count", "ScannedCount", "ConsumedCapacity"):
            _decode_within(content)
    return response


def _decode_item(item: dict[str, Any]) -> None:
    for value in item.values():
        if "S" not in value and "N" not in value:
            _decode_value(value)


def _decode_value(value: dict[str, Any]) -> None:
    if "B" in value:
        value["B"] = b64decode(value["B"])
    elif "BS" in value:
        value["BS"] = [b64decode(member) for member in value["BS"]]
    elif "M" in value:
        _decode_item(value["M"])
    elif "L" in value:
        for inner in value["L"]:
            _decode_value(inner)


def _decode_within(content: Any) -> None:
    """Find items and keys in the responses to batches and transactions."""
    if isinstance(content, list):
        for element in content:
            _decode_within(element)
    elif isinstance(content, dict):
        if content and all(_is_value(value) for value in content.values()):
            _decode_item(content)
        else:
            for inner in content.values():
                _decode_within(inner)


def _is_value(content: Any) -> bool:
    return isinstance(content, dict) and len(content) == 1 and next(iter(content)) in type_names


def _refused(error: DynamoError) -> dict[str, Any]:
    return {
        "Error": {"Code": error.code, "Message": error.message},
        "ResponseMetadata": _metadata(error.status),
        **_with_bytes(error.members()),
    }


def _metadata(status: int) -> dict[str, Any]:
    return {"RequestId": "partita", "HTTPStatusCode": status, "HTTPHeaders": {}, "RetryAttempts": 0}


def _shaped(response: dict[str, Any], shape: Any) -> dict[str, Any]:
    """A response as botocore's parser makes it: times as datetimes, binary as bytes."""
    from botocore.parsers import create_parser

    parser = create_parser("json")
    raw = {"headers": {}, "status_code": 200, "body": orjson.dumps(response)}
    parsed: dict[str, Any] = parser.parse(raw, shape)
    return parsed
