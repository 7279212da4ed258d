"""The actions and conditions that an update implies: what is derived from a changed field is derived anew with it.

If that cannot be done, the update is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from partita.dynamo.expressions.tree import (
    And,
    Compare,
    Condition,
    Or,
    Path,
    RemoveAction,
    SetAction,
    Size,
    UpdateAction,
    Value,
)
from partita.dynamo.values import AttributeValue
from partita.table.actions import UNKNOWN, Action
from partita.table.codecs import has_own_functions
from partita.table.errors import ModelError, StaleKeyError
from partita.table.layout import Layout, shard_of
from partita.table.reading import sharded
from partita.table.suggest import instead_of
from partita.table.values import from_wire
from partita.table.versions import same

if TYPE_CHECKING:
    from partita.table.writes import Update


def derived_actions(update: Update[Any]) -> list[UpdateAction]:
    """Set every attribute that is derived from a changed field anew, or remove it if it has no value any more."""
    layout = update.key.item_type.__layout__
    _check_fields(update, layout)
    values = _values(update, layout)
    changed = {action.field for action in update.actions}
    actions: list[UpdateAction] = []
    for name in layout.derived_names():
        inputs = layout.derived_from(name)
        if not (update.new or update.remake or changed.intersection(inputs)):
            continue
        actions.append(_derived_action(update, layout, name, inputs, values))
    return actions


def known_conditions(update: Update[Any]) -> Iterator[Condition]:
    """The fields that `knowing` names have the values it gives, if anything is derived from them."""
    layout = update.key.item_type.__layout__
    changed = {action.field for action in update.actions}
    relied_on = _inputs(update, layout, changed)
    for field, value in (update.known or {}).items():
        if field in changed or field in update.key.parts or field not in relied_on:
            continue
        attribute = update.key.item_type.__attributes__[field]
        wire = attribute.codec.encode(value)
        if wire is None and value is None and field in layout.nulls:
            wire = {"NULL": True}
        yield same(attribute.path, wire, value == layout.read_without(field))


def _inputs(update: Update[Any], layout: Layout, changed: set[str]) -> set[str]:
    """The fields of everything that the update derives anew."""
    derived = [layout.derived_from(name) for name in layout.derived_names()]
    everything = update.new or update.remake
    return {field for inputs in derived if everything or changed.intersection(inputs) for field in inputs}


def new_item_actions(update: Update[Any]) -> Iterable[UpdateAction]:
    """Set what every new item of the type has: its discriminator, and the parts of its key that are attributes too."""
    if not update.new:
        return
    item_type = update.key.item_type
    layout = item_type.__layout__
    changed = {action.field for action in update.actions}
    for name, constant in layout.constants.items():
        if layout.fields_by_name[name] not in changed and name not in layout.own_names:
            yield SetAction(Path((name,)), Value(constant))
    for field in layout.key_fields:
        checked = item_type.__attributes__[field].codec.validated(update.key.parts[field])
        stored = layout.names.get(field)
        if stored is not None and stored not in layout.own_names and stored not in layout.constants:
            wire = item_type.__attributes__[field].codec.encode(checked)
            if wire is not None:
                yield SetAction(Path((stored,)), Value(wire))
    for field, info in item_type.model_fields.items():
        given = field in changed or field in layout.key_fields or layout.names[field] in layout.constants
        too_short = layout.absent_as.get(field) is not None and item_type.__attributes__[field].limits.min_length
        if not given and info.is_required() and (field not in layout.absent_as or too_short):
            raise ModelError(
                f"or_new() would make a {item_type.__name__} without {field}, which has no default: set it too"
            )
        if not given and not info.is_required() and _default(layout, field) != layout.read_without(field):
            raise ModelError(
                f"or_new() would make a {item_type.__name__} without {field}, which reads otherwise than its default "
                "then: set it too, as in set_if_missing(…)"
            )


def _default(layout: Layout, field: str) -> Any:
    info = layout.item_type.model_fields[field]
    return info.get_default(call_default_factory=True, validated_data={})


def _check_fields(update: Update[Any], layout: Layout) -> None:
    what = update.key.item_type.__name__
    for action in update.actions:
        if action.field in layout.key_fields:
            raise StaleKeyError(
                f"{action.field} is part of the key of {what}, which cannot change: delete the item and put a new one"
            )
        if action.field not in layout.names:
            choice = instead_of(action.field, layout.names)
            raise ModelError(f"{what} has no {action.field} that could be updated: {choice}")
    _check_members(update)
    if has_own_functions(update.key.item_type):
        raise ModelError(
            f"{what} is checked as a whole by a validator, which no update of a part can run: write it with Put"
        )


def _check_members(update: Update[Any]) -> None:
    """Each action makes sure that a list or map stays as long as it must be, for itself alone."""
    counted: set[tuple[str | int, ...]] = set()
    for action in update.actions:
        around = action.action.path.parts[:-1]
        if around and around in counted and _measures(action.needs):
            raise ModelError(
                f"Two changes of {action.field} in one update, whose length has bounds: set it whole, or update twice"
            )
        if _measures(action.needs):
            counted.add(around)


def _measures(condition: Condition | None) -> bool:
    if isinstance(condition, And | Or):
        return any(map(_measures, condition.terms))
    return isinstance(condition, Compare) and isinstance(condition.left, Size)


def _values(update: Update[Any], layout: Layout) -> dict[str, Any]:
    """The fields of the item after the update, as far as they are known."""
    # What can have one value only is known: spread indexes are often keyed by such a discriminator.
    attributes = update.key.item_type.__attributes__
    only = ((layout.fields_by_name[name], from_wire(wire)) for name, wire in layout.constants.items())
    fixed = {field: attributes[field].codec.validated(value) for field, value in only}
    changed = {action.field: _afterwards(update, layout, action) for action in update.actions}
    given = {**(update.known or {}), **update.key.parts}
    functions = {field for computed in layout.computed.values() for field in computed.fields}
    for field in functions.intersection(given):  # they get what an item would have: 7, if the key was given "7"
        given[field] = attributes[field].codec.validated(given[field])
    return {**fixed, **given, **changed}


def _derived_action(
    update: Update[Any], layout: Layout, name: str, inputs: tuple[str, ...], values: dict[str, Any]
) -> UpdateAction:
    path, text = Path((name,)), layout.texts.get(name)
    if text is not None and any(field in values and values[field] is None for field in inputs):
        return RemoveAction(path)
    unknown = [field for field in inputs if values.get(field, UNKNOWN) is UNKNOWN]
    counted = [action.field for action in update.actions if action.value is UNKNOWN and action.field in unknown]
    if counted:
        raise StaleKeyError(
            f"{name} is made of {', '.join(inputs)}, and only the table will know what {', '.join(counted)} is after "
            "this update: read the item and set it, as Update.between(before, after) does."
        )
    if unknown:
        given = ", ".join(f"{update.key.item_type.__name__}.{field}(…)" for field in unknown)
        raise StaleKeyError(
            f"{name} is made of {', '.join(inputs)}, and this update does not know {', '.join(unknown)}. "
            f"Set it too, or say what it is with knowing({given})."
        )
    wire: AttributeValue | None
    if text is None:
        wire = layout.computed[name].wire(values)
    else:
        wire = {"S": text.render(values)}
    return RemoveAction(path) if wire is None else SetAction(path, Value(_sharded(update, name, wire)))


def _afterwards(update: Update[Any], layout: Layout, action: Action[Any]) -> Any:
    """What a field reads as after an action: without its attribute, as its default."""
    item_type, field = update.key.item_type, action.field
    if not isinstance(action.action, RemoveAction) or field not in layout.names or action.value is UNKNOWN:
        return action.value
    default = layout.read_without(field)
    name = layout.names[field]
    for index in item_type.__table__.indexes if default is not None else ():
        if name in (key.name for key in index.key_names):
            raise StaleKeyError(
                f"Without {name} a {item_type.__name__} reads as {default!r}, and {index!r} would not hold it: "
                f"set {field} to {default!r} instead of removing it"
            )
    return default


def _sharded(update: Update[Any], name: str, wire: AttributeValue) -> AttributeValue:
    table = update.key.item_type.__table__
    for index in table.indexes:
        if index.shards > 1 and index.pk[0].name == name:
            return {"S": sharded(wire["S"], shard_of(update.key.wire, table, index.shards))}
    return wire
