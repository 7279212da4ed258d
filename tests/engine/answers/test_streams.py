"""Streams, continuous backups and the limits of transactions."""

from __future__ import annotations

from queue import SimpleQueue

import pytest

from partita.dynamo.errors import ResourceNotFoundError, TableNotFoundError
from partita.engine import Engine
from tests.engine.answers.asking import fault
from tests.engine.tables import Wire


@pytest.fixture
def arn(engine: Engine) -> str:
    found: str = engine.call("DescribeTable", {"TableName": "music"})["Table"]["LatestStreamArn"]
    return found


def _shards(engine: Engine, arn: str, **members: object) -> list[Wire]:
    found: list[Wire] = engine.call("DescribeStream", {"StreamArn": arn, **members})["StreamDescription"]["Shards"]
    return found


@pytest.mark.parametrize(
    "odd",
    [
        "no arn of anything, but long enough for one",
        "arn:aws:dynamodb:us-east-1:000000000000:table/music",
        "arn:aws:dynamodb:us-east-1:000000000000:table/music/stream/",
        "arn:aws:kinesis:us-east-1:000000000000:table/music/stream/2023",
    ],
)
def test_what_is_no_arn_of_a_stream_is_invalid(engine: Engine, odd: str) -> None:
    iterator = {"StreamArn": odd, "ShardId": "shardId-00000000000000000000-00000000", "ShardIteratorType": "LATEST"}
    for operation, request in (
        ("DescribeStream", {"StreamArn": odd}),
        ("GetShardIterator", iterator),
        ("ListStreams", {"ExclusiveStartStreamArn": odd}),
    ):
        assert fault(engine, operation, request) == f"Invalid StreamArn: {odd}"


def test_a_stream_that_is_not_there_is_not_found(engine: Engine, arn: str) -> None:
    for absent in (f"{arn}1", arn.replace("us-east-1", "eu-west-1"), arn.replace("music", "absent")):
        assert fault(engine, "DescribeStream", {"StreamArn": absent}, ResourceNotFoundError) == (
            f"Requested resource not found: Stream: {absent} not found"
        )
    shard = "shardId-00000000000000000000-00000000"
    iterator = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"}
    assert fault(engine, "GetShardIterator", iterator, ResourceNotFoundError) == (
        f"Requested resource not found: Shard: {shard} in stream: {arn} not found"
    )


def test_the_id_after_which_shards_begin_is_a_position(engine: Engine, arn: str) -> None:
    (shard,) = _shards(engine, arn)
    assert _shards(engine, arn, ExclusiveStartShardId=shard["ShardId"]) == []
    assert _shards(engine, arn, ExclusiveStartShardId="shardId-99999999999999999999-ffffffff") == []
    assert _shards(engine, arn, ExclusiveStartShardId="shardId-00000000000000000000-00000000") == [shard]


def test_a_shard_filter_asks_for_children_and_the_only_shard_has_none(engine: Engine, arn: str) -> None:
    (shard,) = _shards(engine, arn)
    good = {"Type": "CHILD_SHARDS", "ShardId": shard["ShardId"]}
    assert _shards(engine, arn, ShardFilter=good) == []
    for wrong in ({"ShardId": good["ShardId"]}, {"Type": "CHILD_SHARDS"}, {**good, "Type": "ALL"}):
        fault(engine, "DescribeStream", {"StreamArn": arn, "ShardFilter": wrong})
    for malformed in ("x", "x" * 40, "shardId-00000000000000000000-0000000z"):
        request = {"StreamArn": arn, "ShardFilter": {**good, "ShardId": malformed}}
        assert "'shardFilter.shardId'" in fault(engine, "DescribeStream", request)


def test_continuous_backups_are_described_and_recovery_is_off(engine: Engine) -> None:
    off = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}}
    described = engine.call("DescribeContinuousBackups", {"TableName": "music"})
    assert described == engine.call("UpdateContinuousBackups", {"TableName": "music", **off})
    assert described["ContinuousBackupsDescription"] == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
    fault(engine, "DescribeContinuousBackups", {"TableName": "absent"}, TableNotFoundError)
    fault(engine, "DescribeContinuousBackups", {})
    long = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 36}}
    assert "less than or equal to 35" in fault(engine, "UpdateContinuousBackups", {"TableName": "music", **long})
    period = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False, "RecoveryPeriodInDays": 5}}
    assert fault(engine, "UpdateContinuousBackups", {"TableName": "music", **period}) == (
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
    )


def test_a_transaction_has_at_most_4_mb(engine: Engine) -> None:
    filler = {"S": "x" * 390_000}
    puts = [
        {"Put": {"TableName": "music", "Item": {"pk": {"S": f"large{number}"}, "f": filler}}} for number in range(11)
    ]
    assert "size cannot exceed" in fault(engine, "TransactWriteItems", {"TransactItems": puts})


@pytest.mark.parametrize(
    ("operation", "member"),
    [("TagResource", b'"Tags":[{"Key":"a","Value":"b"}]'), ("UntagResource", b'"TagKeys":["a"]')],
)
def test_tags_are_answered_without_a_body(engine: Engine, operation: str, member: bytes) -> None:
    arn = engine.call("DescribeTable", {"TableName": "music"})["Table"]["TableArn"].encode()
    answers: SimpleQueue[object] = SimpleQueue()
    engine.answer(operation, b'{"ResourceArn":"%b",%b}' % (arn, member), answers.put)
    assert answers.get(timeout=20) == b""
