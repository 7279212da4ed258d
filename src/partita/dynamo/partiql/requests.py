"""ExecuteStatement, BatchExecuteStatement and ExecuteTransaction as values: what each statement is, and the options."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeAlias

import orjson

from partita.dynamo.capacity import Reported
from partita.dynamo.errors import ValidationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.item_shapes import CAPACITY, LIMIT, ON_FAILURE, TOKEN
from partita.dynamo.limits import BATCH_STATEMENTS, STATEMENT_CHARACTERS, TRANSACTION_ACTIONS
from partita.dynamo.partiql.literals import checked_parameters
from partita.dynamo.partiql.statements import Exists, Select, Statement, Write, statement
from partita.dynamo.requests import FailureReturn
from partita.dynamo.shapes import Attribute, Flag, Listing, Structure, Text, check

_STATEMENT: dict[str, Any] = {
    "Statement": Text(required=True, least=1, most=STATEMENT_CHARACTERS),
    "Parameters": Listing(Attribute(), least=1),
    "ReturnValuesOnConditionCheckFailure": ON_FAILURE,
}
EXECUTE = Structure(
    {
        **_STATEMENT,
        "ConsistentRead": Flag(),
        "NextToken": Text(least=1, most=32_768),
        "ReturnConsumedCapacity": CAPACITY,
        "Limit": LIMIT,
    }
)
BATCH = Structure(
    {
        "Statements": Listing(
            Structure({**_STATEMENT, "ConsistentRead": Flag()}, name="BatchStatementRequest"),
            required=True,
            least=1,
            most=BATCH_STATEMENTS,
        ),
        "ReturnConsumedCapacity": CAPACITY,
    }
)
TRANSACTION = Structure(
    {
        "TransactStatements": Listing(
            Structure(_STATEMENT, name="ParameterizedStatement"), required=True, least=1, most=TRANSACTION_ACTIONS
        ),
        "ClientRequestToken": TOKEN,
        "ReturnConsumedCapacity": CAPACITY,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStatement:
    """Run a SELECT, or a page of it; `digest` tells one statement from another in tokens."""

    select: Select
    consistent: bool = False
    limit: int | None = None
    token: str | None = None
    digest: str = ""
    capacity: Reported = "NONE"

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.select.source.table,)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteStatement:
    """Run an INSERT, an UPDATE or a DELETE."""

    write: Write
    on_failure: FailureReturn = "NONE"
    capacity: Reported = "NONE"

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.write.source.table,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBatch:
    """Run up to 25 reads by key, each for itself; a statement that cannot be read is its fault."""

    entries: tuple[ReadStatement | ValidationError, ...]
    capacity: Reported = "NONE"

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(name for each in self.entries if isinstance(each, ReadStatement) for name in each.tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBatch:
    """Run up to 25 writes, each for itself."""

    entries: tuple[WriteStatement | ValidationError, ...]
    capacity: Reported = "NONE"

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(name for each in self.entries if isinstance(each, WriteStatement) for name in each.tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTransaction:
    """Run up to 100 reads by key as of one moment."""

    selects: tuple[Select, ...]
    capacity: Reported = "NONE"

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(select.source.table for select in self.selects)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteTransaction:
    """Run up to 100 writes and checks, all or none."""

    writes: tuple[Write | Exists, ...]
    on_failure: tuple[FailureReturn, ...]
    token: str | None = None
    capacity: Reported = "NONE"

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(write.source.table for write in self.writes)


StatementRequest: TypeAlias = (
    ReadStatement | WriteStatement | ReadBatch | WriteBatch | ReadTransaction | WriteTransaction
)


def parse(operation: str, wire: object) -> StatementRequest:
    """The request value of a PartiQL operation."""
    return _PARSERS[operation](wire)


def _execute(wire: object) -> StatementRequest:
    request = check(EXECUTE, wire)
    found = _statement(request)
    capacity: Reported = request.get("ReturnConsumedCapacity") or "NONE"
    if isinstance(found, Select):
        return ReadStatement(
            select=found,
            consistent=bool(request.get("ConsistentRead")),
            limit=request.get("Limit"),
            token=request.get("NextToken"),
            digest=_digest(request),
            capacity=capacity,
        )
    if isinstance(found, Exists):
        raise _misplaced_exists()
    on_failure: FailureReturn = request.get("ReturnValuesOnConditionCheckFailure") or "NONE"
    return WriteStatement(write=found, on_failure=on_failure, capacity=capacity)


def _batch(wire: object) -> StatementRequest:
    request = check(BATCH, wire)
    reads: list[ReadStatement | ValidationError] = []
    writes: list[WriteStatement | ValidationError] = []
    for entry in request["Statements"]:
        try:
            found = _statement(entry)
            if isinstance(found, Exists):
                raise _misplaced_exists()
        except ValidationError as fault:
            reads.append(fault)
            writes.append(fault)
            continue
        if isinstance(found, Select):
            reads.append(ReadStatement(select=found, consistent=bool(entry.get("ConsistentRead"))))
        else:
            asked: FailureReturn = entry.get("ReturnValuesOnConditionCheckFailure") or "NONE"
            writes.append(WriteStatement(write=found, on_failure=asked))
    if len(reads) != len(request["Statements"]) != len(writes):
        raise ValidationError("Read and write requests together in the same batch is not supported.")
    capacity: Reported = request.get("ReturnConsumedCapacity") or "NONE"
    if len(reads) == len(request["Statements"]):
        return ReadBatch(entries=tuple(reads), capacity=capacity)
    return WriteBatch(entries=tuple(writes), capacity=capacity)


def _transaction(wire: object) -> StatementRequest:
    request = check(TRANSACTION, wire)
    entries = request["TransactStatements"]
    parameters = [checked_parameters(entry.get("Parameters")) for entry in entries]
    found: list[Statement] = []
    for position, (entry, values) in enumerate(zip(entries, parameters, strict=True)):
        try:
            found.append(statement(entry["Statement"], values))
        except ValidationError as fault:
            raise in_transaction(position, fault.message) from None
    capacity: Reported = request.get("ReturnConsumedCapacity") or "NONE"
    selects = tuple(each for each in found if isinstance(each, Select))
    writes = tuple(each for each in found if not isinstance(each, Select))
    if selects and writes:
        raise ValidationError(
            "ExecuteTransaction API does not support both read and write operations in the same request."
        )
    if selects:
        return ReadTransaction(selects=selects, capacity=capacity)
    return WriteTransaction(
        writes=writes,
        on_failure=tuple(entry.get("ReturnValuesOnConditionCheckFailure") or "NONE" for entry in entries),
        token=request.get("ClientRequestToken"),
        capacity=capacity,
    )


def in_transaction(position: int, message: str) -> ValidationError:
    """What is wrong with one statement of a transaction, which refuses the whole request."""
    return ValidationError(f"Validation failed in TransactStatements[{position}]: {message}")


def _misplaced_exists() -> ValidationError:
    return ValidationError("EXISTS can only be used in ExecuteTransaction write requests.")


def _statement(request: dict[str, Any]) -> Statement:
    parameters = checked_parameters(request.get("Parameters"))
    return statement(request["Statement"], parameters)


def _digest(request: dict[str, Any]) -> str:
    told = [request["Statement"], request.get("Parameters")]
    return sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS, default=str)).hexdigest()[:32]


_PARSERS: dict[str, Callable[[object], StatementRequest]] = {
    "ExecuteStatement": _execute,
    "BatchExecuteStatement": _batch,
    "ExecuteTransaction": _transaction,
}

STATEMENT_OPERATIONS = frozenset(_PARSERS)
