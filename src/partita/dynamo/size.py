"""Sizes as DynamoDB counts them, for the 400 KB limit, pages and capacity units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from partita.dynamo import numbers
from partita.dynamo.values import AttributeValue, Item

_CONTAINER_OVERHEAD = 3
_ELEMENT_OVERHEAD = 1


def item_size(item: Item) -> int:
    """Bytes of an item: names plus values, UTF-8."""
    total = 0
    for name, value in item.items():
        total += len(name) if name.isascii() else len(name.encode())
        text = value.get("S")
        if text is not None:
            total += len(text) if text.isascii() else len(text.encode())
        else:
            ((kind, content),) = value.items()
            total += _SIZES[kind](content)
    return total


def value_size(value: AttributeValue) -> int:
    """Bytes of one value without its name."""
    ((kind, content),) = value.items()
    return _SIZES[kind](content)


def text_size(text: str) -> int:
    """Bytes of a string in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def binary_size(content: str) -> int:
    """Bytes behind canonical base64 text, without decoding it."""
    return len(content) // 4 * 3 - (content.endswith("=") + content.endswith("=="))


def _one(_content: bool) -> int:
    return 1


def _list_size(content: list[AttributeValue]) -> int:
    total = _CONTAINER_OVERHEAD + _ELEMENT_OVERHEAD * len(content)
    for value in content:
        text = value.get("S")
        total += value_size(value) if text is None else len(text) if text.isascii() else len(text.encode())
    return total


def _map_size(content: Item) -> int:
    return _CONTAINER_OVERHEAD + item_size(content) + _ELEMENT_OVERHEAD * len(content)


_SIZES: Mapping[str, Callable[[Any], int]] = {
    "S": text_size,
    "N": numbers.size,
    "B": binary_size,
    "BOOL": _one,
    "NULL": _one,
    "L": _list_size,
    "M": _map_size,
    "SS": lambda content: sum(map(text_size, content)),
    "NS": lambda content: sum(map(numbers.size, content)),
    "BS": lambda content: sum(map(binary_size, content)),
}
