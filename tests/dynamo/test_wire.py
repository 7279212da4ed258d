"""Requests on the wire: what is rendered parses back to the same request."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.parse import parse
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    DeleteItem,
    GetItem,
    ItemRequest,
    Keys,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from partita.dynamo.wire import render
from tests.dynamo.strategies import conditions, items, projections, updates

_tables = st.sampled_from(("music", "films"))
_capacity: Any = st.sampled_from(("NONE", "TOTAL", "INDEXES"))
_metrics: Any = st.sampled_from(("NONE", "SIZE"))
_old: Any = st.sampled_from(("NONE", "ALL_OLD"))
_returns: Any = st.sampled_from(("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"))
_maybe_condition = st.none() | conditions
_maybe_projection = st.none() | projections
_reported: dict[str, Any] = {"on_failure": _old, "capacity": _capacity, "metrics": _metrics}
_write: dict[str, Any] = {"table": _tables, "condition": _maybe_condition}

_gets = st.builds(
    GetItem, table=_tables, key=items, projection=_maybe_projection, consistent=st.booleans(), capacity=_capacity
)
_singles: st.SearchStrategy[ItemRequest] = st.one_of(
    _gets,
    st.builds(PutItem, item=items, returns=_old, **_write, **_reported),
    st.builds(DeleteItem, key=items, returns=_old, **_write, **_reported),
    st.builds(UpdateItem, key=items, update=st.none() | updates, returns=_returns, **_write, **_reported),
)
_reading: dict[str, Any] = {
    "table": _tables,
    "index": st.none() | st.just("byName"),
    "filter": _maybe_condition,
    "projection": _maybe_projection,
    "limit": st.none() | st.integers(1, 100),
    "start": st.none() | items,
    "consistent": st.booleans(),
    "capacity": _capacity,
}
_reads: st.SearchStrategy[ItemRequest] = st.one_of(
    st.builds(Query, condition=conditions, forward=st.booleans(), **_reading),
    st.builds(Scan, **_reading),
    st.builds(Scan, segment=st.just(1), total_segments=st.just(3), **_reading),
    st.builds(Scan, table=_tables, select=st.just("COUNT")),
)
_batches: st.SearchStrategy[ItemRequest] = st.one_of(
    st.builds(
        BatchGetItem,
        tables=st.dictionaries(
            _tables,
            st.builds(
                Keys,
                keys=st.lists(items, min_size=1, max_size=2, unique_by=str).map(tuple),
                projection=_maybe_projection,
                consistent=st.booleans(),
            ),
            min_size=1,
        ),
        capacity=_capacity,
    ),
    _tables.flatmap(
        lambda name: st.builds(
            BatchWriteItem,
            tables=st.lists(
                st.builds(PutItem, table=st.just(name), item=items)
                | st.builds(DeleteItem, table=st.just(name), key=items),
                min_size=1,
                max_size=3,
            ).map(lambda entries: {name: tuple(entries)}),
            capacity=_capacity,
            metrics=_metrics,
        )
    ),
)
_actions: Any = st.one_of(
    st.builds(PutItem, item=items, on_failure=_old, **_write),
    st.builds(DeleteItem, key=items, on_failure=_old, **_write),
    st.builds(UpdateItem, key=items, update=updates, on_failure=_old, **_write),
    st.builds(ConditionCheck, table=_tables, key=items, condition=conditions, on_failure=_old),
)
_transactions: st.SearchStrategy[ItemRequest] = st.one_of(
    st.builds(
        TransactGetItems,
        gets=st.lists(
            st.builds(GetItem, table=_tables, key=items, projection=_maybe_projection, consistent=st.just(True)),
            min_size=1,
            max_size=3,
        ).map(tuple),
        capacity=_capacity,
    ),
    st.builds(
        TransactWriteItems,
        actions=st.lists(_actions, min_size=1, max_size=3).map(tuple),
        token=st.none() | st.just("token"),
        capacity=_capacity,
        metrics=_metrics,
    ),
)


@settings(max_examples=40)
@given(_singles)
def test_a_rendered_request_on_one_item_parses_back_to_itself(request: ItemRequest) -> None:
    assert parse(*render(request)) == request


@settings(max_examples=40)
@given(_reads)
def test_a_rendered_query_or_scan_parses_back_to_itself(request: ItemRequest) -> None:
    assert parse(*render(request)) == request


@settings(max_examples=40)
@given(_batches | _transactions)
def test_a_rendered_batch_or_transaction_parses_back_to_itself(request: ItemRequest) -> None:
    assert parse(*render(request)) == request


def test_expressions_of_one_request_share_their_placeholders() -> None:
    request = parse(
        "Query",
        {
            "TableName": "music",
            "KeyConditionExpression": "#d = :d",
            "FilterExpression": "#d > :x",
            "ProjectionExpression": "#d, other",
            "ExpressionAttributeNames": {"#d": "date"},
            "ExpressionAttributeValues": {":d": {"S": "a"}, ":x": {"S": "b"}},
        }
        | {"ProjectionExpression": "#d, plain"},
    )
    _, wire = render(request)
    assert wire["ExpressionAttributeNames"] == {"#n0": "date"}
    assert len(wire["ExpressionAttributeValues"]) == 2


def test_a_segment_is_sent_though_its_total_is_missing() -> None:
    assert render(Scan(table="music", segment=1)) == ("Scan", {"TableName": "music", "Segment": 1})
