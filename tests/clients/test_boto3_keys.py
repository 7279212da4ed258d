"""boto3 with two keys at one door: what a policy denies to one the other may do, and a table goes out and comes in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from partita.engine import Engine
from partita.engine.door import DoorThread
from tests.engine.tables import table


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / "shelf").mkdir()
    with Engine.temporary(background=False, exports=tmp_path) as engine:
        yield engine


@pytest.fixture
def clients(engine: Engine) -> Iterator[list[Any]]:
    """Clients of ada and bob."""
    keys = {"ada": "a secret", "bob": "another"}
    with ExitStack() as stack:
        url = stack.enter_context(DoorThread(engine, keys=keys)).url
        found = [
            boto3.client(
                "dynamodb",
                endpoint_url=url,
                region_name="us-east-1",
                aws_access_key_id=key,
                aws_secret_access_key=secret,
                config=Config(retries={"total_max_attempts": 1}, proxies={}),
            )
            for key, secret in keys.items()
        ]
        for client in found:
            stack.callback(client.close)
        yield found


def test_a_policy_denies_one_key_what_another_may_do(clients: list[Any]) -> None:
    ada, bob = clients
    arn = ada.create_table(**table("films"))["TableDescription"]["TableArn"]
    statement = {"Effect": "Deny", "Action": "dynamodb:*Item", "Resource": arn}
    policy = {"Statement": [{**statement, "Principal": {"AWS": "arn:aws:iam::000000000000:user/bob"}}]}
    ada.put_resource_policy(ResourceArn=arn, Policy=json.dumps(policy))
    request = {"TableName": "films", "Item": {"pk": {"S": "a"}}}
    ada.put_item(**request)
    with pytest.raises(ClientError, match=r"AccessDeniedException.*user/bob is not authorized to perform"):
        bob.put_item(**request)
    assert bob.scan(TableName="films")["Count"] == 1
    with pytest.raises(ClientError, match="UnknownOperationException"):
        ada.list_global_tables()


def test_a_table_is_exported_and_imported(clients: list[Any], engine: Engine) -> None:
    ada, _ = clients
    arn = ada.create_table(**table("films"))["TableDescription"]["TableArn"]
    ada.put_item(TableName="films", Item={"pk": {"S": "a"}})
    begun = ada.export_table_to_point_in_time(TableArn=arn, S3Bucket="shelf")["ExportDescription"]
    engine.maintenance.run()
    exported = ada.describe_export(ExportArn=begun["ExportArn"])["ExportDescription"]
    assert (exported["ExportStatus"], exported["ItemCount"]) == ("COMPLETED", 1)
    prefix = exported["ExportManifest"].replace("manifest-summary.json", "data/")
    imported = ada.import_table(
        S3BucketSource={"S3Bucket": "shelf", "S3KeyPrefix": prefix},
        InputFormat="DYNAMODB_JSON",
        InputCompressionType="GZIP",
        TableCreationParameters=table("again"),
    )["ImportTableDescription"]
    engine.maintenance.run()
    assert ada.describe_import(ImportArn=imported["ImportArn"])["ImportTableDescription"]["ImportedItemCount"] == 1
    assert ada.scan(TableName="again")["Items"] == [{"pk": {"S": "a"}}]
