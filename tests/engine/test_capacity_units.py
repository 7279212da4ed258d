"""Consumed capacity, by the developer guide's rules for reads, writes, indexes, batches and transactions."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.python_values import item_from_python
from partita.engine import Engine
from tests.engine.tables import create, index, put, update, values

KB = 1024
KEY = {"pk": {"S": "a"}}


def _units(response: dict[str, Any]) -> float:
    units: float = response["ConsumedCapacity"]["CapacityUnits"]
    return units


def _sized(size: int, **attributes: Any) -> dict[str, Any]:
    """An item of exactly that many bytes: pk "a", a filler, and text attributes."""
    known = len("pka") + len("f") + sum(len(name) + len(value) for name, value in attributes.items())
    return {"pk": "a", "f": "x" * (size - known), **attributes}


def _put(engine: Engine, size: int, **attributes: Any) -> dict[str, Any]:
    item = item_from_python(_sized(size, **attributes))
    answer = engine.call("PutItem", {"TableName": "music", "Item": item, "ReturnConsumedCapacity": "INDEXES"})
    consumed: dict[str, Any] = answer["ConsumedCapacity"]
    return consumed


def _gsi(consumed: dict[str, Any], name: str = "byG") -> float:
    units: float = consumed.get("GlobalSecondaryIndexes", {}).get(name, {"CapacityUnits": 0.0})["CapacityUnits"]
    return units


@pytest.mark.parametrize(("size", "strong"), [(100, 1.0), (4 * KB, 1.0), (4 * KB + 1, 2.0), (9 * KB, 3.0)])
def test_a_get_costs_a_unit_per_4_kb_and_half_of_it_eventually(engine: Engine, size: int, strong: float) -> None:
    create(engine)
    put(engine, **_sized(size))
    request = {"TableName": "music", "Key": KEY, "ReturnConsumedCapacity": "TOTAL", "ProjectionExpression": "pk"}
    assert _units(engine.call("GetItem", {**request, "ConsistentRead": True})) == strong
    assert _units(engine.call("GetItem", request)) == strong / 2


def test_getting_what_is_not_there_costs_the_least_unit(engine: Engine) -> None:
    create(engine)
    request = {"TableName": "music", "Key": KEY, "ReturnConsumedCapacity": "TOTAL"}
    assert engine.call("GetItem", request) == {"ConsumedCapacity": {"TableName": "music", "CapacityUnits": 0.5}}
    assert _units(engine.call("GetItem", {**request, "ConsistentRead": True})) == 1.0
    assert "ConsumedCapacity" not in engine.call("GetItem", {**request, "ReturnConsumedCapacity": "NONE"})


def test_a_write_costs_a_unit_per_kb_of_the_larger_item(engine: Engine) -> None:
    create(engine)
    assert _put(engine, KB)["CapacityUnits"] == 1.0
    assert _put(engine, KB + 1)["CapacityUnits"] == 2.0
    assert _put(engine, 5 * KB)["CapacityUnits"] == 5.0
    assert _put(engine, 100)["CapacityUnits"] == 5.0
    assert _put(engine, 100)["CapacityUnits"] == 1.0


def test_an_update_costs_the_larger_of_before_and_after_and_a_delete_what_it_deletes(engine: Engine) -> None:
    create(engine)
    _put(engine, 3 * KB)
    assert _units(update(engine, {"pk": "a"}, "SET z = :v", v="", ReturnConsumedCapacity="TOTAL")) == 4.0
    assert _units(update(engine, {"pk": "a"}, "REMOVE f, z", ReturnConsumedCapacity="TOTAL")) == 4.0
    _put(engine, 3 * KB)
    request = {"TableName": "music", "Key": KEY, "ReturnConsumedCapacity": "TOTAL"}
    assert _units(engine.call("DeleteItem", request)) == 3.0
    assert _units(engine.call("DeleteItem", request)) == 1.0


def test_an_item_that_enters_an_index_costs_one_write_of_what_is_projected(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g"), index("slim", "g", "", "KEYS_ONLY")])
    assert _gsi(_put(engine, 2 * KB)) == 0
    consumed = _put(engine, 2 * KB + 5, g="x")
    assert consumed["Table"] == {"CapacityUnits": 3.0}
    assert (_gsi(consumed), _gsi(consumed, "slim")) == (3.0, 1.0)
    assert consumed["CapacityUnits"] == 7.0


def test_an_item_that_changes_its_index_key_costs_a_delete_and_a_put(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g")])
    _put(engine, 2 * KB, g="x")
    assert _gsi(_put(engine, 2 * KB, g="y")) == 4.0


def test_an_item_that_leaves_an_index_costs_one_write(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g")])
    _put(engine, 2 * KB, g="x")
    assert _gsi(_put(engine, 100)) == 2.0
    _put(engine, 2 * KB, g="x")
    deleted = engine.call("DeleteItem", {"TableName": "music", "Key": KEY, "ReturnConsumedCapacity": "INDEXES"})
    assert _gsi(deleted["ConsumedCapacity"]) == 2.0


def test_an_index_costs_nothing_when_nothing_it_shows_changes(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g"), index("slim", "g", "", "KEYS_ONLY"), index("other", "absent")])
    _put(engine, 2 * KB, g="x")
    consumed = _put(engine, 2 * KB - 5, g="x")
    assert (_gsi(consumed), _gsi(consumed, "slim"), _gsi(consumed, "other")) == (2.0, 0.0, 0.0)
    assert _gsi(_put(engine, 2 * KB - 5, g="x")) == 0.0


def test_local_indexes_are_reported_apart(engine: Engine) -> None:
    create(engine, "music", "pk sk", lsis=[index("byDay", "pk", "day1")])
    item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "day1": {"S": "c"}}
    consumed = engine.call("PutItem", {"TableName": "music", "Item": item, "ReturnConsumedCapacity": "INDEXES"})
    assert consumed["ConsumedCapacity"] == {
        "TableName": "music",
        "CapacityUnits": 2.0,
        "Table": {"CapacityUnits": 1.0},
        "LocalSecondaryIndexes": {"byDay": {"CapacityUnits": 1.0}},
    }


def _fill(engine: Engine, count: int, size: int, **settings: Any) -> None:
    create(engine, "music", "pk sk", **settings)
    for number in range(count):
        put(engine, pk="a", sk=f"{number:03}", f="x" * (size - len("pkaskf") - 3 - len("daydd")), dayd="d")


def test_a_query_adds_up_its_items_and_rounds_once(engine: Engine) -> None:
    _fill(engine, 10, KB)
    request = {
        "TableName": "music",
        "KeyConditionExpression": "pk = :p",
        **values(p="a"),
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert _units(engine.call("Query", request)) == 1.5
    assert _units(engine.call("Query", {**request, "ConsistentRead": True})) == 3.0
    assert _units(engine.call("Query", {**request, "Select": "COUNT"})) == 1.5
    assert _units(engine.call("Query", {**request, "FilterExpression": "attribute_exists(absent)"})) == 1.5
    assert _units(engine.call("Query", {**request, "Limit": 1})) == 0.5
    assert _units(engine.call("Query", {**request, **values(p="absent")})) == 0.5
    scan = engine.call("Scan", {"TableName": "music", "ReturnConsumedCapacity": "TOTAL"})
    assert _units(scan) == 1.5 + 3 * 0.5  # three parts of the table on demand are empty


def test_a_query_of_an_index_is_charged_to_the_index(engine: Engine) -> None:
    _fill(engine, 10, KB, gsis=[index("byDay", "dayd", "sk", "KEYS_ONLY")])
    request = {
        "TableName": "music",
        "IndexName": "byDay",
        "KeyConditionExpression": "dayd = :d",
        **values(d="d"),
        "ReturnConsumedCapacity": "INDEXES",
    }
    assert engine.call("Query", request)["ConsumedCapacity"] == {
        "TableName": "music",
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.0},
        "GlobalSecondaryIndexes": {"byDay": {"CapacityUnits": 0.5}},
    }


def test_a_local_index_that_fetches_pays_for_each_whole_item(engine: Engine) -> None:
    _fill(engine, 4, 5 * KB, lsis=[index("byDay", "pk", "dayd", "KEYS_ONLY")])
    request = {
        "TableName": "music",
        "IndexName": "byDay",
        "KeyConditionExpression": "pk = :p",
        **values(p="a"),
        "ReturnConsumedCapacity": "INDEXES",
        "ConsistentRead": True,
    }
    assert _units(engine.call("Query", request)) == 1.0
    consumed = engine.call("Query", {**request, "Select": "ALL_ATTRIBUTES"})["ConsumedCapacity"]
    assert consumed["LocalSecondaryIndexes"] == {"byDay": {"CapacityUnits": 1.0}}
    assert consumed["Table"] == {"CapacityUnits": 8.0}


def test_a_batch_costs_what_its_items_cost_one_by_one(engine: Engine) -> None:
    create(engine)
    puts = [{"PutRequest": {"Item": {"pk": {"S": str(n)}, "f": {"S": "x" * 1500}}}} for n in range(3)]
    wrote = engine.call("BatchWriteItem", {"RequestItems": {"music": puts}, "ReturnConsumedCapacity": "TOTAL"})
    assert wrote["ConsumedCapacity"] == [{"TableName": "music", "CapacityUnits": 6.0}]
    keys = [{"pk": {"S": str(n)}} for n in range(4)]
    read = {"RequestItems": {"music": {"Keys": keys}}, "ReturnConsumedCapacity": "TOTAL"}
    assert engine.call("BatchGetItem", read)["ConsumedCapacity"] == [{"TableName": "music", "CapacityUnits": 2.0}]
    read["RequestItems"] = {"music": {"Keys": keys, "ConsistentRead": True}}
    assert engine.call("BatchGetItem", read)["ConsumedCapacity"] == [{"TableName": "music", "CapacityUnits": 4.0}]


def test_transactions_cost_twice(engine: Engine) -> None:
    create(engine)
    item = {"pk": {"S": "a"}, "f": {"S": "x" * 1500}}
    wrote = engine.call(
        "TransactWriteItems",
        {"TransactItems": [{"Put": {"TableName": "music", "Item": item}}], "ReturnConsumedCapacity": "TOTAL"},
    )
    assert wrote["ConsumedCapacity"] == [{"TableName": "music", "CapacityUnits": 4.0, "WriteCapacityUnits": 4.0}]
    gets = [{"Get": {"TableName": "music", "Key": {"pk": {"S": name}}}} for name in ("a", "b")]
    read = engine.call("TransactGetItems", {"TransactItems": gets, "ReturnConsumedCapacity": "TOTAL"})
    assert read["ConsumedCapacity"] == [{"TableName": "music", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]


def test_an_index_costs_twice_in_a_transaction_as_its_table_does(engine: Engine) -> None:
    """Our choice, see the differences in docs/engine.md."""
    create(engine, gsis=[index("byG", "g")])
    action = {"Put": {"TableName": "music", "Item": {"pk": {"S": "a"}, "g": {"S": "x"}}}}
    wrote = engine.call("TransactWriteItems", {"TransactItems": [action], "ReturnConsumedCapacity": "INDEXES"})
    (consumed,) = wrote["ConsumedCapacity"]
    assert (consumed["Table"]["CapacityUnits"], _gsi(consumed)) == (2.0, 2.0)


def _scan_units(engine: Engine, **members: Any) -> float:
    return _units(engine.call("Scan", {"TableName": "music", "ReturnConsumedCapacity": "TOTAL", **members}))


def test_a_scan_of_a_table_on_demand_pays_for_each_of_its_four_parts(engine: Engine) -> None:
    create(engine)
    assert (_scan_units(engine), _scan_units(engine, ConsistentRead=True)) == (2.0, 4.0)
    put(engine, **_sized(KB))
    assert (_scan_units(engine), _scan_units(engine, ConsistentRead=True)) == (2.0, 4.0)
    halves = [_scan_units(engine, Segment=segment, TotalSegments=2) for segment in (0, 1)]
    assert halves == [1.0, 1.0]
    first = engine.call("Scan", {"TableName": "music", "ReturnConsumedCapacity": "TOTAL", "Limit": 1})
    rest = _scan_units(engine, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert 2.0 <= _units(first) + rest <= 2.5  # the part in which the first page ended is read by both


def test_a_scan_of_a_provisioned_table_rounds_once(engine: Engine) -> None:
    throughput = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    create(engine, BillingMode="PROVISIONED", ProvisionedThroughput=throughput)
    assert (_scan_units(engine), _scan_units(engine, ConsistentRead=True)) == (0.5, 1.0)
