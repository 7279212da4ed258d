"""Updates on items: a new item from the old one, every operand read from the item as it was."""

from __future__ import annotations

from typing import Any

from partita.dynamo import numbers
from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.paths import child, resolve
from partita.dynamo.expressions.sections import in_sections
from partita.dynamo.expressions.tree import (
    AddAction,
    Arithmetic,
    DeleteAction,
    IfNotExists,
    ListAppend,
    Path,
    RemoveAction,
    SetAction,
    SetOperand,
    Update,
    Value,
)
from partita.dynamo.limits import NESTING_LEVELS
from partita.dynamo.values import TOO_DEEP, AttributeValue, Item, in_set_order, type_of

_WRONG_TYPE = "An operand in the update expression has an incorrect data type"
_BAD_PATH = "The document path provided in the update expression is invalid for update"
_REMOVALS = (RemoveAction, DeleteAction)
_MISSING = "The provided expression refers to an attribute that does not exist in the item"


def apply(update: Update, item: Item) -> Item:
    """The item after the update; the argument stays as it was. The first error is that of the update as written."""
    sets: list[tuple[Path, AttributeValue]] = []
    removes: list[Path] = []
    if update.legacy:
        _check_legacy(update, item)
    for action in in_sections(update).actions:
        match action:
            case SetAction(path, operand):
                sets.append((path, _operand(operand, item)))
            case AddAction(path, Value(value)):
                sets.append((path, _added(resolve(path, item), value)))
            case DeleteAction(path, Value(value)):
                rest = _deleted(resolve(path, item), value)
                if rest is not None:
                    sets.append((path, rest))
                elif resolve(path, item) is not None or not _has_parent(path, item):
                    removes.append(path)
            case RemoveAction(path):
                if resolve(path, item) is not None or not _has_parent(path, item):
                    removes.append(path)
    result = dict(item)
    copied: set[str] = set()
    # Positions beyond a list's end append in the order of the positions; removal counts positions from before.
    for path, value in sorted(sets, key=lambda entry: _position(entry[0])):
        _set(result, path, value, copied)
    for path in sorted(removes, key=_position, reverse=True):
        _remove(result, path, copied)
    return result


def _check_legacy(update: Update, item: Item) -> None:
    """The old AttributeUpdates have a sentence of their own for a value of another type."""
    for action in update.actions:
        if isinstance(action, AddAction | DeleteAction):
            kind = type_of(action.value.value)
        elif isinstance(action, SetAction) and isinstance(action.operand, ListAppend):
            kind = "L"
        else:
            continue
        old = resolve(action.path, item)
        if old is not None and type_of(old) != kind:
            raise ValidationError("Type mismatch for attribute to update")


def only_removes(update: Update) -> bool:
    """Whether an update takes away and adds nothing: such an update does not create an item."""
    return bool(update.actions) and all(isinstance(action, _REMOVALS) for action in update.actions)


def _has_parent(path: Path, item: Item) -> bool:
    """Whether the map or list that would hold the path's last part is there; without it the path is an error."""
    if len(path.parts) == 1:
        return True
    parent = resolve(Path(path.parts[:-1]), item)
    return parent is not None and ("M" if isinstance(path.parts[-1], str) else "L") in parent


def _position(path: Path) -> tuple[int, ...]:
    return tuple(part for part in path.parts if isinstance(part, int))


def _operand(operand: SetOperand, item: Item) -> AttributeValue:
    match operand:
        case Value(value):
            return value
        case Path():
            found = resolve(operand, item)
            if found is None:
                raise ValidationError(_MISSING)
            return found
        case IfNotExists(path, default):
            found = resolve(path, item)
            return found if found is not None else _operand(default, item)
        case ListAppend(first, second):
            head, tail = _operand(first, item), _operand(second, item)
            if "L" not in head or "L" not in tail:
                raise ValidationError(_WRONG_TYPE)
            return {"L": [*head["L"], *tail["L"]]}
        case Arithmetic(operator, left, right):
            one, two = _operand(left, item), _operand(right, item)
            if "N" not in one or "N" not in two:
                raise ValidationError(_WRONG_TYPE)
            return {"N": numbers.add(one["N"], two["N"]) if operator == "+" else numbers.subtract(one["N"], two["N"])}


def _added(old: AttributeValue | None, value: AttributeValue) -> AttributeValue:
    if old is None:
        return value
    kind = type_of(value)
    if type_of(old) != kind:
        raise ValidationError(_WRONG_TYPE)
    if kind == "N":
        return {"N": numbers.add(old["N"], value["N"])}
    present = set(old[kind])
    joined = [*old[kind], *(member for member in value[kind] if member not in present)]
    return {kind: in_set_order(kind, joined)}


def _deleted(old: AttributeValue | None, value: AttributeValue) -> AttributeValue | None:
    if old is None:
        return None
    kind = type_of(value)
    if type_of(old) != kind:
        raise ValidationError(_WRONG_TYPE)
    gone = set(value[kind])
    rest = [member for member in old[kind] if member not in gone]
    return {kind: rest} if rest else None


def _parent(item: Item, path: Path, copied: set[str]) -> Any:
    """The map or list that holds the path's last part, copied once per update so that the old item stays whole."""
    first = str(path.parts[0])
    if first not in item:
        raise ValidationError(_BAD_PATH)
    if first not in copied:
        item[first] = _copy(item[first])
        copied.add(first)
    value = item[first]
    for part in path.parts[1:-1]:
        inner = child(value, part)
        if inner is None:
            raise ValidationError(_BAD_PATH)
        value = inner
    container = value.get("M") if isinstance(path.parts[-1], str) else value.get("L")
    if container is None:
        raise ValidationError(_BAD_PATH)
    return container


def _set(item: Item, path: Path, value: AttributeValue, copied: set[str]) -> None:
    if len(path.parts) == 1:
        item[str(path.parts[0])] = value
        return
    container = _parent(item, path, copied)
    last = path.parts[-1]
    if isinstance(last, int) and last >= len(container):
        container.append(value)
    else:
        container[last] = value
    if len(path.parts) - 1 + _depth(value) >= NESTING_LEVELS:
        raise ValidationError(TOO_DEEP)


def _remove(item: Item, path: Path, copied: set[str]) -> None:
    if len(path.parts) == 1:
        item.pop(str(path.parts[0]), None)
        return
    container = _parent(item, path, copied)
    last = path.parts[-1]
    if isinstance(container, dict):
        container.pop(last, None)
    elif isinstance(last, int) and last < len(container):
        del container[last]


def _copy(value: AttributeValue) -> AttributeValue:
    kind = type_of(value)
    if kind == "M":
        return {"M": {name: _copy(inner) for name, inner in value["M"].items()}}
    if kind == "L":
        return {"L": [_copy(inner) for inner in value["L"]]}
    return value


def _depth(value: AttributeValue) -> int:
    if "M" in value:
        return 1 + max(map(_depth, value["M"].values()), default=0)
    if "L" in value:
        return 1 + max(map(_depth, value["L"]), default=0)
    return 0
