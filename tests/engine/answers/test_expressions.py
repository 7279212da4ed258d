"""Expressions: names, neighbours of a syntax error, positions, functions, limits and sums."""

from __future__ import annotations

import pytest

from partita.engine import Engine
from tests.engine.answers.asking import fault
from tests.engine.tables import Wire, put, update, values

_KEY: Wire = {"pk": {"S": "a"}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET _abc = :v", 'Syntax error; token: "_", near: "SET _abc"'),
        ("SET a = _f(:v)", 'Syntax error; token: "_", near: "= _f"'),
        ("!!! x", 'Syntax error; token: "!", near: "!!"'),
        ("SET a = b ? :v", 'Syntax error; token: "?", near: "b ? :v"'),
        *(
            (
                f"SET a = {nested}",
                "The function is not allowed to be used this way in an expression; function: list_append",
            )
            for nested in ("list_append(list_append(b, :l), :l)", "list_append(:l, list_append(b, :l))")
        ),
        ("SET a[2147483648] = :v", "List index is not within the allowable range; index: [2147483648]"),
    ],
)
def test_what_an_update_cannot_be(engine: Engine, text: str, message: str) -> None:
    request = {"TableName": "music", "Key": _KEY, "UpdateExpression": text, **values(v=1, l=[])}
    assert fault(engine, "UpdateItem", request) == f"1 validation error detected: Invalid UpdateExpression: {message}"


@pytest.mark.parametrize("name", ["_a", "a._b", "_"])
def test_names_begin_with_a_letter_in_every_expression(engine: Engine, name: str) -> None:
    request = {"TableName": "music", "Key": _KEY, "ProjectionExpression": name}
    assert 'Syntax error; token: "_", near: "' in fault(engine, "GetItem", request)
    for condition in (f"{name} = :v", f"size({name}) = :v", "_size(a) = :v"):
        given = values(v=1)
        told = 'Syntax error; token: "_", near: "'
        assert told in fault(engine, "Scan", {"TableName": "music", "FilterExpression": condition, **given})
        assert told in fault(engine, "Query", {"TableName": "music", "KeyConditionExpression": condition, **given})
        item = {"TableName": "music", "Item": _KEY, "ConditionExpression": condition, **given}
        assert told in fault(engine, "PutItem", item)
    named = {"ExpressionAttributeNames": {"#_": "_a"}, "FilterExpression": "#_ = :_", **values(_=1)}
    engine.call("Scan", {"TableName": "music", **named})


@pytest.mark.parametrize("position", ["2147483648", "99999999999999", "00000000001", "123456789012345678901234567890"])
def test_a_position_fits_in_31_bits_and_ten_digits(engine: Engine, position: str) -> None:
    request = {"TableName": "music", "Key": _KEY, "ProjectionExpression": f"a[{position}]"}
    assert fault(engine, "GetItem", request) == (
        f"Invalid ProjectionExpression: List index is not within the allowable range; index: [{position}]"
    )
    engine.call("GetItem", {**request, "ProjectionExpression": "a[2147483647]"})
    filtered = {"TableName": "music", "FilterExpression": f"a[{position}] = :v", **values(v=1)}
    assert fault(engine, "Scan", filtered) == (
        f"Invalid FilterExpression: List index is not within the allowable range; index: [{position}]"
    )


def test_the_type_of_a_value_may_be_asked(engine: Engine) -> None:
    put(engine, pk="typed")
    asked = {"TableName": "music", "Select": "COUNT", "FilterExpression": "pk = :p AND attribute_type(:x, :t)"}
    for kind, count in (("N", 1), ("S", 0)):
        found = engine.call("Scan", {**asked, **values(p="typed", x=5, t=kind)})
        assert found["Count"] == count
    for function in ("attribute_exists", "attribute_not_exists"):
        request = {"TableName": "music", "FilterExpression": f"{function}(:x)", **values(x=1)}
        assert "requires a document path" in fault(engine, "Scan", request)


def test_if_not_exists_may_stand_in_list_append_and_in_itself(engine: Engine) -> None:
    update(engine, {"pk": "lists"}, "SET a = list_append(if_not_exists(a, if_not_exists(b, :l)), :l)", l=[1])


@pytest.mark.parametrize(("sign", "amount"), [("-", "1"), ("+", "1")])
def test_a_sum_of_more_than_38_digits_overflows(engine: Engine, sign: str, amount: str) -> None:
    given: Wire = {"ExpressionAttributeValues": {":big": {"N": "1E50"}, ":n": {"N": amount}}}
    request = {"TableName": "music", "Key": _KEY, "UpdateExpression": f"SET a = :big {sign} :n", **given}
    assert fault(engine, "UpdateItem", request) == (
        "Number overflow. Attempting to store a number with magnitude larger than supported range"
    )
    written = {"TableName": "music", "Item": {**_KEY, "a": {"N": "1" * 39}}}
    assert fault(engine, "PutItem", written) == (
        "1 validation error detected: Attempting to store more than 38 significant digits in a Number"
    )


def test_the_limits_of_an_expression_are_told_with_the_number(engine: Engine) -> None:
    many = {"TableName": "music", "FilterExpression": f"a IN ({', '.join([':v'] * 101)})", **values(v=1)}
    assert fault(engine, "Scan", many) == (
        "Invalid FilterExpression: The IN operator is provided with too many operands; number of operands: 101"
    )
    long = {"TableName": "music", "FilterExpression": " AND ".join(["a=:v"] * 151), **values(v=1)}
    assert fault(engine, "Scan", long) == (
        "Invalid FilterExpression: The expression contains too many operators; operator count: 301"
    )


def test_an_update_that_is_too_long_is_told_without_its_size(engine: Engine) -> None:
    long = {"TableName": "music", "Key": _KEY, "UpdateExpression": f"SET {'a' * 4_100} = :v", **values(v=1)}
    told = "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;"
    assert fault(engine, "UpdateItem", long) == f"1 validation error detected: {told}"
    assert fault(engine, "TransactWriteItems", {"TransactItems": [{"Update": long}]}) == told
    condition = {"TableName": "music", "FilterExpression": f"{'a' * 4_097} = :v", **values(v=1)}
    assert fault(engine, "Scan", condition).endswith("size; expression size: 4102")
