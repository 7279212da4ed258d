"""Capacity units as DynamoDB counts them: what a request costs, per table and per index."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Reported = Literal["NONE", "TOTAL", "INDEXES"]


def read_units(size: int, *, consistent: bool, transactional: bool = False) -> float:
    """One unit per started 4 KB read strongly; half of it eventually; twice in a transaction. At least one step."""
    steps = max(1, -(-size // 4096))
    if transactional:
        return 2.0 * steps
    return float(steps) if consistent else steps / 2


def write_units(size: int, *, transactional: bool = False) -> float:
    """One unit per started 1 KB written; twice in a transaction."""
    steps = max(1, -(-size // 1024))
    return 2.0 * steps if transactional else float(steps)


@dataclass(slots=True)
class Capacity:
    """What one request consumed on one table."""

    table: str
    kind: Literal["read", "write"]
    base: float = 0.0
    global_indexes: dict[str, float] = field(default_factory=dict)
    local_indexes: dict[str, float] = field(default_factory=dict)

    def add_index(self, name: str, units: float, *, local: bool) -> None:
        indexes = self.local_indexes if local else self.global_indexes
        indexes[name] = indexes.get(name, 0.0) + units

    def merge(self, other: Capacity) -> None:
        self.base += other.base
        for name, units in other.global_indexes.items():
            self.add_index(name, units, local=False)
        for name, units in other.local_indexes.items():
            self.add_index(name, units, local=True)

    @property
    def total(self) -> float:
        return self.base + sum(self.global_indexes.values()) + sum(self.local_indexes.values())

    def wire(self, reported: Reported, *, split: bool = False) -> dict[str, Any]:
        """The ConsumedCapacity member; transactions also split it into read or write units."""
        member = "ReadCapacityUnits" if self.kind == "read" else "WriteCapacityUnits"

        def units(amount: float) -> dict[str, float]:
            return {"CapacityUnits": amount, member: amount} if split else {"CapacityUnits": amount}

        result: dict[str, Any] = {"TableName": self.table, **units(self.total)}
        if reported == "INDEXES":
            result["Table"] = units(self.base)
            if self.global_indexes:
                result["GlobalSecondaryIndexes"] = {name: units(n) for name, n in self.global_indexes.items()}
            if self.local_indexes:
                result["LocalSecondaryIndexes"] = {name: units(n) for name, n in self.local_indexes.items()}
        return result
