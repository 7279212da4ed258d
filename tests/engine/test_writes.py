"""PutItem, UpdateItem, DeleteItem and GetItem: happy paths, return values, conditions, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError, ResourceNotFoundError, ValidationError
from partita.dynamo.python_values import item_to_python
from partita.engine import Engine
from tests.engine.tables import Clock, create, get, index, put, update, values

KEY = {"pk": {"S": "a"}}


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False) as engine:
        create(engine)
        create(engine, "pairs", "pk sk", types={"sk": "N"})
        yield engine


def test_what_is_put_is_got_whatever_its_types(engine: Engine) -> None:
    item: dict[str, Any] = {"pk": "a", "text": "", "n": 5, "b": b"\x00", "t": True, "nil": None}
    item |= {"l": [1, {"x": []}], "s": {"u"}}
    put(engine, **item)
    assert get(engine, pk="a") == item


def test_getting_what_is_not_there_gives_no_item(engine: Engine) -> None:
    assert engine.call("GetItem", {"TableName": "music", "Key": KEY}) == {}


def test_a_put_replaces_the_item_whole(engine: Engine) -> None:
    put(engine, pk="a", x=1)
    put(engine, pk="a", y=2)
    assert get(engine, pk="a") == {"pk": "a", "y": 2}


def test_number_keys_are_equal_by_value(engine: Engine) -> None:
    engine.call("PutItem", {"TableName": "pairs", "Item": {"pk": {"S": "a"}, "sk": {"N": "1.0"}}})
    engine.call("PutItem", {"TableName": "pairs", "Item": {"pk": {"S": "a"}, "sk": {"N": "1e0"}, "v": {"S": "x"}}})
    (item,) = engine.call("Scan", {"TableName": "pairs"})["Items"]
    assert item == {"pk": {"S": "a"}, "sk": {"N": "1"}, "v": {"S": "x"}}


def test_a_projection_gets_a_part(engine: Engine) -> None:
    put(engine, pk="a", m={"x": 1, "y": 2}, l=[1, 2])
    wanted = {"TableName": "music", "Key": KEY, "ProjectionExpression": "m.x, l[1]"}
    assert engine.call("GetItem", wanted) == {"Item": {"m": {"M": {"x": {"N": "1"}}}, "l": {"L": [{"N": "2"}]}}}
    assert engine.call("GetItem", {"TableName": "music", "Key": KEY, "AttributesToGet": ["pk"]}) == {"Item": KEY}
    assert engine.call("GetItem", {**wanted, "ProjectionExpression": "absent"}) == {"Item": {}}


@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem"])
def test_put_and_delete_return_the_old_item_if_asked(engine: Engine, operation: str) -> None:
    request = {"TableName": "music", "Item" if operation == "PutItem" else "Key": KEY, "ReturnValues": "ALL_OLD"}
    assert engine.call(operation, request) == {}
    put(engine, pk="a", x=1)
    assert engine.call(operation, request) == {"Attributes": {"pk": {"S": "a"}, "x": {"N": "1"}}}
    put(engine, pk="a", x=1)
    assert engine.call(operation, {**request, "ReturnValues": "NONE"}) == {}


@pytest.mark.parametrize(
    ("returns", "existing", "fresh"),
    [
        ("NONE", None, None),
        ("ALL_OLD", {"pk": "a", "x": 1, "y": 2, "m": {"p": 1, "q": 1}}, None),
        ("ALL_NEW", {"pk": "a", "x": 5, "m": {"p": 5, "q": 1}}, {"pk": "a", "x": 5}),
        ("UPDATED_OLD", {"x": 1, "y": 2, "m": {"p": 1}}, None),
        ("UPDATED_NEW", {"x": 5, "m": {"p": 5}}, {"x": 5}),
    ],
)
def test_an_update_returns_what_it_is_asked_for(engine: Engine, returns: str, existing: Any, fresh: Any) -> None:
    put(engine, pk="a", x=1, y=2, m={"p": 1, "q": 1})
    answer = update(engine, {"pk": "a"}, "SET x = :v, m.p = :v REMOVE y", v=5, ReturnValues=returns)
    assert (item_to_python(answer["Attributes"]) if "Attributes" in answer else None) == existing
    engine.call("DeleteItem", {"TableName": "music", "Key": KEY})
    answer = update(engine, {"pk": "a"}, "SET x = :v REMOVE y", v=5, ReturnValues=returns)
    assert (item_to_python(answer["Attributes"]) if "Attributes" in answer else None) == fresh


def test_an_update_makes_an_item_that_is_not_there(engine: Engine) -> None:
    engine.call("UpdateItem", {"TableName": "music", "Key": KEY})
    assert get(engine, pk="a") == {"pk": "a"}
    update(engine, {"pk": "b"}, "ADD n :v", v=1)
    assert get(engine, pk="b") == {"pk": "b", "n": 1}


def test_deleting_what_is_not_there_is_no_error(engine: Engine) -> None:
    assert engine.call("DeleteItem", {"TableName": "music", "Key": KEY}) == {}


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
def test_a_condition_decides_and_its_failure_may_show_the_item(engine: Engine, operation: str) -> None:
    request: dict[str, Any] = {
        "TableName": "music",
        "Item" if operation == "PutItem" else "Key": KEY,
        "ConditionExpression": "x = :one",
        **values(one=1),
    }
    if operation == "UpdateItem":
        request["UpdateExpression"] = "SET y = :one"
    with pytest.raises(ConditionalCheckFailedError) as caught:
        engine.call(operation, {**request, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert caught.value.item is None
    assert caught.value.message == "The conditional request failed"
    put(engine, pk="a", x=2)
    with pytest.raises(ConditionalCheckFailedError) as caught:
        engine.call(operation, request)
    assert caught.value.item is None
    with pytest.raises(ConditionalCheckFailedError) as caught:
        engine.call(operation, {**request, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert caught.value.item == {"pk": {"S": "a"}, "x": {"N": "2"}}
    assert get(engine, pk="a") == {"pk": "a", "x": 2}
    put(engine, pk="a", x=1)
    engine.call(operation, request)
    assert (
        get(engine, pk="a")
        == {
            "PutItem": {"pk": "a"},
            "UpdateItem": {"pk": "a", "x": 1, "y": 1},
            "DeleteItem": None,
        }[operation]
    )


def test_legacy_parameters_do_the_same(engine: Engine) -> None:
    engine.call("PutItem", {"TableName": "music", "Item": KEY, "Expected": {"pk": {"Exists": False}}})
    with pytest.raises(ConditionalCheckFailedError):
        engine.call("PutItem", {"TableName": "music", "Item": KEY, "Expected": {"pk": {"Exists": False}}})
    updates = {"n": {"Value": {"N": "2"}, "Action": "ADD"}}
    engine.call("UpdateItem", {"TableName": "music", "Key": KEY, "AttributeUpdates": updates})
    assert get(engine, pk="a") == {"pk": "a", "n": 2}


@pytest.mark.parametrize("operation", ["GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize(
    "key", [{}, {"pk": {"N": "1"}}, {"other": {"S": "a"}}, {"pk": {"S": "a"}, "x": {"S": "b"}}, {"pk": {"NULL": True}}]
)
def test_a_key_is_exactly_the_tables_key(engine: Engine, operation: str, key: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="The provided key element does not match the schema"):
        engine.call(operation, {"TableName": "music", "Key": key})


def test_an_item_has_its_key(engine: Engine) -> None:
    with pytest.raises(ValidationError, match="Missing the key pk in the item"):
        put(engine, x=1)
    with pytest.raises(ValidationError, match="Type mismatch for key pk expected: S actual: N"):
        put(engine, pk=1)


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
def test_a_key_value_is_not_empty(engine: Engine, operation: str) -> None:
    create(engine, "binary", types={"pk": "B"})
    member = "Item" if operation == "PutItem" else "Key"
    for name, empty, what in (("music", {"S": ""}, "string"), ("binary", {"B": ""}, "binary")):
        with pytest.raises(ValidationError) as caught:
            engine.call(operation, {"TableName": name, member: {"pk": empty}})
        assert caught.value.message == (
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            f"empty {what} value. Key: pk"
        )


def test_a_partition_key_has_at_most_2048_and_a_sort_key_at_most_1024_bytes(engine: Engine) -> None:
    create(engine, "texts", "pk sk")
    put(engine, "texts", pk="p" * 2048, sk="s" * 1024)
    with pytest.raises(ValidationError, match="Size of hashkey has exceeded the maximum size limit of2048 bytes"):
        put(engine, "texts", pk="é" * 1025, sk="s")
    with pytest.raises(ValidationError, match="exceeded the size limit of 1024 bytes"):
        put(engine, "texts", pk="p", sk="s" * 1025)


def test_an_item_has_at_most_400_kb(engine: Engine) -> None:
    room = 400 * 1024 - len("pka") - len("text")
    put(engine, pk="a", text="x" * room)
    with pytest.raises(ValidationError, match=r"^Item size has exceeded the maximum allowed size$"):
        put(engine, pk="a", text="x" * (room + 1))
    with pytest.raises(ValidationError, match=r"^Item size to update has exceeded the maximum allowed size$"):
        update(engine, {"pk": "a"}, "SET m = :v", v="")


def test_an_update_leaves_the_key_alone(engine: Engine) -> None:
    for expression in ("SET pk = :v", "SET pk.x = :v", "ADD pk :v"):
        with pytest.raises(ValidationError, match=r"Cannot update attribute pk\. This attribute is part of the key"):
            update(engine, {"pk": "a"}, expression, v=1)
    with pytest.raises(ValidationError, match="This attribute is part of the key"):
        update(engine, {"pk": "a", "sk": 1}, "REMOVE sk", "pairs")


def test_a_refused_update_leaves_the_item_as_it_was(engine: Engine) -> None:
    put(engine, pk="a", x="text")
    with pytest.raises(ValidationError):
        update(engine, {"pk": "a"}, "SET y = :v, x = x + :v", v=1)
    assert get(engine, pk="a") == {"pk": "a", "x": "text"}


@pytest.mark.parametrize("operation", ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Scan"])
def test_a_table_that_is_not_there_is_not_found(engine: Engine, operation: str) -> None:
    request: dict[str, Any] = {"TableName": "absent", "Item": KEY, "Key": KEY}
    with pytest.raises(ResourceNotFoundError, match="Requested resource not found"):
        engine.call(operation, request)


def test_item_collection_metrics_come_with_local_indexes_only(engine: Engine) -> None:
    create(engine, "local", "pk sk", lsis=[index("byDay", "pk", "day")])
    request = {"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}}, "ReturnItemCollectionMetrics": "SIZE"}
    assert engine.call("PutItem", {"TableName": "local", **request}) == {
        "ItemCollectionMetrics": {"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]}
    }
    assert engine.call("PutItem", {"TableName": "music", **request}) == {}
