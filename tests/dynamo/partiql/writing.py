"""Conditions and values as PartiQL, so that what is read can be compared with what was meant."""

from __future__ import annotations

from typing import Any

from partita.dynamo.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Path,
    Size,
    Value,
)
from partita.dynamo.values import AttributeValue


class Writer:
    """Writes PartiQL; values that no literal can say become parameters, and all of them if `literal` is false."""

    def __init__(self, *, literal: bool = True) -> None:
        self.literal = literal
        self.parameters: list[AttributeValue] = []

    def condition(self, condition: Condition) -> str:
        match condition:
            case And(terms):
                return " AND ".join(f"({self.condition(term)})" for term in terms)
            case Or(terms):
                return " OR ".join(f"({self.condition(term)})" for term in terms)
            case Not(term):
                return f"NOT ({self.condition(term)})"
            case Compare(operator, left, right):
                return f"{self.operand(left)} {operator} {self.operand(right)}"
            case Between(operand, low, high):
                return f"{self.operand(operand)} BETWEEN {self.operand(low)} AND {self.operand(high)}"
            case In(operand, choices):
                return f"{self.operand(operand)} IN [{', '.join(map(self.operand, choices))}]"
            case AttributeExists(path):
                return f"attribute_exists({self.path(path)})"
            case AttributeNotExists(path):
                return f"{self.path(path)} IS MISSING"
            case AttributeType(operand, kind):
                return f"attribute_type({self.operand(operand)}, {self.operand(kind)})"
            case BeginsWith(operand, prefix):
                return f"begins_with({self.operand(operand)}, {self.operand(prefix)})"
            case Contains(operand, member):
                return f"contains({self.operand(operand)}, {self.operand(member)})"

    def operand(self, operand: Operand) -> str:
        match operand:
            case Path():
                return self.path(operand)
            case Size(of):
                return f"size({self.operand(of)})"
            case Value(value):
                return self.value(value)

    def path(self, path: Path) -> str:
        first, *rest = path.parts
        return name(str(first)) + "".join(f"[{part}]" if isinstance(part, int) else f".{name(part)}" for part in rest)

    def value(self, value: AttributeValue) -> str:
        written = _literal(value) if self.literal else None
        if written is None:
            self.parameters.append(value)
            return "?"
        return written


def name(text: str) -> str:
    """A name in double quotes."""
    return '"' + text.replace('"', '""') + '"'


def text(content: str) -> str:
    """A string in single quotes."""
    return "'" + content.replace("'", "''") + "'"


def _literal(value: AttributeValue) -> str | None:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return text(content)
        case "N":
            return str(content)
        case "BOOL":
            return "true" if content else "FALSE"
        case "NULL":
            return "null"
        case "SS":
            return f"<<{', '.join(map(text, content))}>>"
        case "NS":
            return f"<<{', '.join(content)}>>"
        case "L":
            return _row("[", [_literal(each) for each in content], "]")
        case "M":
            return _row("{", [_entry(key, each) for key, each in content.items()], "}")
    return None


def _entry(key: str, value: Any) -> str | None:
    written = _literal(value)
    return None if written is None else f"{text(key)}: {written}"


def _row(opening: str, elements: list[str | None], closing: str) -> str | None:
    known = [element for element in elements if element is not None]
    return f"{opening}{', '.join(known)}{closing}" if len(known) == len(elements) else None
