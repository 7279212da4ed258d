"""Walking the tree: which document paths a condition or an update mentions."""

from __future__ import annotations

from collections.abc import Iterator

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
            case AttributeExists(path) | AttributeNotExists(path) | AttributeType(path, _):
                yield path
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


def _of(*operands: Operand) -> Iterator[Path]:
    for operand in operands:
        target = operand.of if isinstance(operand, Size) else operand
        if isinstance(target, Path):
            yield target
