"""The tables that the workers write to, and reading them whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

Item = dict[str, Any]


class Engine(Protocol):
    """An engine in this process, or one behind a door."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run an operation."""
        ...


NOTES = "notes"  # every item belongs to one thread, which knows what must be there
ACCOUNTS = "accounts"  # shared by all; the sum of the balances never changes
TRANSFERS = "transfers"  # two entries per transfer, from which the balances can be computed again
SESSIONS = "sessions"  # items that expire
SIDE = "side-"  # tables that come and go
RESTORED = "side-restored-"  # tables made from backups of those
LATE = "late"  # an index of the notes that comes and goes

ACCOUNT_NAMES = [f"account-{number:02d}" for number in range(20)]
OPENING_BALANCE = 1000

_STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def key_schema(hash_key: str, range_key: str | None = None) -> list[dict[str, str]]:
    """KeySchema."""
    schema = [{"AttributeName": hash_key, "KeyType": "HASH"}]
    return schema if range_key is None else [*schema, {"AttributeName": range_key, "KeyType": "RANGE"}]


def _index(name: str, keys: list[dict[str, str]], projection: str, *included: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"ProjectionType": projection}
    if included:
        shown["NonKeyAttributes"] = list(included)
    return {"IndexName": name, "KeySchema": keys, "Projection": shown}


def _attributes(**kinds: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]


def _definitions() -> Iterator[dict[str, Any]]:
    yield {
        "TableName": NOTES,
        "AttributeDefinitions": _attributes(pk="S", sk="S", tag="S", version="N", stars="N", flag="S"),
        "KeySchema": key_schema("pk", "sk"),
        "LocalSecondaryIndexes": [_index("byVersion", key_schema("pk", "version"), "INCLUDE", "tag")],
        "GlobalSecondaryIndexes": [
            _index("byTag", key_schema("tag", "version"), "ALL"),
            _index("byStars", key_schema("stars"), "KEYS_ONLY"),
            _index("byFlag", key_schema("flag", "sk"), "INCLUDE", "payload", "hits"),
        ],
        "StreamSpecification": _STREAM,
    }
    yield {
        "TableName": ACCOUNTS,
        "AttributeDefinitions": _attributes(name="S", bank="S", balance="N"),
        "KeySchema": key_schema("name"),
        "GlobalSecondaryIndexes": [_index("byBalance", key_schema("bank", "balance"), "ALL")],
        "StreamSpecification": _STREAM,
    }
    yield {
        "TableName": TRANSFERS,
        "AttributeDefinitions": _attributes(id="S", side="S", account="S"),
        "KeySchema": key_schema("id", "side"),
        "GlobalSecondaryIndexes": [_index("byAccount", key_schema("account", "id"), "KEYS_ONLY")],
        "StreamSpecification": _STREAM,
    }
    yield {
        "TableName": SESSIONS,
        "AttributeDefinitions": _attributes(id="S", owner="S", expires_at="N"),
        "KeySchema": key_schema("id"),
        "GlobalSecondaryIndexes": [_index("byOwner", key_schema("owner", "expires_at"), "ALL")],
        "StreamSpecification": _STREAM,
    }


def create_all(engine: Engine) -> None:
    """What a folder holds before the first crash."""
    for definition in _definitions():
        engine.call("CreateTable", {**definition, "BillingMode": "PAY_PER_REQUEST"})
        recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        engine.call("UpdateContinuousBackups", {"TableName": definition["TableName"], **recovery})
    engine.call("UpdateTimeToLive", time_to_live(SESSIONS, "expires_at", enabled=True))
    for name in ACCOUNT_NAMES:
        item = {"name": {"S": name}, "bank": {"S": "north"}, "balance": {"N": str(OPENING_BALANCE)}}
        engine.call("PutItem", {"TableName": ACCOUNTS, "Item": item})


def time_to_live(table: str, attribute: str, *, enabled: bool) -> dict[str, Any]:
    """UpdateTimeToLive."""
    return {"TableName": table, "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute}}


def side_table(name: str) -> dict[str, Any]:
    """A table without a stream."""
    return {
        "TableName": name,
        "AttributeDefinitions": _attributes(id="S", color="S"),
        "KeySchema": key_schema("id"),
        "GlobalSecondaryIndexes": [_index("byColor", key_schema("color"), "ALL")],
        "BillingMode": "PAY_PER_REQUEST",
    }


def late_index(projection: str) -> dict[str, Any]:
    """UpdateTable that makes an index of the notes, filled in the background."""
    return {
        "TableName": NOTES,
        "AttributeDefinitions": _attributes(tag="S", stars="N"),
        "GlobalSecondaryIndexUpdates": [{"Create": _index(LATE, key_schema("tag", "stars"), projection)}],
    }


def pages(engine: Engine, operation: str, request: dict[str, Any]) -> list[Item]:
    """All items of a Query or Scan."""
    items: list[Item] = []
    start: dict[str, Any] = {}
    while True:
        page = engine.call(operation, {**request, **start})
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
