"""Query and Scan: key conditions, starting keys and segments."""

from __future__ import annotations

import pytest

from partita.engine import Engine
from tests.engine.answers.asking import fault
from tests.engine.tables import Wire, pages, put, values


def _query(condition: str, table: str = "pairs", **members: object) -> Wire:
    given = values(a="a", b="b", n=1)["ExpressionAttributeValues"]
    used = {name: value for name, value in given.items() if name in condition}
    return {"TableName": table, "KeyConditionExpression": condition, "ExpressionAttributeValues": used, **members}


def _start(pk: str, sk: str) -> Wire:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


@pytest.mark.parametrize(
    ("condition", "start", "message"),
    [
        ("pk = :a AND sk > :b", _start("a", "b"), "The provided starting key does not match the range key predicate"),
        ("pk = :a AND sk = :b", _start("a", "a"), "The provided starting key does not match the range key predicate"),
        (
            "pk = :a AND sk > :b",
            _start("z", "z"),
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
        (
            "pk = :a",
            _start("z", "z"),
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
        ("pk = :a AND sk = :b", _start("z", "b"), "The query can return at most one row and cannot be restarted"),
    ],
)
def test_a_starting_key_that_the_condition_does_not_select_is_refused(
    engine: Engine, condition: str, start: Wire, message: str
) -> None:
    assert fault(engine, "Query", _query(condition, ExclusiveStartKey=start)) == message


@pytest.mark.parametrize(
    ("start", "rest"),
    [
        ({"pk": {"S": "a"}}, ""),
        ({"pk": {"S": "a"}, "sk": {"S": "b"}, "x": {"S": "c"}}, ""),
        ({"pk": {"S": "a"}, "sk": {"N": "1"}}, ": The provided key element does not match the schema"),
    ],
)
def test_a_starting_key_that_is_no_key_is_refused(engine: Engine, start: Wire, rest: str) -> None:
    told = f"The provided starting key is invalid{rest}"
    assert fault(engine, "Query", _query("pk = :a", ExclusiveStartKey=start)) == told
    assert fault(engine, "Scan", {"TableName": "pairs", "ExclusiveStartKey": start}) == told


def test_a_query_of_a_table_without_sort_key_starts_at_no_other_item(engine: Engine) -> None:
    other = {"pk": {"S": "x"}}
    assert fault(engine, "Query", _query("pk = :a", "music", ExclusiveStartKey=other)) == (
        "The provided exclusive start key is invalid: ExclusiveStartKey: {pk=AttributeValue: {S:x}}"
    )
    indexed = {"pk": {"S": "x"}, "tag": {"S": "z"}}
    request = _query("tag = :a", "music", IndexName="byTag", ExclusiveStartKey=indexed)
    assert fault(engine, "Query", request) == (
        "The provided exclusive start key is invalid: ExclusiveStartKey: "
        "{pk=AttributeValue: {S:x}, tag=AttributeValue: {S:z}}"
    )
    put(engine, pk="a")
    found = pages(engine, "Query", _query("pk = :a", "music", Limit=1))  # what it returned itself it takes back
    assert [page["Count"] for page in found] == [1, 0]


def test_a_condition_on_what_is_no_key_depends_on_the_sort_key(engine: Engine) -> None:
    for condition, of in (("pk = :a AND x = :b", {}), ("tag = :a AND x = :b", {"IndexName": "byTag"})):
        assert fault(engine, "Query", _query(condition, "music", **of)) == "Query key condition not supported"
    assert fault(engine, "Query", _query("pk = :a AND x = :b")) == "Query condition missed key schema element: sk"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            "land = :a AND town = :a AND house = :b",
            (
                "RANGE key attributes street must have equality conditions specified in the query because a condition "
                "is present on key attribute house"
            ),
        ),
        *(
            (
                f"land = :a AND town = :a AND {street} AND house = :b",
                (
                    "RANGE key attributes street must have equality conditions specified in the query because a "
                    "condition is present on key attribute house"
                ),
            )
            for street in ("street > :a", "street BETWEEN :a AND :b", "begins_with(street, :a)")
        ),
        ("land = :a", "HASH key attributes town must have equality conditions specified in the query"),
        ("town > :a", "HASH key attributes land, town must have equality conditions specified in the query"),
        (
            "land = :a AND begins_with(town, :a)",
            "HASH key attributes town must have equality conditions specified in the query",
        ),
    ],
)
def test_a_wide_index_is_queried_from_the_left_by_equality(engine: Engine, condition: str, message: str) -> None:
    assert fault(engine, "Query", _query(condition, "wide", IndexName="byPlace")) == message


def test_the_rows_of_a_key_condition_are_one_row(engine: Engine) -> None:
    put(engine, "wide", pk="rows", land="a", town="a", street="b", house="b")
    request = _query("(land = :a AND town = :a) AND (street = :b AND house = :b)", "wide", IndexName="byPlace")
    assert engine.call("Query", request)["Count"] == 1


def test_a_scan_starts_in_its_own_segment(engine: Engine) -> None:
    refused = set()
    for number in range(20):
        for segment in (0, 1):
            start = {"pk": {"S": str(number)}}
            request = {"TableName": "music", "Segment": segment, "TotalSegments": 2, "ExclusiveStartKey": start}
            try:
                engine.call("Scan", request)
            except Exception as error:
                refused.add(str(error))
    assert refused == {
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct "
        f"Segment. TotalSegments: 2 Segment: {segment}"
        for segment in (0, 1)
    }
