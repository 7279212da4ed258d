"""From the tree back to expression text with placeholders, the form the wire carries."""

from __future__ import annotations

import re

from partita.dynamo.expressions.sections import in_sections
from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    Arithmetic,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    DeleteAction,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Operand,
    Or,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    SetOperand,
    Size,
    Update,
    Value,
)
from partita.dynamo.reserved import RESERVED_WORDS
from partita.dynamo.values import AttributeValue

# REMOVE is not on the list of reserved words, but an update has a section of that name.
_UNSAFE = RESERVED_WORDS | {"REMOVE"}
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


class Renderer:
    """Writes the expressions of one request, collecting the placeholders they share."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}
        self._aliases: dict[str, str] = {}

    def condition(self, condition: Condition) -> str:
        # A stack of our own: a tree can be built deeper than Python's goes, and it is for the reader to refuse it.
        pieces: list[str] = []
        waiting: list[Condition | str] = [_unwrapped(condition)]
        while waiting:
            current = waiting.pop()
            match current:
                case str():
                    pieces.append(current)
                case And(terms) | Or(terms):
                    word = " AND " if isinstance(current, And) else " OR "
                    for position, term in enumerate(reversed(terms)):
                        if position:
                            waiting.append(word)
                        _push(waiting, term)
                case Not(term):
                    pieces.append("NOT ")
                    _push(waiting, term)
                case _:
                    pieces.append(self._comparison(current))
        return "".join(pieces)

    def _comparison(self, condition: Condition) -> str:
        match condition:
            case Compare(operator, left, right):
                return f"{self.operand(left)} {operator} {self.operand(right)}"
            case Between(operand, low, high):
                return f"{self.operand(operand)} BETWEEN {self.operand(low)} AND {self.operand(high)}"
            case In(operand, choices):
                return f"{self.operand(operand)} IN ({', '.join(map(self.operand, choices))})"
            case AttributeExists(path):
                return f"attribute_exists({self.path(path)})"
            case AttributeNotExists(path):
                return f"attribute_not_exists({self.path(path)})"
            case AttributeType(operand, kind):
                return f"attribute_type({self.operand(operand)}, {self.operand(kind)})"
            case BeginsWith(operand, prefix):
                return f"begins_with({self.operand(operand)}, {self.operand(prefix)})"
            case Contains(operand, member):
                return f"contains({self.operand(operand)}, {self.operand(member)})"
        raise TypeError(f"{type(condition).__name__} is no condition")

    def update(self, update: Update) -> str:
        sections: dict[str, list[str]] = {}
        for action in in_sections(update).actions:
            path = self.path(action.path)
            match action:
                case SetAction(_, operand):
                    sections.setdefault("SET", []).append(f"{path} = {self.set_operand(operand)}")
                case RemoveAction():
                    sections.setdefault("REMOVE", []).append(path)
                case AddAction(_, value):
                    sections.setdefault("ADD", []).append(f"{path} {self.operand(value)}")
                case DeleteAction(_, value):
                    sections.setdefault("DELETE", []).append(f"{path} {self.operand(value)}")
        return " ".join(f"{word} {', '.join(entries)}" for word, entries in sections.items())

    def projection(self, projection: Projection) -> str:
        return ", ".join(map(self.path, projection.paths))

    def operand(self, operand: Operand) -> str:
        match operand:
            case Path():
                return self.path(operand)
            case Value(value):
                key = f":v{len(self.values)}"
                self.values[key] = value
                return key
            case Size(of):
                return f"size({self.operand(of)})"

    def set_operand(self, operand: SetOperand) -> str:
        pieces: list[str] = []
        waiting: list[SetOperand | str] = [operand]
        while waiting:
            current = waiting.pop()
            match current:
                case str():
                    pieces.append(current)
                case Path() | Value():
                    pieces.append(self.operand(current))
                case IfNotExists(path, default):
                    pieces.append(f"if_not_exists({self.path(path)}, ")
                    waiting += (")", default)
                case ListAppend(first, second):
                    pieces.append("list_append(")
                    waiting += (")", second, ", ", first)
                case Arithmetic(operator, left, right):
                    waiting += (right, f" {operator} ", left)
        return "".join(pieces)

    def path(self, path: Path) -> str:
        text = ""
        for part in path.parts:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                text += ("." if text else "") + self._name(part)
        return text

    def _name(self, name: str) -> str:
        if _PLAIN.match(name) and name.upper() not in _UNSAFE:
            return name
        alias = self._aliases.get(name)
        if alias is None:
            alias = self._aliases[name] = f"#n{len(self._aliases)}"
            self.names[alias] = name
        return alias


def _unwrapped(condition: Condition) -> Condition:
    """A row of one is its only term."""
    while isinstance(condition, And | Or) and len(condition.terms) == 1:
        condition = condition.terms[0]
    return condition


def _push(waiting: list[Condition | str], term: Condition) -> None:
    """The term of a row or a negation, a row in parentheses."""
    term = _unwrapped(term)
    if isinstance(term, And | Or) and term.terms:
        waiting += (")", term, "(")
    else:
        waiting.append(term)
