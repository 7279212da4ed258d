"""The AWS SDK itself, through the door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import orjson
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from partita.dynamo.errors import DynamoError, ResourceNotFoundError
from partita.engine.door import DoorThread
from tests.engine.door.conftest import OpenDoor


class OneTable:
    """As much of a table as it takes to put an item and get it back."""

    def __init__(self) -> None:
        self.items: dict[str, Any] = {}

    def answer(
        self, operation: str, body: bytes, done: Callable[[bytes | DynamoError], None], key: str | None = None
    ) -> None:
        request = orjson.loads(body)
        if request["TableName"] != "t":
            done(ResourceNotFoundError("Requested resource not found"))
        elif operation == "PutItem":
            self.items[request["Item"]["pk"]["S"]] = request["Item"]
            done(b"{}")
        else:
            item = self.items.get(request["Key"]["pk"]["S"])
            done(orjson.dumps({} if item is None else {"Item": item}))


def client(door: DoorThread, secret: str = "secret", **config: Any) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=door.url,
        region_name="eu-central-1",
        aws_access_key_id="key",
        aws_secret_access_key=secret,
        config=Config(retries={"max_attempts": 1}, **config),
    )


@pytest.mark.parametrize("keys", [None, {"key": "secret"}])
def test_boto3_puts_and_gets_an_item(keys: dict[str, str] | None) -> None:
    item = {"pk": {"S": "ä"}, "text": {"S": "x" * 300_000}, "numbers": {"L": [{"N": "1"}]}}
    with DoorThread(OneTable(), keys=keys) as door:
        dynamodb = client(door)
        dynamodb.put_item(TableName="t", Item=item)
        answer = dynamodb.get_item(TableName="t", Key={"pk": {"S": "ä"}})
        dynamodb.close()
    assert answer["Item"] == item
    assert len(answer["ResponseMetadata"]["RequestId"]) == 52


def test_boto3_sees_errors_by_name() -> None:
    with DoorThread(OneTable()) as door:
        dynamodb = client(door)
        with pytest.raises(dynamodb.exceptions.ResourceNotFoundException, match="Requested resource not found"):
            dynamodb.get_item(TableName="other", Key={"pk": {"S": "a"}})
        dynamodb.close()


def test_boto3_with_a_wrong_secret_is_told_so() -> None:
    with DoorThread(OneTable(), keys={"key": "right"}) as door:
        dynamodb = client(door, "wrong")
        with pytest.raises(ClientError, match="InvalidSignatureException"):
            dynamodb.get_item(TableName="t", Key={"pk": {"S": "a"}})
        dynamodb.close()


def test_boto3_can_read_that_its_request_is_too_large(open_door: OpenDoor) -> None:
    dynamodb = client(open_door())
    with pytest.raises(ClientError, match="RequestEntityTooLarge"):
        dynamodb.put_item(TableName="t", Item={"pk": {"S": "a"}, "text": {"S": "x" * (17 * 1024 * 1024)}})
    dynamodb.close()
