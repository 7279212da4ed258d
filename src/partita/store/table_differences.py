"""The differences between an existing table and its schema that would make reads wrong or fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from partita.table.errors import TableDiffersError
from partita.table.tables import Index, KeyName, Table

Described = dict[str, Any]
KeyParts = Sequence[tuple[str, str, str | None]]
"""Name, half and type of every attribute of a key."""

_ANEW = (
    "An index cannot be changed: give the new one another name and name the old one in its `replaces`, or delete the "
    "old one and make it anew with store.create."
)
_LOCAL = "A local index cannot be changed: give the table another name, or delete it if you may and make it anew."


def stored_key(schema: list[dict[str, str]], described: Described) -> KeyParts:
    """A key as DescribeTable tells it."""
    types = {each["AttributeName"]: each["AttributeType"] for each in described["AttributeDefinitions"]}
    return [(part["AttributeName"], part["KeyType"], types.get(part["AttributeName"])) for part in schema]


def declared_key(pk: Iterable[KeyName], sk: Iterable[KeyName]) -> KeyParts:
    """A key as the schema declares it."""
    return [(key.name, "HASH", key.type) for key in pk] + [(key.name, "RANGE", key.type) for key in sk]


def both(stored: KeyParts, declared: KeyParts) -> tuple[str, str]:
    """Two keys that differ, with their types if their names are the same."""
    alike = [part[:2] for part in stored] == [part[:2] for part in declared]

    def spelled(key: KeyParts) -> str:
        return " + ".join(f"{name} ({kind})" if alike else name for name, _, kind in key)

    return spelled(stored), spelled(declared)


def check_index(index: Index, stored: Described, described: Described) -> None:
    """An index of another key finds other items, and items read from one that holds less lack what they have."""
    step = _LOCAL if index.local else _ANEW
    there, said = stored_key(stored["KeySchema"], described), declared_key(index.pk, index.sk)
    if there != said:
        has, wants = both(there, said)
        raise TableDiffersError(f"The index {index!r} has the key {has}, and the schema says {wants}. {step}")
    missing = _missing(index, stored["Projection"])
    if missing:
        has, wants = _held(stored["Projection"]), _held(_declared(index))
        raise TableDiffersError(f"The index {index!r} holds {has}, and the schema says {wants}. {step}")


def _missing(index: Index, stored: Described) -> bool:
    """Whether an index lacks something that the schema counts on; that it holds more does no harm."""
    if stored["ProjectionType"] == "ALL" or index.projection == "KEYS_ONLY":
        return False
    if index.projection == "ALL":
        return True
    held = {key.name for key in (*index.table.keys, *index.key_names)}.union(stored.get("NonKeyAttributes") or ())
    return not held.issuperset(index.include)


def _declared(index: Index) -> Described:
    return {"ProjectionType": index.projection, "NonKeyAttributes": index.include}


def _held(projection: Described) -> str:
    if projection["ProjectionType"] == "INCLUDE":
        return "its keys and " + ", ".join(sorted(projection.get("NonKeyAttributes") or ()))
    return "all attributes" if projection["ProjectionType"] == "ALL" else "its keys alone"


def check_stream(table: Table, described: Described) -> bool:
    """Whether the table has a stream; one that shows less than the schema says is refused."""
    stored = described.get("StreamSpecification") or {}
    if not stored.get("StreamEnabled"):
        return False
    view = stored.get("StreamViewType")
    if view not in (table.stream, "NEW_AND_OLD_IMAGES") and table.stream != "KEYS_ONLY":
        raise TableDiffersError(
            f"The stream of {table.name} shows {_words(view)}, and the schema says {_words(table.stream)}. A stream "
            "cannot be changed: switch it off with UpdateTable once everything in it is read, then call store.create "
            "again."
        )
    return True


def _words(view: str | None) -> str:
    return str(view).lower().replace("_", " ")
