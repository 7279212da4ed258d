"""boto3's PartiQL methods, through the door and in process, get the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from partita.engine import Engine, FaultPlan
from partita.engine.boto import connect
from partita.engine.door import DoorThread
from tests.engine.tables import create

_ACCOUNT: dict[str, Any] = {
    "region_name": "us-east-1",
    "aws_access_key_id": "key",
    "aws_secret_access_key": "secret",
    "config": Config(retries={"max_attempts": 1}, proxies={}),
}


@pytest.fixture(scope="module", params=["door", "process", "weather"])
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    with ExitStack() as stack:
        faults = FaultPlan() if request.param == "weather" else None
        engine = stack.enter_context(Engine.temporary(background=False, faults=faults))
        create(engine, "music", "pk sk")
        if request.param == "door":
            door = stack.enter_context(DoorThread(engine))
            client = boto3.client("dynamodb", endpoint_url=door.url, **_ACCOUNT)
        else:
            client = connect(boto3.client("dynamodb", **_ACCOUNT), engine)
        stack.callback(client.close)
        yield client


def test_boto3_writes_and_reads_in_statements(client: Any) -> None:
    insert = "INSERT INTO music VALUE {'pk': ?, 'sk': ?, 'picture': ?}"
    item = {"pk": {"S": "a"}, "sk": {"S": "1"}, "picture": {"B": b"\x00\xff"}}
    client.execute_statement(Statement=insert, Parameters=list(item.values()))
    client.batch_execute_statement(Statements=[{"Statement": "INSERT INTO music VALUE {'pk': 'a', 'sk': '2'}"}])
    client.execute_transaction(TransactStatements=[{"Statement": "INSERT INTO music VALUE {'pk': 'a', 'sk': '3'}"}])
    read = "SELECT * FROM music WHERE pk = 'a'"
    first = client.execute_statement(Statement=read, Limit=1, ReturnConsumedCapacity="TOTAL")
    assert first["Items"] == [item]
    assert first["ConsumedCapacity"] == {"TableName": "music", "CapacityUnits": 0.5}
    rest = client.execute_statement(Statement=read, NextToken=first["NextToken"])
    assert [each["sk"]["S"] for each in rest["Items"]] == ["2", "3"]
    by_key = {"Statement": f"{read} AND sk = '1'"}
    assert client.batch_execute_statement(Statements=[by_key])["Responses"] == [{"TableName": "music", "Item": item}]
    assert client.execute_transaction(TransactStatements=[by_key])["Responses"] == [{"Item": item}]


def test_boto3_knows_the_errors_of_statements(client: Any) -> None:
    insert = "INSERT INTO music VALUE {'pk': 'e', 'sk': '1'}"
    client.execute_statement(Statement=insert)
    with pytest.raises(client.exceptions.DuplicateItemException):
        client.execute_statement(Statement=insert)
    with pytest.raises(client.exceptions.TransactionCanceledException) as canceled:
        client.execute_transaction(TransactStatements=[{"Statement": insert}])
    assert canceled.value.response["CancellationReasons"][0]["Code"] == "DuplicateItem"
    found = client.batch_execute_statement(Statements=[{"Statement": insert}])["Responses"][0]
    assert found["Error"]["Code"] == "DuplicateItem"
    with pytest.raises(ClientError, match="Statement wasn't well formed, can't be processed: Unexpected term"):
        client.execute_statement(Statement="SELECT * FROM music WHERE")
