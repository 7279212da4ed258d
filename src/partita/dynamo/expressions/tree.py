"""The one syntax tree: what is parsed from text, built by models, rendered to text and evaluated on items."""

from __future__ import annotations

from typing import Literal, TypeAlias

from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue

Part: TypeAlias = str | int
Comparator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Path:
    """A document path: attribute names and list positions, top-level attribute first."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        """The way DynamoDB's messages show a path: `[a, b, [0]]`."""
        return "[" + ", ".join(part if isinstance(part, str) else f"[{part}]" for part in self.parts) + "]"


@dataclass(frozen=True, slots=True)
class Value:
    """A literal attribute value."""

    value: AttributeValue


@dataclass(frozen=True, slots=True)
class Size:
    """`size(operand)`: a number made of what is there."""

    of: Path | Value


Operand: TypeAlias = Path | Value | Size


@dataclass(frozen=True, slots=True)
class Compare:
    """`left < right` and its five siblings."""

    operator: Comparator
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    """`operand BETWEEN low AND high`, both ends included."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    """`operand IN (choice, …)`."""

    operand: Operand
    choices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class AttributeExists:
    """`attribute_exists(path)`."""

    path: Path


@dataclass(frozen=True, slots=True)
class AttributeNotExists:
    """`attribute_not_exists(path)`."""

    path: Path


@dataclass(frozen=True, slots=True)
class AttributeType:
    """`attribute_type(operand, :type)`."""

    operand: Path | Value
    kind: Value


@dataclass(frozen=True, slots=True)
class BeginsWith:
    """`begins_with(operand, prefix)`."""

    operand: Operand
    prefix: Operand


@dataclass(frozen=True, slots=True)
class Contains:
    """`contains(operand, member)`: substring, set member or list element."""

    operand: Operand
    member: Operand


@dataclass(frozen=True, slots=True)
class And:
    """Every term holds."""

    terms: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one term holds."""

    terms: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The term does not hold."""

    term: Condition


Condition: TypeAlias = (
    Compare
    | Between
    | In
    | AttributeExists
    | AttributeNotExists
    | AttributeType
    | BeginsWith
    | Contains
    | And
    | Or
    | Not
)


@dataclass(frozen=True, slots=True)
class IfNotExists:
    """`if_not_exists(path, default)`."""

    path: Path
    default: SetOperand


@dataclass(frozen=True, slots=True)
class ListAppend:
    """`list_append(first, second)`."""

    first: SetOperand
    second: SetOperand


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left + right` or `left - right`."""

    operator: Literal["+", "-"]
    left: SetOperand
    right: SetOperand


SetOperand: TypeAlias = Path | Value | IfNotExists | ListAppend | Arithmetic


@dataclass(frozen=True, slots=True)
class SetAction:
    """`SET path = operand`."""

    path: Path
    operand: SetOperand


@dataclass(frozen=True, slots=True)
class RemoveAction:
    """`REMOVE path`."""

    path: Path


@dataclass(frozen=True, slots=True)
class AddAction:
    """`ADD path :value`: a number is added, set members are joined."""

    path: Path
    value: Value


@dataclass(frozen=True, slots=True)
class DeleteAction:
    """`DELETE path :value`: set members are taken out."""

    path: Path
    value: Value


UpdateAction: TypeAlias = SetAction | RemoveAction | AddAction | DeleteAction


@dataclass(frozen=True, slots=True)
class Update:
    """An update: actions on distinct paths, all reading the item as it was before; `legacy` if not an expression."""

    actions: tuple[UpdateAction, ...]
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Projection:
    """The paths a read returns."""

    paths: tuple[Path, ...]
