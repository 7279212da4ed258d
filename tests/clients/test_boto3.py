"""A small program with boto3: a guest book with a stream, paging, transactions and expiry."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key

from partita.engine import Engine
from partita.engine.boto import connect
from tests.serving import CREDENTIALS, Served


@pytest.fixture(params=["through the door", "in process"])
def session(request: pytest.FixtureRequest, door: Served) -> Iterator[Any]:
    """The same program must work both ways."""
    session = boto3.Session(**CREDENTIALS)
    if request.param == "in process":
        with Engine.temporary() as engine:
            yield connect(session, engine), {}
    else:
        yield session, {"endpoint_url": door.url}


def test_a_guest_book_is_written_paged_changed_and_watched(session: Any) -> None:
    boto, options = session
    resource = boto.resource("dynamodb", **options)
    client = resource.meta.client
    table = resource.create_table(
        TableName="guests",
        KeySchema=[{"AttributeName": "book", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "book", "AttributeType": "S"},
            {"AttributeName": "at", "AttributeType": "N"},
            {"AttributeName": "name", "AttributeType": "S"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "byName",
                "KeySchema": [
                    {"AttributeName": "name", "KeyType": "HASH"},
                    {"AttributeName": "at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["mood"]},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    table.wait_until_exists()
    assert table.creation_date_time is not None

    with table.batch_writer() as batch:
        for at in range(60):
            batch.put_item(
                Item={"book": "summer", "at": at, "name": f"guest {at % 3}", "mood": "sunny", "photo": b"\x00\xff"}
            )
    pages = list(
        client.get_paginator("query").paginate(
            TableName="guests",
            KeyConditionExpression="book = :b",
            ExpressionAttributeValues={":b": "summer"},
            PaginationConfig={"PageSize": 7},
        )
    )
    assert [item["at"] for page in pages for item in page["Items"]] == list(range(60))
    named = table.query(
        IndexName="byName",
        KeyConditionExpression=Key("name").eq("guest 1") & Key("at").gte(30),
        FilterExpression=Attr("mood").eq("sunny"),
        ScanIndexForward=False,
        ReturnConsumedCapacity="TOTAL",
    )
    assert [item["at"] for item in named["Items"]] == list(range(58, 30, -3))
    assert "photo" not in named["Items"][0]
    assert named["ConsumedCapacity"]["CapacityUnits"] == 0.5

    changed = table.update_item(
        Key={"book": "summer", "at": 5},
        UpdateExpression="SET stars = if_not_exists(stars, :zero) + :half",
        ExpressionAttributeValues={":zero": 4, ":half": Decimal("0.5")},
        ReturnValues="ALL_NEW",
    )
    assert changed["Attributes"]["stars"] == Decimal("4.5")
    assert changed["Attributes"]["photo"].value == b"\x00\xff"
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        table.put_item(Item={"book": "summer", "at": 5}, ConditionExpression=Attr("book").not_exists())
    with pytest.raises(client.exceptions.TransactionCanceledException) as canceled:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": "guests", "Item": {"book": "winter", "at": 1}}},
                {
                    "ConditionCheck": {
                        "TableName": "guests",
                        "Key": {"book": "summer", "at": 99},
                        "ConditionExpression": "attribute_exists(book)",
                    }
                },
            ]
        )
    codes = [reason["Code"] for reason in canceled.value.response["CancellationReasons"]]
    assert codes == ["None", "ConditionalCheckFailed"]
    assert "Item" not in table.get_item(Key={"book": "winter", "at": 1})

    streams = boto.client("dynamodbstreams", **options)
    arn = table.latest_stream_arn
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    assert [record["eventName"] for record in records] == ["INSERT"] * 60 + ["MODIFY"]
    assert records[-1]["dynamodb"]["NewImage"]["stars"] == {"N": "4.5"}
    assert records[-1]["dynamodb"]["NewImage"]["photo"] == {"B": b"\x00\xff"}
    table.delete()


def test_connecting_something_that_is_not_boto3s_says_so() -> None:
    with Engine.temporary() as engine, pytest.raises(TypeError, match="not a boto3 session, client or resource"):
        connect(object(), engine)
