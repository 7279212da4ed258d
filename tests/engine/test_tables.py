"""DescribeTable, ListTables, DeleteTable, tags, limits, endpoints, unknown operations."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import (
    ResourceNotFoundError,
    SerializationError,
    UnknownOperationError,
    ValidationError,
)
from partita.engine import Engine
from tests.engine.tables import create, get, put


def test_describing_a_table_that_is_not_there_names_it(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundError, match="Requested resource not found: Table: absent not found"):
        engine.call("DescribeTable", {"TableName": "absent"})


def test_a_table_counts_its_items_and_bytes(engine: Engine) -> None:
    create(engine)
    put(engine, pk="a", text="xy")
    put(engine, pk="b")
    put(engine, pk="b", text="x")
    described = engine.call("DescribeTable", {"TableName": "music"})["Table"]
    assert (described["ItemCount"], described["TableSizeBytes"]) == (2, len("pkatextxy") + len("pkbtextx"))
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "a"}}})
    described = engine.call("DescribeTable", {"TableName": "music"})["Table"]
    assert (described["ItemCount"], described["TableSizeBytes"]) == (1, len("pkbtextx"))


def test_tables_are_listed_by_name_page_after_page(engine: Engine) -> None:
    for name in ("ccc", "aaa", "Bbb", "ddd"):
        create(engine, name)
    assert engine.call("ListTables", {}) == {"TableNames": ["Bbb", "aaa", "ccc", "ddd"]}
    first = engine.call("ListTables", {"Limit": 3})
    assert first == {"TableNames": ["Bbb", "aaa", "ccc"], "LastEvaluatedTableName": "ccc"}
    assert engine.call("ListTables", {"ExclusiveStartTableName": "ccc", "Limit": 3}) == {"TableNames": ["ddd"]}
    assert engine.call("ListTables", {"ExclusiveStartTableName": "bbb"}) == {"TableNames": ["ccc", "ddd"]}


@pytest.mark.parametrize("limit", [0, 101])
def test_a_page_of_tables_has_1_to_100_names(engine: Engine, limit: int) -> None:
    with pytest.raises(ValidationError):
        engine.call("ListTables", {"Limit": limit})


def test_a_deleted_table_is_gone_with_its_items(engine: Engine) -> None:
    create(engine)
    put(engine, pk="a")
    deleted = engine.call("DeleteTable", {"TableName": "music"})["TableDescription"]
    assert deleted["TableStatus"] == "DELETING"
    for operation in ("DescribeTable", "DeleteTable"):
        with pytest.raises(ResourceNotFoundError):
            engine.call(operation, {"TableName": "music"})
    with pytest.raises(ResourceNotFoundError):
        put(engine, pk="a")
    create(engine)
    assert get(engine, pk="a") is None


def test_a_protected_table_cannot_be_deleted(engine: Engine) -> None:
    create(engine, DeletionProtectionEnabled=True)
    with pytest.raises(ValidationError, match="currently protected against deletion"):
        engine.call("DeleteTable", {"TableName": "music"})
    engine.call("UpdateTable", {"TableName": "music", "DeletionProtectionEnabled": False})
    engine.call("DeleteTable", {"TableName": "music"})


def test_tags_are_added_replaced_and_removed(engine: Engine) -> None:
    arn = create(engine)["TableArn"]
    engine.call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]})
    engine.call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "3"}]})
    engine.call("UntagResource", {"ResourceArn": arn, "TagKeys": ["b", "absent"]})
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": [{"Key": "a", "Value": "3"}]}


def test_a_table_has_at_most_50_tags(engine: Engine) -> None:
    arn = create(engine)["TableArn"]
    tags = [{"Key": str(number), "Value": ""} for number in range(50)]
    engine.call("TagResource", {"ResourceArn": arn, "Tags": tags})
    with pytest.raises(ValidationError, match="Number of Tags exceed the current limit for the provided ResourceArn"):
        engine.call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "more", "Value": ""}]})


@pytest.mark.parametrize("operation", ["TagResource", "UntagResource", "ListTagsOfResource"])
def test_tags_belong_to_a_table_that_is_there(engine: Engine, operation: str) -> None:
    request = {"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/absent", "TagKeys": ["a"]}
    with pytest.raises(ResourceNotFoundError):
        engine.call(operation, {**request, "Tags": [{"Key": "a", "Value": "b"}]})


def test_the_account_has_limits_and_the_engine_an_endpoint(engine: Engine) -> None:
    limits = engine.call("DescribeLimits", {})
    assert limits["TableMaxReadCapacityUnits"] == limits["TableMaxWriteCapacityUnits"] == 40_000
    (endpoint,) = engine.call("DescribeEndpoints", {})["Endpoints"]
    assert endpoint["CachePeriodInMinutes"] == 1440


@pytest.mark.parametrize("operation", ["Nonsense", "getitem", "", "CreateGlobalTable"])
def test_an_unknown_operation_says_so(engine: Engine, operation: str) -> None:
    with pytest.raises(UnknownOperationError) as caught:
        engine.call(operation, {})
    assert caught.value.wire() == {"__type": "com.amazon.coral.service#UnknownOperationException"}  # no message


def test_a_body_that_is_no_json_is_refused_without_a_word(engine: Engine) -> None:
    answers: list[object] = []
    engine.answer("ListTables", b"{no", answers.append)
    (error,) = answers
    assert isinstance(error, SerializationError)
    assert error.wire() == {"__type": "com.amazon.coral.service#SerializationException"}


def test_a_request_is_an_object(engine: Engine) -> None:
    with pytest.raises(SerializationError):
        engine.call("ListTables", [])
