"""The parameters from before expressions."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from tests.engine.answers.asking import fault
from tests.engine.tables import Wire, put, python_items, values

_PK: Wire = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "old"}]}}


def test_key_conditions_go_with_expressions_other_than_their_own(engine: Engine) -> None:
    for number in range(3):
        put(engine, "pairs", pk="old", sk=str(number), n=number)
    request = {"TableName": "pairs", "KeyConditions": _PK, "FilterExpression": "n > :n", "ProjectionExpression": "n"}
    assert python_items(engine.call("Query", {**request, **values(n=0)})) == [{"n": 1}, {"n": 2}]
    both = {"TableName": "pairs", "KeyConditions": _PK, "KeyConditionExpression": "pk = :n", **values(n="old")}
    assert fault(engine, "Query", both) == (
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
        "{KeyConditions} Expression parameters: {KeyConditionExpression}"
    )
    others: list[Wire] = [{"QueryFilter": {}}, {"AttributesToGet": ["n"]}, {"ConditionalOperator": "AND"}]
    for old in others:
        assert "Can not use both" in fault(engine, "Query", {**request, **old, **values(n=0)})


def test_a_missing_attribute_fails_not_contains_and_passes_not_equal(engine: Engine) -> None:
    def deleting(operator: str) -> Wire:
        expected = {"gone": {"ComparisonOperator": operator, "AttributeValueList": [{"S": "x"}]}}
        return {"TableName": "music", "Key": {"pk": {"S": "absent"}}, "Expected": expected}

    fault(engine, "DeleteItem", deleting("NOT_CONTAINS"), ConditionalCheckFailedError)
    engine.call("DeleteItem", deleting("NE"))


@pytest.mark.parametrize(
    ("action", "value", "expression"),
    [
        ("ADD", {"N": "1"}, "ADD title :v"),
        ("ADD", {"SS": ["x"]}, "ADD numbers :v"),
        ("ADD", {"N": "1"}, "ADD numbers :v"),
        ("ADD", {"N": "1"}, "ADD songs :v"),
        ("ADD", {"NS": ["1"]}, "ADD title :v"),
        ("DELETE", {"SS": ["x"]}, "DELETE numbers :v"),
        ("ADD", {"L": []}, "SET title = list_append(title, :v)"),
    ],
)
def test_a_value_of_another_type_has_two_sentences(engine: Engine, action: str, value: Wire, expression: str) -> None:
    put(engine, pk="types", title="t", numbers={1}, songs=[1])
    attribute = next(name for name in ("title", "numbers", "songs") if name in expression)
    named: Wire = {"TableName": "music", "Key": {"pk": {"S": "types"}}}
    updates = {attribute: {"Action": action, "Value": value}}
    assert fault(engine, "UpdateItem", {**named, "AttributeUpdates": updates}) == (
        "Type mismatch for attribute to update"
    )
    modern = {"UpdateExpression": expression, "ExpressionAttributeValues": {":v": value}}
    assert fault(engine, "UpdateItem", {**named, **modern}) == (
        "An operand in the update expression has an incorrect data type"
    )


def test_old_conditions_reach_all_attributes_of_a_wide_index(engine: Engine) -> None:
    place = {"land": "L", "town": "T", "street": "S", "house": "H"}
    put(engine, "wide", pk="home", **place)
    conditions = {
        name: {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": value}]} for name, value in place.items()
    }
    request = {"TableName": "wide", "IndexName": "byPlace", "KeyConditions": conditions}
    assert engine.call("Query", request)["Count"] == 1


def test_an_old_in_takes_any_number_of_values(engine: Engine) -> None:
    put(engine, pk="in", n=2999)
    choices = [{"N": str(number)} for number in range(3000)]
    found = engine.call(
        "Scan", {"TableName": "music", "ScanFilter": {"n": {"ComparisonOperator": "IN", "AttributeValueList": choices}}}
    )
    assert {"pk": "in", "n": 2999} in python_items(found)
    one_of = {"n": {"ComparisonOperator": "IN", "AttributeValueList": choices}}
    key = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "in"}]}}
    request = {"TableName": "music", "KeyConditions": key, "QueryFilter": one_of}
    assert python_items(engine.call("Query", request)) == [{"pk": "in", "n": 2999}]


def test_a_key_in_the_old_filter_is_told_by_its_name(engine: Engine) -> None:
    filtered = {"sk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}}
    assert fault(engine, "Query", {"TableName": "pairs", "KeyConditions": _PK, "QueryFilter": filtered}) == (
        "QueryFilter can only contain non-primary key attributes: Primary key attribute: sk"
    )
