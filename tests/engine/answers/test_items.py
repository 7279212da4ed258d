"""Items: updates that only remove, sets in order, paths of items that are not there."""

from __future__ import annotations

import pytest

from partita.engine import Engine
from tests.engine.answers.asking import fault
from tests.engine.tables import Wire, get, put, values


def _updated(engine: Engine, key: str, **members: object) -> Wire:
    return engine.call("UpdateItem", {"TableName": "music", "Key": {"pk": {"S": key}}, **members})


def _records(engine: Engine, key: str) -> list[str]:
    arn = engine.call("DescribeTable", {"TableName": "music"})["Table"]["LatestStreamArn"]
    shard = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"][0]["ShardId"]
    asked = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    found = engine.call("GetRecords", engine.call("GetShardIterator", asked))["Records"]
    return [record["eventName"] for record in found if record["dynamodb"]["Keys"]["pk"]["S"] == key]


_REMOVALS: list[Wire] = [
    {"UpdateExpression": "REMOVE a, b[0], c.d"},
    {"UpdateExpression": "DELETE a :s", **values(s={"x"})},
    {"UpdateExpression": "REMOVE a DELETE b :s", **values(s={1})},
    {"AttributeUpdates": {"a": {"Action": "DELETE"}, "b": {"Action": "DELETE", "Value": {"SS": ["x"]}}}},
]


@pytest.mark.parametrize("returns", ["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"])
@pytest.mark.parametrize("removal", _REMOVALS, ids=str)
def test_an_update_that_only_removes_creates_no_item_and_no_record(engine: Engine, removal: Wire, returns: str) -> None:
    assert "Attributes" not in _updated(engine, "absent", **removal, ReturnValues=returns)
    action = {"TableName": "music", "Key": {"pk": {"S": "absent"}}, **removal}
    if "UpdateExpression" in removal:
        engine.call("TransactWriteItems", {"TransactItems": [{"Update": action}]})
    assert get(engine, pk="absent") is None
    assert _records(engine, "absent") == []


@pytest.mark.parametrize(
    ("key", "update"),
    [
        ("bare", {}),
        ("no-actions", {"AttributeUpdates": {}}),
        ("set", {"UpdateExpression": "SET a = :v", **values(v=1)}),
        ("add", {"UpdateExpression": "ADD a :v REMOVE b", **values(v=1)}),
        ("put", {"AttributeUpdates": {"a": {"Value": {"N": "1"}}, "b": {"Action": "DELETE"}}}),
    ],
)
def test_any_other_update_creates_the_item(engine: Engine, key: str, update: Wire) -> None:
    _updated(engine, key, **update)
    found = get(engine, pk=key)
    assert found is not None
    assert found.get("a", 1) == 1
    assert _records(engine, key) == ["INSERT"]


def test_a_removal_below_what_is_not_there_is_refused_only_if_the_item_is_there(engine: Engine) -> None:
    put(engine, pk="no-parent")
    for expression in ("REMOVE x.y", "REMOVE x[0]"):
        request = {"TableName": "music", "Key": {"pk": {"S": "no-parent"}}, "UpdateExpression": expression}
        assert fault(engine, "UpdateItem", request) == (
            "The document path provided in the update expression is invalid for update"
        )


def test_a_condition_on_an_item_that_is_not_there_still_fails_before_a_removal(engine: Engine) -> None:
    with pytest.raises(Exception, match="The conditional request failed"):
        _updated(engine, "absent", UpdateExpression="REMOVE a", ConditionExpression="attribute_exists(pk)")


def test_sets_come_back_sorted_whatever_the_order_they_were_written_in(engine: Engine) -> None:
    item: Wire = {
        "pk": {"S": "sets"},
        "s": {"SS": ["b", "é", "a", "Z", "😀", "￮"]},
        "n": {"NS": ["10", "9", "-1.5", "1E2"]},
        "b": {"BS": ["/w==", "AA==", "AAA="]},
    }
    engine.call("PutItem", {"TableName": "music", "Item": item})
    _updated(
        engine,
        "sets",
        UpdateExpression="ADD s :s, n :n",
        ExpressionAttributeValues={":s": {"SS": ["B", "a"]}, ":n": {"NS": ["9.5"]}},
    )
    found = engine.call("GetItem", {"TableName": "music", "Key": {"pk": {"S": "sets"}}})["Item"]
    assert found["s"]["SS"] == ["B", "Z", "a", "b", "é", "￮", "😀"]
    assert found["n"]["NS"] == ["-1.5", "9", "9.5", "10", "100"]
    assert found["b"]["BS"] == ["AA==", "AAA=", "/w=="]
