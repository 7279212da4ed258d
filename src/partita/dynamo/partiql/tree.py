"""Statements as they are written, with the place of every part; values and conditions are made of them later."""

from __future__ import annotations

from typing import Literal, TypeAlias

from partita.dynamo.expressions.tree import Path
from partita.dynamo.frozen import dataclass
from partita.dynamo.partiql.tokens import Spot

Returned = Literal["ALL OLD", "MODIFIED OLD", "ALL NEW", "MODIFIED NEW"]


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute, or a path into one."""

    path: Path
    spot: Spot


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, a number as written, true, false, NULL or MISSING."""

    kind: Literal["S", "N", "BOOL", "NULL", "MISSING"]
    content: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Parameter:
    """`?`: the value at this position of the request's parameters."""

    position: int
    spot: Spot


@dataclass(frozen=True, slots=True)
class Sequence:
    """`[…]`, `<<…>>` or `(…, …)`."""

    kind: Literal["list", "bag", "group"]
    elements: tuple[Node, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Struct:
    """`{'name': value, …}`."""

    entries: tuple[tuple[Node, Node], ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator and its operands: `AND`, `=`, `BETWEEN`, `IN`, `+`, …; a row of AND or OR is one."""

    operator: str
    operands: tuple[Node, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Call:
    """`name(argument, …)`; the name is in small letters."""

    name: str
    arguments: tuple[Node, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class TypeTest:
    """`operand IS type`."""

    operand: Node
    type: str
    spot: Spot


Node: TypeAlias = Reference | Scalar | Parameter | Sequence | Struct | Operation | Call | TypeTest


@dataclass(frozen=True, slots=True)
class Source:
    """A table, or an index of one."""

    names: tuple[str, ...]

    @property
    def table(self) -> str:
        return self.names[0]

    @property
    def index(self) -> str | None:
        return self.names[1] if len(self.names) > 1 else None


@dataclass(frozen=True, slots=True)
class Ordering:
    """A key of ORDER BY."""

    name: str
    descending: bool


@dataclass(frozen=True, slots=True)
class SelectText:
    """`SELECT columns FROM source WHERE where ORDER BY order`; no columns are all."""

    source: Source
    columns: tuple[Node, ...] | None
    where: Node | None
    order: tuple[Ordering, ...]


@dataclass(frozen=True, slots=True)
class InsertText:
    """`INSERT INTO source VALUE item`."""

    source: Source
    item: Node


@dataclass(frozen=True, slots=True)
class UpdateText:
    """`UPDATE source SET … REMOVE … WHERE … RETURNING …`; a target without a value is removed."""

    source: Source
    actions: tuple[tuple[Reference, Node | None], ...]
    where: Node | None
    returning: Returned | None


@dataclass(frozen=True, slots=True)
class DeleteText:
    """`DELETE FROM source WHERE … RETURNING …`."""

    source: Source
    where: Node | None
    returning: Returned | None


@dataclass(frozen=True, slots=True)
class ExistsText:
    """`EXISTS(SELECT …)`: a condition in a transaction."""

    select: SelectText


StatementText: TypeAlias = SelectText | InsertText | UpdateText | DeleteText | ExistsText
