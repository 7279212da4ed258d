"""Laws over any row of writes: table, indexes, counters and stream always tell the same story."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.python_values import from_python, item_from_python, item_to_python
from partita.dynamo.size import item_size
from partita.engine import Engine
from tests.engine.tables import Clock, create, index, put, python_items, query, whole

_numbers = count()
_keys = st.tuples(st.sampled_from("ab"), st.integers(0, 2))
_tags = st.none() | st.sampled_from(("x", "y"))
_operations: st.SearchStrategy[tuple[Any, ...]] = st.one_of(
    st.tuples(st.just("put"), _keys, _tags, st.integers(0, 3)),
    st.tuples(st.just("tag"), _keys, _tags),
    st.tuples(st.just("add"), _keys, st.integers(-2, 2)),
    st.tuples(st.just("delete"), _keys),
    st.tuples(st.just("both"), _keys, _keys, _tags),
    st.tuples(st.just("refused"), _keys),
)


@pytest.fixture(scope="module")
def shared() -> Iterator[Engine]:
    with Engine.temporary(clock=Clock(), background=False) as engine:
        yield engine


class _Model:
    """The same writes on a dictionary."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.name = engine, name
        self.items: dict[tuple[str, int], dict[str, Any]] = {}

    def do(self, operation: tuple[Any, ...]) -> None:
        kind, key = operation[0], operation[1]
        named = {"TableName": self.name, "Key": item_from_python({"pk": key[0], "sk": key[1]})}
        match kind:
            case "put":
                item = self._item(key, operation[2], {"n": operation[3]})
                put(self.engine, self.name, **item)
                self.items[key] = item
            case "tag":
                self._tag(named, key, operation[2])
            case "add":
                values = {":n": from_python(operation[2])}
                self.engine.call(
                    "UpdateItem", {**named, "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": values}
                )
                found = self.items.setdefault(key, self._item(key, None, {}))
                self.items[key] = {**found, "n": found.get("n", 0) + operation[2]}
            case "delete":
                self.engine.call("DeleteItem", named)
                self.items.pop(key, None)
            case "both":
                self._both(key, operation[2], operation[3])
            case "refused":
                with pytest.raises(Exception, match="conditional request failed"):
                    self.engine.call("DeleteItem", {**named, "ConditionExpression": "attribute_exists(absent)"})

    def _item(self, key: tuple[str, int], tag: str | None, rest: dict[str, Any]) -> dict[str, Any]:
        return {"pk": key[0], "sk": key[1], **rest, **({} if tag is None else {"tag": tag})}

    def _tag(self, named: dict[str, Any], key: tuple[str, int], tag: str | None) -> None:
        if tag is None:
            self.engine.call("UpdateItem", {**named, "UpdateExpression": "REMOVE tag"})
            if key in self.items:  # an update that only removes does not create an item
                self.items[key] = {name: value for name, value in self.items[key].items() if name != "tag"}
        else:
            values = {":t": {"S": tag}}
            self.engine.call(
                "UpdateItem", {**named, "UpdateExpression": "SET tag = :t", "ExpressionAttributeValues": values}
            )
            self.items[key] = {**(self.items.get(key) or self._item(key, None, {})), "tag": tag}

    def _both(self, first: tuple[str, int], second: tuple[str, int], tag: str | None) -> None:
        if first == second:
            return
        item = self._item(first, tag, {"n": 9})
        self.engine.call(
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": self.name, "Item": item_from_python(item)}},
                    {
                        "Delete": {
                            "TableName": self.name,
                            "Key": item_from_python({"pk": second[0], "sk": second[1]}),
                        }
                    },
                ]
            },
        )
        self.items[first] = item
        self.items.pop(second, None)


