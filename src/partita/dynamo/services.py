"""The two services of DynamoDB: which operations each has, and how a request names them."""

from __future__ import annotations

ITEMS_AND_TABLES = "DynamoDB_20120810"
STREAMS = "DynamoDBStreams_20120810"
STREAM_OPERATIONS = frozenset({"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"})


def target(operation: str) -> str:
    """X-Amz-Target."""
    return f"{STREAMS if operation in STREAM_OPERATIONS else ITEMS_AND_TABLES}.{operation}"
