"""A small program with aiobotocore: many tasks book seats, and no seat is booked twice."""

import asyncio

import aiobotocore.session
from botocore.exceptions import ClientError

from tests.serving import CREDENTIALS, Served

SEATS = 12
PEOPLE = 30


async def _book(client: object, person: int) -> int | None:
    """Take the first free seat, or none."""
    for seat in range(SEATS):
        try:
            await client.put_item(  # type: ignore[attr-defined]
                TableName="seats",
                Item={"show": {"S": "matinee"}, "seat": {"N": str(seat)}, "person": {"N": str(person)}},
                ConditionExpression="attribute_not_exists(seat)",
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
        else:
            return seat
    return None


async def _program(url: str) -> list[int | None]:
    credentials = {name: value for name, value in CREDENTIALS.items() if name != "region_name"}
    session = aiobotocore.session.get_session()
    async with session.create_client("dynamodb", region_name="us-east-1", endpoint_url=url, **credentials) as client:
        await client.create_table(
            TableName="seats",
            KeySchema=[{"AttributeName": "show", "KeyType": "HASH"}, {"AttributeName": "seat", "KeyType": "RANGE"}],
            AttributeDefinitions=[
                {"AttributeName": "show", "AttributeType": "S"},
                {"AttributeName": "seat", "AttributeType": "N"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        booked = await asyncio.gather(*(_book(client, person) for person in range(PEOPLE)))
        counted = await client.query(
            TableName="seats",
            KeyConditionExpression="#s = :s",
            ExpressionAttributeNames={"#s": "show"},
            ExpressionAttributeValues={":s": {"S": "matinee"}},
            Select="COUNT",
        )
        assert counted["Count"] == SEATS
        return list(booked)


def test_thirty_tasks_take_twelve_seats_each_once(door: Served) -> None:
    booked = asyncio.run(_program(door.url))
    taken = sorted(seat for seat in booked if seat is not None)
    assert taken == list(range(SEATS))
