"""Of several faults in a request, the one that DynamoDB tells."""

from __future__ import annotations

import pytest

from partita.dynamo.errors import ResourceNotFoundError
from partita.engine import Engine
from tests.engine.answers.asking import INVALID, fault
from tests.engine.tables import Wire, values

_KEY: Wire = {"pk": {"S": "a"}}
_DISTINCT = "The first operand must be distinct from the remaining operands for this operator or function; operator: "
_RESERVED = "Attribute name is a reserved keyword; reserved keyword: abort"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("z = z AND foo(b)", "Invalid function name; function: foo"),
        ("z = z AND q > ((w))", "The expression has redundant parentheses;"),
        (":x = size(abort)", _RESERVED),
        (
            "attribute_exists(z, :nope)",
            "An expression attribute value used in expression is not defined; attribute value: :nope",
        ),
        ("attribute_type(z.a, z.a)", f"{_DISTINCT}attribute_type, first operand: [z, a]"),
        ("z BETWEEN :hi AND :lo AND abort = :q", _RESERVED),
        ("abort = :x AND ((z)) = :y", "The expression has redundant parentheses;"),
        ("z = z AND foo(b) AND !", 'Syntax error; token: "!", near: "AND !"'),
        ("z = z AND size(a)", "The function is not allowed to be used this way in an expression; function: size"),
        ("abort = :x AND foo(z)", _RESERVED),
        ("foo(abort)", "Invalid function name; function: foo"),
        ("a = :x AND #n = :y", "An expression attribute value used in expression is not defined; attribute value: :x"),
    ],
)
def test_a_condition_is_judged_in_two_rounds(engine: Engine, text: str, message: str) -> None:
    given = values(hi=2, lo=1, q=1)
    assert fault(engine, "Scan", {"TableName": "music", "FilterExpression": text, **given}) == (
        f"Invalid FilterExpression: {message}"
    )


_OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET x = :v REMOVE abort SET y = :v", _RESERVED),
        ("SET x = foo(y) SET y = :v", "Invalid function name; function: foo"),
        ("SET x = :nope SET y = :v", 'The "SET" section can only be used once in an update expression;'),
        (
            "SET y.a = :v, y = :nope",
            "An expression attribute value used in expression is not defined; attribute value: :nope",
        ),
        ("SET x = if_not_exists(x), y.a = :v, y = :v", f"{_OVERLAP}[y, a], path two: [y]"),
        ("ADD y :s SET y = :v", f"{_OVERLAP}[y], path two: [y]"),
    ],
)
def test_an_update_is_judged_in_four(engine: Engine, text: str, message: str) -> None:
    request = {"TableName": "music", "Key": _KEY, "UpdateExpression": text, **values(v=1, s="text")}
    assert fault(engine, "UpdateItem", request) == f"1 validation error detected: Invalid UpdateExpression: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#a, abort", _RESERVED),
        ("x[1], x.a, y.b, y", f"{_OVERLAP}[y, b], path two: [y]"),
        (
            "x[1], x.a, y.b",
            (
                "Two document paths conflict with each other; must remove or rewrite one of these paths; "
                "path one: [x, [1]], path two: [x, a]"
            ),
        ),
    ],
)
def test_a_projection_is_judged_as_a_whole(engine: Engine, text: str, message: str) -> None:
    request = {"TableName": "music", "Key": _KEY, "ProjectionExpression": text}
    assert fault(engine, "GetItem", request) == f"Invalid ProjectionExpression: {message}"


def test_names_are_told_before_values(engine: Engine) -> None:
    request = {
        "TableName": "music",
        "FilterExpression": "a = :a",
        "ExpressionAttributeNames": {"a": "b"},
        "ExpressionAttributeValues": {},
    }
    assert fault(engine, "Scan", request) == ('ExpressionAttributeNames contains invalid key: Syntax error; key: "a"')


def test_a_put_tells_its_parameters_before_its_item_and_reads_their_key_before_their_parameters(
    engine: Engine,
) -> None:
    mixed: Wire = {"Expected": {"a": {"Exists": False}}, "ConditionExpression": "attribute_exists(a)"}
    put = {"TableName": "music", "Item": {"a": {}}}
    assert "Can not use both expression and non-expression parameters" in fault(engine, "PutItem", {**put, **mixed})
    assert "only be specified when using expressions" in fault(engine, "PutItem", {**put, **values(a=1)})
    empty = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    unused: Wire = {"ExpressionAttributeNames": {"#a": "b"}}
    assert fault(engine, "GetItem", {"TableName": "music", "Key": {"a": {}}, **unused}) == empty
    start: Wire = {"TableName": "music", "ExclusiveStartKey": {"a": {}}, **unused}
    assert fault(engine, "Scan", start) == f"The provided starting key is invalid: {empty}"
    assert fault(engine, "Query", start) == f"The provided starting key is invalid: {empty}"


_FIRST = "Invalid condition in KeyConditionExpression: {} operator must have the key attribute as its first operand"
_ONE_EACH = "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
_HUGE: Wire = {"pk": {"S": "a"}, "b": {"S": "x" * 410_000}}


