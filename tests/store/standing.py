"""Two tables with a few items, brought back after each write, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from partita.dynamo.python_values import item_from_python
from partita.dynamo.requests import ItemRequest
from partita.store.store import Transport
from tests.differential.tables import Index, Table
from tests.engine.tables import index, table

Wire = dict[str, Any]

_KEYS = (("pk", "S"), ("sk", "N"))
_INDEXES = [index("byG", "g", "sk"), index("keys", "g", projection="KEYS_ONLY")]
TABLES = (
    Table(
        "music",
        _KEYS,
        (
            Index("byG", (("g", "S"), ("sk", "N")), local=False, full=True),
            Index("keys", (("g", "S"),), local=False, full=False),
        ),
        table("music", "pk sk", types={"sk": "N"}, gsis=_INDEXES),
    ),
    Table("films", _KEYS, (), table("films", "pk sk", types={"sk": "N"})),
)
_ITEMS = [
    item_from_python(item)
    for item in (
        {"pk": "a", "sk": 1, "a": "x", "n": 1, "l": [1, {"x": 2}], "m": {"a": "x"}, "s": {"a", "b"}, "g": "g"},
        {"pk": "a", "sk": 2, "a": "y", "date": 3, "g": "g"},
        {"pk": "b", "sk": 1, "b": {1, 2}},
    )
]


class Standing:
    """The tables behind one engine or server."""

    def __init__(self, transport: Transport, call: Callable[[str, Wire], Wire], name: str = "") -> None:
        self.name = name
        self.send: Callable[[ItemRequest], Wire] = transport.send
        self.call = call
        for each in TABLES:
            call("CreateTable", each.create)
        self.restore()

    def contents(self) -> dict[str, list[Any]]:
        """Every item of every table."""
        return {each.name: self.call("Scan", {"TableName": each.name})["Items"] for each in TABLES}

    def restore(self) -> None:
        """Only the items of the beginning."""
        for name, items in self.contents().items():
            for item in items:
                if name != "music" or item not in _ITEMS:
                    self.call("DeleteItem", {"TableName": name, "Key": {part: item[part] for part, _ in _KEYS}})
        for item in _ITEMS:
            self.call("PutItem", {"TableName": "music", "Item": item})
