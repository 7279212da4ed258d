"""The shape of requests: every fault is named, in DynamoDB's words."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import SerializationError, ValidationError
from partita.dynamo.shapes import Attributes, Flag, Listing, Mapped, Structure, Text, Whole, check

_LEAST_LENGTH = "Member must have length greater than or equal to "
_LEAST_VALUE = "Member must have value greater than or equal to "
_PATTERN = "Member must satisfy regular expression pattern: "
SHAPE = Structure(
    {
        "Name": Text(required=True, least=3, most=5, pattern="[a-z]+"),
        "Mode": Text(choices=("ON", "OFF")),
        "Limit": Whole(least=1, most=10),
        "Flag": Flag(),
        "Names": Listing(Text(least=1), least=1, most=2),
        "Map": Mapped(Whole(least=0)),
        "Inner": Structure({"Deep": Text(required=True)}),
        "Value": Attributes(),
    }
)


def test_a_request_within_its_shape_passes_and_unknown_members_are_ignored() -> None:
    request: dict[str, Any] = {"Name": "abc", "Mode": "ON", "Limit": 1, "Flag": True, "Names": ["a"], "Map": {"x": 0}}
    request |= {"Inner": {"Deep": ""}, "Value": {"S": "x"}, "Other": 1}
    assert check(SHAPE, request) == request


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        ({}, "Value null at 'name' failed to satisfy constraint: Member must not be null"),
        ({"Name": None}, "Value null at 'name' failed to satisfy constraint: Member must not be null"),
        (
            {"Name": "ab"},
            "Value 'ab' at 'name' failed to satisfy constraint: Member must have length greater than or equal to 3",
        ),
        (
            {"Name": "abcdef"},
            "Value 'abcdef' at 'name' failed to satisfy constraint: Member must have length less than or equal to 5",
        ),
        (
            {"Name": "ab1"},
            "Value 'ab1' at 'name' failed to satisfy constraint: " + _PATTERN + "[a-z]+",
        ),
        (
            {"Name": "abc", "Mode": "on"},
            "Value 'on' at 'mode' failed to satisfy constraint: Member must satisfy enum value set: [ON, OFF]",
        ),
        (
            {"Name": "abc", "Limit": 0},
            "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
        ),
        (
            {"Name": "abc", "Limit": 11},
            "Value '11' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 10",
        ),
        (
            {"Name": "abc", "Names": []},
            "Value '[]' at 'names' failed to satisfy constraint: " + _LEAST_LENGTH + "1",
        ),
        (
            {"Name": "abc", "Names": ["a", ""]},
            "Value '' at 'names.2.member' failed to satisfy constraint: " + _LEAST_LENGTH + "1",
        ),
        (
            {"Name": "abc", "Map": {"x": -1}},
            "Value '-1' at 'map.x.member' failed to satisfy constraint: " + _LEAST_VALUE + "0",
        ),
        (
            {"Name": "abc", "Map": {"x": None}},
            "Value null at 'map.x.member' failed to satisfy constraint: Member must not be null",
        ),
        (
            {"Name": "abc", "Inner": {}},
            "Value null at 'inner.deep' failed to satisfy constraint: Member must not be null",
        ),
    ],
)
def test_a_fault_is_named_with_value_place_and_constraint(request_: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check(SHAPE, request_)
    assert caught.value.message == f"1 validation error detected: {fault}"


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        check(SHAPE, {"Mode": "x", "Limit": 0})
    assert caught.value.message.startswith("3 validation errors detected: Value null at 'name'")
    assert caught.value.message.count("; ") == 2


def test_at_most_ten_faults_are_named() -> None:
    shape = Structure({f"Member{number}": Flag(required=True) for number in range(15)})
    with pytest.raises(ValidationError) as caught:
        check(shape, {})
    assert caught.value.message.count("failed to satisfy constraint") == 10


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ([], "Start of structure expected"),
        ({"Name": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"Name": {}}, "START_OBJECT cannot be converted to String"),
        ({"Name": "abc", "Limit": "5"}, "STRING_VALUE cannot be converted to Integer"),
        ({"Name": "abc", "Limit": 1.5}, "DECIMAL_VALUE cannot be converted to Integer"),
        ({"Name": "abc", "Limit": True}, "TRUE_VALUE cannot be converted to Integer"),
        ({"Name": "abc", "Flag": "true"}, "STRING_VALUE cannot be converted to Boolean"),
        ({"Name": "abc", "Flag": []}, "START_ARRAY cannot be converted to Boolean"),
        ({"Name": "abc", "Names": {}}, "Start of structure or map found where not expected"),
        ({"Name": "abc", "Map": []}, "Start of list found where not expected"),
        ({"Name": "abc", "Inner": "x"}, "Unexpected token received from parser: STRING_VALUE"),
        ({"Name": "abc", "Value": 1}, "Unexpected token received from parser: NUMBER_VALUE"),
    ],
)
def test_json_of_another_type_is_a_serialization_exception(request_: Any, message: str) -> None:
    with pytest.raises(SerializationError, match=message):
        check(SHAPE, request_)
