"""Looking over a table: rows that cannot be read, that no item type knows, or whose derived attributes are not what
follows from their fields. Other programs write such rows, and so do older versions of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from partita.dynamo import requests
from partita.dynamo.expressions.tree import AttributeExists, Path, RemoveAction, SetAction, Update, Value
from partita.dynamo.python_values import from_python
from partita.dynamo.values import Item as WireItem
from partita.table import ForeignItemError, Item, KeyPartError, LostValueError, ModelError, Table, steps
from partita.table import Update as ItemUpdate
from partita.table.effects import Steps
from partita.table.scans import segment_page
from partita.table.values import same_value

Kind = Literal["unreadable", "unknown", "stale", "misplaced", "lost"]
R = TypeVar("R")
_ROWS = 500


class Runs(Protocol):
    """What this needs of a store."""

    def run(self, wanted: Steps[R]) -> R:
        """Run steps."""


@dataclass(frozen=True, slots=True)
class Ailment:
    """Something that is wrong with a row."""

    kind: Kind
    table: Table
    item_type: type[Item] | None
    row: WireItem
    wrong: tuple[tuple[str, str], ...] = ()
    """Which attributes, and why."""

    @property
    def key(self) -> WireItem:
        """The key of the row."""
        return {key.name: self.row[key.name] for key in self.table.keys}

    @property
    def step(self) -> str:
        """What to do about it."""
        if self.kind == "stale":
            return "`partita doctor --mend` makes them anew."
        if self.kind == "unknown":
            return "No item type of the schema has such a key. If it is nobody's, delete it with `partita row`."
        if self.kind == "lost":
            return (
                "Bring the row back from a backup by `partita copy … --from FOLDER --replace`, which brings its files "
                "too; or set the attribute anew, or delete the row, with `partita row`."
            )
        if self.kind == "misplaced":
            return "Its fields say another key than it has: correct them with `partita row`, or delete it."
        if {name for name, _ in self.wrong} & {key.name for key in self.table.keys}:
            return "A key cannot be changed: put the row anew under the key that its type has, and delete this one."
        return "Correct these attributes with `partita row … --set NAME=JSON`, or delete the row with `--delete`."


def examine(store: Runs, table: Table) -> Iterator[Ailment]:
    """Everything that is wrong in a table; reads all of it."""
    after: WireItem | None = None
    while True:
        page = store.run(segment_page(table.name, segment=0, segments=1, after=after, limit=_ROWS))
        for row in page.rows:
            ailment = examined(store, table, row)
            if ailment is not None:
                yield ailment
        after = page.after
        if after is None:
            return


def examined(store: Runs, table: Table, row: WireItem) -> Ailment | None:
    """What is wrong with one row."""
    owner = next((kind for kind in table.item_types if kind.owns(row)), None)
    if owner is None:
        return Ailment("unknown", table, None, row)
    try:
        item = store.run(steps.read(owner, row))
    except ForeignItemError as error:
        return Ailment("unreadable", table, owner, row, error.wrong)
    except LostValueError as error:
        return Ailment("lost", table, owner, row, (("a large value", str(error)),))
    if item is None:
        return None
    try:
        expected = item.unchecked_row()
    except (KeyPartError, ModelError) as error:
        return Ailment("misplaced", table, owner, row, (("key", str(error)),))
    elsewhere = [key.name for key in table.keys if expected[key.name] != row[key.name]]
    if elsewhere:
        return Ailment("misplaced", table, owner, row, tuple((name, _spelled(expected[name])) for name in elsewhere))
    names = owner.__layout__.derived_names()
    stale = [name for name in names if not same_value(expected.get(name), row.get(name))]
    wrong = tuple((name, f"should be {_spelled(expected.get(name))}") for name in stale)
    return Ailment("stale", table, owner, row, wrong) if stale else None


def mend(store: Runs, ailment: Ailment) -> bool:
    """Make derived attributes anew; whether that was possible. What changes meanwhile is left to the next look."""
    if ailment.kind != "stale" or ailment.item_type is None:
        return False
    item = store.run(steps.read(ailment.item_type, ailment.row))
    if item is None:
        return False
    store.run(steps.write(ItemUpdate(item.own_key).making_anew(item), None))
    return True


def row_under(store: Runs, table: Table, key: WireItem) -> WireItem | None:
    """A row as it is stored."""

    def read() -> Steps[WireItem | None]:
        response = yield requests.GetItem(table=table.name, key=key, consistent=True)
        row: WireItem | None = response.get("Item")
        return row

    return store.run(read())


def change_row(store: Runs, table: Table, key: WireItem, changes: dict[str, Any], remove: tuple[str, ...]) -> None:
    """Set and remove attributes of a row that is there, whatever its type says."""
    sets = [SetAction(Path((name,)), Value(from_python(value))) for name, value in changes.items()]
    removes = [RemoveAction(Path((name,))) for name in remove]
    present = AttributeExists(Path((table.pk.name,)))

    def write() -> Steps[None]:
        yield requests.UpdateItem(table=table.name, key=key, update=Update((*sets, *removes)), condition=present)

    store.run(write())


def delete_row(store: Runs, table: Table, key: WireItem) -> None:
    """Delete a row, whatever it is."""

    def write() -> Steps[None]:
        yield requests.DeleteItem(table=table.name, key=key)

    store.run(write())


def _spelled(value: Any) -> str:
    return "absent" if value is None else str(next(iter(value.values())))
