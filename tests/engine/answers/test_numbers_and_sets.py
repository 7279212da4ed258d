"""Numbers and sets that cannot be: the same faults in two wordings, by operation."""

from __future__ import annotations

import pytest

from partita.engine import Engine
from tests.engine.answers.asking import INVALID, fault
from tests.engine.tables import Wire, get

_ONE = "1 validation error detected: "
_NONE = "The parameter cannot be converted to a numeric value"
_OVER = "Number overflow. Attempting to store a number with magnitude larger than supported range"
_UNDER = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
_CASES: list[tuple[Wire, str, str]] = [
    ({"N": "abc"}, f"{_NONE}: abc", f"{_NONE}: abc"),
    ({"N": ""}, f"{_NONE}: ", _NONE),
    ({"N": "1e126"}, _OVER, _OVER),
    ({"N": "1e2147483647"}, _OVER, _UNDER),
    ({"NS": ["1", ""]}, f"{_NONE}: ", _NONE),
    ({"M": {"x": {"L": [{"N": " 1"}]}}}, f"{_NONE}:  1", f"{_NONE}:  1"),
    (
        {"SS": ["b", "a", "b", "0"]},
        f'{INVALID}Input collection ["a", "b", "b", "0"] contains duplicates.',
        f"{INVALID}Input collection [b, a, b, 0] contains duplicates.",
    ),
    (
        {"BS": ["/w==", "AA==", "AA=="]},
        f'{INVALID}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
        f"{INVALID}Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
    ),
    (
        {"NS": ["2", "1", "2"]},
        f"{INVALID}Input collection contains duplicates.",
        "Input collection contains duplicates",
    ),
]
_KEY: Wire = {"pk": {"S": "faulty"}}
_NAMED: Wire = {"TableName": "music"}


def _values(value: Wire, expression: str = "ConditionExpression") -> Wire:
    return {expression: "a = :v", "ExpressionAttributeValues": {":v": value}}


@pytest.mark.parametrize(("value", "today", "before"), _CASES, ids=str)
def test_single_writes_tell_them_as_today_in_the_envelope(engine: Engine, value: Wire, today: str, before: str) -> None:
    of: Wire = {**_NAMED, "Key": _KEY}
    expected: Wire = {"Expected": {"a": {"Value": value}}}
    requests: list[tuple[str, Wire]] = [
        ("PutItem", {**_NAMED, "Item": {**_KEY, "a": value}}),
        ("PutItem", {**_NAMED, "Item": _KEY, **_values(value)}),
        ("PutItem", {**_NAMED, "Item": _KEY, **expected}),
        ("UpdateItem", {**of, **_values(value)}),
        ("UpdateItem", {**of, "UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": value}}),
        ("UpdateItem", {**of, "AttributeUpdates": {"a": {"Value": value}}}),
        ("UpdateItem", {**_NAMED, "Key": {"pk": value}}),
        ("DeleteItem", {**of, **_values(value)}),
        ("DeleteItem", {**_NAMED, "Key": {"pk": value}}),
    ]
    for operation, request in requests:
        assert fault(engine, operation, request) == _ONE + today, (operation, request)
    assert get(engine, pk="faulty") is None


@pytest.mark.parametrize(("value", "today", "before"), _CASES, ids=str)
def test_gets_and_queries_tell_them_as_today_without_a_frame(
    engine: Engine, value: Wire, today: str, before: str
) -> None:
    by_key: Wire = {**_NAMED, "KeyConditionExpression": "pk = :p"}
    equal = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}
    requests: list[tuple[str, Wire]] = [
        ("GetItem", {**_NAMED, "Key": {"pk": value}}),
        ("BatchGetItem", {"RequestItems": {"music": {"Keys": [{"pk": value}]}}}),
        ("Query", {**by_key, "ExpressionAttributeValues": {":p": value}}),
        (
            "Query",
            {**by_key, "FilterExpression": "a = :v", "ExpressionAttributeValues": {":p": {"S": "a"}, ":v": value}},
        ),
        ("Query", {**by_key, "ExpressionAttributeValues": {":p": {"S": "a"}}, "ExclusiveStartKey": {"pk": value}}),
        (
            "Query",
            {
                **_NAMED,
                "KeyConditions": equal,
                "QueryFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [value]}},
            },
        ),
    ]
    for operation, request in requests:
        assert fault(engine, operation, request) == today, (operation, request)


