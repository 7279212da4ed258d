"""Change streams: views, order, iterators, a day's memory."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from contextlib import suppress
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import (
    ExpiredIteratorError,
    ResourceNotFoundError,
    TrimmedDataAccessError,
    ValidationError,
)
from partita.engine import Engine
from tests.engine.tables import Clock, create, put, update

_DAY = 24 * 3600
OLD, NEW = {"pk": {"S": "a"}, "x": {"N": "1"}}, {"pk": {"S": "a"}, "x": {"N": "2"}}


def _stream(engine: Engine, view: str = "NEW_AND_OLD_IMAGES") -> str:
    arn: str = create(engine, StreamSpecification={"StreamEnabled": True, "StreamViewType": view})["LatestStreamArn"]
    return arn


def _shard(engine: Engine, arn: str) -> dict[str, Any]:
    shards: list[dict[str, Any]] = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    return shards[0]


def _iterator(engine: Engine, arn: str, kind: str = "TRIM_HORIZON", sequence: str | None = None) -> str:
    request = {"StreamArn": arn, "ShardId": _shard(engine, arn)["ShardId"], "ShardIteratorType": kind}
    if sequence is not None:
        request["SequenceNumber"] = sequence
    iterator: str = engine.call("GetShardIterator", request)["ShardIterator"]
    return iterator


def _records(engine: Engine, iterator: str, **members: Any) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = engine.call("GetRecords", {"ShardIterator": iterator, **members})["Records"]
    return records


def _keys(records: list[dict[str, Any]]) -> list[str]:
    return [record["dynamodb"]["Keys"]["pk"]["S"] for record in records]


@pytest.mark.parametrize(
    ("view", "images"),
    [
        ("KEYS_ONLY", [{}, {}, {}]),
        ("NEW_IMAGE", [{"NewImage": OLD}, {"NewImage": NEW}, {}]),
        ("OLD_IMAGE", [{}, {"OldImage": OLD}, {"OldImage": NEW}]),
        ("NEW_AND_OLD_IMAGES", [{"NewImage": OLD}, {"NewImage": NEW, "OldImage": OLD}, {"OldImage": NEW}]),
    ],
)
def test_a_record_shows_what_the_view_says(engine: Engine, view: str, images: list[dict[str, Any]]) -> None:
    arn = _stream(engine, view)
    put(engine, pk="a", x=1)
    update(engine, {"pk": "a"}, "SET x = :v", v=2)
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "a"}}})
    records = _records(engine, _iterator(engine, arn))
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    for record, expected in zip(records, images, strict=True):
        change = record["dynamodb"]
        assert {name: change[name] for name in ("NewImage", "OldImage") if name in change} == expected
        assert change["Keys"] == {"pk": {"S": "a"}}
        assert change["StreamViewType"] == view
        assert record["eventSource"] == "aws:dynamodb"
        assert record["awsRegion"] == "us-east-1"
    assert len({record["eventID"] for record in records}) == 3
    sequences = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert sequences == sorted(sequences)


def test_a_write_that_changes_nothing_leaves_no_record(engine: Engine) -> None:
    arn = _stream(engine)
    put(engine, pk="a", s={"x", "y"})
    put(engine, pk="a", s={"y", "x"})
    update(engine, {"pk": "a"}, "ADD s :v", v={"x"})
    update(engine, {"pk": "a"}, "REMOVE absent")
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "absent"}}})
    assert len(_records(engine, _iterator(engine, arn))) == 1


def test_batches_and_transactions_are_recorded_item_by_item(engine: Engine) -> None:
    arn = _stream(engine)
    engine.call(
        "BatchWriteItem", {"RequestItems": {"music": [{"PutRequest": {"Item": {"pk": {"S": n}}}} for n in "ab"]}}
    )
    actions = [{"Put": {"TableName": "music", "Item": {"pk": {"S": n}}}} for n in "cd"]
    engine.call("TransactWriteItems", {"TransactItems": actions})
    assert _keys(_records(engine, _iterator(engine, arn))) == ["a", "b", "c", "d"]


def test_iterators_start_at_the_horizon_after_the_latest_at_or_after_a_number(engine: Engine) -> None:
    arn = _stream(engine)
    for name in "abc":
        put(engine, pk=name)
    first, second, _ = _records(engine, _iterator(engine, arn))
    number = second["dynamodb"]["SequenceNumber"]
    latest = _iterator(engine, arn, "LATEST")
    put(engine, pk="d")
    assert _keys(_records(engine, latest)) == ["d"]
    assert _keys(_records(engine, _iterator(engine, arn, "AT_SEQUENCE_NUMBER", number))) == ["b", "c", "d"]
    assert _keys(_records(engine, _iterator(engine, arn, "AFTER_SEQUENCE_NUMBER", number))) == ["c", "d"]
    assert _shard(engine, arn)["SequenceNumberRange"] == {"StartingSequenceNumber": first["dynamodb"]["SequenceNumber"]}


def test_each_answer_leads_to_the_next(engine: Engine) -> None:
    arn = _stream(engine)
    for number in range(5):
        put(engine, pk=str(number))
    iterator, seen = _iterator(engine, arn), []
    for _ in range(4):
        answer = engine.call("GetRecords", {"ShardIterator": iterator, "Limit": 2})
        seen.extend(_keys(answer["Records"]))
        iterator = answer["NextShardIterator"]
    assert seen == ["0", "1", "2", "3", "4"]
    put(engine, pk="5")
    assert _keys(_records(engine, iterator)) == ["5"]


def test_an_answer_holds_at_most_1_mb(engine: Engine) -> None:
    arn = _stream(engine)
    for number in range(4):
        put(engine, pk=str(number), f="x" * 390 * 1024)
    answer = engine.call("GetRecords", {"ShardIterator": _iterator(engine, arn)})
    assert len(answer["Records"]) == 2
    assert len(_records(engine, answer["NextShardIterator"])) == 2


@pytest.mark.parametrize(
    ("kind", "sequence"), [("AT_SEQUENCE_NUMBER", None), ("AFTER_SEQUENCE_NUMBER", None), ("LATEST", "0" * 21)]
)
def test_a_sequence_number_goes_with_the_kinds_that_need_one(engine: Engine, kind: str, sequence: str | None) -> None:
    arn = _stream(engine)
    with pytest.raises(ValidationError):
        _iterator(engine, arn, kind, sequence)


def test_an_iterator_is_good_for_fifteen_minutes(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    iterator = _iterator(engine, arn)
    clock.advance(15 * 60)
    assert _records(engine, iterator) == []
    clock.advance(1)
    with pytest.raises(ExpiredIteratorError):
        _records(engine, iterator)


@pytest.mark.parametrize("iterator", ["nonsense", "!!!", "e30=", "WzFd"])
def test_a_made_up_iterator_is_refused(engine: Engine, iterator: str) -> None:
    with pytest.raises(ValidationError):
        _records(engine, iterator)


def test_records_are_forgotten_after_a_day(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    put(engine, pk="old")
    (old,) = _records(engine, _iterator(engine, arn))
    clock.advance(_DAY - 10)
    put(engine, pk="new")
    clock.advance(20)
    engine.maintenance.run()
    assert _keys(_records(engine, _iterator(engine, arn))) == ["new"]
    with pytest.raises(TrimmedDataAccessError):
        _iterator(engine, arn, "AT_SEQUENCE_NUMBER", old["dynamodb"]["SequenceNumber"])


def test_forgetting_old_records_does_not_read_the_young_ones(engine: Engine) -> None:
    _stream(engine)
    for number in range(200):
        put(engine, pk=str(number), text="x" * 20_000)
    engine.database.writer.release_memory()
    before = engine.database.writer.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0]
    engine.maintenance.trim()
    taken = engine.database.writer.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0] - before
    assert taken < 500_000, "a day of changes would drive everything else out of SQLite's memory, in every pass"


def test_a_reader_whose_next_record_was_forgotten_is_told(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    put(engine, pk="old")
    (old,) = _records(engine, _iterator(engine, arn))
    clock.advance(_DAY - 300)
    exact = _iterator(engine, arn, "AT_SEQUENCE_NUMBER", old["dynamodb"]["SequenceNumber"])
    horizon = _iterator(engine, arn)
    clock.advance(600)
    put(engine, pk="new")
    engine.maintenance.run()
    with pytest.raises(TrimmedDataAccessError):
        _records(engine, exact)
    assert _keys(_records(engine, horizon)) == ["new"]


def test_numbers_do_not_come_back_after_everything_was_forgotten(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    put(engine, pk="old")
    (old,) = _records(engine, _iterator(engine, arn))
    clock.advance(_DAY + 10)
    engine.maintenance.run()
    latest = _iterator(engine, arn, "LATEST")
    put(engine, pk="new")
    (new,) = _records(engine, latest)
    assert new["dynamodb"]["SequenceNumber"] > old["dynamodb"]["SequenceNumber"]


def test_a_stream_that_was_switched_off_stays_readable_to_its_end(engine: Engine) -> None:
    arn = _stream(engine)
    put(engine, pk="a")
    engine.call("UpdateTable", {"TableName": "music", "StreamSpecification": {"StreamEnabled": False}})
    put(engine, pk="b")
    described = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    assert described["StreamStatus"] == "DISABLED"
    assert "EndingSequenceNumber" in described["Shards"][0]["SequenceNumberRange"]
    answer = engine.call("GetRecords", {"ShardIterator": _iterator(engine, arn)})
    assert _keys(answer["Records"]) == ["a"]
    while "NextShardIterator" in answer:
        answer = engine.call("GetRecords", {"ShardIterator": answer["NextShardIterator"]})
        assert answer["Records"] == []


def test_the_stream_of_a_deleted_table_stays_readable_for_a_day(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    put(engine, pk="a")
    engine.call("DeleteTable", {"TableName": "music"})
    assert _keys(_records(engine, _iterator(engine, arn))) == ["a"]
    clock.advance(5)
    again = _stream(engine)
    assert {each["StreamArn"] for each in engine.call("ListStreams", {"TableName": "music"})["Streams"]} == {arn, again}
    assert _records(engine, _iterator(engine, again)) == []
    clock.advance(_DAY + 10)
    engine.maintenance.run()
    assert [each["StreamArn"] for each in engine.call("ListStreams", {})["Streams"]] == [again]
    with pytest.raises(ResourceNotFoundError):
        engine.call("DescribeStream", {"StreamArn": arn})


def test_a_table_made_again_in_the_same_moment_has_a_stream_of_its_own(engine: Engine) -> None:
    first = _stream(engine)
    put(engine, pk="a")
    engine.call("DeleteTable", {"TableName": "music"})
    second = _stream(engine)
    assert first != second
    assert _keys(_records(engine, _iterator(engine, first))) == ["a"]


@given(st.lists(st.sampled_from(["put", "off and on", "delete and make", "later", "earlier"]), max_size=12))
def test_numbers_of_a_later_stream_are_higher_whatever_the_clock_says(happenings: list[str]) -> None:
    clock = Clock()
    seen: list[str] = []
    with Engine.temporary(background=False, clock=clock) as engine:
        arn = _stream(engine)
        for place, happening in enumerate([*happenings, "put"]):
            match happening:
                case "put":
                    latest = _iterator(engine, arn, "LATEST")
                    put(engine, pk=str(place))
                    seen += [each["dynamodb"]["SequenceNumber"] for each in _records(engine, latest)]
                case "off and on":
                    off: dict[str, Any] = {"StreamEnabled": False}
                    engine.call("UpdateTable", {"TableName": "music", "StreamSpecification": off})
                    on = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
                    told = engine.call("UpdateTable", {"TableName": "music", "StreamSpecification": on})
                    arn = told["TableDescription"]["LatestStreamArn"]
                case "delete and make":
                    engine.call("DeleteTable", {"TableName": "music"})
                    arn = _stream(engine)
                case "later":
                    clock.advance(0.0001)
                case "earlier":
                    clock.advance(-3600)
            first = _shard(engine, arn)["SequenceNumberRange"]["StartingSequenceNumber"]
            assert happening == "put" or not seen or first > seen[-1] or _has(engine, arn, seen[-1])
    assert seen == sorted(set(seen))
    assert len(seen) == happenings.count("put") + 1


def _has(engine: Engine, arn: str, sequence: str) -> bool:
    """Whether a stream has a record with that number."""
    return sequence in [each["dynamodb"]["SequenceNumber"] for each in _records(engine, _iterator(engine, arn))]


def test_streams_are_described_and_listed_page_after_page(engine: Engine) -> None:
    arns = sorted(
        create(engine, name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})[
            "LatestStreamArn"
        ]
        for name in ("aaa", "bbb", "ccc")
    )
    described = engine.call("DescribeStream", {"StreamArn": arns[0]})["StreamDescription"]
    assert described["StreamStatus"] == "ENABLED"
    assert described["StreamViewType"] == "KEYS_ONLY"
    assert described["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}]
    assert described["TableName"] == "aaa"
    first = engine.call("ListStreams", {"Limit": 2})
    assert [each["StreamArn"] for each in first["Streams"]] == arns[:2]
    rest = engine.call("ListStreams", {"ExclusiveStartStreamArn": first["LastEvaluatedStreamArn"]})
    assert [each["TableName"] for each in rest["Streams"]] == ["ccc"]
    assert "LastEvaluatedStreamArn" not in rest
    shard = described["Shards"][0]["ShardId"]
    after = engine.call("DescribeStream", {"StreamArn": arns[0], "ExclusiveStartShardId": shard})["StreamDescription"]
    assert after["Shards"] == []


def test_an_unknown_stream_or_shard_is_not_found(engine: Engine) -> None:
    arn = _stream(engine)
    with pytest.raises(ResourceNotFoundError):
        engine.call("DescribeStream", {"StreamArn": arn.replace("music", "other")})
    request = {"StreamArn": arn, "ShardId": "shardId-00000000000000000000-00000000", "ShardIteratorType": "LATEST"}
    with pytest.raises(ResourceNotFoundError):
        engine.call("GetShardIterator", request)


@pytest.mark.parametrize("name", ["main-table", "table", "a.table-table"])
def test_a_table_whose_name_ends_in_table_is_found_by_its_addresses(engine: Engine, name: str) -> None:
    made = create(engine, TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    assert (
        engine.call("DescribeStream", {"StreamArn": made["LatestStreamArn"]})["StreamDescription"]["TableName"] == name
    )
    assert engine.call("DescribeTable", {"TableName": made["TableArn"]})["Table"]["TableName"] == name
    assert engine.call("ListTagsOfResource", {"ResourceArn": made["TableArn"]})["Tags"] == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    kind=st.sampled_from(["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"]),
    sequence=st.text("0123456789²٣a-", min_size=21, max_size=40),
)
@example("AFTER_SEQUENCE_NUMBER", str(2**63 - 1).zfill(21))
@example("AFTER_SEQUENCE_NUMBER", "²" * 21)
def test_any_sequence_number_is_answered_or_refused(streaming: tuple[Engine, str], kind: str, sequence: str) -> None:
    engine, arn = streaming
    with suppress(ValidationError, TrimmedDataAccessError):
        assert len(_records(engine, _iterator(engine, arn, kind, sequence))) <= 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(forged=JSON | st.tuples(st.just("ARN"), JSON, JSON, JSON) | st.binary(max_size=40))
@example(("ARN", 2**64, 0.0, True))
@example(("ARN", -(2**70), 2e9, False))
def test_any_iterator_is_answered_or_refused(streaming: tuple[Engine, str], forged: Any) -> None:
    engine, arn = streaming
    if isinstance(forged, tuple):
        forged = [arn, *forged[1:]]
    raw = forged if isinstance(forged, bytes) else json.dumps(forged).encode()
    with suppress(ValidationError, TrimmedDataAccessError, ExpiredIteratorError, ResourceNotFoundError):
        _records(engine, urlsafe_b64encode(raw).decode())


@pytest.fixture
def streaming(engine: Engine) -> tuple[Engine, str]:
    arn = _stream(engine)
    put(engine, pk="a", x=1)
    return engine, arn


def _since(engine: Engine, arn: str, moment: float | None, **members: Any) -> str:
    shard = _shard(engine, arn)["ShardId"]
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "AT_TIMESTAMP", "Timestamp": moment, **members}
    iterator: str = engine.call("GetShardIterator", request)["ShardIterator"]
    return iterator


@given(st.lists(st.floats(0, 3), min_size=1, max_size=8), st.floats(0, 1))
def test_an_iterator_at_a_timestamp_begins_with_the_first_record_of_that_second_or_later(
    pauses: list[float], part: float
) -> None:
    clock = Clock()
    with Engine.temporary(clock=clock, background=False) as engine:
        arn = _stream(engine)
        begun = clock.now
        for number, pause in enumerate(pauses):
            clock.advance(pause)
            put(engine, pk=str(number))
        every = _records(engine, _iterator(engine, arn))
        moment = begun + part * (clock.now - begun)
        first = next(
            (n for n, each in enumerate(every) if each["dynamodb"]["ApproximateCreationDateTime"] >= moment), None
        )
        found = _records(engine, _since(engine, arn, moment))
        assert found == ([] if first is None else every[first:])


def test_an_iterator_behind_the_last_record_waits_for_the_next(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    put(engine, pk="a")
    clock.advance(60)
    iterator = _since(engine, arn, clock.now)
    put(engine, pk="b")
    assert _keys(_records(engine, iterator)) == ["b"]


def test_a_timestamp_older_than_the_records_is_the_trim_horizon(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    put(engine, pk="a")
    iterator = _since(engine, arn, clock.now - 2 * _DAY)
    clock.advance(_DAY - 60)
    put(engine, pk="b")
    iterator = _since(engine, arn, clock.now - 2 * _DAY)
    clock.advance(120)
    engine.maintenance.run()
    assert _keys(_records(engine, iterator)) == ["b"]  # and not that it has missed one


@pytest.mark.parametrize(
    ("kind", "moment", "told"),
    [
        ("AT_TIMESTAMP", None, "Timestamp is required"),
        ("AT_TIMESTAMP", 1_700_000_001.5, "in the future"),
        ("LATEST", 1_600_000_000, "Timestamp must not be given"),
    ],
)
def test_a_timestamp_is_for_its_type_and_of_the_past(
    engine: Engine, kind: str, moment: float | None, told: str
) -> None:
    arn = _stream(engine)
    with pytest.raises(ValidationError, match=told):
        _since(engine, arn, moment, ShardIteratorType=kind)


def test_a_sequence_number_does_not_go_with_a_timestamp(engine: Engine, clock: Clock) -> None:
    arn = _stream(engine)
    with pytest.raises(ValidationError, match="SequenceNumber must not be given"):
        _since(engine, arn, clock.now, SequenceNumber="0" * 21)
