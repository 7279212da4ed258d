"""Fault injection: throttling, conflicts, partial batches, latency and stale reads, by a plan.

The plan is a value and its dice are seeded, so a run of bad luck can be had again.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field, fields, replace
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import (
    ThroughputExceededError,
    TransactionCanceledError,
    TransactionConflictError,
)
from partita.dynamo.frozen import dataclass
from partita.dynamo.partiql.requests import (
    ReadBatch,
    ReadStatement,
    ReadTransaction,
    StatementRequest,
    WriteBatch,
    WriteStatement,
    WriteTransaction,
)
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    GetItem,
    ItemRequest,
    Keys,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from partita.dynamo.wire import render
from partita.engine.database import Database

Request = ItemRequest | StatementRequest
Transaction = TransactWriteItems | TransactGetItems | ReadTransaction | WriteTransaction
_TRANSACTIONS = (TransactWriteItems, TransactGetItems, ReadTransaction, WriteTransaction)
_WRITES = (PutItem, UpdateItem, DeleteItem, WriteStatement)


class FaultPlanError(ValueError):
    """An invalid fault plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    """Which faults to inject, and how often; chances from 0 to 1, times in seconds."""

    seed: int = 0
    throttle: float = 0.0
    """Chance that a request is refused with ProvisionedThroughputExceededException."""
    conflict: float = 0.0
    """Chance that a write meets another transaction (TransactionConflict)."""
    partial_batch: float = 0.0
    """Chance that a batch leaves a part of itself unprocessed."""
    latency: float = 0.0
    """Every request waits up to this long."""
    stale: float = 0.0
    """Chance that an eventually consistent read (of a global index always) sees the past."""
    staleness: float = 0.2
    """How far in the past, at most."""
    tables: frozenset[str] = frozenset()
    """Only these tables; none named means all."""

    def __post_init__(self) -> None:
        for name in ("throttle", "conflict", "partial_batch", "stale"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise FaultPlanError(f"{name} is a chance from 0 to 1, not {getattr(self, name)}")
        for name in ("latency", "staleness"):
            if not 0.0 <= getattr(self, name) <= 60.0:
                raise FaultPlanError(f"{name} is a time from 0 to 60 seconds, not {getattr(self, name)}")

    @classmethod
    def from_json(cls, text: bytes | str) -> FaultPlan:
        """A plan out of a JSON object with the same names, e.g. `{"seed": 7, "throttle": 0.1}`."""
        try:
            members = orjson.loads(text)
            known: dict[str, Callable[[Any], Any]] = {each.name: float for each in fields(cls) if each.name != "tables"}
            known["seed"] = int
            unknown = sorted(set(members) - known.keys() - {"tables"})
            if unknown:
                raise FaultPlanError(
                    f"A fault plan has no {', '.join(unknown)}; it has {', '.join((*known, 'tables'))}"
                )
            values = {name: known[name](value) for name, value in members.items() if name != "tables"}
            return cls(**values, tables=frozenset(map(str, members.get("tables", ()))))
        except (orjson.JSONDecodeError, TypeError, AttributeError) as error:
            raise FaultPlanError(f"A fault plan is a JSON object of numbers: {error}") from None


@dataclass(slots=True)
class Faults:
    """Injects the faults of a plan."""

    plan: FaultPlan
    database: Database
    _dice: random.Random = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _past: apsw.Connection | None = None
    _since: float = 0.0

    def __post_init__(self) -> None:
        self._dice = random.Random(self.plan.seed)

    def strike(self, request: Request) -> None:
        """Wait, throttle or conflict at random; nothing has been read or written yet."""
        plan = self.plan
        if not self._concerns(request):
            return
        if plan.latency:
            time.sleep(self._roll() * plan.latency)
        if self._happens(plan.throttle):
            raise ThroughputExceededError(
                "The level of configured provisioned throughput for the table was exceeded. "
                "Consider increasing your provisioning level with the UpdateTable API."
            )
        if isinstance(request, _TRANSACTIONS):
            if self._happens(plan.conflict):
                raise self._canceled(request)
        elif isinstance(request, _WRITES) and self._happens(plan.conflict):
            raise TransactionConflictError("Transaction is ongoing for the item")

    def split(self, request: Request) -> tuple[Request, dict[str, Any]]:
        """The part of a batch to process, and the response members that report the rest."""
        if not isinstance(request, BatchGetItem | BatchWriteItem) or not self._concerns(request):
            return request, {}
        entries = [wanted.keys if isinstance(wanted, Keys) else wanted for wanted in request.tables.values()]
        if sum(map(len, entries)) < 2 or not self._happens(self.plan.partial_batch):
            return request, {}
        if isinstance(request, BatchWriteItem):
            flat = [(table, entry) for table, entries in request.tables.items() for entry in entries]
            cut = self._cut(len(flat))
            done, rest = flat[:cut], flat[cut:]
            return (
                replace(request, tables=_grouped(done)),
                {"UnprocessedItems": render(replace(request, tables=_grouped(rest)))[1]["RequestItems"]},
            )
        keys = [(table, key) for table, wanted in request.tables.items() for key in wanted.keys]
        cut = self._cut(len(keys))

        def only(part: list[tuple[str, Any]]) -> BatchGetItem:
            grouped = _grouped(part)
            return replace(
                request, tables={name: replace(request.tables[name], keys=found) for name, found in grouped.items()}
            )

        return only(keys[:cut]), {"UnprocessedKeys": render(only(keys[cut:]))[1]["RequestItems"]}

    @contextmanager
    def past(self, request: Request) -> Iterator[apsw.Connection | None]:
        """A connection to an old snapshot, if this read is to be stale; otherwise None."""
        if not self._may_be_stale(request) or not self._happens(self.plan.stale):
            yield None
            return
        with self._lock:
            yield self._snapshot()

    def close(self) -> None:
        """Close the old snapshots."""
        with self._lock:
            if self._past is not None:
                self._past.execute("ROLLBACK")
                self.database.give_back(self._past)
                self._past = None

    def _snapshot(self) -> apsw.Connection:
        now = time.monotonic()
        if self._past is None:
            self._past = self.database.take()
        elif now - self._since <= self.plan.staleness:
            return self._past
        else:
            self._past.execute("ROLLBACK")
        self._past.execute("BEGIN")
        self._past.execute("SELECT version FROM catalog").fetchall()
        self._since = now
        return self._past

    def _may_be_stale(self, request: Request) -> bool:
        if not self.plan.stale or not self._concerns(request):
            return False
        if isinstance(request, BatchGetItem):
            return not any(wanted.consistent for wanted in request.tables.values())
        if isinstance(request, ReadBatch):
            return not any(isinstance(each, ReadStatement) and each.consistent for each in request.entries)
        return isinstance(request, GetItem | Query | Scan | ReadStatement) and not request.consistent

    def _canceled(self, request: Transaction) -> TransactionCanceledError:
        count = _length(request)
        unlucky = int(self._roll() * count)
        conflict = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
        return TransactionCanceledError([conflict if at == unlucky else {"Code": "None"} for at in range(count)])

    def _concerns(self, request: Request) -> bool:
        if not self.plan.tables:
            return True
        match request:
            case BatchGetItem() | BatchWriteItem():
                names = set(request.tables)
            case (
                ReadStatement() | WriteStatement() | ReadBatch() | WriteBatch() | ReadTransaction() | WriteTransaction()
            ):
                names = set(request.tables)
            case TransactGetItems():
                names = {get.table for get in request.gets}
            case TransactWriteItems():
                names = {action.table for action in request.actions}
            case _:
                names = {request.table}
        return any(name.rpartition("/")[2] in self.plan.tables for name in names)  # a table may be named by its ARN

    def _cut(self, length: int) -> int:
        """How much of a batch is processed: at least one, since DynamoDB throttles if it can process nothing."""
        return 1 + int(self._roll() * (length - 1))

    def _happens(self, chance: float) -> bool:
        return chance > 0 and self._roll() < chance

    def _roll(self) -> float:
        with self._lock:
            return self._dice.random()


def _length(request: Transaction) -> int:
    match request:
        case TransactWriteItems(actions=entries) | TransactGetItems(gets=entries):
            return len(entries)
        case ReadTransaction(selects=entries) | WriteTransaction(writes=entries):
            return len(entries)


def _grouped(pairs: list[tuple[str, Any]]) -> dict[str, tuple[Any, ...]]:
    grouped: dict[str, tuple[Any, ...]] = {}
    for name, entry in pairs:
        grouped[name] = (*grouped.get(name, ()), entry)
    return grouped
