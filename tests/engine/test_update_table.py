"""UpdateTable: settings at once, indexes filled online, one at a time."""

from __future__ import annotations

from contextlib import closing
from itertools import count
from typing import Any

import apsw
import pytest

from partita.dynamo.errors import (
    DynamoError,
    LimitExceededError,
    ResourceInUseError,
    ResourceNotFoundError,
    ValidationError,
)
from partita.engine import Engine
from partita.engine.database import FILE_NAME
from tests.engine.tables import Clock, create, index, put, python_items, query, update

BY_TAG = index("byTag", "tag")
_TAG = [{"AttributeName": "tag", "AttributeType": "S"}]
_UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}


def _update(engine: Engine, **members: Any) -> dict[str, Any]:
    described: dict[str, Any] = engine.call("UpdateTable", {"TableName": "music", **members})["TableDescription"]
    return described


def _add(engine: Engine, member: dict[str, Any] | None = None) -> dict[str, Any]:
    return _update(engine, AttributeDefinitions=_TAG, GlobalSecondaryIndexUpdates=[{"Create": member or BY_TAG}])


def _described(engine: Engine) -> dict[str, Any]:
    table: dict[str, Any] = engine.call("DescribeTable", {"TableName": "music"})["Table"]
    return table


def _tagged(engine: Engine, tag: str) -> set[str]:
    return {item["pk"] for item in python_items(query(engine, "tag = :t", t=tag, IndexName="byTag"))}


def test_an_update_changes_something(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ValidationError, match="At least one of ProvisionedThroughput, BillingMode"):
        _update(engine)


def test_a_table_that_is_not_there_cannot_change(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundError):
        _update(engine, BillingMode="PAY_PER_REQUEST")


def test_settings_change(engine: Engine) -> None:
    create(engine)
    _update(engine, DeletionProtectionEnabled=True)
    _update(engine, TableClass="STANDARD_INFREQUENT_ACCESS")
    _update(engine, SSESpecification={"Enabled": True})
    described = _described(engine)
    assert described["DeletionProtectionEnabled"] is True
    assert described["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert described["SSEDescription"]["SSEType"] == "KMS"


def test_billing_changes_both_ways(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ValidationError):
        _update(engine, BillingMode="PROVISIONED")
    _update(engine, BillingMode="PROVISIONED", ProvisionedThroughput=_UNITS)
    assert _described(engine)["ProvisionedThroughput"]["ReadCapacityUnits"] == 1
    _update(engine, ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8})
    assert _described(engine)["ProvisionedThroughput"]["WriteCapacityUnits"] == 8
    _update(engine, BillingMode="PAY_PER_REQUEST")
    assert _described(engine)["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_a_new_index_is_filled_in_the_background(engine: Engine) -> None:
    create(engine)
    for number in range(1200):
        put(engine, pk=str(number), **({"tag": "even"} if number % 2 == 0 else {}))
    assert _add(engine)["TableStatus"] == "UPDATING"
    (described,) = _described(engine)["GlobalSecondaryIndexes"]
    assert (described["IndexStatus"], described["Backfilling"]) == ("CREATING", True)
    with pytest.raises(DynamoError, match="Cannot read from backfilling global secondary index: byTag"):
        _tagged(engine, "even")
    engine.maintenance.run()
    (described,) = _described(engine)["GlobalSecondaryIndexes"]
    assert described["IndexStatus"] == _described(engine)["TableStatus"] == "ACTIVE"
    assert described["ItemCount"] == 600
    assert _tagged(engine, "even") == {str(number) for number in range(0, 1200, 2)}


def test_writes_go_on_while_an_index_is_filled(engine: Engine) -> None:
    create(engine)
    for number in range(10):
        put(engine, pk=str(number), tag="old")
    _add(engine)
    put(engine, pk="new", tag="new")
    put(engine, pk="0", tag="new")
    put(engine, pk="1")
    update(engine, {"pk": "2"}, "SET tag = :t", t="new")
    update(engine, {"pk": "3"}, "REMOVE tag")
    update(engine, {"pk": "4"}, "SET note = :t", t="new")
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "5"}}})
    engine.maintenance.run()
    assert _tagged(engine, "new") == {"new", "0", "2"}
    assert _tagged(engine, "old") == {"4", "6", "7", "8", "9"}
    (described,) = _described(engine)["GlobalSecondaryIndexes"]
    assert described["ItemCount"] == 8


