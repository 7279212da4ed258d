"""Global indexes whose key has several attributes: up to four for the partition, up to four for the order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from partita.dynamo.errors import ValidationError
from partita.engine import Engine
from tests.engine.tables import Clock, create, index, pages, put, python_items, query, update, values


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False) as engine:
        create(engine, gsis=[index("wide", "a b", "x y z")], types={"y": "N"})
        for number, (a, b, x, y, z) in enumerate(
            [
                ("1", "1", "p", 1, "k"),
                ("1", "1", "p", 2, "k"),
                ("1", "1", "p", 10, "l"),
                ("1", "1", "q", 1, "k"),
                ("1", "2", "p", 1, "k"),
                ("11", "", "p", 1, "k"),
            ]
        ):
            put(engine, pk=str(number), a=a, b=b or "1", x=x, y=y, z=z)
        put(engine, pk="sparse", a="1", b="1", x="p", y=1)
        yield engine


def _found(engine: Engine, condition: str, **given: Any) -> str:
    response = query(engine, condition, a="1", b="1", IndexName="wide", **given)
    return "".join(item["pk"] for item in python_items(response))


def test_the_whole_partition_key_is_needed_and_nothing_else(engine: Engine) -> None:
    assert _found(engine, "a = :a AND b = :b") == "0123"
    with pytest.raises(ValidationError, match="HASH key attributes b must have equality conditions"):
        query(engine, "a = :a", a="1", IndexName="wide")


def test_sort_attributes_narrow_from_the_left(engine: Engine) -> None:
    assert _found(engine, "a = :a AND b = :b AND x = :x", x="p") == "012"
    assert _found(engine, "a = :a AND b = :b AND x = :x AND y = :y", x="p", y=1) == "0"
    assert _found(engine, "a = :a AND b = :b AND x = :x AND y = :y AND z = :z", x="p", y=2, z="k") == "1"


def test_only_the_last_of_them_is_a_range(engine: Engine) -> None:
    assert _found(engine, "a = :a AND b = :b AND x = :x AND y > :y", x="p", y=1) == "12"
    assert _found(engine, "a = :a AND b = :b AND x = :x AND y BETWEEN :y AND :z", x="p", y=2, z=9) == "1"
    assert _found(engine, "a = :a AND b = :b AND x > :x", x="p") == "3"
    assert _found(engine, "a = :a AND b = :b AND begins_with(x, :x)", x="p") == "012"
    assert _found(engine, "a = :a AND b = :b AND x = :x AND y = :y AND begins_with(z, :z)", x="p", y=10, z="l") == "2"
    with pytest.raises(ValidationError):
        _found(engine, "a = :a AND b = :b AND x > :x AND y = :y", x="p", y=1)
    with pytest.raises(ValidationError):
        _found(engine, "a = :a AND b = :b AND y = :y", y=1)


def test_pages_of_a_wide_index_go_on_where_they_stopped(engine: Engine) -> None:
    request = {
        "TableName": "music",
        "IndexName": "wide",
        "KeyConditionExpression": "a = :a AND b = :b",
        **values(a="1", b="1"),
        "Limit": 1,
    }
    for forward in (True, False):
        found = pages(engine, "Query", {**request, "ScanIndexForward": forward})
        order = [item["pk"] for page in found for item in python_items(page)]
        assert order == sorted(order, reverse=not forward)
        assert len(order) == 4
    assert set(found[0]["LastEvaluatedKey"]) == {"a", "b", "x", "y", "z", "pk"}


def test_an_item_that_loses_one_attribute_leaves_the_index(engine: Engine) -> None:
    update(engine, {"pk": "0"}, "REMOVE y")
    assert _found(engine, "a = :a AND b = :b") == "123"
    update(engine, {"pk": "sparse"}, "SET z = :z", z="k")
    assert _found(engine, "a = :a AND b = :b AND x = :x AND y = :y", x="p", y=1) == "sparse"


def test_values_do_not_run_into_each_other(engine: Engine) -> None:
    """("1", "11") is not ("11", "1"), however the attributes are stored."""
    found = query(engine, "a = :a AND b = :b", a="11", b="1", IndexName="wide")
    assert [item["pk"] for item in python_items(found)] == ["5"]


def test_a_filter_may_not_name_an_attribute_of_the_index_key(engine: Engine) -> None:
    with pytest.raises(ValidationError, match="Filter Expression can only contain non-primary key attributes"):
        _found(engine, "a = :a AND b = :b", z="k", FilterExpression="z = :z")


def test_four_and_four_attributes_work(engine: Engine) -> None:
    create(engine, "widest", gsis=[index("full", "a b c d", "e f g h")])
    put(engine, "widest", pk="it", **{name: name for name in "abcdefgh"})
    condition = " AND ".join(f"{name} = :{name}" for name in "abcdefg") + " AND h >= :h"
    response = query(engine, condition, "widest", IndexName="full", **{name: name for name in "abcdefgh"})
    assert response["Count"] == 1
