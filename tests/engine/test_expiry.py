"""Time to live: expired items go in the background, with a stream record that names the service."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import ResourceNotFoundError, ValidationError
from partita.engine import Engine
from tests.engine.tables import Clock, create, get, index, put, python_items

_YEAR = 365 * 24 * 3600


def _set(engine: Engine, enabled: bool = True, attribute: str = "ends") -> dict[str, Any]:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return engine.call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": specification})


def _described(engine: Engine) -> dict[str, Any]:
    description: dict[str, Any] = engine.call("DescribeTimeToLive", {"TableName": "music"})["TimeToLiveDescription"]
    return description


def test_the_setting_is_described(engine: Engine) -> None:
    create(engine)
    assert _described(engine) == {"TimeToLiveStatus": "DISABLED"}
    assert _set(engine) == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ends"}}
    assert _described(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"}
    _set(engine, False)
    assert _described(engine) == {"TimeToLiveStatus": "DISABLED"}


def test_the_setting_changes_only_to_something_else(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ValidationError, match="TimeToLive is already disabled"):
        _set(engine, False)
    _set(engine)
    with pytest.raises(ValidationError, match="TimeToLive is already enabled"):
        _set(engine)
    with pytest.raises(ValidationError, match="TimeToLive is active on a different AttributeName"):
        _set(engine, False, "other")


@pytest.mark.parametrize("operation", ["DescribeTimeToLive", "UpdateTimeToLive"])
def test_a_table_that_is_not_there_has_no_setting(engine: Engine, operation: str) -> None:
    specification = {"Enabled": True, "AttributeName": "ends"}
    with pytest.raises(ResourceNotFoundError):
        engine.call(operation, {"TableName": "absent", "TimeToLiveSpecification": specification})


def test_an_item_goes_after_its_time_and_not_before(engine: Engine, clock: Clock) -> None:
    create(engine, gsis=[index("byG", "g")])
    _set(engine)
    put(engine, pk="soon", ends=int(clock.now) + 10, g="x")
    put(engine, pk="later", ends=int(clock.now) + 1000, g="x")
    engine.maintenance.run()
    assert get(engine, pk="soon") is not None
    clock.advance(11)
    assert get(engine, pk="soon") is not None, "an expired item is there until the sweep"
    engine.maintenance.run()
    assert get(engine, pk="soon") is None
    assert get(engine, pk="later") is not None
    found = python_items(engine.call("Scan", {"TableName": "music", "IndexName": "byG"}))
    assert [item["pk"] for item in found] == ["later"]
    assert engine.call("DescribeTable", {"TableName": "music"})["Table"]["ItemCount"] == 1


def test_items_from_before_the_setting_expire_too(engine: Engine, clock: Clock) -> None:
    create(engine)
    for number in range(1100):
        put(engine, pk=str(number), ends=int(clock.now) + (10 if number % 2 else 10_000))
    _set(engine)
    clock.advance(20)
    engine.maintenance.run()
    assert engine.call("Scan", {"TableName": "music", "Select": "COUNT"})["Count"] == 550


@pytest.mark.parametrize("value", ["1600000000", [1], None, True])
def test_what_is_not_a_number_never_expires(engine: Engine, clock: Clock, value: Any) -> None:
    create(engine)
    _set(engine)
    put(engine, pk="a", ends=value)
    engine.maintenance.run()
    assert get(engine, pk="a") is not None


def test_what_is_more_than_five_years_past_never_expires(engine: Engine, clock: Clock) -> None:
    create(engine)
    _set(engine)
    put(engine, pk="ancient", ends=int(clock.now) - 5 * _YEAR - 10)
    put(engine, pk="milliseconds", ends=int(clock.now) * 1000)
    put(engine, pk="negative", ends=-5)
    put(engine, pk="old", ends=int(clock.now) - 4 * _YEAR)
    engine.maintenance.run()
    left = {item["pk"] for item in python_items(engine.call("Scan", {"TableName": "music"}))}
    assert left == {"ancient", "milliseconds", "negative"}


def test_a_write_moves_or_removes_the_end(engine: Engine, clock: Clock) -> None:
    create(engine)
    _set(engine)
    put(engine, pk="moved", ends=int(clock.now) + 10)
    put(engine, pk="kept", ends=int(clock.now) + 10)
    put(engine, pk="moved", ends=int(clock.now) + 100)
    put(engine, pk="kept")
    clock.advance(50)
    engine.maintenance.run()
    assert get(engine, pk="moved") is not None
    clock.advance(100)
    engine.maintenance.run()
    assert get(engine, pk="moved") is None
    assert get(engine, pk="kept") is not None


def test_nothing_expires_after_the_setting_is_off(engine: Engine, clock: Clock) -> None:
    create(engine)
    _set(engine)
    put(engine, pk="a", ends=int(clock.now) + 10)
    _set(engine, False)
    clock.advance(20)
    engine.maintenance.run()
    assert get(engine, pk="a") is not None
    _set(engine, attribute="another")
    engine.maintenance.run()
    assert get(engine, pk="a") is not None


def test_the_stream_says_that_the_service_deleted(engine: Engine, clock: Clock) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}
    arn = create(engine, StreamSpecification=stream)["LatestStreamArn"]
    _set(engine)
    put(engine, pk="swept", ends=int(clock.now) + 1)
    put(engine, pk="deleted")
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "deleted"}}})
    clock.advance(5)
    engine.maintenance.run()
    (shard,) = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    records = engine.call("GetRecords", engine.call("GetShardIterator", request))["Records"]
    assert [record["eventName"] for record in records] == ["INSERT", "INSERT", "REMOVE", "REMOVE"]
    assert "userIdentity" not in records[2]
    assert records[3]["userIdentity"] == {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
    assert records[3]["dynamodb"]["OldImage"]["pk"] == {"S": "swept"}
