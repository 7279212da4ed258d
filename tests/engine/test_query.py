"""Query: conditions, order, filters, Select, limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from partita.dynamo.errors import ValidationError
from partita.engine import Engine
from tests.engine.tables import Clock, create, get, put, python_items, query, values


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False) as engine:
        create(engine, "music", "pk sk", types={"sk": "N"})
        create(engine, "texts", "pk sk")
        create(engine, "bytes", "pk sk", types={"sk": "B"})
        for number in (1, 2, 3, 10, -1):
            put(engine, pk="a", sk=number, parity="odd" if number % 2 else "even")
        put(engine, pk="b", sk=1)
        yield engine


def _sort_keys(engine: Engine, condition: str, name: str = "music", /, **given: Any) -> list[Any]:
    return [item["sk"] for item in python_items(query(engine, condition, name, **given))]


def test_a_partition_comes_in_order_of_its_sort_key(engine: Engine) -> None:
    assert _sort_keys(engine, "pk = :p", p="a") == [-1, 1, 2, 3, 10]
    assert _sort_keys(engine, "pk = :p", p="a", ScanIndexForward=False) == [10, 3, 2, 1, -1]
    assert _sort_keys(engine, "pk = :p", p="absent") == []


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("sk = :x", [2]),
        ("sk < :x", [-1, 1]),
        ("sk <= :x", [-1, 1, 2]),
        ("sk > :x", [3, 10]),
        ("sk >= :x", [2, 3, 10]),
        ("sk BETWEEN :x AND :y", [2, 3]),
        (":x < sk", [3, 10]),
    ],
)
def test_conditions_on_the_sort_key(engine: Engine, condition: str, found: list[int]) -> None:
    given = {"x": 2, "y": 3} if ":y" in condition else {"x": 2}
    assert _sort_keys(engine, f"pk = :p AND {condition}", p="a", **given) == found
    assert _sort_keys(engine, f"pk = :p AND {condition}", p="a", **given, ScanIndexForward=False) == found[::-1]


def test_begins_with_selects_a_prefix_of_text_and_binary(engine: Engine) -> None:
    for text in ("x", "xa", "xab", "xb", "xa\x00", "xa\uffff", "w", "y"):
        put(engine, "texts", pk="a", sk=text)
    found = _sort_keys(engine, "pk = :p AND begins_with(sk, :x)", "texts", p="a", x="xa")
    assert found == ["xa", "xa\x00", "xab", "xa\uffff"]
    for content in (b"\xff", b"\xff\xff", b"\xfe", b"\xff\x00"):
        put(engine, "bytes", pk="a", sk=content)
    found = _sort_keys(engine, "pk = :p AND begins_with(sk, :x)", "bytes", p="a", x=b"\xff")
    assert found == [b"\xff", b"\xff\x00", b"\xff\xff"]


def test_begins_with_takes_no_number(engine: Engine) -> None:
    with pytest.raises(ValidationError):
        query(engine, "pk = :p AND begins_with(sk, :x)", p="a", x=1)


def test_a_filter_drops_items_after_they_were_counted_as_read(engine: Engine) -> None:
    response = query(engine, "pk = :p", p="a", e="even", FilterExpression="parity = :e")
    assert [item["sk"] for item in python_items(response)] == [2, 10]
    assert (response["Count"], response["ScannedCount"]) == (2, 5)


@pytest.mark.parametrize("name", ["pk", "sk"])
def test_a_filter_may_not_name_the_key(engine: Engine, name: str) -> None:
    with pytest.raises(ValidationError) as caught:
        query(engine, "pk = :p", p="a", FilterExpression=f"attribute_exists({name})")
    assert caught.value.message == (
        f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
    )


def test_a_limit_counts_items_before_the_filter(engine: Engine) -> None:
    response = query(engine, "pk = :p", p="a", e="even", FilterExpression="parity = :e", Limit=2)
    assert (response["Count"], response["ScannedCount"], response["Items"]) == (0, 2, [])
    assert response["LastEvaluatedKey"] == {"pk": {"S": "a"}, "sk": {"N": "1"}}


def test_a_limit_that_is_just_reached_still_gives_a_last_key_and_then_an_empty_page(engine: Engine) -> None:
    response = query(engine, "pk = :p", p="a", Limit=5)
    assert response["LastEvaluatedKey"]["sk"] == {"N": "10"}
    rest = query(engine, "pk = :p", p="a", Limit=5, ExclusiveStartKey=response["LastEvaluatedKey"])
    assert rest == {"Count": 0, "ScannedCount": 0, "Items": []}
    assert "LastEvaluatedKey" not in query(engine, "pk = :p", p="a", Limit=6)


def test_count_counts_without_items(engine: Engine) -> None:
    assert query(engine, "pk = :p", p="a", Select="COUNT") == {"Count": 5, "ScannedCount": 5}
    counted = query(engine, "pk = :p", p="a", e="even", Select="COUNT", FilterExpression="parity = :e")
    assert counted == {"Count": 2, "ScannedCount": 5}


def test_a_projection_shows_a_part_of_each_item(engine: Engine) -> None:
    response = query(engine, "pk = :p", p="b", ProjectionExpression="sk, absent", Select="SPECIFIC_ATTRIBUTES")
    assert python_items(response) == [{"sk": 1}]


@pytest.mark.parametrize(
    "start",
    [
        {"pk": {"S": "a"}},
        {"pk": {"S": "a"}, "sk": {"N": "1"}, "x": {"N": "1"}},
        {"pk": {"S": "a"}, "sk": {"S": "1"}},
        {"pk": {"S": "b"}, "sk": {"N": "1"}},
    ],
)
def test_a_start_key_is_a_key_of_this_partition(engine: Engine, start: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="The provided starting key is"):
        query(engine, "pk = :p", p="a", ExclusiveStartKey=start)


def test_a_start_key_outside_the_condition_is_refused(engine: Engine) -> None:
    with pytest.raises(ValidationError, match="The provided starting key does not match the range key predicate"):
        query(engine, "pk = :p AND sk > :x", p="a", x=5, ExclusiveStartKey={"pk": {"S": "a"}, "sk": {"N": "1"}})


def test_a_start_key_need_not_be_an_item(engine: Engine) -> None:
    start = {"pk": {"S": "a"}, "sk": {"N": "2.5"}}
    assert _sort_keys(engine, "pk = :p", p="a", ExclusiveStartKey=start) == [3, 10]
    assert _sort_keys(engine, "pk = :p", p="a", ExclusiveStartKey=start, ScanIndexForward=False) == [2, 1, -1]


def test_key_conditions_from_before_expressions_do_the_same(engine: Engine) -> None:
    conditions = {
        "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
        "sk": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "2"}, {"N": "3"}]},
    }
    request: dict[str, Any] = {"TableName": "music", "KeyConditions": conditions}
    assert [item["sk"] for item in python_items(engine.call("Query", request))] == [2, 3]
    request["QueryFilter"] = {"parity": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "odd"}]}}
    assert [item["sk"] for item in python_items(engine.call("Query", request))] == [3]


def test_a_read_gives_whole_items_and_copies_of_them(engine: Engine) -> None:
    (item,) = engine.call("Query", {"TableName": "music", "KeyConditionExpression": "pk = :p", **values(p="b")})[
        "Items"
    ]
    item["sk"]["N"] = "99"
    assert get(engine, pk="b", sk=1) == {"pk": "b", "sk": 1}