@pytest.mark.parametrize(("value", "today", "before"), _CASES, ids=str)
def test_other_operations_tell_them_as_before(engine: Engine, value: Wire, today: str, before: str) -> None:
    item = {**_KEY, "a": value}
    key: Wire = {"pk": value}
    plain: list[tuple[str, Wire]] = [
        ("BatchWriteItem", {"RequestItems": {"music": [{"PutRequest": {"Item": item}}]}}),
        ("BatchWriteItem", {"RequestItems": {"music": [{"DeleteRequest": {"Key": key}}]}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {**_NAMED, "Item": item}}]}),
        ("TransactWriteItems", {"TransactItems": [{"Delete": {**_NAMED, "Key": key}}]}),
        ("TransactGetItems", {"TransactItems": [{"Get": {**_NAMED, "Key": key}}]}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM music WHERE a = ?", "Parameters": [value]}),
    ]
    for operation, request in plain:
        assert fault(engine, operation, request) == before, (operation, request)
    framed: list[tuple[str, Wire]] = [
        ("TransactWriteItems", {"TransactItems": [{"Put": {**_NAMED, "Item": _KEY, **_values(value)}}]}),
        ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": {**_NAMED, "Key": _KEY, **_values(value)}}]}),
        ("Scan", {**_NAMED, **_values(value, "FilterExpression")}),
    ]
    told = f"ExpressionAttributeValues contains invalid value: {before} for key :v"
    for operation, request in framed:
        assert fault(engine, operation, request) == told, (operation, request)


def test_a_zero_is_in_range_as_it_is_written(engine: Engine) -> None:
    for written, told in (("0e126", _OVER), ("0e-131", _UNDER)):
        assert fault(engine, "PutItem", {**_NAMED, "Item": {**_KEY, "a": {"N": written}}}) == _ONE + told
    engine.call("PutItem", {**_NAMED, "Item": {"pk": {"S": "zero"}, "a": {"N": "0e125"}}})
    assert get(engine, pk="zero") == {"pk": "zero", "a": 0}


@pytest.mark.parametrize(
    ("expectation", "told"),
    [
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        ({"Exists": False, "Value": {"S": "x"}}, "Value cannot be used when Exists is false for Attribute: a"),
        (
            {"ComparisonOperator": "EQ"},
            "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a",
        ),
        (
            {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "x"}]},
            "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
        ),
    ],
)
def test_an_old_expectation_that_makes_no_sense_is_told_in_the_envelope(
    engine: Engine, expectation: Wire, told: str
) -> None:
    for operation, member in (("PutItem", "Item"), ("UpdateItem", "Key"), ("DeleteItem", "Key")):
        request: Wire = {**_NAMED, member: _KEY, "Expected": {"a": expectation}}
        assert fault(engine, operation, request) == f"{_ONE}{INVALID}{told}"


@pytest.mark.parametrize("returns", ["ALL_NEW", "UPDATED_NEW", "UPDATED_OLD"])
def test_what_only_an_update_can_return_is_told_in_the_envelope(engine: Engine, returns: str) -> None:
    for operation, member in (("PutItem", "Item"), ("DeleteItem", "Key")):
        request: Wire = {**_NAMED, member: _KEY, "ReturnValues": returns}
        assert fault(engine, operation, request) == f"{_ONE}ReturnValues can only be ALL_OLD or NONE"
