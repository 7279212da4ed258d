"""The shapes of the item operations' requests."""

from __future__ import annotations

from typing import Any

from partita.dynamo.limits import TOTAL_SEGMENTS, TRANSACTION_ACTIONS
from partita.dynamo.shapes import Anything, Flag, Listing, Mapped, Structure, Text, Whole

TABLE_NAME = Text(required=True, least=1, most=1024, pattern=r"[a-zA-Z0-9_.:/-]+")
INDEX_NAME = Text(least=3, most=255, pattern=r"[a-zA-Z0-9_.-]+")
CAPACITY = Text(choices=("INDEXES", "TOTAL", "NONE"))
METRICS = Text(choices=("SIZE", "NONE"))
RETURN_VALUES = Text(choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"))
ON_FAILURE = Text(choices=("ALL_OLD", "NONE"))
SELECT = Text(choices=("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"))
LIMIT = Whole(least=1)
SEGMENT = Whole(least=0, most=TOTAL_SEGMENTS - 1)
SEGMENTS = Whole(least=1, most=TOTAL_SEGMENTS)
TOKEN = Text(least=1, most=36)
_OPERATOR = Text(choices=("OR", "AND"))
_COMPARISONS = (
    "IN",
    "NULL",
    "BETWEEN",
    "LT",
    "NOT_CONTAINS",
    "EQ",
    "GT",
    "NOT_NULL",
    "NE",
    "LE",
    "BEGINS_WITH",
    "GE",
    "CONTAINS",
)
_NAMES = Mapped(Text(least=1, most=65535))
_VALUES = Mapped(Anything())
_EXPRESSION = Text()
_ATTRIBUTES_TO_GET = Listing(Text(least=0, most=65535), least=1)
_VALUE_LIST = Listing(Anything())
_EXPECTED = Mapped(
    Structure(
        {
            "Value": Anything(),
            "Exists": Flag(),
            "ComparisonOperator": Text(choices=_COMPARISONS),
            "AttributeValueList": _VALUE_LIST,
        }
    )
)
_CONDITIONS = Mapped(
    Structure({"AttributeValueList": _VALUE_LIST, "ComparisonOperator": Text(required=True, choices=_COMPARISONS)})
)
_NAMED: dict[str, Any] = {"ExpressionAttributeNames": _NAMES}
_FILLED: dict[str, Any] = {**_NAMED, "ExpressionAttributeValues": _VALUES}
_WRITE: dict[str, Any] = {
    "TableName": TABLE_NAME,
    "ConditionExpression": _EXPRESSION,
    **_FILLED,
    "ReturnValuesOnConditionCheckFailure": ON_FAILURE,
}
_SINGLE_WRITE: dict[str, Any] = {
    **_WRITE,
    "Expected": _EXPECTED,
    "ConditionalOperator": _OPERATOR,
    "ReturnValues": RETURN_VALUES,
    "ReturnConsumedCapacity": CAPACITY,
    "ReturnItemCollectionMetrics": METRICS,
}
_READ: dict[str, Any] = {
    "TableName": TABLE_NAME,
    "IndexName": INDEX_NAME,
    "Limit": LIMIT,
    "Select": SELECT,
    "AttributesToGet": _ATTRIBUTES_TO_GET,
    "ConditionalOperator": _OPERATOR,
    "ExclusiveStartKey": Anything(),
    "ProjectionExpression": _EXPRESSION,
    "FilterExpression": _EXPRESSION,
    **_FILLED,
    "ConsistentRead": Flag(),
    "ReturnConsumedCapacity": CAPACITY,
}

GET = Structure(
    {
        "TableName": TABLE_NAME,
        "Key": Anything(required=True),
        "AttributesToGet": _ATTRIBUTES_TO_GET,
        "ConsistentRead": Flag(),
        "ProjectionExpression": _EXPRESSION,
        **_NAMED,
        "ReturnConsumedCapacity": CAPACITY,
    }
)
PUT = Structure({**_SINGLE_WRITE, "Item": Anything(required=True)})
DELETE = Structure({**_SINGLE_WRITE, "Key": Anything(required=True)})
UPDATE = Structure(
    {
        **_SINGLE_WRITE,
        "Key": Anything(required=True),
        "UpdateExpression": _EXPRESSION,
        "AttributeUpdates": Mapped(Structure({"Value": Anything(), "Action": Text(choices=("ADD", "PUT", "DELETE"))})),
    }
)
QUERY = Structure(
    {
        **_READ,
        "KeyConditionExpression": _EXPRESSION,
        "KeyConditions": _CONDITIONS,
        "QueryFilter": _CONDITIONS,
        "ScanIndexForward": Flag(),
    }
)
SCAN = Structure(
    {
        **_READ,
        "ScanFilter": _CONDITIONS,
        "Segment": SEGMENT,
        "TotalSegments": SEGMENTS,
    }
)
BATCH_GET = Structure(
    {
        "RequestItems": Mapped(
            Structure(
                {
                    "Keys": Listing(Anything(), required=True, least=1),
                    "AttributesToGet": _ATTRIBUTES_TO_GET,
                    "ConsistentRead": Flag(),
                    "ProjectionExpression": _EXPRESSION,
                    **_NAMED,
                }
            ),
            required=True,
            least=1,
        ),
        "ReturnConsumedCapacity": CAPACITY,
    }
)
BATCH_WRITE = Structure(
    {
        "RequestItems": Mapped(
            Listing(
                Structure(
                    {
                        "PutRequest": Structure({"Item": Anything(required=True)}),
                        "DeleteRequest": Structure({"Key": Anything(required=True)}),
                    }
                ),
                least=1,
            ),
            required=True,
            least=1,
        ),
        "ReturnConsumedCapacity": CAPACITY,
        "ReturnItemCollectionMetrics": METRICS,
    }
)
TRANSACT_GET = Structure(
    {
        "TransactItems": Listing(
            Structure(
                {
                    "Get": Structure(
                        {
                            "TableName": TABLE_NAME,
                            "Key": Anything(required=True),
                            "ProjectionExpression": _EXPRESSION,
                            **_NAMED,
                        },
                        required=True,
                    )
                }
            ),
            required=True,
            least=1,
            most=TRANSACTION_ACTIONS,
        ),
        "ReturnConsumedCapacity": CAPACITY,
    }
)
TRANSACT_WRITE = Structure(
    {
        "TransactItems": Listing(
            Structure(
                {
                    "ConditionCheck": Structure(
                        {**_WRITE, "Key": Anything(required=True), "ConditionExpression": Text(required=True)}
                    ),
                    "Put": Structure({**_WRITE, "Item": Anything(required=True)}),
                    "Delete": Structure({**_WRITE, "Key": Anything(required=True)}),
                    "Update": Structure(
                        {**_WRITE, "Key": Anything(required=True), "UpdateExpression": Text(required=True)}
                    ),
                }
            ),
            required=True,
            least=1,
            most=TRANSACTION_ACTIONS,
        ),
        "ClientRequestToken": TOKEN,
        "ReturnConsumedCapacity": CAPACITY,
        "ReturnItemCollectionMetrics": METRICS,
    }
)