def test_items_that_do_not_fit_a_new_index_are_left_out_and_stay_writable(engine: Engine) -> None:
    create(engine)
    put(engine, pk="number", tag=5)
    put(engine, pk="empty", tag="")
    put(engine, pk="fits", tag="t")
    _add(engine)
    engine.maintenance.run()
    assert [item["pk"] for item in python_items(engine.call("Scan", {"TableName": "music", "IndexName": "byTag"}))] == [
        "fits"
    ]
    update(engine, {"pk": "number"}, "SET note = :o", o=1)
    update(engine, {"pk": "number"}, "SET tag = :t", t="t")
    engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "empty"}}})
    assert _tagged(engine, "t") == {"fits", "number"}


def test_a_put_of_an_item_that_does_not_fit_is_refused_even_if_it_was_there_before(engine: Engine) -> None:
    create(engine)
    put(engine, pk="number", tag=5)
    _add(engine)
    engine.maintenance.run()
    with pytest.raises(ValidationError, match="Type mismatch for Index Key tag"):
        put(engine, pk="number", tag=5)


def test_a_fill_that_was_interrupted_goes_on_in_the_next_engine(engine: Engine, clock: Clock) -> None:
    create(engine)
    for number in range(20):
        put(engine, pk=str(number), tag="t")
    _add(engine)
    with Engine(engine.database.folder, clock=clock, background=False, durability="off") as other:
        other.maintenance.run()
        assert len(_tagged(other, "t")) == 20
    assert len(_tagged(engine, "t")) == 20


def test_only_one_index_is_created_or_deleted_at_a_time(engine: Engine) -> None:
    create(engine, gsis=[index("first", "one")])
    second = {"Create": index("second", "tag", "pk")}
    for updates in ([{"Create": BY_TAG}, second], [{"Create": BY_TAG}, {"Delete": {"IndexName": "first"}}]):
        with pytest.raises(LimitExceededError):
            _update(engine, AttributeDefinitions=_TAG, GlobalSecondaryIndexUpdates=updates)
    _add(engine)
    with pytest.raises((LimitExceededError, ResourceInUseError)):
        _update(engine, AttributeDefinitions=_TAG, GlobalSecondaryIndexUpdates=[second])
    with pytest.raises((LimitExceededError, ResourceInUseError)):
        _update(engine, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "first"}}])


def test_an_index_can_be_deleted_while_it_is_filled(engine: Engine) -> None:
    create(engine)
    put(engine, pk="a", tag="t")
    _add(engine)
    _update(engine, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "byTag"}}])
    engine.maintenance.run()
    assert "GlobalSecondaryIndexes" not in _described(engine)


def test_a_table_is_not_deleted_while_an_index_is_filled(engine: Engine) -> None:
    create(engine)
    _add(engine)
    with pytest.raises(ResourceInUseError):
        engine.call("DeleteTable", {"TableName": "music"})


def test_a_deleted_index_is_gone_with_its_attribute_definition(engine: Engine) -> None:
    create(engine, gsis=[BY_TAG])
    put(engine, pk="a", tag="t")
    _update(engine, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "byTag"}}])
    described = _described(engine)
    assert "GlobalSecondaryIndexes" not in described
    assert [each["AttributeName"] for each in described["AttributeDefinitions"]] == ["pk"]
    with pytest.raises(ValidationError, match="The table does not have the specified index: byTag"):
        _tagged(engine, "t")
    put(engine, pk="a", tag=5)


