"""Walking the tree: which document paths a condition or an update mentions."""

from __future__ import annotations

from collections.abc import Iterator

from partita.dynamo.expressions.tree import (
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
    IfNotExists,
    In,
    ListAppend,
    Not,
    Operand,
    Or,
    Path,
    SetAction,
    SetOperand,
    Size,
    Update,
)


def paths_in(condition: Condition) -> Iterator[Path]:
    """Every path a condition reads, in the order written."""
    waiting: list[Condition] = [condition]
    while waiting:
        current = waiting.pop()
        match current:
            case And(terms) | Or(terms):
                waiting.extend(reversed(terms))
            case Not(term):
                waiting.append(term)
            case AttributeExists(path) | AttributeNotExists(path):
                yield path
            case AttributeType(operand, _):
                yield from _of(operand)
            case Compare(_, left, right):
                yield from _of(left, right)
            case Between(operand, low, high):
                yield from _of(operand, low, high)
            case In(operand, choices):
                yield from _of(operand, *choices)
            case BeginsWith(operand, prefix):
                yield from _of(operand, prefix)
            case Contains(operand, member):
                yield from _of(operand, member)


def paths_in_update(update: Update) -> Iterator[Path]:
    """Every path an update writes or reads, in the order of its actions."""
    for action in update.actions:
        yield action.path
        waiting: list[SetOperand] = [action.operand] if isinstance(action, SetAction) else []
        while waiting:
            match waiting.pop():
                case Path() as path:
                    yield path
                case IfNotExists(path, default):
                    yield path
                    waiting.append(default)
                case ListAppend(first, second) | Arithmetic(_, first, second):
                    waiting += (second, first)


def _of(*operands: Operand) -> Iterator[Path]:
    for operand in operands:
        target = operand.of if isinstance(operand, Size) else operand
        if isinstance(target, Path):
            yield target
