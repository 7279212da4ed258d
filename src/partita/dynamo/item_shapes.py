"""The shapes of the item operations' requests."""

from __future__ import annotations

from typing import Any

from partita.dynamo.limits import BATCH_WRITE_ITEMS, TOTAL_SEGMENTS, TRANSACTION_ACTIONS
from partita.dynamo.shapes import Attribute, Attributes, Flag, Listing, Mapped, Structure, TableName, Text, Whole

TABLE_NAME = TableName()
INDEX_NAME = Text(least=3, most=255, pattern=r"[a-zA-Z0-9_.-]+")
CAPACITY = Text(choices=("INDEXES", "TOTAL", "NONE"))
METRICS = Text(choices=("SIZE", "NONE"))
RETURN_VALUES = Text(
    choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
    # As DynamoDB spells it.
    told=(
        "Failed to satisfy constraint: Member must satisfy enum value set: "
        "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
    ),
)
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
_NAMES = Mapped(Text())
_VALUES = Mapped(Attribute())
_EXPRESSION = Text()
_ATTRIBUTES_TO_GET = Listing(Text(), least=1)
_VALUE_LIST = Listing(Attribute())
_EXPECTED = Mapped(
    Structure(
        {
            "Value": Attribute(),
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
    "ExclusiveStartKey": Attributes(),
    "ProjectionExpression": _EXPRESSION,
    "FilterExpression": _EXPRESSION,
    **_FILLED,
    "ConsistentRead": Flag(),
    "ReturnConsumedCapacity": CAPACITY,
}

GET = Structure(
    {
        "TableName": TABLE_NAME,
        "Key": Attributes(required=True),
        "AttributesToGet": _ATTRIBUTES_TO_GET,
        "ConsistentRead": Flag(),
        "ProjectionExpression": _EXPRESSION,
        **_NAMED,
        "ReturnConsumedCapacity": CAPACITY,
    }
)
PUT = Structure({**_SINGLE_WRITE, "Item": Attributes(required=True)})
DELETE = Structure({**_SINGLE_WRITE, "Key": Attributes(required=True)})
UPDATE = Structure(
    {
        **_SINGLE_WRITE,
        "Key": Attributes(required=True),
        "UpdateExpression": _EXPRESSION,
        "AttributeUpdates": Mapped(Structure({"Value": Attribute(), "Action": Text(choices=("ADD", "PUT", "DELETE"))})),
    }
)
QUERY = Structure(
    {
        **_READ,
        "Limit": Whole(least=1, bare=True),
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
                    "Keys": Listing(Attributes(), required=True),
                    "AttributesToGet": _ATTRIBUTES_TO_GET,
                    "ConsistentRead": Flag(),
                    "ProjectionExpression": _EXPRESSION,
                    **_NAMED,
                }
            ),
            required=True,
            of_tables=True,
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
                        "PutRequest": Structure({"Item": Attributes(required=True)}, name="PutRequest"),
                        "DeleteRequest": Structure({"Key": Attributes(required=True)}, name="DeleteRequest"),
                    },
                    name="WriteRequest",
                )
            ),
            required=True,
            lengths=(1, BATCH_WRITE_ITEMS),
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
                            "Key": Attributes(required=True),
                            "ProjectionExpression": _EXPRESSION,
                            **_NAMED,
                        },
                        required=True,
                        name="Get",
                    )
                },
                name="TransactGetItem",
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
                        {**_WRITE, "Key": Attributes(required=True), "ConditionExpression": Text(required=True)},
                        name="ConditionCheck",
                    ),
                    "Put": Structure({**_WRITE, "Item": Attributes(required=True)}, name="Put"),
                    "Delete": Structure({**_WRITE, "Key": Attributes(required=True)}, name="Delete"),
                    "Update": Structure(
                        {**_WRITE, "Key": Attributes(required=True), "UpdateExpression": Text(required=True)},
                        name="Update",
                    ),
                },
                name="TransactWriteItem",
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
