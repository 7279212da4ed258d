"""Resource policies hold for the keys of the door: what one denies is refused, to whom it says, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import AccessDeniedError, DynamoError, ValidationError
from partita.engine import Engine
from partita.engine.policy_rules import Rule, rules
from tests.engine.tables import Clock, Wire, create, index, put, values

_TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/music"
_ADA = "arn:aws:iam::000000000000:user/ada"
_KEY = {"pk": {"S": "a"}}
_NAMED = {"TableName": "music"}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine.temporary(clock=Clock(), background=False) as engine:
        stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
        create(engine, gsis=[index("byTag", "tag")], StreamSpecification=stream)
        create(engine, "other")
        put(engine, pk="a")
        yield engine


def _deny(engine: Engine, arn: str = _TABLE, **changes: Any) -> None:
    statement = {"Effect": "Deny", "Principal": {"AWS": _ADA}, "Action": "dynamodb:*", "Resource": [arn, f"{arn}/*"]}
    engine.call(
        "PutResourcePolicy", {"ResourceArn": arn, "Policy": json.dumps({"Statement": {**statement, **changes}})}
    )


def _ask(engine: Engine, key: str | None, operation: str, request: Wire) -> str:
    """What the holder of a key is answered: the message of an error, or nothing."""
    answers: SimpleQueue[bytes | DynamoError] = SimpleQueue()
    engine.answer(operation, json.dumps(request).encode(), answers.put, key)
    answer = answers.get(timeout=60)  # writes and operations on tables are answered by another thread
    return "" if isinstance(answer, bytes) else f"{answer.code}: {answer.message}"


_REQUESTS: list[tuple[str, str, Wire]] = [
    ("GetItem", "GetItem", {**_NAMED, "Key": _KEY}),
    ("PutItem", "PutItem", {**_NAMED, "Item": _KEY}),
    ("UpdateItem", "UpdateItem", {"TableName": _TABLE, "Key": _KEY}),
    ("DeleteItem", "DeleteItem", {**_NAMED, "Key": {"pk": {"S": "z"}}}),
    ("Query", "Query", {**_NAMED, "KeyConditionExpression": "pk = :a", **values(a="a")}),
    ("Scan", "Scan", _NAMED),
    ("BatchGetItem", "BatchGetItem", {"RequestItems": {"other": {"Keys": [_KEY]}, "music": {"Keys": [_KEY]}}}),
    ("BatchWriteItem", "BatchWriteItem", {"RequestItems": {"music": [{"PutRequest": {"Item": _KEY}}]}}),
    ("TransactGetItems", "GetItem", {"TransactItems": [{"Get": {**_NAMED, "Key": _KEY}}]}),
    ("TransactWriteItems", "PutItem", {"TransactItems": [{"Put": {**_NAMED, "Item": _KEY}}]}),
    (
        "TransactWriteItems",
        "ConditionCheckItem",
        {
            "TransactItems": [
                {"ConditionCheck": {**_NAMED, "Key": _KEY, "ConditionExpression": "attribute_exists(pk)"}},
            ]
        },
    ),
    ("ExecuteStatement", "PartiQLSelect", {"Statement": "SELECT * FROM music"}),
    ("ExecuteStatement", "PartiQLDelete", {"Statement": "DELETE FROM music WHERE pk = 'z'"}),
    ("BatchExecuteStatement", "PartiQLSelect", {"Statements": [{"Statement": "SELECT * FROM music WHERE pk = 'a'"}]}),
    (
        "ExecuteTransaction",
        "PartiQLSelect",
        {"TransactStatements": [{"Statement": "SELECT * FROM music WHERE pk = 'a'"}]},
    ),
    ("DescribeTable", "DescribeTable", _NAMED),
    ("ListTagsOfResource", "ListTagsOfResource", {"ResourceArn": _TABLE}),
]


@pytest.mark.parametrize(("operation", "action", "request_"), _REQUESTS)
def test_what_a_policy_denies_to_one_key_others_may_do(
    engine: Engine, operation: str, action: str, request_: Wire
) -> None:
    _deny(engine, Action=[f"dynamodb:{action}"])
    assert _ask(engine, "ada", operation, request_) == (
        f"{AccessDeniedError.code}: User: {_ADA} is not authorized to perform: dynamodb:{action} on resource: {_TABLE} "
        "with an explicit deny in a resource-based policy"
    )
    assert _ask(engine, "bob", operation, request_) == ""
    assert _ask(engine, None, operation, request_) == ""
    _deny(engine, Action="dynamodb:TagResource")
    assert _ask(engine, "ada", operation, request_) == ""


def test_a_policy_holds_in_other_processes_from_the_next_request_on(tmp_path: Path) -> None:
    with (
        Engine(tmp_path, background=False, durability="off") as one,
        Engine(tmp_path, background=False, durability="off") as other,
    ):
        create(one)
        for operation, _, request in (_REQUESTS[0], _REQUESTS[1], _REQUESTS[-2]):
            assert _ask(other, "ada", operation, request) == ""
            _deny(one)
            assert AccessDeniedError.code in _ask(other, "ada", operation, request)
            one.call("DeleteResourcePolicy", {"ResourceArn": _TABLE})


@pytest.mark.parametrize("source", [{"SourceTableName": "music"}, {"SourceTableArn": _TABLE}])
def test_a_table_that_may_not_be_read_may_not_be_copied_as_it_was(engine: Engine, source: Wire) -> None:
    _deny(engine)
    request = {**source, "TargetTableName": "copy", "UseLatestRestorableTime": True}
    assert AccessDeniedError.code in _ask(engine, "ada", "RestoreTableToPointInTime", request)
    assert AccessDeniedError.code not in _ask(engine, "bob", "RestoreTableToPointInTime", request)


@pytest.mark.parametrize("resource", [_TABLE, f"{_TABLE}/*", f"{_TABLE}/backup/*"])
def test_a_backup_is_held_to_the_policy_of_its_table(engine: Engine, resource: str) -> None:
    arn = engine.call("CreateBackup", {**_NAMED, "BackupName": "one"})["BackupDetails"]["BackupArn"]
    _deny(engine, Resource=resource)
    requests = [
        ("DescribeBackup", {"BackupArn": arn}),
        ("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": f"restored{arn[-8:]}"}),
        ("DeleteBackup", {"BackupArn": arn}),
    ]
    for operation, request in requests:
        assert AccessDeniedError.code in _ask(engine, "ada", operation, request)
    assert arn in str(engine.call("ListBackups", _NAMED))
    engine.call("DeleteResourcePolicy", {"ResourceArn": _TABLE})
    assert _ask(engine, "ada", "DescribeBackup", {"BackupArn": arn}) == ""


@pytest.mark.parametrize("kind", ["Export", "Import"])
def test_an_export_and_an_import_are_held_to_the_policy_of_their_table(engine: Engine, kind: str) -> None:
    request = {f"{kind}Arn": f"{_TABLE}/{kind.lower()}/01489602797149-73d8d5bc"}
    _deny(engine)
    assert AccessDeniedError.code in _ask(engine, "ada", f"Describe{kind}", request)
    assert f"{kind}NotFoundException" in _ask(engine, "bob", f"Describe{kind}", request)


def test_an_index_and_a_stream_are_resources_of_their_own(engine: Engine) -> None:
    query = {**_NAMED, "IndexName": "byTag", "KeyConditionExpression": "tag = :a", **values(a="a")}
    _deny(engine, Resource=f"{_TABLE}/index/byTag")
    assert _ask(engine, "ada", "Query", query).endswith(
        f"{_TABLE}/index/byTag with an explicit deny in a resource-based policy"
    )
    assert _ask(engine, "ada", "Scan", _NAMED) == ""
    arn = engine.call("DescribeTable", _NAMED)["Table"]["LatestStreamArn"]
    shard = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"][0]["ShardId"]
    start = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    records = {"ShardIterator": engine.call("GetShardIterator", start)["ShardIterator"]}
    assert _ask(engine, "ada", "GetRecords", records) == ""
    _deny(engine, arn)
    for operation, request in (("GetRecords", records), ("GetShardIterator", start), ("DescribeStream", start)):
        assert AccessDeniedError.code in _ask(engine, "ada", operation, request)
        assert _ask(engine, "bob", operation, request) == ""


@pytest.mark.parametrize(
    ("principals", "others", "denied"),
    [
        (("*",), False, True),
        (("000000000000",), False, True),
        (("arn:aws:iam::000000000000:root",), False, True),
        (("arn:aws:iam::000000000000:user/bob",), False, False),
        (("arn:aws:iam::000000000000:user/bob",), True, True),
        ((_ADA,), True, False),
        (("arn:aws:iam::111111111111:root",), False, False),
    ],
)
def test_principals_are_everybody_the_account_or_one_user(
    principals: tuple[str, ...], others: bool, denied: bool
) -> None:
    rule = Rule(principals, others, ("*",), False, ("*",))
    assert rule.denies(_ADA, "000000000000", "GetItem", _TABLE) is denied


@pytest.mark.parametrize(
    ("actions", "other_actions", "denied"),
    [
        (("dynamodb:getitem",), False, True),
        (("dynamodb:*Item",), False, True),
        (("dynamodb:Get?tem",), False, True),
        (("dynamodb:Get",), False, False),
        (("dynamodb:PutItem",), True, True),
        (("dynamodb:Get*",), True, False),
    ],
)
def test_actions_have_wildcards_and_no_case(actions: tuple[str, ...], other_actions: bool, denied: bool) -> None:
    rule = Rule(("*",), False, actions, other_actions, (_TABLE,))
    assert rule.denies(_ADA, "000000000000", "GetItem", _TABLE) is denied
    assert not rule.denies(_ADA, "000000000000", "GetItem", f"{_TABLE}s")


def test_what_an_earlier_version_kept_and_could_not_judge_denies_nothing() -> None:
    statement = {"Effect": "Deny", "Principal": "*", "Action": "dynamodb:*", "Resource": "*"}
    insecure = {**statement, "Condition": {"Bool": {"aws:SecureTransport": "false"}}}
    assert len(rules(json.dumps({"Statement": [insecure, statement]}))) == 1


@given(st.text("ab*?", max_size=6), st.text("ab", max_size=6))
def test_a_pattern_matches_as_a_regular_expression_of_it_would(pattern: str, text: str) -> None:
    plain = re.fullmatch(pattern.replace("*", ".*").replace("?", "."), text)
    rule = Rule(("*",), False, ("*",), False, (pattern,))
    assert rule.denies(_ADA, "000000000000", "GetItem", text) is (plain is not None)


def test_a_pattern_of_many_stars_is_judged_at_once(engine: Engine) -> None:
    """A backtracking match of this one would take longer than anybody lives, and hold up everybody else."""
    arn = create(engine, "a" * 255)["TableArn"]
    with pytest.raises(ValidationError, match="speaks of"):
        _deny(engine, arn, Resource="*a" * 40 + "*!")
