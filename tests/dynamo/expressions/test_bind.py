"""What DynamoDB checks before it runs an expression, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.reserved import RESERVED_WORDS

_NAMES = {"#a": "a"}
_VALUES: dict[str, object] = {
    ":s": {"S": "x"},
    ":n": {"N": "1"},
    ":m": {"N": "2"},
    ":b": {"B": "AA=="},
    ":bool": {"BOOL": True},
    ":null": {"NULL": True},
    ":l": {"L": []},
    ":map": {"M": {}},
    ":ss": {"SS": ["x"]},
}


def _condition(text: str) -> object:
    return bind.condition(text, Placeholders(_NAMES, _VALUES))


def _update(text: str) -> object:
    return bind.update(text, Placeholders(_NAMES, _VALUES))


_TYPE = "Incorrect operand type for operator or function; operator or function: "
_MISUSED = "The function is not allowed to be used this way in an expression; function: "
_COUNT = "Incorrect number of operands for operator or function; operator or function: "
_DISTINCT = "The first operand must be distinct from the remaining operands for this operator or function; operator: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = :x", "An expression attribute value used in expression is not defined; attribute value: :x"),
        ("#x = :n", "An expression attribute name used in the document path is not defined; attribute name: #x"),
        ("date = :n", "Attribute name is a reserved keyword; reserved keyword: date"),
        ("a.Values = :n", "Attribute name is a reserved keyword; reserved keyword: Values"),
        ("foo(a)", "Invalid function name; function: foo"),
        ("size(a)", _MISUSED + "size"),
        ("if_not_exists(a, :n)", _MISUSED + "if_not_exists"),
        ("list_append(a, :l)", _MISUSED + "list_append"),
        ("attribute_exists(a) = :bool", _MISUSED + "attribute_exists"),
        ("size(size(a)) > :n", _TYPE + "size, operand type: N"),
        ("attribute_type(a, size(a))", _TYPE + "attribute_type, operand type: N"),
        ("contains(attribute_exists(a), :s)", _MISUSED + "attribute_exists"),
        ("attribute_exists(a, b)", _COUNT + "attribute_exists, number of operands: 2"),
        ("begins_with(a)", _COUNT + "begins_with, number of operands: 1"),
        ("contains(a, b, c)", _COUNT + "contains, number of operands: 3"),
        ("size(a, b) > :n", _COUNT + "size, number of operands: 2"),
        (
            "attribute_exists(:n)",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "attribute_not_exists(:n)",
            "Operator or function requires a document path; operator or function: attribute_not_exists",
        ),
        (
            "attribute_type(size(a), :s)",
            "Operator or function requires a document path; operator or function: attribute_type",
        ),
        ("begins_with(a, a)", _DISTINCT + "begins_with, first operand: [a]"),
        ("attribute_type(a, :n)", _TYPE + "attribute_type, operand type: N"),
        (
            "attribute_type(a, :s)",
            "Invalid attribute type name found; type: x, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        ),
        ("begins_with(a, :n)", _TYPE + "begins_with, operand type: N"),
        ("begins_with(:l, :s)", _TYPE + "begins_with, operand type: L"),
        ("a < :bool", _TYPE + "<, operand type: BOOL"),
        ("a >= :ss", _TYPE + ">=, operand type: SS"),
        (":map <= a", _TYPE + "<=, operand type: M"),
        ("a BETWEEN :null AND :n", _TYPE + "BETWEEN, operand type: NULL"),
        ("size(:n) > :n", _TYPE + "size, operand type: N"),
        ("size(:bool) > :n", _TYPE + "size, operand type: BOOL"),
        ("a = a", _DISTINCT + "=, first operand: [a]"),
        ("#a = a", _DISTINCT + "=, first operand: [a]"),
        ("a.b[0] < a.b[0]", _DISTINCT + "<, first operand: [a, b, [0]]"),
        ("contains(a, a)", _DISTINCT + "contains, first operand: [a]"),
        (
            "a BETWEEN :m AND :n",
            (
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
                "lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"
            ),
        ),
        (
            "a BETWEEN :n AND :s",
            (
                "The BETWEEN operator requires same data type for lower and upper bounds; "
                "lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:x}"
            ),
        ),
    ],
)
def test_a_condition_that_can_never_be_right_is_refused_with_its_reason(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _condition(text)
    assert caught.value.message == "Invalid ConditionExpression: " + message


_ADD = "Incorrect operand type for operator or function; operator: ADD, operand type: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET date = :n", "Attribute name is a reserved keyword; reserved keyword: date"),
        ("SET a = :x", "An expression attribute value used in expression is not defined; attribute value: :x"),
        ("SET a = size(b)", _MISUSED + "size"),
        ("SET a = foo(b)", "Invalid function name; function: foo"),
        ("SET a = if_not_exists(b)", _COUNT + "if_not_exists, number of operands: 1"),
        (
            "SET a = if_not_exists(:n, :n)",
            "Operator or function requires a document path; operator or function: if_not_exists",
        ),
        ("SET a = list_append(b, :n)", _TYPE + "list_append, operand type: N"),
        ("SET a = b + :s", _TYPE + "+, operand type: S"),
        ("SET a = :l - b", _TYPE + "-, operand type: L"),
        ("ADD a :s", _ADD + "STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"),
        ("ADD a :l", _ADD + "LIST, typeSet: ALLOWED_FOR_ADD_OPERAND"),
        (
            "DELETE a :n",
            (
                "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, "
                "typeSet: ALLOWED_FOR_DELETE_OPERAND"
            ),
        ),
        (
            "SET a = :n, a = :m",
            (
                "Two document paths overlap with each other; must remove or rewrite one of these paths; "
                "path one: [a], path two: [a]"
            ),
        ),
        (
            "SET a.b = :n REMOVE a",
            (
                "Two document paths overlap with each other; must remove or rewrite one of these paths; "
                "path one: [a, b], path two: [a]"
            ),
        ),
        (
            "SET a.b = :n, #a[0] = :n",
            (
                "Two document paths conflict with each other; must remove or rewrite one of these paths; "
                "path one: [a, b], path two: [a, [0]]"
            ),
        ),
    ],
)
def test_an_update_that_can_never_be_right_is_refused_with_its_reason(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _update(text)
    assert caught.value.message == "Invalid UpdateExpression: " + message


def test_paths_beside_each_other_do_not_overlap() -> None:
    _update("SET a.b = :n, a.c = :n, d[0] = :n, d[1].e = :n REMOVE d[1].f")


@pytest.mark.parametrize(
    ("first", "second"), [("a", "a"), ("a.b", "a"), ("a", "a.b.c"), ("a[1]", "a[1].b"), ("a[0]", "a.b")]
)
def test_projected_paths_do_not_overlap_either(first: str, second: str) -> None:
    with pytest.raises(ValidationError, match=r"^Invalid ProjectionExpression: Two document paths (overlap|conflict)"):
        bind.projection(f"{first}, {second}", Placeholders())


def test_errors_name_the_member_they_are_about() -> None:
    with pytest.raises(ValidationError, match=r"^Invalid FilterExpression: "):
        bind.condition("a =", Placeholders(), "FilterExpression")


@pytest.mark.parametrize("key", ["a", ":a", "#", "#a-b", "#a.b", "", "##a", "#ü"])
def test_a_name_placeholder_is_a_hash_and_word_characters(key: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Placeholders({key: "x"})
    assert caught.value.message == f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"'


@pytest.mark.parametrize("key", ["a", "#a", ":", ":a-b", "::a", ""])
def test_a_value_placeholder_is_a_colon_and_word_characters(key: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Placeholders({}, {key: {"S": "x"}})
    assert caught.value.message == f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"'


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ({"SS": []}, "One or more parameter values were invalid: An string set  may not be empty"),
        ({"N": "x"}, "The parameter cannot be converted to a numeric value: x"),
    ],
)
def test_a_bad_value_is_named_by_its_placeholder(value: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Placeholders({}, {":bad": value})
    assert caught.value.message == f"ExpressionAttributeValues contains invalid value: {message} for key :bad"


def test_placeholders_nobody_uses_are_refused() -> None:
    unused = Placeholders({"#a": "x", "#b": "y"}, {":n": {"N": "1"}})
    bind.condition("#a = :n", unused)
    with pytest.raises(ValidationError) as caught:
        unused.check_all_used()
    assert caught.value.message == "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"
    unused = Placeholders({}, {":n": {"N": "1"}, ":m": {"N": "1"}})
    with pytest.raises(ValidationError) as caught:
        unused.check_all_used()
    assert caught.value.message == "Value provided in ExpressionAttributeValues unused in expressions: keys: {:m, :n}"


def test_there_are_573_reserved_words() -> None:
    assert len(RESERVED_WORDS) == 573
    assert {"ABORT", "SIZE", "NAME", "STATUS", "TTL", "USER", "ZONE"} <= RESERVED_WORDS
    assert "REMOVE" not in RESERVED_WORDS


@pytest.mark.parametrize("word", sorted(RESERVED_WORDS)[::29])
def test_reserved_words_are_refused_in_any_case_and_allowed_behind_a_placeholder(word: str) -> None:
    for spelling in (word, word.lower(), word.capitalize()):
        with pytest.raises(ValidationError):
            bind.projection(spelling, Placeholders())
        assert bind.projection("#w", Placeholders({"#w": spelling})).paths[0].parts == (spelling,)
