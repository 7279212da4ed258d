"""Every member that a request has by botocore's model is checked here, and what is not served is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.session import get_session

from partita.dynamo import item_shapes, shapes
from partita.dynamo.parse import ITEM_OPERATIONS
from partita.dynamo.partiql import requests as statements
from partita.dynamo.shapes import Listing, Mapped, Shape, Structure
from partita.engine import Engine
from partita.engine.operations import ON_FILES, TABLE_OPERATIONS, TABLE_READS, TABLE_WRITES
from tests.engine.answers.asking import fault
from tests.engine.tables import Wire, create, index, table

_MODELS = [get_session().get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]
_SHAPES: dict[str, Structure] = {
    "GetItem": item_shapes.GET,
    "PutItem": item_shapes.PUT,
    "UpdateItem": item_shapes.UPDATE,
    "DeleteItem": item_shapes.DELETE,
    "Query": item_shapes.QUERY,
    "Scan": item_shapes.SCAN,
    "BatchGetItem": item_shapes.BATCH_GET,
    "BatchWriteItem": item_shapes.BATCH_WRITE,
    "TransactGetItems": item_shapes.TRANSACT_GET,
    "TransactWriteItems": item_shapes.TRANSACT_WRITE,
    "ExecuteStatement": statements.EXECUTE,
    "BatchExecuteStatement": statements.BATCH,
    "ExecuteTransaction": statements.TRANSACTION,
    **{name: shape for name, (shape, _) in (TABLE_READS | TABLE_WRITES).items()},
    **ON_FILES,
}


def _members(shape: Any) -> Iterator[str]:
    """The paths of all members that a request can have in the model; values of attributes have their own checks."""
    if shape.type_name == "structure" and shape.name != "AttributeValue":
        for name, member in shape.members.items():
            yield name
            yield from (f"{name}.{below}" for below in _members(member))
    elif shape.type_name in ("list", "map"):
        yield from _members(shape.member if shape.type_name == "list" else shape.value)


def _checked(shape: Shape, modelled: Any) -> Iterator[str]:
    """The same here; below a member that is refused is nothing to check."""
    match shape:
        case Structure():
            for name, member in shape.members.items():
                yield name
                yield from (f"{name}.{below}" for below in _checked(member, modelled.members.get(name)))
        case Listing():
            yield from _checked(shape.of, modelled.member)
        case Mapped():
            yield from _checked(shape.of, modelled.value)
        case shapes.Unserved():
            yield from _members(modelled)


@pytest.mark.parametrize("name", sorted(_SHAPES))
def test_a_request_is_checked_in_every_member_that_the_model_has_and_in_no_other(name: str) -> None:
    modelled = next(each for each in _MODELS if name in each.operation_names).operation_model(name).input_shape
    assert sorted(_checked(_SHAPES[name], modelled)) == sorted(_members(modelled))


def test_the_members_of_every_operation_are_compared() -> None:
    assert _SHAPES.keys() == {*ITEM_OPERATIONS, *statements.STATEMENT_OPERATIONS, *TABLE_OPERATIONS}


_WARM: Wire = {"WarmThroughput": {"ReadUnitsPerSecond": 12_000}}
_WARM_INDEX = {**index("byDay", "day"), **_WARM}
_VECTORS = [{"IndexName": "near"}]
_TARGET = {"TargetTableName": "never"}
_TO_MOMENT = {"SourceTableName": "music", "UseLatestRestorableTime": True, **_TARGET}
_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/music"
_BACKUP = {"BackupArn": f"{_ARN}/backup/01489602797149-73d8d5bc", **_TARGET}
_STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}}
_EXPORT = {"TableArn": _ARN, "S3Bucket": "shelf"}


def _import(**settings: Any) -> Wire:
    creation = {**table("never"), **settings}
    return {"S3BucketSource": {"S3Bucket": "shelf"}, "InputFormat": "CSV", "TableCreationParameters": creation}


@pytest.mark.parametrize(
    ("operation", "request_", "member"),
    [
        ("CreateTable", table("never", **_WARM), "WarmThroughput"),
        ("CreateTable", table("never", gsis=[_WARM_INDEX]), "WarmThroughput"),
        ("CreateTable", table("never", VectorIndexes=_VECTORS), "VectorIndexes"),
        ("CreateTable", table("never", GlobalTableSourceArn=_ARN), "GlobalTableSourceArn"),
        (
            "CreateTable",
            table("never", GlobalTableSettingsReplicationMode="ENABLED"),
            "GlobalTableSettingsReplicationMode",
        ),
        ("UpdateTable", _WARM, "WarmThroughput"),
        ("UpdateTable", {**_WARM, **_STREAM}, "WarmThroughput"),
        ("UpdateTable", {"GlobalSecondaryIndexUpdates": [{"Create": _WARM_INDEX}]}, "WarmThroughput"),
        (
            "UpdateTable",
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "byTag", **_WARM}}]},
            "WarmThroughput",
        ),
        (
            "UpdateTable",
            {"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}], "DeletionProtectionEnabled": True},
            "ReplicaUpdates",
        ),
        ("UpdateTable", {"MultiRegionConsistency": "STRONG"}, "MultiRegionConsistency"),
        ("UpdateTable", {"GlobalTableWitnessUpdates": [{}]}, "GlobalTableWitnessUpdates"),
        ("UpdateTable", {"GlobalTableSettingsReplicationMode": "ENABLED"}, "GlobalTableSettingsReplicationMode"),
        ("UpdateTable", {"DisassociationProtectionEnabled": True}, "DisassociationProtectionEnabled"),
        ("UpdateTable", {"VectorIndexUpdates": [{"Delete": {"IndexName": "near"}}]}, "VectorIndexUpdates"),
        ("RestoreTableFromBackup", {**_BACKUP, "VectorIndexOverride": _VECTORS}, "VectorIndexOverride"),
        ("RestoreTableToPointInTime", {**_TO_MOMENT, "VectorIndexOverride": _VECTORS}, "VectorIndexOverride"),
        (
            "ExportTableToPointInTime",
            {**_EXPORT, "FilterSpecification": {"FilterExpression": "a = b"}},
            "FilterSpecification",
        ),
        ("ImportTable", _import(VectorIndexes=_VECTORS), "VectorIndexes"),
    ],
)
def test_what_is_not_served_is_refused_by_name_and_nothing_else_is_done(
    engine: Engine, operation: str, request_: Wire, member: str
) -> None:
    named = {"TableName": "music"} if operation == "UpdateTable" else {}
    before = engine.call("DescribeTable", {"TableName": "music"})
    assert fault(engine, operation, {**named, **request_}).startswith(f"{member} is not served here: ")
    assert engine.call("DescribeTable", {"TableName": "music"}) == before
    assert "never" not in engine.call("ListTables", {})["TableNames"]


def test_what_asks_for_nothing_is_passed_over(engine: Engine) -> None:
    nothing: Wire = {"ReplicaUpdates": [], "MultiRegionConsistency": None, "DisassociationProtectionEnabled": False}
    assert fault(engine, "UpdateTable", {"TableName": "music", **nothing}).startswith("At least one of ")


def test_a_restored_table_has_the_limits_and_the_encryption_that_are_asked_for(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine, "plain")
        arn = engine.call("CreateBackup", {"TableName": "plain", "BackupName": "one"})["BackupDetails"]["BackupArn"]
        request = {
            "BackupArn": arn,
            "TargetTableName": "limited",
            "OnDemandThroughputOverride": {"MaxReadRequestUnits": 7},
        }
        assert fault(engine, "RestoreTableFromBackup", request) == (
            "Invalid Request: Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is "
            "PAY_PER_REQUEST"
        )
        request |= {"BillingModeOverride": "PAY_PER_REQUEST", "SSESpecificationOverride": {"Enabled": True}}
        none = {**request, "OnDemandThroughputOverride": {"MaxReadRequestUnits": 0}}
        assert fault(engine, "RestoreTableFromBackup", none) == (
            "Invalid Request: Requested MaxReadRequestUnits for OnDemandThroughput is outside of valid range"
        )
        described = engine.call("RestoreTableFromBackup", request)["TableDescription"]
        assert described["OnDemandThroughput"] == {"MaxReadRequestUnits": 7}
        assert described["SSEDescription"]["Status"] == "ENABLED"


_SEVEN = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 7}


def test_a_restored_table_and_its_indexes_have_the_throughput_that_is_asked_for(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine, "plain", gsis=[index("byTag", "tag")])
        arn = engine.call("CreateBackup", {"TableName": "plain", "BackupName": "one"})["BackupDetails"]["BackupArn"]
        request = {"BackupArn": arn, "TargetTableName": "sized"}
        for members, told in (
            (
                {"BillingModeOverride": "PROVISIONED"},
                "Must override ProvisionedThroughput if BillingMode is overridden",
            ),
            ({"ProvisionedThroughputOverride": _SEVEN}, "Cannot override ProvisionedThroughput unless BillingMode is"),
            (
                {"ProvisionedThroughputOverride": _SEVEN, "BillingModeOverride": "PAY_PER_REQUEST"},
                "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
            ),
        ):
            assert fault(engine, "RestoreTableFromBackup", {**request, **members}).startswith(
                f"Invalid Request: {told}"
            )
        sized = {
            "BillingModeOverride": "PROVISIONED",
            "ProvisionedThroughputOverride": _SEVEN,
            "GlobalSecondaryIndexOverride": [{**index("byTag", "tag"), "ProvisionedThroughput": _SEVEN}],
        }
        described = engine.call("RestoreTableFromBackup", {**request, **sized})["TableDescription"]
        for each in (described, *described["GlobalSecondaryIndexes"]):
            assert each["ProvisionedThroughput"]["ReadCapacityUnits"] == 7


def test_an_import_takes_only_the_settings_that_it_has(engine: Engine, root: Path) -> None:
    with Engine(root / "data", exports=root, background=False) as importing:
        importing.call("ImportTable", _import(TableName="plain", Tags=5, DeletionProtectionEnabled=True))
        described = importing.call("DescribeTable", {"TableName": "plain"})["Table"]
    assert not described["DeletionProtectionEnabled"]
