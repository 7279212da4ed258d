"""boto3's own retries at work against a fault plan."""

import boto3
import pytest
from botocore.config import Config

from partita.engine import Engine, FaultPlan
from partita.engine.boto import connect
from tests.serving import CREDENTIALS

TABLE = {
    "TableName": "counters",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def test_boto3_retries_what_the_plan_throttles_and_counts_right() -> None:
    with Engine.temporary(faults=FaultPlan(seed=3, throttle=0.3)) as engine:
        retries = Config(retries={"max_attempts": 10, "mode": "standard"})
        client = boto3.Session(**CREDENTIALS).client("dynamodb", config=retries)
        connect(client, engine)
        client.create_table(**TABLE)
        attempts = 0
        for _ in range(30):
            answer = client.update_item(
                TableName="counters",
                Key={"pk": {"S": "a"}},
                UpdateExpression="ADD visits :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
                ReturnValues="ALL_NEW",
            )
            attempts += 1 + answer["ResponseMetadata"]["RetryAttempts"]
        assert answer["Attributes"]["visits"] == {"N": "30"}
        assert attempts > 30


def test_without_retries_the_plan_is_felt() -> None:
    with Engine.temporary(faults=FaultPlan(throttle=1.0)) as engine:
        client = boto3.Session(**CREDENTIALS).client("dynamodb", config=Config(retries={"total_max_attempts": 1}))
        connect(client, engine)
        client.create_table(**TABLE)
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
            client.get_item(TableName="counters", Key={"pk": {"S": "a"}})
