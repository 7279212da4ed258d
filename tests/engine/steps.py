"""Writes of every kind to two tables while time passes, and what must come of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError
from partita.engine import Engine
from tests.engine.tables import Clock, put

TABLES = ("music", "films")
State = dict[str, dict[str, dict[str, Any]]]

_keys = st.sampled_from("abcd")
_values = st.integers(0, 3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(TABLES), _keys, _values),
        st.tuples(st.just("update"), st.sampled_from(TABLES), _keys, _values),
        st.tuples(st.just("delete"), st.sampled_from(TABLES), _keys),
        st.tuples(st.just("transact"), _keys, _keys, _values),
        st.tuples(st.just("refused"), _keys, _keys, _values),
        st.tuples(st.just("expire"), _keys, st.integers(0, 4)),
        st.tuples(st.just("sweep")),
        st.tuples(st.just("pass"), st.sampled_from([0.4, 1.0, 2.3])),
    ),
    min_size=12,
    max_size=40,
)


def do(engine: Engine, clock: Clock, now: State, step: tuple[Any, ...]) -> None:
    """Take a step, in the engine and in what must come of it."""
    match step:
        case ("put", table, key, value):
            put(engine, table, pk=key, v=value, g=f"g{value}")
            now[table][key] = {"pk": key, "v": value, "g": f"g{value}"}
        case ("update", table, key, value):
            request = {
                "TableName": table,
                "Key": {"pk": {"S": key}},
                "UpdateExpression": "ADD n :n",
                "ExpressionAttributeValues": {":n": {"N": str(value)}},
            }
            engine.call("UpdateItem", request)
            item = now[table].setdefault(key, {"pk": key})
            item["n"] = item.get("n", 0) + value
        case ("delete", table, key):
            engine.call("DeleteItem", {"TableName": table, "Key": {"pk": {"S": key}}})
            now[table].pop(key, None)
        case ("transact", here, there, value):
            engine.call("TransactWriteItems", {"TransactItems": [_put("music", here, value), _delete("films", there)]})
            now["music"][here] = {"pk": here, "v": value}
            now["films"].pop(there, None)
        case ("refused", here, there, value):
            refused = _delete("films", there)
            refused["Delete"]["ConditionExpression"] = "attribute_exists(never)"
            with pytest.raises(DynamoError):
                engine.call("TransactWriteItems", {"TransactItems": [_put("music", here, value), refused]})
        case ("expire", key, seconds):
            put(engine, "music", pk=key, ttl=int(clock.now) + seconds)
            now["music"][key] = {"pk": key, "ttl": int(clock.now) + seconds}
        case ("sweep",):
            engine.maintenance.run()
            now["music"] = {key: item for key, item in now["music"].items() if item.get("ttl", clock.now) >= clock.now}
        case ("pass", seconds):
            clock.advance(seconds)


def _put(table: str, key: str, value: int) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": {"pk": {"S": key}, "v": {"N": str(value)}}}}


def _delete(table: str, key: str) -> dict[str, Any]:
    return {"Delete": {"TableName": table, "Key": {"pk": {"S": key}}}}
