"""Item sizes by the developer guide's formulas ("DynamoDB item sizes and formats")."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given

from partita.dynamo import numbers
from partita.dynamo.size import item_size, value_size
from tests.dynamo.strategies import items


def _documented(value: dict[str, Any]) -> int:
    """The guide's sentences, one by one."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return numbers.size(content)
        case "B":
            return len(b64decode(content))
        case "BOOL" | "NULL":
            return 1
        case "SS" | "NS" | "BS":
            return sum(_documented({kind[0]: member}) for member in content)
        case "L":
            return 3 + sum(1 + _documented(element) for element in content)
    return 3 + sum(1 + len(name.encode()) + _documented(member) for name, member in content.items())


@given(items)
def test_an_items_size_is_its_names_and_values_and_their_overhead(item: dict[str, Any]) -> None:
    assert item_size(item) == sum(len(name.encode()) + _documented(value) for name, value in item.items())


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "abc"}, 3),
        ({"S": "ü€😀"}, 2 + 3 + 4),
        ({"B": "AAEC"}, 3),
        ({"B": "AAE="}, 2),
        ({"B": "AA=="}, 1),
        ({"B": ""}, 0),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"L": []}, 3),
        ({"M": {}}, 3),
        ({"L": [{"S": "ab"}, {"BOOL": True}]}, 3 + 3 + 2),
        ({"M": {"name": {"S": "ab"}}}, 3 + 1 + 4 + 2),
        ({"SS": ["a", "bc"]}, 3),
        ({"BS": ["AA==", "AAE="]}, 3),
    ],
)
def test_size_of_each_type(value: dict[str, Any], size: int) -> None:
    assert value_size(value) == size


def test_attribute_names_count_their_utf8_bytes() -> None:
    assert item_size({"ü": {"S": "a"}}) == 3
