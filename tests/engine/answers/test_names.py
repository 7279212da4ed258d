"""Names and ARNs of tables, and tags."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import AccessDeniedError, DynamoError, ResourceNotFoundError
from partita.engine import Engine
from tests.engine.answers.asking import INVALID, fault
from tests.engine.tables import Wire, get, put

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/music"
_KEY: Wire = {"pk": {"S": "by-arn"}}


def test_a_table_may_be_named_by_its_arn_in_every_operation_on_items(engine: Engine) -> None:
    engine.call("PutItem", {"TableName": ARN, "Item": _KEY})
    engine.call("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": ARN, "Key": _KEY}}]})
    engine.call("BatchWriteItem", {"RequestItems": {ARN: [{"PutRequest": {"Item": _KEY}}]}})
    assert get(engine, ARN, pk="by-arn") == {"pk": "by-arn"}
    assert engine.call("DescribeTable", {"TableName": ARN})["Table"]["TableName"] == "music"


def test_a_batch_is_answered_under_the_name_it_was_asked_by(engine: Engine) -> None:
    put(engine, pk="by-arn")
    for name in (ARN, "music"):
        assert engine.call("BatchGetItem", {"RequestItems": {name: {"Keys": [_KEY]}}})["Responses"] == {name: [_KEY]}


@pytest.mark.parametrize(
    ("operation", "entry"), [("BatchGetItem", {"Keys": [_KEY]}), ("BatchWriteItem", [{"DeleteRequest": {"Key": _KEY}}])]
)
def test_a_batch_names_a_table_once(engine: Engine, operation: str, entry: object) -> None:
    assert "named by name and by ARN" in fault(engine, operation, {"RequestItems": {ARN: entry, "music": entry}})


@pytest.mark.parametrize(
    ("arn", "what"),
    [
        (ARN.replace("arn:aws:", "arn:aws-cn:"), "AWS partition"),
        (ARN.replace("us-east-1", "eu-west-1"), "AWS region"),
        (ARN.replace("000000000000", "123456789012"), "AWS account"),
        (ARN.replace("dynamodb", "s3"), "AWS service"),
        (ARN.replace("table/", "foo/"), "resource type"),
        (f"{ARN}/index/byTag", "table"),
        (f"{ARN}/stream/x", "table"),
    ],
)
def test_an_arn_of_something_else_names_no_table(engine: Engine, arn: str, what: str) -> None:
    message = f"1 validation error detected: Invalid {what} in '{arn}'"
    assert fault(engine, "GetItem", {"TableName": arn, "Key": _KEY}) == message
    assert fault(engine, "PutItem", {"TableName": arn, "Item": _KEY}) == message
    assert fault(engine, "Scan", {"TableName": arn}) == message
    assert fault(engine, "DescribeTable", {"TableName": arn}) == message
    assert fault(engine, "UpdateTable", {"TableName": arn, "DeletionProtectionEnabled": False}) == message
    assert fault(engine, "DescribeTimeToLive", {"TableName": arn}) == message
    assert fault(engine, "DeleteTable", {"TableName": arn}) == message
    assert fault(engine, "CreateBackup", {"TableName": arn, "BackupName": "one"}) == message


@pytest.mark.parametrize(
    ("arn", "message"),
    [
        ("music", f"{INVALID}ARNs must start with 'arn:': music"),
        (
            "arn:aws:s3:::bucket",
            f"{INVALID}Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket",
        ),
        ("arn:aws", f"{INVALID}Provided Arn is not a DynamoDB resource arn: arn:aws"),
        (
            f"{ARN}/index/byTag",
            (
                f"{INVALID}Invalid resource arn provided, only table or stream is accepted. "
                f"Provided resource arn: {ARN}/index/byTag"
            ),
        ),
        (
            ARN.replace("us-east-1", "eu-west-1"),
            f"Invalid TableArn: Invalid ResourceArn provided as input {ARN.replace('us-east-1', 'eu-west-1')}",
        ),
    ],
)
def test_tags_are_for_tables_of_this_region(engine: Engine, arn: str, message: str) -> None:
    assert fault(engine, "TagResource", {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]}) == message
    assert fault(engine, "UntagResource", {"ResourceArn": arn, "TagKeys": ["a"]}) == message
    assert fault(engine, "ListTagsOfResource", {"ResourceArn": arn}) == message


def test_tags_of_another_account_are_not_ours_to_see(engine: Engine) -> None:
    foreign = ARN.replace("000000000000", "123456789012")
    assert foreign in fault(engine, "ListTagsOfResource", {"ResourceArn": foreign}, AccessDeniedError)
    absent = ARN.replace("music", "absent")
    assert fault(engine, "ListTagsOfResource", {"ResourceArn": absent}, ResourceNotFoundError) == (
        f"Requested resource not found: ResourcArn: {absent} not found"
    )


def test_a_tag_or_a_stream_of_another_partition_is_not_ours(engine: Engine) -> None:
    arn = ARN.replace("arn:aws:", "arn:aws-cn:")
    tags = {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]}
    assert fault(engine, "TagResource", tags) == f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"
    stream = f"{arn}/stream/2023-11-14T22:13:20.000"
    assert fault(engine, "DescribeStream", {"StreamArn": stream}) == f"Invalid StreamArn: {stream}"


_TARGET = {"TargetTableName": "never"}


@pytest.mark.parametrize(
    ("operation", "kind", "more"),
    [
        ("DescribeBackup", "Backup", {}),
        ("DeleteBackup", "Backup", {}),
        ("RestoreTableFromBackup", "Backup", _TARGET),
        ("DescribeExport", "Export", {}),
        ("DescribeImport", "Import", {}),
    ],
)
def test_an_arn_that_is_none_of_a_backup_an_export_or_an_import_is_refused(
    engine: Engine, operation: str, kind: str, more: Wire
) -> None:
    right = f"{ARN}/{kind.lower()}/01489602797149-73d8d5bc"
    for arn in ("x" * 40, ARN, f"{ARN}/other/01489602797149-73d8d5bc", right.replace("arn:aws:", "arn:aws-cn:")):
        assert fault(engine, operation, {f"{kind}Arn": arn, **more}) == f"Invalid {kind} ARN"
    with pytest.raises(DynamoError) as caught:
        engine.call(operation, {f"{kind}Arn": right, **more})
    assert caught.value.code == f"{kind}NotFoundException"
