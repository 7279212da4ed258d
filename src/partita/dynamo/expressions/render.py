"""From the tree back to expression text with placeholders, the form the wire carries."""

from __future__ import annotations

import re

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

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


class Renderer:
    """Writes the expressions of one request, collecting the placeholders they share."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}
        self._aliases: dict[str, str] = {}

    def condition(self, condition: Condition) -> str:
        match condition:
            case And(terms) | Or(terms):
                word = " AND " if isinstance(condition, And) else " OR "
                if len(terms) == 1:
                    return self.condition(terms[0])
                return word.join(self._term(term) for term in terms)
            case Not(term):
                return "NOT " + self._term(term)
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
            case AttributeType(path, kind):
                return f"attribute_type({self.path(path)}, {self.operand(kind)})"
            case BeginsWith(operand, prefix):
                return f"begins_with({self.operand(operand)}, {self.operand(prefix)})"
            case Contains(operand, member):
                return f"contains({self.operand(operand)}, {self.operand(member)})"

    def update(self, update: Update) -> str:
        sections: dict[str, list[str]] = {}
        for action in update.actions:
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
        match operand:
            case Path() | Value():
                return self.operand(operand)
            case IfNotExists(path, default):
                return f"if_not_exists({self.path(path)}, {self.set_operand(default)})"
            case ListAppend(first, second):
                return f"list_append({self.set_operand(first)}, {self.set_operand(second)})"
            case Arithmetic(operator, left, right):
                return f"{self.set_operand(left)} {operator} {self.set_operand(right)}"

    def path(self, path: Path) -> str:
        text = ""
        for part in path.parts:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                text += ("." if text else "") + self._name(part)
        return text

    def _name(self, name: str) -> str:
        if _PLAIN.match(name) and name.upper() not in RESERVED_WORDS:
            return name
        alias = self._aliases.get(name)
        if alias is None:
            alias = self._aliases[name] = f"#n{len(self._aliases)}"
            self.names[alias] = name
        return alias

    def _term(self, term: Condition) -> str:
        text = self.condition(term)
        return f"({text})" if isinstance(term, And | Or) and len(term.terms) > 1 else text
