"""Sizes as DynamoDB counts them, for the 400 KB limit, pages and capacity units."""

from __future__ import annotations

from typing import Any

from partita.dynamo import numbers
from partita.dynamo.values import AttributeValue, Item, type_of

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
            total += value_size(value)
    return total


def value_size(value: AttributeValue) -> int:
    """Bytes of one value without its name."""
    kind = type_of(value)
    return _content_size(kind, value[kind])


def text_size(text: str) -> int:
    """Bytes of a string in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def binary_size(content: str) -> int:
    """Bytes behind canonical base64 text, without decoding it."""
    return len(content) // 4 * 3 - (content.endswith("=") + content.endswith("=="))


def _content_size(kind: str, content: Any) -> int:
    match kind:
        case "S":
            return text_size(content)
        case "N":
            return numbers.size(content)
        case "B":
            return binary_size(content)
        case "BOOL" | "NULL":
            return 1
        case "L":
            return _CONTAINER_OVERHEAD + sum(value_size(element) + _ELEMENT_OVERHEAD for element in content)
        case "M":
            return _CONTAINER_OVERHEAD + item_size(content) + _ELEMENT_OVERHEAD * len(content)
    member_kind = kind[0]
    return sum(_content_size(member_kind, member) for member in content)
