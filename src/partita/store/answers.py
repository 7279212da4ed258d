"""From HTTP answers to responses or errors: checksums and error classes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any
from zlib import crc32

import orjson

from partita.dynamo import errors
from partita.dynamo.errors import (
    ConditionalCheckFailedError,
    DynamoError,
    InternalServerError,
    ThrottlingError,
    TransactionCanceledError,
)

_CLASSES = {
    kind.code: kind
    for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, DynamoError) and "code" in vars(kind)
}
_THROTTLED = frozenset({"RequestLimitExceeded", "Throttling", "ThrottledException", "TooManyRequestsException"})
_LATE = frozenset({"RequestTimeout", "RequestTimeoutException"})
"""Other names under which endpoints say: later."""


class ConnectionFailedError(InternalServerError):
    """The endpoint did not answer, or what came was damaged on the way."""


class RemoteError(DynamoError):
    """An error this library has no class for; `remote_code` is the name the endpoint gave it."""

    code = "RemoteError"

    def __init__(self, remote_code: str, message: str) -> None:
        super().__init__(f"{remote_code}: {message}")
        self.remote_code = remote_code


def read_answer(status: int, checksum: str | None, body: bytes) -> dict[str, Any]:
    """The response, or the error it is, raised."""
    if checksum is not None and checksum != str(crc32(body)):
        raise ConnectionFailedError("The answer was damaged on the way (CRC32 differs).")
    try:
        answer: dict[str, Any] = orjson.loads(body) if body else {}
    except orjson.JSONDecodeError:
        raise _unreadable(status) from None
    if status < 300:
        return answer
    raise _error(status, answer)


def _error(status: int, answer: Mapping[str, Any]) -> DynamoError:
    code = str(answer.get("__type", "")).rpartition("#")[2]
    message = str(answer.get("message") or answer.get("Message") or "")
    if code == ConditionalCheckFailedError.code:
        return ConditionalCheckFailedError(message, answer.get("Item"))
    if code == TransactionCanceledError.code:
        return TransactionCanceledError(answer.get("CancellationReasons") or [{"Code": "Unknown"}])
    kind = _CLASSES.get(code)
    if kind is not None:
        return kind(message or f"The endpoint answers {code} and gives no reason.")
    if status >= 500 or code in _LATE:
        return InternalServerError(f"{code or status}: {message}")
    if code in _THROTTLED:
        return ThrottlingError(f"{code}: {message}")
    return RemoteError(code or str(status), message)


def _unreadable(status: int) -> DynamoError:
    if status >= 500:
        return InternalServerError(f"The endpoint answered {status} without a reason.")
    return ConnectionFailedError(f"The endpoint answered {status} with something that is not JSON: is it DynamoDB?")
