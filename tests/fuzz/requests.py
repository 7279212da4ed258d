"""Hostile requests: valid ones bent in random places, soups of expression tokens, bodies that are no JSON at all."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from partita.dynamo.parse import ITEM_OPERATIONS
from partita.dynamo.partiql.requests import STATEMENT_OPERATIONS
from partita.engine.operations import TABLE_OPERATIONS

OPERATIONS = sorted(ITEM_OPERATIONS | STATEMENT_OPERATIONS | TABLE_OPERATIONS)
_KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
_NAMES = {"#a": "alpha", "#b": "b.c"}
_VALUES = {":a": {"S": "x"}, ":n": {"N": "1"}, ":l": {"L": [{"S": "x"}]}, ":s": {"SS": ["a", "b"]}}
_CREATE: dict[str, Any] = {
    "TableName": "scratch",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "alpha", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "byAlpha",
            "KeySchema": [{"AttributeName": "alpha", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
TABLE = {**_CREATE, "TableName": "fuzz", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}}
_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/fuzz"
_WRITE = {"ConditionExpression": "#a = :a", "ExpressionAttributeNames": _NAMES, "ExpressionAttributeValues": _VALUES}

_CORPUS: dict[str, list[dict[str, Any]]] = {
    "PutItem": [
        {"TableName": "fuzz", "Item": {**_KEY, "alpha": {"S": "x"}, "m": {"M": {"l": {"L": [{"B": "AA=="}]}}}}},
        {"TableName": "fuzz", "Item": _KEY, "Expected": {"alpha": {"ComparisonOperator": "NULL"}}},
    ],
    "GetItem": [{"TableName": "fuzz", "Key": _KEY, "ProjectionExpression": "alpha, m.l[0]", "ConsistentRead": True}],
    "UpdateItem": [
        {"TableName": "fuzz", "Key": _KEY, "UpdateExpression": "SET #a = :a ADD n :n", **_WRITE},
        {"TableName": "fuzz", "Key": _KEY, "AttributeUpdates": {"n": {"Action": "ADD", "Value": {"N": "1"}}}},
    ],
    "DeleteItem": [{"TableName": "fuzz", "Key": _KEY, "ReturnValues": "ALL_OLD", **_WRITE}],
    "Query": [
        {
            "TableName": "fuzz",
            "KeyConditionExpression": "pk = :a AND sk > :n",
            "FilterExpression": "contains(#a, :a)",
            "ExpressionAttributeNames": {"#a": "alpha"},
            "ExpressionAttributeValues": {":a": {"S": "a"}, ":n": {"N": "0"}},
            "Limit": 5,
            "ExclusiveStartKey": _KEY,
        },
        {
            "TableName": "fuzz",
            "IndexName": "byAlpha",
            "KeyConditions": {"alpha": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}},
        },
    ],
    "Scan": [
        {"TableName": "fuzz", "Segment": 0, "TotalSegments": 3, "Select": "COUNT"},
        {"TableName": "fuzz", "ScanFilter": {"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "0"}]}}},
    ],
    "BatchGetItem": [{"RequestItems": {"fuzz": {"Keys": [_KEY], "ProjectionExpression": "alpha"}}}],
    "BatchWriteItem": [
        {
            "RequestItems": {
                "fuzz": [{"PutRequest": {"Item": _KEY}}, {"DeleteRequest": {"Key": {**_KEY, "sk": {"N": "2"}}}}]
            }
        }
    ],
    "TransactGetItems": [{"TransactItems": [{"Get": {"TableName": "fuzz", "Key": _KEY}}]}],
    "TransactWriteItems": [
        {
            "TransactItems": [
                {"Put": {"TableName": "fuzz", "Item": _KEY}},
                {
                    "ConditionCheck": {
                        "TableName": "fuzz",
                        "Key": {**_KEY, "sk": {"N": "3"}},
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
            ],
            "ClientRequestToken": "token",
        }
    ],
    "ExecuteStatement": [
        {
            "Statement": "SELECT alpha, m.l[0] FROM fuzz WHERE pk IN ['a', ?] AND sk > 0 AND NOT alpha IS MISSING",
            "Parameters": [{"S": "b"}],
            "Limit": 3,
            "ReturnConsumedCapacity": "INDEXES",
        },
        {"Statement": "SELECT * FROM fuzz.\"byAlpha\" WHERE alpha = 'x' ORDER BY alpha DESC"},
        {"Statement": "SELECT * FROM fuzz WHERE pk = 'a'", "Limit": 1, "NextToken": "WyIiLDAse31d"},
        {"Statement": "UPDATE fuzz SET n = 1 REMOVE m WHERE pk = 'a' AND sk = 1 RETURNING ALL OLD *"},
        {"Statement": "INSERT INTO fuzz VALUE {'pk': 'a', 'sk': ?, 's': <<'a'>>}", "Parameters": [{"N": "5"}]},
        {"Statement": "DELETE FROM fuzz WHERE pk = 'a' AND sk = 5 AND s = <<'a'>>"},
    ],
    "BatchExecuteStatement": [
        {
            "Statements": [
                {"Statement": "SELECT * FROM fuzz WHERE pk = 'a' AND sk = ?", "Parameters": [{"N": "1"}]},
                {"Statement": "SELECT n FROM fuzz WHERE pk = 'a' AND sk = 2", "ConsistentRead": True},
            ]
        }
    ],
    "ExecuteTransaction": [
        {
            "TransactStatements": [
                {"Statement": "EXISTS(SELECT * FROM fuzz WHERE pk = 'a' AND sk = 1 AND zz IS MISSING)"},
                {"Statement": "UPDATE fuzz SET n = ? WHERE pk = 'a' AND sk = 2", "Parameters": [{"N": "1"}]},
            ],
            "ClientRequestToken": "token",
        }
    ],
    "CreateTable": [_CREATE],
    "UpdateTable": [{"TableName": "scratch", "BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": False}],
    "DeleteTable": [{"TableName": "scratch"}],
    "DescribeTable": [{"TableName": "fuzz"}],
    "ListTables": [{"Limit": 3, "ExclusiveStartTableName": "aaa"}],
    "TagResource": [{"ResourceArn": _ARN, "Tags": [{"Key": "k", "Value": "v"}]}],
    "UntagResource": [{"ResourceArn": _ARN, "TagKeys": ["k"]}],
    "ListTagsOfResource": [{"ResourceArn": _ARN}],
    "UpdateTimeToLive": [
        {"TableName": "scratch", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    ],
    "ListStreams": [{"TableName": "fuzz", "Limit": 2}],
    "ListBackups": [{"TableName": "fuzz"}],
    "DescribeBackup": [{"BackupArn": f"{_ARN}/backup/00000000000000-00000000"}],
    "RestoreTableFromBackup": [{"TargetTableName": "again", "BackupArn": f"{_ARN}/backup/00000000000000-00000000"}],
}

_TOKENS = [
    "a",
    "#a",
    ":a",
    ":n",
    ":l",
    ":s",
    ",",
    ".",
    "(",
    ")",
    "[",
    "]",
    "[0]",
    "[99999999999]",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "AND",
    "OR",
    "NOT",
    "BETWEEN",
    "IN",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "size(",
    "attribute_exists(",
    "attribute_type(",
    "begins_with(",
    "contains(",
    "if_not_exists(",
    "list_append(",
    "status",
    "m.l",
    "é",
    "\x00",
    "'",
    '"',
    ";",
]


_STATEMENT_TOKENS = [
    *("SELECT * FROM fuzz WHERE", "UPDATE fuzz SET", "INSERT INTO fuzz VALUE", "DELETE FROM fuzz WHERE", "FROM fuzz"),
    *("a", "pk", "sk", '"é"', '""', "'x'", "''", "?", "1", "-", "1e400", "1e99999999999", "NULL", "MISSING", "true"),
    *(
        "=",
        "<>",
        "<",
        ">=",
        "+",
        "||",
        "AND",
        "OR",
        "NOT",
        "IN",
        "BETWEEN",
        "IS",
        "LIKE",
        "ORDER BY",
        "RETURNING ALL OLD *",
    ),
    *("(", ")", "[", "]", "{", "}", "<<", ">>", ",", ".", ":", ";", "*", "--", "/*", "*/", "`", "#", "\x00"),
    *("size(", "contains(", "attribute_type(", "set_add(", "list_append(", "EXISTS(", "REMOVE", "SET"),
]


_PLACES = ("0" * 21, "9" * 21, str(2**63), str(2**64), "²", "1" * 40, "-1", "1")
"""Sequence numbers that some reader of numbers has stumbled over."""


def corpus(stream: str, shard: str) -> dict[str, list[dict[str, Any]]]:
    """Requests that work, and positions in a stream that nobody was given: those are looked at only if the stream
    exists."""
    within = {"StreamArn": stream, "ShardId": shard}
    forged = (
        *([stream, place, 4e9, exact] for place in (1, 0, -1, 2**63, 1e300, "²", None) for exact in (True, False)),
        [stream, 1, "NaN", True],
        [[], {}, None, None],
        [stream],
    )
    return {
        **_CORPUS,
        "DescribeStream": [{"StreamArn": stream}],
        "GetShardIterator": [
            {**within, "ShardIteratorType": "LATEST"},
            *(
                {**within, "ShardIteratorType": f"{kind}_SEQUENCE_NUMBER", "SequenceNumber": place}
                for kind in ("AT", "AFTER")
                for place in _PLACES
            ),
        ],
        "GetRecords": [{"ShardIterator": b64encode(json.dumps(each).encode()).decode()} for each in forged],
    }


def hostile(dice: random.Random, corpus: dict[str, list[dict[str, Any]]]) -> tuple[str, bytes]:
    """An operation and a body."""
    if dice.random() < 0.15:
        return dice.choice(OPERATIONS), _no_json(dice)
    operation = dice.choice(list(corpus))
    request = json.loads(json.dumps(dice.choice(corpus[operation])))
    for _ in range(dice.choice((0, 1, 1, 1, 2, 3))):
        request = bent(request, dice, _junk)
    try:
        return operation, json.dumps(request, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")
    except RecursionError:
        return operation, b"{}"


def bent(request: Any, dice: random.Random, junk: Callable[[random.Random], Any]) -> Any:
    """The request with one random place changed."""
    if not isinstance(request, dict | list):
        return junk(dice)
    places: list[tuple[Any, Any]] = []
    waiting = [request]
    while waiting:
        current = waiting.pop()
        entries = list(current.items()) if isinstance(current, dict) else list(enumerate(current))
        for place, inner in entries:
            places.append((current, place))
            if isinstance(inner, dict | list):
                waiting.append(inner)
    if not places:
        return junk(dice)
    container, place = dice.choice(places)
    old = container[place]
    if isinstance(container, dict) and dice.random() < 0.15:
        del container[place]
    elif isinstance(container, dict) and dice.random() < 0.1:
        container[_text(dice)] = container.pop(place)
    elif isinstance(old, str) and str(place).endswith("Expression"):
        container[place] = _soup(dice)
    elif isinstance(old, str) and place == "Statement":
        container[place] = _statement_soup(dice)
    else:
        container[place] = junk(dice)
    return request


def _soup(dice: random.Random) -> str:
    kind = dice.randrange(6)
    if kind == 0:
        return "(" * dice.choice((3, 300, 2000)) + "a = :a" + ")" * dice.choice((3, 300, 2000))
    if kind == 1:
        return "NOT " * dice.choice((2, 299, 301, 1000)) + "a = :a"
    if kind == 2:
        return "SET a = " + "if_not_exists(a, " * dice.choice((2, 100, 230)) + ":n" + ")" * dice.choice((2, 100, 230))
    if kind == 3:
        return " AND ".join(["a = :a"] * dice.choice((2, 150, 301, 600)))
    return " ".join(dice.choices(_TOKENS, k=dice.randrange(1, 40)))


def _statement_soup(dice: random.Random) -> str:
    start = dice.choice(("SELECT * FROM fuzz WHERE ", "UPDATE fuzz SET a = ", "INSERT INTO fuzz VALUE {'a': ", ""))
    match dice.randrange(7):
        case 0:
            return start + dice.choice(("(", "[", "{'a':", "NOT ", "- ", "size(", "<<")) * dice.choice(
                (3, 99, 101, 1500)
            )
        case 1:
            return (
                start + dice.choice(("a = ", "a + ", "a || ", "a.", "a[0]", "a IS ")) * dice.choice((3, 99, 2000)) + "1"
            )
        case 2:
            return start + " OR ".join(["pk = 'a' AND sk = 1"] * dice.choice((2, 50, 51, 300)))
        case 3:
            return start + " AND ".join(["(pk = 'a' OR pk = 'b' OR sk = 1)"] * dice.choice((2, 6, 60)))
    return start + " ".join(dice.choices(_STATEMENT_TOKENS, k=dice.randrange(1, 40)))


def _text(dice: random.Random) -> str:
    return dice.choice(
        (
            "",
            "a",
            "é",
            "\ud800",
            "\U0001f600",
            "x" * 256,
            "x" * 3000,
            "__proto__",
            "a\x00b",
            "../../etc",
            "%s%n",
            "²",
            "1" * 21,
            "' OR 1=1 --",
        )
    )


_NUMBERS = (
    *("0", "-0", "1e126", "1e-131", "9" * 38, "9" * 39, "9" * 5000, "1e99999999999999999999", "1" + "0" * 125),
    *("0x10", "NaN", "Infinity", "-1.5e-7", ".", "", " 1", "1_000", "\u0663", "1e", "--1"),
)


def _number(dice: random.Random) -> str:
    return dice.choice(_NUMBERS)


def _junk(dice: random.Random) -> Any:
    match dice.randrange(12):
        case 0:
            return None
        case 1:
            return dice.choice((True, False, 0, -1, 2**31, 2**63, 2**64, 1.5, 1e308))
        case 2:
            return _text(dice)
        case 3:
            return {"N": _number(dice)}
        case 4:
            return []
        case 5:
            return {}
        case 6:
            return _deep(dice)
        case 7:
            return {"B": dice.choice(("", "A", "AA==", "!!!!", "AAA", "é", "A" * 4000))}
        case 8:
            return {dice.choice(("SS", "NS", "BS")): dice.choice(([], ["1", "1"], ["1", None], "1", [[]], ["", "a"]))}
        case 9:
            return {"S": _text(dice), "N": "1"}
        case 10:
            return [_junk(dice) for _ in range(dice.randrange(5))]
    return {_text(dice): _junk(dice)}


def _deep(dice: random.Random) -> Any:
    value: Any = {"S": "bottom"}
    for _ in range(dice.choice((5, 31, 32, 33, 200))):
        value = {"M": {"a": value}} if dice.random() < 0.5 else {"L": [value]}
    return value


def _no_json(dice: random.Random) -> bytes:
    return dice.choice(
        (
            b"",
            b"null",
            b"[]",
            b'"text"',
            b"{",
            b'{"TableName": "fuzz"',
            b'{"TableName": "\xff\xfe"}',
            b'{"TableName": "\\ud800"}',
            b"\xef\xbb\xbf{}",
            b"[" * dice.choice((10, 1023, 1025, 100_000)),
            b'{"a":' * dice.choice((10, 1025, 50_000)),
            b'{"Limit": ' + b"9" * dice.choice((20, 400, 10_000)) + b"}",
            b'{"Limit": 1e999999}',
            b'{"Limit": NaN}',
            bytes(dice.randrange(256) for _ in range(dice.randrange(200))),
            b'{"TableName": "fuzz", "TableName": null}',
        )
    )