def _by_key(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(items, key=lambda item: (item["pk"], item["sk"]))


@settings(max_examples=30)
@given(before=st.lists(_operations, max_size=6), after=st.lists(_operations, max_size=12), late=st.booleans())
def test_table_indexes_counters_and_stream_agree_with_a_dictionary(
    shared: Engine, before: list[tuple[Any, ...]], after: list[tuple[Any, ...]], late: bool
) -> None:
    """Also with an index that is made in the middle and filled while half of the writes still come."""
    engine, name = shared, f"law{next(_numbers)}"
    by_tag, by_number = index("byTag", "tag", "sk"), index("byNumber", "pk", "n", "KEYS_ONLY")
    stream = create(
        engine,
        name,
        "pk sk",
        types={"sk": "N", "n": "N"},
        gsis=[] if late else [by_tag],
        lsis=[by_number],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )["LatestStreamArn"]
    model = _Model(engine, name)
    for operation in before:
        model.do(operation)
    if late:
        engine.call(
            "UpdateTable",
            {
                "TableName": name,
                "AttributeDefinitions": [
                    {"AttributeName": "tag", "AttributeType": "S"},
                    {"AttributeName": "sk", "AttributeType": "N"},
                ],
                "GlobalSecondaryIndexUpdates": [{"Create": by_tag}],
            },
        )
    for operation in after:
        model.do(operation)
    engine.maintenance.run()

    items = list(model.items.values())
    assert _by_key(whole(engine, "Scan", {"TableName": name, "Limit": 2})) == _by_key(items)
    for tag in "xy":
        tagged = [item for item in items if item.get("tag") == tag]
        found = python_items(query(engine, "tag = :t", name, t=tag, IndexName="byTag"))
        assert [item["sk"] for item in found] == sorted(item["sk"] for item in tagged)
        assert _by_key(found) == _by_key(tagged)
    for partition in "ab":
        found = python_items(query(engine, "pk = :p", name, p=partition, IndexName="byNumber"))
        numbered = [item["n"] for item in items if item["pk"] == partition and "n" in item]
        assert [item["n"] for item in found] == sorted(numbered)
    _check_counters(engine, name, items)
    _check_stream(engine, stream, items)
    engine.call("DeleteTable", {"TableName": name})


def _check_counters(engine: Engine, name: str, items: list[dict[str, Any]]) -> None:
    described = engine.call("DescribeTable", {"TableName": name})["Table"]
    assert described["ItemCount"] == len(items)
    assert described["TableSizeBytes"] == sum(item_size(item_from_python(item)) for item in items)
    (by_tag,), (by_number,) = described["GlobalSecondaryIndexes"], described["LocalSecondaryIndexes"]
    tagged = [item for item in items if "tag" in item]
    assert (by_tag["ItemCount"], by_tag["IndexSizeBytes"]) == (
        len(tagged),
        sum(item_size(item_from_python(item)) for item in tagged),
    )
    slim = [{name: item[name] for name in ("pk", "sk", "n")} for item in items if "n" in item]
    assert (by_number["ItemCount"], by_number["IndexSizeBytes"]) == (
        len(slim),
        sum(item_size(item_from_python(item)) for item in slim),
    )


def _check_stream(engine: Engine, arn: str, items: list[dict[str, Any]]) -> None:
    """Whoever follows the stream ends where the table is, and every old image is the new image before it."""
    (shard,) = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    followed: dict[tuple[str, int], dict[str, Any]] = {}
    for record in engine.call("GetRecords", engine.call("GetShardIterator", request))["Records"]:
        change = record["dynamodb"]
        key = item_to_python(change["Keys"])
        place = (key["pk"], key["sk"])
        old = item_to_python(change["OldImage"]) if "OldImage" in change else None
        assert followed.get(place) == old
        assert record["eventName"] == ("INSERT" if old is None else "MODIFY" if "NewImage" in change else "REMOVE")
        if "NewImage" in change:
            followed[place] = item_to_python(change["NewImage"])
            assert followed[place] != old
        else:
            del followed[place]
    assert _by_key(list(followed.values())) == _by_key(items)