@pytest.mark.parametrize(
    ("updates", "error"),
    [
        ([{"Create": index("byTag", "tag")}], ValidationError),
        ([{"Create": index("other", "absent")}], ValidationError),
        ([{"Delete": {"IndexName": "absent"}}], ResourceNotFoundError),
        ([{"Update": {"IndexName": "absent", "ProvisionedThroughput": _UNITS}}], ResourceNotFoundError),
        ([{}], ValidationError),
        ([{"Create": index("xyz", "tag"), "Delete": {"IndexName": "byTag"}}], ValidationError),
        ([{"Delete": {"IndexName": "local"}}], ValidationError),
    ],
)
def test_a_wrong_index_update_changes_nothing(engine: Engine, updates: Any, error: type[Exception]) -> None:
    create(engine, "music", "pk sk", gsis=[BY_TAG], lsis=[index("local", "pk", "day")])
    before = _described(engine)
    with pytest.raises(error):
        _update(engine, GlobalSecondaryIndexUpdates=updates)
    assert _described(engine) == before


def test_an_index_that_goes_while_others_change_tables_is_missed_in_words(engine: Engine, clock: Clock) -> None:
    """SQLite looks twice for a table; if the file has changed before each look, it raises another error than else."""
    create(engine, gsis=[BY_TAG])
    put(engine, pk="a", tag="x")
    assert _tagged(engine, "x") == {"a"}
    folder = engine.database.folder
    with Engine(folder, clock=clock, background=False) as another:
        _update(another, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "byTag"}}])
    changes = count()
    with closing(apsw.Connection(str(folder / FILE_NAME))) as third:
        third.execute("PRAGMA synchronous=off")

        def change_tables() -> bool:
            third.execute(f"CREATE TABLE another_{next(changes)} (x)")
            return False

        with engine.database.reader() as connection:
            connection.set_progress_handler(change_tables, 40)
        try:
            with pytest.raises(ValidationError, match="does not have the specified index: byTag"):
                _tagged(engine, "x")
        finally:
            connection.set_progress_handler(None)
    assert next(changes) > 1


def test_an_attribute_keeps_its_type(engine: Engine) -> None:
    create(engine, gsis=[BY_TAG])
    with pytest.raises(ValidationError, match="Attributes cannot be redefined"):
        _update(
            engine,
            AttributeDefinitions=[{"AttributeName": "tag", "AttributeType": "N"}],
            GlobalSecondaryIndexUpdates=[{"Create": index("other", "tag")}],
        )


def test_the_throughput_of_an_index_changes(engine: Engine) -> None:
    create(
        engine,
        gsis=[{**BY_TAG, "ProvisionedThroughput": _UNITS}],
        BillingMode="PROVISIONED",
        ProvisionedThroughput=_UNITS,
    )
    more = {"ReadCapacityUnits": 9, "WriteCapacityUnits": 9}
    _update(engine, GlobalSecondaryIndexUpdates=[{"Update": {"IndexName": "byTag", "ProvisionedThroughput": more}}])
    (described,) = _described(engine)["GlobalSecondaryIndexes"]
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 9
    assert described["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0


def test_a_stream_is_switched_on_and_off_once_each(engine: Engine, clock: Clock) -> None:
    create(engine)
    on = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    with pytest.raises(ValidationError):
        _update(engine, StreamSpecification={"StreamEnabled": False})
    first = _update(engine, StreamSpecification=on)["LatestStreamArn"]
    with pytest.raises(ValidationError):
        _update(engine, StreamSpecification=on)
    _update(engine, StreamSpecification={"StreamEnabled": False})
    described = _described(engine)
    assert "StreamSpecification" not in described
    assert described["LatestStreamArn"] == first
    assert _update(engine, StreamSpecification=on)["LatestStreamArn"] != first
