"""Statements with their parameters filled in: conditions, updates and items, ready to be planned for a table."""

from __future__ import annotations

from collections.abc import Sequence as Row
from typing import TypeAlias

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import Condition, Path, Projection, Update
from partita.dynamo.frozen import dataclass
from partita.dynamo.partiql import literals, syntax, updates
from partita.dynamo.partiql.conditions import condition
from partita.dynamo.partiql.tree import (
    DeleteText,
    ExistsText,
    InsertText,
    Node,
    Ordering,
    Reference,
    Returned,
    SelectText,
    Source,
    Struct,
    UpdateText,
)
from partita.dynamo.values import AttributeValue, Item, checked_item


@dataclass(frozen=True, slots=True)
class Select:
    """Read items; without a projection, whole ones."""

    source: Source
    projection: Projection | None
    where: Condition | None
    order: tuple[Ordering, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """Write an item that is not there yet."""

    source: Source
    item: Item


@dataclass(frozen=True, slots=True)
class UpdateOne:
    """Change an item that is there."""

    source: Source
    update: Update
    where: Condition | None
    returning: Returned | None


@dataclass(frozen=True, slots=True)
class DeleteOne:
    """Delete an item."""

    source: Source
    where: Condition | None
    returning: Returned | None


@dataclass(frozen=True, slots=True)
class Exists:
    """Make sure of an item in a transaction."""

    select: Select

    @property
    def source(self) -> Source:
        return self.select.source


Write: TypeAlias = Insert | UpdateOne | DeleteOne
Statement: TypeAlias = Select | Write | Exists


def statement(text: str, parameters: Row[AttributeValue] = ()) -> Statement:
    """Read a statement; its parameters have been checked."""
    parsed, wanted = syntax.parse(text)
    if wanted != len(parameters):
        raise ValidationError("Number of parameters in request and statement don't match.")
    match parsed:
        case SelectText():
            return _select(parsed, parameters)
        case ExistsText(select):
            return Exists(_select(select, parameters))
        case InsertText(source, item):
            return Insert(source, _item(item, parameters))
        case UpdateText(source, actions, where, returning):
            return UpdateOne(source, updates.update(actions, parameters), _where(where, parameters), returning)
        case DeleteText(source, where, returning):
            if returning not in (None, "ALL OLD"):
                raise ValidationError(
                    f"Invalid returning clause: RETURNING {returning} *. "
                    "Only RETURNING ALL OLD * is allowed in DELETE statements."
                )
            return DeleteOne(source, _where(where, parameters), returning)


def column(path: Path) -> str:
    """The name of a path in an answer: its last name, with the positions after it."""
    name = ""
    for part in path.parts:
        name = part if isinstance(part, str) else f"{name}[{part}]"
    return name


def _select(parsed: SelectText, parameters: Row[AttributeValue]) -> Select:
    projection = None if parsed.columns is None else _projection(parsed.columns)
    return Select(parsed.source, projection, _where(parsed.where, parameters), parsed.order)


def _projection(columns: tuple[Node, ...]) -> Projection:
    paths = []
    names: set[str] = set()
    for each in columns:
        if not isinstance(each, Reference):
            raise ValidationError(f"Unexpected path component {each.spot}")
        name = column(each.path)
        if name in names:
            raise ValidationError(f"Duplicate identifiers in select clause: {name}")
        names.add(name)
        paths.append(each.path)
    return Projection(tuple(paths))


def _where(node: Node | None, parameters: Row[AttributeValue]) -> Condition | None:
    return None if node is None else condition(node, parameters)


def _item(node: Node, parameters: Row[AttributeValue]) -> Item:
    if not isinstance(node, Struct):
        raise ValidationError(
            "Unsupported format in item expression. Please use struct format {...} to express item values for insert "
            "statement."
        )
    return checked_item(literals.members(node, parameters))
