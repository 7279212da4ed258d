"""The list of exports and imports: what was asked for, and how far it has come."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import apsw
import orjson

from partita.dynamo.errors import DynamoError
from partita.engine.place import Place
from partita.engine.writer import Transaction

Kind = Literal["export", "import"]
Stored = dict[str, Any]
"""`description` is what Describe returns, `request` what was asked for; the rest is the work's own."""

TOKEN_SECONDS = 8 * 3600
KEPT_SECONDS = 90 * 86_400
"""How long one that is done can be looked up, as in DynamoDB."""
_PAGE = 25


@dataclass(frozen=True, slots=True)
class Lookup:
    """How one kind of them is described and listed: the names of DynamoDB, which differ."""

    kind: Kind
    arn: str
    description: str
    summaries: str
    limit: str
    summary: tuple[str, ...]
    """What a list says of each, as far as it is known."""
    missing: type[DynamoError]

    def describe(self, connection: apsw.Connection, request: Mapping[str, Any], place: Place) -> dict[str, Any]:
        """The answer of DescribeExport and DescribeImport."""
        arn = place.check_arn_of(self.kind, request[self.arn])
        missing = self.missing(f"{self.kind.title()} not found: {arn}")
        return {self.description: find(connection, self.kind, arn, missing)["description"]}

    def page(self, connection: apsw.Connection, request: Mapping[str, Any], place: Place) -> dict[str, Any]:
        """The answer of ListExports and ListImports: in the order of their ARNs, of one table or of all."""
        arn = request.get("TableArn")
        table = None if arn is None else place.table_name(arn)
        limit = request.get(self.limit) or _PAGE
        statement = (
            "SELECT arn, definition FROM transfers WHERE kind = ? AND arn > ? AND (? IS NULL OR table_name = ?)"
            " ORDER BY arn LIMIT ?"
        )
        start = request.get("NextToken") or ""
        found = list(connection.execute(statement, (self.kind, start, table, table, limit + 1)))
        descriptions = [orjson.loads(definition)["description"] for _, definition in found[:limit]]
        response: dict[str, Any] = {
            self.summaries: [{name: each[name] for name in self.summary if name in each} for each in descriptions]
        }
        if len(found) > limit:
            response["NextToken"] = found[limit - 1][0]
        return response


def new_arn(kind: Kind, table: str, now: float, place: Place) -> str:
    """The ARN of an export or import that begins now."""
    return f"{place.table_arn(table)}/{kind}/{int(now * 1000):014d}-{uuid.uuid4().hex[:8]}"


def add(transaction: Transaction, kind: Kind, arn: str, table: str, stored: Stored) -> None:
    """Remember one that begins."""
    transaction.execute(
        "INSERT INTO transfers (arn, kind, table_name, token, open, definition) VALUES (?, ?, ?, ?, 1, ?)",
        (arn, kind, table, stored["request"].get("ClientToken"), orjson.dumps(stored).decode()),
    )


def save(transaction: Transaction, arn: str, stored: Stored) -> None:
    """Remember how far one has come, unless it is done already: another process may have been faster."""
    status = stored["description"]["ExportStatus" if "ExportStatus" in stored["description"] else "ImportStatus"]
    transaction.execute(
        "UPDATE transfers SET definition = ?, open = ? WHERE arn = ? AND open = 1",
        (orjson.dumps(stored).decode(), int(status == "IN_PROGRESS"), arn),
    )


def find(connection: apsw.Connection, kind: Kind, arn: str, missing: DynamoError) -> Stored:
    """The one with that ARN."""
    statement = "SELECT definition FROM transfers WHERE arn = ? AND kind = ?"
    for (definition,) in connection.execute(statement, (arn, kind)):
        stored: Stored = orjson.loads(definition)
        return stored
    raise missing


def repeated(
    connection: apsw.Connection, kind: Kind, request: Mapping[str, Any], now: float, conflict: DynamoError
) -> Stored | None:
    """The one that this same request began before, if it has the token of one of the last hours."""
    token = request.get("ClientToken")
    if token is None:
        return None
    statement = "SELECT definition FROM transfers WHERE kind = ? AND token = ? ORDER BY arn DESC LIMIT 1"
    for (definition,) in connection.execute(statement, (kind, token)):
        stored: Stored = orjson.loads(definition)
        if now - stored["description"]["StartTime"] < TOKEN_SECONDS:
            if stored["request"] != request:
                raise conflict
            return stored
    return None


def unfinished(connection: apsw.Connection, kind: Kind) -> list[tuple[str, Stored]]:
    """Those that are not done, oldest first."""
    statement = "SELECT arn, definition FROM transfers WHERE open = 1 AND kind = ? ORDER BY arn"
    return [(arn, orjson.loads(definition)) for arn, definition in connection.execute(statement, (kind,))]


def trim(transaction: Transaction) -> None:
    """Forget those that were done long ago."""
    transaction.execute(
        "DELETE FROM transfers WHERE open = 0 AND json_extract(definition, '$.description.EndTime') < ?",
        (transaction.now - KEPT_SECONDS,),
    )
