"""The table WorthWatch began with, keyed by `id` alone, and its rows read as items of the new one.

The document says no more of it than its key; what else is taken for granted is in docs/decisions/0008.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from partita.apps.worthwatch.schema import (
    WORTHWATCH,
    Comment,
    Movie,
    Rating,
    SavedWatchlist,
    Show,
    User,
    Watchlist,
    WatchlistItem,
)
from partita.dynamo.values import AttributeValue
from partita.table import ForeignItemError, Item, ModelError, Table, camel_case
from partita.table.export import attribute_names
from partita.table.migrations import Row
from partita.table.types import timestamp

OLD = Table("worthwatch-by-id", pk="id", stream=None, purpose="The simple table from before: a row per entity.")

_BARS = tuple(f"rated{number}" for number in range(1, 11))
_COUNTED = ("itemCount", "ratingCount", "ratingSum", *_BARS, "isPublicStr")
"""Made of other attributes or rows: made anew, not believed."""
_KEYS = frozenset(key.name for key in attribute_names(WORTHWATCH))


class OldRowError(ModelError):
    """An old row that no item can be made of."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """How rows of one type become items: which attribute `id` is, where it is one, and which ones are moments."""

    item_type: type[Item]
    moments: tuple[str, ...]
    own_id: str | None = None


_SHAPES = {
    "USER": _Shape(User, ("createdAt", "updatedAt"), "userId"),
    "WATCHLIST": _Shape(Watchlist, ("createdAt", "updatedAt"), "watchlistId"),
    "MOVIE": _Shape(Movie, ("createdAt", "updatedAt"), "movieId"),
    "SHOW": _Shape(Show, ("createdAt", "updatedAt"), "showId"),
    "WATCHLIST_ITEM": _Shape(WatchlistItem, ("addedAt",)),
    "USER_SAVED_WATCHLIST": _Shape(SavedWatchlist, ("savedAt",)),
    "RATING": _Shape(Rating, ("ratedAt",)),
    "COMMENT": _Shape(Comment, ("createdAt",)),
}


def new_item(row: Row) -> Item:
    """The item an old row becomes. Attributes the new type does not know are kept."""
    kind = row.get("entityType", {}).get("S")
    shape = _SHAPES.get(kind or "")
    if shape is None:
        raise OldRowError(f"The entityType {kind!r} is none of {', '.join(_SHAPES)}")
    attributes = {name: value for name, value in row.items() if name not in _COUNTED and "NULL" not in value}
    if shape.own_id is not None:
        _rename_id(attributes, shape.own_id)
    _bring_to_one_spelling(attributes, shape)
    key = shape.item_type.__layout__.key(_key_parts(attributes, shape.item_type))
    _step_aside(attributes, shape.item_type)
    return _read(shape.item_type, {**attributes, **key})


def _rename_id(attributes: Row, own_id: str) -> None:
    """An entity's `id` is its own id; what has no id of its own keeps `id`, which tells where it came from."""
    value = attributes.pop("id")
    named = attributes.setdefault(own_id, value)
    if named != value:
        raise OldRowError(f"id is {value['S']!r} and {own_id} is {next(iter(named.values()))!r}: which one is it?")


def _bring_to_one_spelling(attributes: Row, shape: _Shape) -> None:
    fields = shape.item_type.__layout__.fields_by_name
    for name in shape.moments:
        # Old rows may have only createdAt, whatever the document calls the moment now.
        value = attributes.get(name) or attributes.get("createdAt")
        if value is None:
            raise OldRowError(f"{name} is missing")
        attributes[name] = _moment(name, value)
    for name, value in attributes.items():
        if "N" in value and name.endswith("Id"):
            attributes[name] = {"S": value["N"]}
        elif "SS" in value and name in fields:
            attributes[name] = {"L": [{"S": member} for member in sorted(value["SS"])]}


def _moment(name: str, value: AttributeValue) -> AttributeValue:
    try:
        moment = datetime.fromisoformat(value["S"])
    except (KeyError, ValueError):
        raise OldRowError(f"{name} is {next(iter(value.values()))!r}, which is no ISO 8601 timestamp") from None
    return {"S": timestamp(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))}


def _key_parts(attributes: Row, item_type: type[Item]) -> dict[str, str]:
    """The fields the new key is made of; those that only the key holds are taken out of the attributes."""
    layout = item_type.__layout__
    parts: dict[str, str] = {}
    for field in layout.key_fields:
        name = camel_case(field)
        value = attributes[name] if field in layout.names and name in attributes else attributes.pop(name, {})
        if "S" not in value:
            raise OldRowError(f"{name} is missing")
        parts[field] = value["S"]
    return parts


def _step_aside(attributes: Row, item_type: type[Item]) -> None:
    """What the new table has as a key of something else goes by another name, or an index would list it."""
    for name in _KEYS & attributes.keys() - item_type.__layout__.fields_by_name.keys():
        attributes[f"old{name[0].upper()}{name[1:]}"] = attributes.pop(name)


def _read(item_type: type[Item], row: Row) -> Item:
    try:
        return item_type.from_row(row)
    except ForeignItemError as error:
        if not error.wrong:
            raise
        told = (f"{camel_case(field.partition('.')[0])}: {why}" for field, why in error.wrong)
        raise OldRowError("; ".join(told)) from None
