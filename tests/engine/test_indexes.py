"""Secondary indexes: sparse, projected, kept with every write, strict about their keys."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import ValidationError
from partita.engine import Engine
from tests.engine.tables import create, get, index, put, python_items, query, update, values


def _scan(engine: Engine, name: str, **members: Any) -> list[dict[str, Any]]:
    return python_items(engine.call("Scan", {"TableName": "music", "IndexName": name, **members}))


def test_an_index_holds_the_items_that_have_its_whole_key(engine: Engine) -> None:
    create(engine, gsis=[index("both", "g", "h")])
    put(engine, pk="none")
    put(engine, pk="half", g="x")
    put(engine, pk="both", g="x", h="y")
    assert [item["pk"] for item in _scan(engine, "both")] == ["both"]


def test_an_index_follows_every_write(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g")])
    put(engine, pk="a", g="x")
    update(engine, {"pk": "a"}, "SET g = :g", g="y")
    assert python_items(query(engine, "g = :g", g="x", IndexName="byG")) == []
    assert python_items(query(engine, "g = :g", g="y", IndexName="byG")) == [{"pk": "a", "g": "y"}]
    update(engine, {"pk": "a"}, "REMOVE g")
    assert _scan(engine, "byG") == []
    put(engine, pk="a", g="z")
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "a"}}})
    assert _scan(engine, "byG") == []


@pytest.mark.parametrize(
    ("projection", "include", "seen"),
    [
        ("ALL", (), {"pk", "sk", "g", "x", "y"}),
        ("KEYS_ONLY", (), {"pk", "sk", "g"}),
        ("INCLUDE", ("x",), {"pk", "sk", "g", "x"}),
    ],
)
def test_an_index_shows_what_it_projects(engine: Engine, projection: str, include: Any, seen: set[str]) -> None:
    create(engine, "music", "pk sk", gsis=[index("byG", "g", "", projection, include)])
    put(engine, pk="a", sk="b", g="x", x=1, y=2)
    (item,) = _scan(engine, "byG")
    assert set(item) == seen
    (item,) = _scan(engine, "byG", Select="ALL_PROJECTED_ATTRIBUTES")
    assert set(item) == seen


def test_a_filter_on_a_global_index_sees_only_what_is_projected(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g", "", "KEYS_ONLY")])
    put(engine, pk="a", g="x", note=1)
    assert _scan(engine, "byG", FilterExpression="pk = :p", **values(p="a")) != []


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_global_index_cannot_be_asked_for_what_it_does_not_project(engine: Engine, operation: str) -> None:
    create(engine, gsis=[index("byG", "g", "", "INCLUDE", ["x"])])
    put(engine, pk="a", g="x", x=1, y=2)
    request: dict[str, Any] = {"TableName": "music", "IndexName": "byG"}
    if operation == "Query":
        request |= {"KeyConditionExpression": "g = :g", **values(g="x")}
    with pytest.raises(ValidationError, match="ALL_ATTRIBUTES is not supported for global secondary index byG"):
        engine.call(operation, {**request, "Select": "ALL_ATTRIBUTES"})
    with pytest.raises(ValidationError):
        engine.call(operation, {**request, "ProjectionExpression": "x, y"})
    assert python_items(engine.call(operation, {**request, "ProjectionExpression": "x, pk"})) == [{"x": 1, "pk": "a"}]


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_global_index_has_no_consistent_reads(engine: Engine, operation: str) -> None:
    create(engine, gsis=[index("byG", "g")])
    request = {"TableName": "music", "IndexName": "byG", "ConsistentRead": True}
    if operation == "Query":
        request |= {"KeyConditionExpression": "g = :g", **values(g="x")}
    with pytest.raises(ValidationError, match="Consistent reads are not supported on global secondary indexes"):
        engine.call(operation, request)


def test_a_local_index_fetches_from_the_table_what_it_does_not_hold(engine: Engine) -> None:
    create(engine, "music", "pk sk", lsis=[index("byDay", "pk", "day1", "KEYS_ONLY")])
    put(engine, pk="a", sk="b", day1="d", x=1)
    request = {"IndexName": "byDay", "ConsistentRead": True}
    assert python_items(query(engine, "pk = :p", p="a", **request)) == [{"pk": "a", "sk": "b", "day1": "d"}]
    whole = query(engine, "pk = :p", p="a", **request, Select="ALL_ATTRIBUTES")
    assert python_items(whole) == [{"pk": "a", "sk": "b", "day1": "d", "x": 1}]
    part = query(engine, "pk = :p AND day1 > :d", p="a", d="c", **request, ProjectionExpression="x")
    assert python_items(part) == [{"x": 1}]


def test_a_write_with_an_index_key_of_another_type_is_refused(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g", "h")])
    for item in ({"g": 5, "h": "x"}, {"g": "x", "h": [1]}, {"g": 5}):
        with pytest.raises(
            ValidationError, match=r"Type mismatch for Index Key . Expected: S Actual: [NL] IndexName: byG"
        ):
            put(engine, pk="a", **item)
    with pytest.raises(ValidationError, match="Type mismatch"):
        update(engine, {"pk": "a"}, "SET g = :v", v=5)
    assert get(engine, pk="a") is None


def test_a_write_with_an_empty_index_key_is_refused(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g")])
    with pytest.raises(ValidationError) as caught:
        put(engine, pk="a", g="")
    assert caught.value.message == (
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The "
        "AttributeValue for a key attribute cannot contain an empty string value. IndexName: byG, IndexKey: g"
    )
    with pytest.raises(ValidationError) as caught:
        update(engine, {"pk": "a"}, "SET g = :v", v="")
    assert caught.value.message == (
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
        "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value."
    )


@pytest.mark.parametrize(("value", "fault"), [(5, "Type mismatch for Index Key g"), ("", "are not valid")])
def test_an_index_key_that_can_be_none_is_told_before_a_condition(engine: Engine, value: object, fault: str) -> None:
    create(engine, gsis=[index("byG", "g")])
    with pytest.raises(ValidationError, match=fault):
        update(engine, {"pk": "a"}, "SET g = :v", ConditionExpression="attribute_exists(pk)", v=value)


def test_an_index_key_has_the_size_limits_of_a_table_key(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g", "h")])
    put(engine, pk="a", g="x" * 2048, h="y" * 1024)
    with pytest.raises(ValidationError):
        put(engine, pk="a", g="x" * 2049, h="y")
    with pytest.raises(ValidationError):
        put(engine, pk="a", g="x", h="y" * 1025)


def test_items_that_share_an_index_key_are_all_there_in_order_of_the_table_key_or_not(engine: Engine) -> None:
    create(engine, gsis=[index("byG", "g")])
    for number in range(30):
        put(engine, pk=str(number), g="same")
    found = python_items(query(engine, "g = :g", g="same", IndexName="byG"))
    assert sorted(int(item["pk"]) for item in found) == list(range(30))


def test_indexes_sort_numbers_by_value(engine: Engine) -> None:
    create(engine, gsis=[index("byN", "g", "n")], types={"n": "N"})
    for number in (10, -5, 2, 0, 100, -50):
        put(engine, pk=str(number), g="x", n=number)
    ascending = [item["n"] for item in python_items(query(engine, "g = :g", g="x", IndexName="byN"))]
    descending = query(engine, "g = :g", g="x", IndexName="byN", ScanIndexForward=False)
    assert ascending == [-50, -5, 0, 2, 10, 100]
    assert [item["n"] for item in python_items(descending)] == ascending[::-1]


def test_an_unknown_index_is_refused(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ValidationError, match="The table does not have the specified index: absent"):
        _scan(engine, "absent")


def test_an_index_may_be_keyed_by_the_tables_own_key(engine: Engine) -> None:
    create(engine, "music", "pk sk", gsis=[index("turned", "sk", "pk", "KEYS_ONLY")])
    put(engine, pk="a", sk="x", note=1)
    put(engine, pk="b", sk="x")
    assert [item["pk"] for item in python_items(query(engine, "sk = :s", s="x", IndexName="turned"))] == ["a", "b"]
