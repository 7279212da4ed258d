"""Pages of queries and scans: cut at a limit or at 1 MB, together exactly the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import ValidationError
from partita.engine import Engine
from tests.engine.tables import Clock, create, index, pages, put, python_items, values, whole

_ITEMS = 60


@pytest.fixture(scope="module")
def filled() -> Iterator[Engine]:
    """Sixty items in six partitions, with indexes of both kinds that leave out a third."""
    with Engine.temporary(clock=Clock(), background=False) as engine:
        create(
            engine,
            "music",
            "pk sk",
            types={"sk": "N", "rank1": "N"},
            gsis=[index("byRank", "tag", "rank1")],
            lsis=[index("byLocal", "pk", "rank1", "KEYS_ONLY")],
        )
        for number in range(_ITEMS):
            ranked = {"tag": f"t{number % 2}", "rank1": number % 5} if number % 3 else {}
            put(engine, pk=f"p{number % 6}", sk=number, **ranked)
        yield engine


_QUERIES: dict[str, dict[str, Any]] = {
    "table": {"KeyConditionExpression": "pk = :p", **values(p="p1")},
    "range": {"KeyConditionExpression": "pk = :p AND sk > :s", **values(p="p1", s=10)},
    "global index": {"KeyConditionExpression": "tag = :t", **values(t="t1"), "IndexName": "byRank"},
    "global range": {"KeyConditionExpression": "tag = :t AND rank1 < :r", **values(t="t1", r=3), "IndexName": "byRank"},
    "local index": {"KeyConditionExpression": "pk = :p", **values(p="p1"), "IndexName": "byLocal"},
}


@settings(max_examples=40)
@given(kind=st.sampled_from(sorted(_QUERIES)), limit=st.integers(1, 15), forward=st.booleans(), counted=st.booleans())
def test_the_pages_of_a_query_together_are_the_whole(
    filled: Engine, kind: str, limit: int, forward: bool, counted: bool
) -> None:
    request = {"TableName": "music", **_QUERIES[kind], "ScanIndexForward": forward}
    everything = whole(filled, "Query", request)
    assert everything
    found = pages(filled, "Query", {**request, "Limit": limit})
    assert [item for page in found for item in python_items(page)] == everything
    assert all(page["ScannedCount"] == limit for page in found[:-1])
    backwards = whole(filled, "Query", {**request, "ScanIndexForward": not forward})
    assert backwards == everything[::-1]


@settings(max_examples=30)
@given(
    name=st.sampled_from((None, "byRank", "byLocal")),
    limit=st.none() | st.integers(1, 20),
    total=st.integers(1, 9),
)
def test_the_segments_of_a_scan_are_disjoint_and_together_the_whole(
    filled: Engine, name: str | None, limit: int | None, total: int
) -> None:
    request: dict[str, Any] = {"TableName": "music"}
    if name is not None:
        request["IndexName"] = name
    everything = whole(filled, "Scan", request)
    assert len(everything) == (_ITEMS if name is None else 40)
    if limit is not None:
        request["Limit"] = limit
    parts = [whole(filled, "Scan", {**request, "Segment": segment, "TotalSegments": total}) for segment in range(total)]
    assert [item for part in parts for item in part] == everything


def test_a_scan_filters_on_keys_too(filled: Engine) -> None:
    found = filled.call(
        "Scan", {"TableName": "music", "FilterExpression": "pk = :p AND sk < :s", **values(p="p1", s=10)}
    )
    assert (found["Count"], found["ScannedCount"]) == (2, _ITEMS)
    legacy = {"sk": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "3"}]}}
    assert filled.call("Scan", {"TableName": "music", "ScanFilter": legacy})["Count"] == 3
    assert filled.call("Scan", {"TableName": "music", "Select": "COUNT"}) == {"Count": _ITEMS, "ScannedCount": _ITEMS}


def test_a_start_key_lies_in_its_segment(filled: Engine) -> None:
    page = filled.call("Scan", {"TableName": "music", "Limit": 1, "Segment": 0, "TotalSegments": 2})
    start = page["LastEvaluatedKey"]
    with pytest.raises(ValidationError, match="The provided starting key is"):
        filled.call("Scan", {"TableName": "music", "Segment": 1, "TotalSegments": 2, "ExclusiveStartKey": start})


def test_the_last_key_of_an_index_names_index_key_and_table_key(filled: Engine) -> None:
    page = filled.call("Query", {"TableName": "music", **_QUERIES["global index"], "Limit": 1})
    assert set(page["LastEvaluatedKey"]) == {"tag", "rank1", "pk", "sk"}
    start = {"pk": {"S": "p1"}, "sk": {"N": "1"}}
    with pytest.raises(ValidationError, match="The provided starting key is invalid"):
        filled.call("Query", {"TableName": "music", **_QUERIES["global index"], "ExclusiveStartKey": start})


@pytest.fixture(scope="module")
def heavy() -> Iterator[Engine]:
    """Thirty items of 100 KB in one partition, a third of them marked."""
    with Engine.temporary(clock=Clock(), background=False) as engine:
        create(engine, "music", "pk sk", types={"sk": "N"}, gsis=[index("slim", "pk", "sk", "KEYS_ONLY")])
        for number in range(30):
            put(engine, pk="a", sk=number, load="x" * 100 * 1024, **({"mark": True} if number % 3 == 0 else {}))
        yield engine


_HEAVY = {"TableName": "music", "KeyConditionExpression": "pk = :p", **values(p="a")}


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_page_ends_at_1_mb(heavy: Engine, operation: str) -> None:
    request = _HEAVY if operation == "Query" else {"TableName": "music"}
    found = pages(heavy, operation, request)
    assert [page["Count"] for page in found[:2]] in ([10, 10], [11, 11])
    assert sum(page["Count"] for page in found) == 30


def test_the_1_mb_are_counted_before_the_filter_and_the_projection(heavy: Engine) -> None:
    plain = heavy.call("Query", _HEAVY)
    narrow = heavy.call("Query", {**_HEAVY, "FilterExpression": "attribute_exists(mark)", "ProjectionExpression": "sk"})
    assert narrow["ScannedCount"] == plain["ScannedCount"]
    assert narrow["LastEvaluatedKey"] == plain["LastEvaluatedKey"]
    assert narrow["Count"] == 4
    assert heavy.call("Query", {**_HEAVY, "Select": "COUNT"})["Count"] == plain["Count"]


def test_an_index_counts_only_what_it_projects(heavy: Engine) -> None:
    page = heavy.call("Query", {**_HEAVY, "IndexName": "slim"})
    assert page["Count"] == 30
    assert "LastEvaluatedKey" not in page