@pytest.mark.parametrize(
    ("operation", "request_", "message"),
    [
        (
            "BatchGetItem",
            {"RequestItems": {"absent": {"Keys": [_KEY, _KEY], "ProjectionExpression": "abort"}}},
            "Provided list of item keys contains duplicates",
        ),
        (
            "BatchGetItem",
            {"RequestItems": {"absent": {"Keys": [{"pk": {"N": "1"}}, {"pk": {"N": "1.0"}}]}}},
            "Provided list of item keys contains duplicates",
        ),
        (
            "BatchWriteItem",
            {"RequestItems": {"absent": [{"PutRequest": {"Item": _HUGE}}]}},
            "Item size has exceeded the maximum allowed size",
        ),
        ("PutItem", {"TableName": "absent", "Item": _HUGE}, "Item size has exceeded the maximum allowed size"),
        *(
            ("Query", {"TableName": "absent", "KeyConditionExpression": text, **values(a="a")}, message)
            for text, message in (
                ("pk = :a OR sk = :a", "Invalid operator used in KeyConditionExpression: OR"),
                (
                    "pk = :a AND :a = :a",
                    "Invalid condition in KeyConditionExpression: No key attribute specified",
                ),
                ("pk = :a AND pk = :a", _ONE_EACH),
                (
                    "(pk = :a AND sk = :a) AND (sk = :a AND x = :a)",
                    _ONE_EACH,
                ),
                ("pk = :a AND a <> b", "Invalid operator used in KeyConditionExpression: <>"),
                ("pk = :a AND begins_with(:a, sk)", _FIRST.format("begins_with")),
                ("pk = :a AND :a BETWEEN size(sk) AND size(pk)", _FIRST.format("BETWEEN")),
                (
                    "pk = :a AND a = b",
                    "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
                ),
            )
        ),
    ],
)
def test_some_faults_are_told_before_a_missing_table(
    engine: Engine, operation: str, request_: Wire, message: str
) -> None:
    assert fault(engine, operation, request_) == message


def _conditions(**operators: str) -> Wire:
    return {name: {"ComparisonOperator": each, "AttributeValueList": [{"S": "a"}]} for name, each in operators.items()}


def test_old_key_conditions_are_judged_one_by_one_then_counted_then_the_table_is_looked_up(engine: Engine) -> None:
    bad = {"pk": {"ComparisonOperator": "NE", "AttributeValueList": []}, **_conditions(a="EQ", b="EQ")}
    assert fault(engine, "Query", {"TableName": "absent", "KeyConditions": bad}) == (
        f"{INVALID}Invalid number of argument(s) for the NE ComparisonOperator"
    )
    for first, told in (
        (
            {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"N": "1"}]},
            "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
        ),
        (
            {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "1"}, {"S": "a"}]},
            "AttributeValues inside AttributeValueList must be of same type",
        ),
    ):
        given = {"pk": first, **_conditions(a="NE", b="EQ")}
        assert fault(engine, "Query", {"TableName": "absent", "KeyConditions": given}) == f"{INVALID}{told}"
    three = _conditions(pk="NE", a="EQ", b="EQ")
    counted = "Conditions can be of length 1 or 2 only"
    assert fault(engine, "Query", {"TableName": "absent", "KeyConditions": three}) == counted
    odd = {"KeyConditions": _conditions(pk="NE")}
    fault(engine, "Query", {"TableName": "absent", **odd}, ResourceNotFoundError)
    assert "specified index" in fault(engine, "Query", {"TableName": "music", "IndexName": "none", **odd})
    consistent = {"TableName": "music", "IndexName": "byTag", "ConsistentRead": True, **odd}
    assert "Consistent reads are not supported" in fault(engine, "Query", consistent)
    indexable = "Attempted conditional constraint is not an indexable operation"
    for operator in ("NE", "CONTAINS", "NOT_CONTAINS", "IN"):
        request = {"TableName": "music", "KeyConditions": _conditions(pk=operator)}
        assert fault(engine, "Query", request) == indexable
    missed = "Query condition missed key schema element: "
    for named, element in ({"x": "NE"}, "pk"), ({"x": "NE", "sk": "EQ"}, "pk"), ({"pk": "NE", "x": "EQ"}, "sk"):
        assert fault(engine, "Query", {"TableName": "pairs", "KeyConditions": _conditions(**named)}) == missed + element
    assert fault(engine, "Query", {"TableName": "pairs", "KeyConditions": _conditions(pk="EQ", sk="NE")}) == indexable
    of_index = {"TableName": "pairs", "IndexName": "byTag", "KeyConditions": _conditions(pk="EQ", a="EQ", b="EQ")}
    assert fault(engine, "Query", of_index) == counted


def test_a_key_in_a_filter_is_told_before_a_selection_that_the_index_cannot_give(engine: Engine) -> None:
    request = {
        "TableName": "pairs",
        "IndexName": "byTag",
        "KeyConditionExpression": "tag = :a",
        "FilterExpression": "sk = :a",
        "Select": "ALL_ATTRIBUTES",
        **values(a="a"),
    }
    assert fault(engine, "Query", request) == (
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"
    )


def test_a_value_and_a_list_of_values_do_not_go_together(engine: Engine) -> None:
    expected = {"a": {"Value": {"S": "x"}, "AttributeValueList": [{"S": "x"}]}}
    assert fault(engine, "PutItem", {"TableName": "music", "Item": _KEY, "Expected": expected}) == (
        f"1 validation error detected: {INVALID}Value and AttributeValueList cannot be used together for Attribute: a"
    )


def test_more_conditions_than_key_attributes_are_counted(engine: Engine) -> None:
    for condition, of, counts in (
        ("pk = :a AND sk > :a AND x = :a", {"TableName": "pairs"}, "(3) exceeds {} (2)"),
        ("pk = :a AND x = :a AND y = :a", {"TableName": "music"}, "(3) exceeds {} (1)"),
        (
            "land = :a AND town = :a AND street = :a AND house = :a AND x = :a",
            {"TableName": "wide", "IndexName": "byPlace"},
            "(5) exceeds {} (4)",
        ),
    ):
        told = counts.format("the number of key attributes defined in the schema")
        request = {**of, "KeyConditionExpression": condition, **values(a="a")}
        assert fault(engine, "Query", request) == f"The number of query conditions {told}"
