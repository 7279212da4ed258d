"""BatchGetItem and BatchWriteItem."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import ResourceNotFoundError, ValidationError
from partita.engine import Engine
from tests.engine.tables import create, get, index, put


def _key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}}


def _write(engine: Engine, *entries: dict[str, Any], **members: Any) -> dict[str, Any]:
    return engine.call("BatchWriteItem", {"RequestItems": {"music": list(entries)}, **members})


def test_a_batch_writes_and_deletes_over_several_tables(engine: Engine) -> None:
    create(engine)
    create(engine, "films")
    put(engine, pk="gone")
    entries = {
        "music": [{"PutRequest": {"Item": _key("a")}}, {"DeleteRequest": {"Key": _key("gone")}}],
        "films": [{"PutRequest": {"Item": _key("b")}}],
    }
    assert engine.call("BatchWriteItem", {"RequestItems": entries}) == {"UnprocessedItems": {}}
    assert (get(engine, pk="a"), get(engine, pk="gone"), get(engine, "films", pk="b")) == (
        {"pk": "a"},
        None,
        {"pk": "b"},
    )


def test_a_batch_gets_what_is_there_from_several_tables(engine: Engine) -> None:
    create(engine)
    create(engine, "films")
    put(engine, pk="a", x=1)
    put(engine, "films", pk="b", x=1)
    wanted = {
        "music": {
            "Keys": [_key("a"), _key("absent")],
            "ProjectionExpression": "#x",
            "ExpressionAttributeNames": {"#x": "x"},
        },
        "films": {"Keys": [_key("b")], "ConsistentRead": True},
    }
    assert engine.call("BatchGetItem", {"RequestItems": wanted}) == {
        "Responses": {"music": [{"x": {"N": "1"}}], "films": [{"pk": {"S": "b"}, "x": {"N": "1"}}]},
        "UnprocessedKeys": {},
    }


def test_a_key_comes_once_in_a_batch(engine: Engine) -> None:
    create(engine)
    put_a, delete_a = {"PutRequest": {"Item": _key("a")}}, {"DeleteRequest": {"Key": _key("a")}}
    for entries in ((put_a, put_a), (put_a, delete_a)):
        with pytest.raises(ValidationError, match="Provided list of item keys contains duplicates"):
            _write(engine, *entries)
    with pytest.raises(ValidationError, match="Provided list of item keys contains duplicates"):
        engine.call("BatchGetItem", {"RequestItems": {"music": {"Keys": [_key("a"), _key("a")]}}})
    assert get(engine, pk="a") is None


@pytest.mark.parametrize(
    "entry",
    [
        {"PutRequest": {"Item": {"x": {"S": "no key"}}}},
        {"DeleteRequest": {"Key": {"other": {"S": "a"}}}},
        {"PutRequest": {"Item": {"pk": {"S": "b"}, "g": {"N": "5"}}}},
        {"PutRequest": {"Item": {"pk": {"S": "b"}, "f": {"S": "x" * 410 * 1024}}}},
    ],
)
def test_one_bad_item_refuses_the_whole_batch(engine: Engine, entry: dict[str, Any]) -> None:
    create(engine, gsis=[index("byG", "g")])
    with pytest.raises(ValidationError):
        _write(engine, {"PutRequest": {"Item": _key("a")}}, entry)
    assert get(engine, pk="a") is None


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
def test_a_batch_on_a_table_that_is_not_there_is_not_found(engine: Engine, operation: str) -> None:
    create(engine)
    member: Any = {"Keys": [_key("a")]} if operation == "BatchGetItem" else [{"PutRequest": {"Item": _key("a")}}]
    with pytest.raises(ResourceNotFoundError):
        engine.call(operation, {"RequestItems": {"music": member, "absent": member}})
    assert get(engine, pk="a") is None


def test_a_batch_get_reads_16_mb_and_gives_the_rest_back(engine: Engine) -> None:
    create(engine)
    create(engine, "films")
    for number in range(42):
        put(engine, pk=str(number), f="x" * 399 * 1024)
    put(engine, "films", pk="late", f="x" * 300 * 1024)
    keys = [_key(str(number)) for number in range(42)]
    wanted: dict[str, Any] = {"music": {"Keys": keys, "ProjectionExpression": "pk"}, "films": {"Keys": [_key("late")]}}
    response = engine.call("BatchGetItem", {"RequestItems": wanted})
    found = response["Responses"]["music"]
    assert len(found) == 41
    rest = response["UnprocessedKeys"]
    assert rest["music"] == {"Keys": keys[41:], "ProjectionExpression": "pk"}
    again = engine.call("BatchGetItem", {"RequestItems": rest})
    assert len(again["Responses"]["music"]) == 1
    seen = len(response["Responses"].get("films", [])) + len(again["Responses"].get("films", []))
    assert seen == 1
    assert again["UnprocessedKeys"] == {}
    arn = engine.call("DescribeTable", {"TableName": "music"})["Table"]["TableArn"]
    by_arn = engine.call("BatchGetItem", {"RequestItems": {arn: {"Keys": keys, "ConsistentRead": True}}})
    assert by_arn["UnprocessedKeys"] == {arn: {"Keys": keys[41:], "ConsistentRead": True}}


def test_metrics_of_a_batch_come_per_table(engine: Engine) -> None:
    create(engine, "music", "pk sk", lsis=[index("byDay", "pk", "day1")])
    item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
    response = _write(engine, {"PutRequest": {"Item": item}}, ReturnItemCollectionMetrics="SIZE")
    assert response["ItemCollectionMetrics"]["music"][0]["ItemCollectionKey"] == {"pk": {"S": "a"}}
