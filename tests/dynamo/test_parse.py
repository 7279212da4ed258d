"""From the wire to requests: which members go together, defaults, and what is refused before any table is looked at."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError, SerializationError, ValidationError
from partita.dynamo.parse import ITEM_OPERATIONS, parse
from partita.dynamo.requests import DeleteItem, GetItem, PutItem, Query, Scan

KEY = {"pk": {"S": "a"}}
TABLE = {"TableName": "music"}


def _refused(operation: str, wire: object) -> str:
    with pytest.raises(ValidationError) as caught:
        parse(operation, wire)
    return caught.value.message


def test_defaults_are_those_of_the_api_reference() -> None:
    assert parse("GetItem", {**TABLE, "Key": KEY}) == GetItem(table="music", key=KEY)
    assert parse("PutItem", {**TABLE, "Item": KEY}) == PutItem(table="music", item=KEY)
    assert parse("DeleteItem", {**TABLE, "Key": KEY}) == DeleteItem(table="music", key=KEY)
    assert parse("Scan", TABLE) == Scan(table="music")
    query = parse(
        "Query", {**TABLE, "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "a"}}}
    )
    assert isinstance(query, Query)
    assert (query.forward, query.consistent, query.limit, query.select) == (True, False, None, None)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_VALUES = st.one_of(
    _JSON,
    st.dictionaries(st.sampled_from(["S", "N", "B", "BOOL", "NULL", "SS", "NS", "L", "M"]), _JSON, max_size=2),
    st.builds(lambda text: {"S": text}, st.text(max_size=5)),
    st.builds(lambda number: {"N": str(number)}, st.integers() | st.floats()),
    st.builds(lambda texts: {"L": [{"S": text} for text in texts]}, st.lists(st.text(max_size=3), max_size=3)),
)
_ITEMS = _JSON | st.dictionaries(st.text(max_size=4), _VALUES, max_size=4)
_NAMES = st.sampled_from(["music", "a", "", "no table!", "arn:aws:dynamodb:us-east-1:000000000000:table/music"]) | _JSON


def _verdict(operation: str, wire: object) -> object:
    try:
        return parse(operation, wire)
    except DynamoError as error:
        return type(error), error.message


_TOKENS = st.one_of(st.none(), st.text(max_size=3), st.sampled_from(["x" * 36, "x" * 37, "\ud800"]), _JSON)


@given(table=_NAMES, item=_ITEMS, token=_TOKENS)
def test_a_request_of_a_table_and_an_item_is_read_quickly_with_the_verdict_of_the_long_way(
    table: Any, item: Any, token: Any
) -> None:
    for operation, member in (("GetItem", "Key"), ("PutItem", "Item")):
        bare = {"TableName": table, member: item}
        assert _verdict(operation, bare) == _verdict(operation, {**bare, "ReturnConsumedCapacity": "NONE"})
    put = {"TableName": table, "Item": item}
    longer = {**put, "ReturnValuesOnConditionCheckFailure": "NONE"}
    for members in ({}, {"ClientRequestToken": token}):
        for others in ([], [{"Put": {"TableName": "music", "Item": {"pk": {"S": "a"}}}}] * 2, [{"Put": put}] * 99):
            quick, slow = ({"TransactItems": [{"Put": each}, *others], **members} for each in (put, longer))
            assert _verdict("TransactWriteItems", quick) == _verdict("TransactWriteItems", slow)


def test_no_number_of_bare_puts_is_read_that_the_long_way_refuses() -> None:
    put = {"TableName": "music", "Item": {"pk": {"S": "a"}}}
    for count in (0, 1, 100, 101):
        quick = {"TransactItems": [{"Put": put}] * count}
        slow = {**quick, "ReturnConsumedCapacity": "NONE"}
        assert _verdict("TransactWriteItems", quick) == _verdict("TransactWriteItems", slow)


def test_a_table_may_be_named_by_its_arn() -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/music"
    assert parse("GetItem", {"TableName": arn, "Key": KEY}) == GetItem(table=arn, key=KEY)


@pytest.mark.parametrize("operation", sorted(ITEM_OPERATIONS))
def test_a_request_is_a_json_object_with_its_required_members(operation: str) -> None:
    with pytest.raises(SerializationError):
        parse(operation, [])
    assert "Member must not be null" in _refused(operation, {})


@pytest.mark.parametrize(
    ("operation", "wire", "old", "modern"),
    [
        (
            "GetItem",
            {"Key": KEY, "AttributesToGet": ["a"], "ProjectionExpression": "a"},
            "AttributesToGet",
            "ProjectionExpression",
        ),
        (
            "PutItem",
            {"Item": KEY, "Expected": {"a": {"Exists": False}}, "ConditionExpression": "attribute_exists(a)"},
            "Expected",
            "ConditionExpression",
        ),
        (
            "UpdateItem",
            {"Key": KEY, "AttributeUpdates": {}, "UpdateExpression": "REMOVE a"},
            "AttributeUpdates",
            "UpdateExpression",
        ),
        (
            "Query",
            {"KeyConditions": {}, "KeyConditionExpression": "a = :a"},
            "KeyConditions",
            "KeyConditionExpression",
        ),
        ("Scan", {"ScanFilter": {}, "ProjectionExpression": "a"}, "ScanFilter", "ProjectionExpression"),
    ],
)  # fmt: skip
def test_expressions_and_older_parameters_do_not_mix(
    operation: str, wire: dict[str, Any], old: str, modern: str
) -> None:
    envelope = "1 validation error detected: " if operation in ("PutItem", "UpdateItem") else ""
    assert _refused(operation, {**TABLE, **wire}) == (
        f"{envelope}Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{old}}} Expression parameters: {{{modern}}}"
    )


def test_placeholders_need_an_expression() -> None:
    names = {"ExpressionAttributeNames": {"#a": "a"}}
    values = {"ExpressionAttributeValues": {":a": {"S": "a"}}}
    assert _refused("GetItem", {**TABLE, "Key": KEY, **names}) == (
        "ExpressionAttributeNames can only be specified when using expressions"
    )
    assert _refused("PutItem", {**TABLE, "Item": KEY, **values}) == (
        "1 validation error detected: ExpressionAttributeValues can only be specified when using expressions"
    )
    assert _refused("Scan", {**TABLE, **values}) == (
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"
    )


@pytest.mark.parametrize("member", ["ExpressionAttributeNames", "ExpressionAttributeValues"])
def test_placeholders_are_not_empty(member: str) -> None:
    wire = {**TABLE, "Item": KEY, "ConditionExpression": "attribute_exists(a)", member: {}}
    assert _refused("PutItem", wire) == f"1 validation error detected: {member} must not be empty"


def test_placeholders_are_all_used() -> None:
    wire = {**TABLE, "Key": KEY, "ProjectionExpression": "a", "ExpressionAttributeNames": {"#a": "a"}}
    assert _refused("GetItem", wire) == "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"


@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem"])
@pytest.mark.parametrize("returns", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_put_and_delete_return_the_old_item_or_nothing(operation: str, returns: str) -> None:
    wire = {**TABLE, "Item" if operation == "PutItem" else "Key": KEY, "ReturnValues": returns}
    assert _refused(operation, wire) == "1 validation error detected: ReturnValues can only be ALL_OLD or NONE"


def test_return_values_are_an_enumeration() -> None:
    assert "Member must satisfy enum value set" in _refused("PutItem", {**TABLE, "Item": KEY, "ReturnValues": "SOME"})


def test_a_query_needs_a_key_condition() -> None:
    assert _refused("Query", TABLE) == (
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    )


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"Select": "SPECIFIC_ATTRIBUTES"},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        (
            {"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "a"},
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        (
            {"Select": "COUNT", "AttributesToGet": ["a"]},
            "Cannot specify the AttributesToGet when choosing to get only the Count",
        ),
        (
            {"Select": "ALL_PROJECTED_ATTRIBUTES"},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
    ],
)
def test_select_fits_the_projection(members: dict[str, Any], message: str) -> None:
    assert _refused("Scan", {**TABLE, **members}) == message


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"Segment": 0}, "The TotalSegments parameter is required but was not present in the request when Segment"),
        ({"TotalSegments": 2}, "The Segment parameter is required but was not present in the request when parameter"),
        (
            {"Segment": 2, "TotalSegments": 2},
            (
                "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
                "Segment: 2 is not less than TotalSegments: 2"
            ),
        ),
        ({"Segment": -1, "TotalSegments": 2}, "1 validation error detected: Value '-1' at 'segment'"),
        ({"Segment": 0, "TotalSegments": 1_000_001}, "1 validation error detected: Value '1000001' at 'totalSegments'"),
        ({"Limit": 0}, "1 validation error detected: Value '0' at 'limit'"),
    ],
)
def test_scan_bounds(members: dict[str, Any], message: str) -> None:
    assert _refused("Scan", {**TABLE, **members}).startswith(message)


def test_a_batch_get_has_at_most_100_keys_over_all_tables() -> None:
    keys = [{"pk": {"S": str(number)}} for number in range(50)]
    parse("BatchGetItem", {"RequestItems": {"music": {"Keys": keys}, "films": {"Keys": keys}}})
    more = {"RequestItems": {"music": {"Keys": keys}, "films": {"Keys": [*keys, KEY]}}}
    assert _refused("BatchGetItem", more) == "Too many items requested for the BatchGetItem call"


def test_a_batch_write_has_at_most_25_requests_over_all_tables() -> None:
    puts = [{"PutRequest": {"Item": KEY}}] * 13
    assert _refused("BatchWriteItem", {"RequestItems": {"music": puts, "films": puts}}) == (
        "Too many items requested for the BatchWriteItem call"
    )


@pytest.mark.parametrize("entry", [{}, {"PutRequest": {"Item": KEY}, "DeleteRequest": {"Key": KEY}}])
def test_a_write_request_is_either_a_put_or_a_delete(entry: dict[str, Any]) -> None:
    _refused("BatchWriteItem", {"RequestItems": {"music": [entry]}})


def test_a_transaction_has_at_most_100_actions() -> None:
    gets = [{"Get": {**TABLE, "Key": {"pk": {"S": str(number)}}}} for number in range(101)]
    parse("TransactGetItems", {"TransactItems": gets[:100]})
    assert "Member must have length less than or equal to 100" in _refused("TransactGetItems", {"TransactItems": gets})
    puts = [{"Put": {**TABLE, "Item": {"pk": {"S": str(number)}}}} for number in range(101)]
    parse("TransactWriteItems", {"TransactItems": puts[:100]})
    assert "Member must have length less than or equal to 100" in _refused(
        "TransactWriteItems", {"TransactItems": puts}
    )


@pytest.mark.parametrize("entry", [{}, {"Put": {**TABLE, "Item": KEY}, "Delete": {**TABLE, "Key": KEY}}])
def test_a_transaction_action_is_one_of_four(entry: dict[str, Any]) -> None:
    assert _refused("TransactWriteItems", {"TransactItems": [entry]}) == (
        "TransactItems can only contain one of Check, Put, Update or Delete"
    )


def test_a_condition_check_needs_its_condition_and_an_update_its_expression() -> None:
    for action in ({"ConditionCheck": {**TABLE, "Key": KEY}}, {"Update": {**TABLE, "Key": KEY}}):
        assert "Member must not be null" in _refused("TransactWriteItems", {"TransactItems": [action]})


def test_a_client_token_has_at_most_36_characters() -> None:
    wire = {"TransactItems": [{"Put": {**TABLE, "Item": KEY}}], "ClientRequestToken": "x" * 37}
    assert "'clientRequestToken'" in _refused("TransactWriteItems", wire)


def test_a_bad_start_key_says_so() -> None:
    assert _refused("Scan", {**TABLE, "ExclusiveStartKey": {"pk": {}}}).startswith(
        "The provided starting key is invalid: "
    )
