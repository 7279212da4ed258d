"""Contributor Insights: the keys that are used most, from the requests that were made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from partita.cli import app
from partita.dynamo.errors import ResourceNotFoundError, ThroughputExceededError, ValidationError
from partita.dynamo.python_values import item_to_python
from partita.engine import Engine, FaultPlan
from partita.engine.contributors import Kind
from tests.engine.tables import Clock, Wire, create, get, index, put, query, update


def _watch(engine: Engine, action: str = "ENABLE", **members: Any) -> Wire:
    request = {"TableName": "music", "ContributorInsightsAction": action, **members}
    return engine.call("UpdateContributorInsights", request)


def _most(engine: Engine, index: str = "", kind: Kind = "PKC") -> list[tuple[Wire, int]]:
    return [(item_to_python(each.key), each.count) for each in engine.most_used("music", index, kind)]


def test_keys_are_counted_by_every_kind_of_request(engine: Engine) -> None:
    create(engine, "music", "pk sk", gsis=[index("byTag", "tag")])
    put(engine, pk="uncounted", sk="1")
    _watch(engine)
    _watch(engine, IndexName="byTag")
    put(engine, pk="a", sk="1", tag="x")
    get(engine, pk="a", sk="1")
    update(engine, {"pk": "a", "sk": "2"}, "SET n = :n", n=1)
    query(engine, "pk = :a", a="a")
    query(engine, "tag = :a", IndexName="byTag", a="x")
    key = {"pk": {"S": "b"}, "sk": {"S": "1"}}
    engine.call("BatchGetItem", {"RequestItems": {"music": {"Keys": [key]}}})
    engine.call("BatchWriteItem", {"RequestItems": {"music": [{"DeleteRequest": {"Key": key}}]}})
    engine.call("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "music", "Key": key}}]})
    engine.call("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "music", "Item": key}}]})
    engine.call("Scan", {"TableName": "music"})  # uses no key
    assert _most(engine) == [({"pk": "a"}, 4), ({"pk": "b"}, 4)]
    assert _most(engine, kind="SKC") == [
        ({"pk": "b", "sk": "1"}, 4),
        ({"pk": "a", "sk": "1"}, 2),
        ({"pk": "a", "sk": "2"}, 1),
    ]
    assert _most(engine, "byTag") == [({"tag": "x"}, 1)]
    assert _most(engine, kind="PKT") == []


def test_insights_describe_and_list_themselves(engine: Engine, clock: Clock) -> None:
    create(engine, "music", "pk sk", gsis=[index("byTag", "tag")])
    create(engine, "films")
    described = {"TableName": "music", "ContributorInsightsStatus": "DISABLED"}
    assert engine.call("DescribeContributorInsights", {"TableName": "music"}) == described
    mode = {"ContributorInsightsMode": "THROTTLED_KEYS"}
    assert _watch(engine, IndexName="byTag", **mode)["ContributorInsightsStatus"] == "ENABLING"
    assert _watch(engine)["ContributorInsightsMode"] == "ACCESSED_AND_THROTTLED_KEYS"
    rules = engine.call("DescribeContributorInsights", {"TableName": "music"})
    assert rules["ContributorInsightsRuleList"] == [
        f"DynamoDBContributorInsights-{kind}-music-1700000000000" for kind in ("PKC", "SKC", "PKT", "SKT")
    ]
    assert rules["LastUpdateDateTime"] == clock.now
    of_index = engine.call("DescribeContributorInsights", {"TableName": "music", "IndexName": "byTag"})
    assert of_index["ContributorInsightsRuleList"] == ["DynamoDBContributorInsights-PKT-music-byTag-1700000000000"]
    first = engine.call("ListContributorInsights", {"MaxResults": 1})
    rest = engine.call("ListContributorInsights", {"MaxResults": 1, "NextToken": first["NextToken"]})
    found = first["ContributorInsightsSummaries"] + rest["ContributorInsightsSummaries"]
    assert [summary.get("IndexName") for summary in found] == [None, "byTag"]
    assert "NextToken" not in rest
    assert engine.call("ListContributorInsights", {"TableName": "films"}) == {"ContributorInsightsSummaries": []}


@pytest.mark.parametrize(
    ("operation", "action"),
    [("UpdateContributorInsights", {"ContributorInsightsAction": "DISABLE"}), ("DeleteTable", {})],
)
def test_switching_off_forgets_and_so_does_deleting_the_table(
    engine: Engine, clock: Clock, operation: str, action: Wire
) -> None:
    create(engine)
    _watch(engine)
    put(engine, pk="a")
    assert _most(engine) == [({"pk": "a"}, 1)]
    put(engine, pk="a")  # counted and not yet in the file
    engine.call(operation, {"TableName": "music", **action})
    clock.advance(1)
    if operation == "DeleteTable":
        create(engine)
    _watch(engine)
    assert _most(engine) == []


def test_an_index_that_is_deleted_takes_its_insights_with_it(engine: Engine) -> None:
    create(engine, gsis=[index("byTag", "tag")])
    _watch(engine, IndexName="byTag")
    dropped = [{"Delete": {"IndexName": "byTag"}}]
    engine.call("UpdateTable", {"TableName": "music", "GlobalSecondaryIndexUpdates": dropped})
    assert engine.call("ListContributorInsights", {}) == {"ContributorInsightsSummaries": []}


def test_throttled_keys_are_counted_apart(clock: Clock) -> None:
    with Engine.temporary(clock=clock, background=False, faults=FaultPlan(seed=1, throttle=1.0)) as engine:
        create(engine)
        _watch(engine, ContributorInsightsMode="THROTTLED_KEYS")
        with pytest.raises(ThroughputExceededError):
            get(engine, pk="a")
        assert (_most(engine, kind="PKT"), _most(engine)) == ([({"pk": "a"}, 1)], [])


def test_of_very_many_keys_the_most_used_are_kept(engine: Engine) -> None:
    create(engine)
    _watch(engine)
    for number in range(1200):
        get(engine, pk=f"k{number}")
    for _ in range(3):
        get(engine, pk="k7")
    found = _most(engine)
    assert (len(found), found[0]) == (1000, ({"pk": "k7"}, 4))


@pytest.mark.parametrize("name", ["byDay", "absent"])
def test_only_tables_and_global_indexes_have_insights(engine: Engine, name: str) -> None:
    create(engine, "music", "pk sk", lsis=[index("byDay", "pk", "day")])
    with pytest.raises(ResourceNotFoundError):
        _watch(engine, IndexName=name)


def test_the_command_shows_what_was_counted(tmp_path: Path) -> None:
    with Engine(tmp_path, durability="off", background=False) as engine:
        create(engine)
        show = ["insights", "music", "--data", str(tmp_path)]
        assert "Switch it on with UpdateContributorInsights" in CliRunner().invoke(app, show).output
        _watch(engine)
        for key in ("a", "b", "a"):
            put(engine, pk=key)
    assert CliRunner().invoke(app, [*show, "--rows", "1"]).output.split() == ["2", "pk='a'"]
    missing = CliRunner().invoke(app, ["insights", "absent", "--data", str(tmp_path)])
    assert missing.output == f"partita: there is no table absent in {tmp_path}\n"
    assert missing.exit_code == 1
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert CliRunner().invoke(app, ["insights", "music", "--data", str(elsewhere)]).exit_code == 2
    assert list(elsewhere.iterdir()) == [], "to look makes no data file"


def test_a_table_has_no_destination_in_kinesis(engine: Engine) -> None:
    create(engine)
    described = engine.call("DescribeKinesisStreamingDestination", {"TableName": "music"})
    assert described == {"TableName": "music", "KinesisDataStreamDestinations": []}
    arn = "arn:aws:kinesis:us-east-1:000000000000:stream/changes"
    for verb in ("Enable", "Disable", "Update"):
        operation = f"{verb}KinesisStreamingDestination"
        with pytest.raises(ValidationError, match="does not write to Kinesis"):
            engine.call(operation, {"TableName": "music", "StreamArn": arn})
        with pytest.raises(ResourceNotFoundError):
            engine.call(operation, {"TableName": "absent", "StreamArn": arn})
