"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy, for tables and streams."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw

from partita.dynamo.errors import PolicyNotFoundError, ResourceNotFoundError
from partita.engine import catalog, policy_rules
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.place import Place
from partita.engine.writer import Transaction

_NO_POLICY = "NO_POLICY"
Request = Mapping[str, Any]
Response = dict[str, Any]


def put(transaction: Transaction, request: Request, _place: Place) -> Response:
    """PutResourcePolicy; the same policy again keeps its revision."""
    table, part = _resource(transaction.catalog, request["ResourceArn"], "PutResourcePolicy")
    current = table.policies.get(part)
    _check_revision(current, request)
    policy = request["Policy"]
    policy_rules.check(policy, request["ResourceArn"])
    if current is None or current["Policy"] != policy:
        current = revision(policy)
        catalog.save(transaction.connection, replace(table, policies={**table.policies, part: current}))
        transaction.reload()
    return {"RevisionId": current["RevisionId"]}


def revision(policy: str) -> dict[str, str]:
    """A policy as a table keeps it."""
    return {"Policy": policy, "RevisionId": str(uuid.uuid4().int)[:13]}


def get(_connection: apsw.Connection, tables: Catalog, request: Request, _place: Place) -> Response:
    """GetResourcePolicy."""
    table, part = _resource(tables, request["ResourceArn"], "GetResourcePolicy")
    if part not in table.policies:
        raise _missing(request)
    return dict(table.policies[part])


def delete(transaction: Transaction, request: Request, _place: Place) -> Response:
    """DeleteResourcePolicy; without a policy it does nothing."""
    table, part = _resource(transaction.catalog, request["ResourceArn"], "DeleteResourcePolicy")
    current = table.policies.get(part)
    _check_revision(current, request)
    if current is None:
        return {"RevisionId": ""}
    rest = {name: policy for name, policy in table.policies.items() if name != part}
    catalog.save(transaction.connection, replace(table, policies=rest))
    transaction.reload()
    return {"RevisionId": current["RevisionId"]}


def _resource(tables: Catalog, arn: str, operation: str) -> tuple[Table, str]:
    """The table, and the label of the stream if the ARN is that of one."""
    table = tables.tables.get(tables.place.tagged_table(arn, operation))
    label = arn.partition("/stream/")[2]
    if table is None or (label and label not in (stream.label for stream in table.streams)):
        raise ResourceNotFoundError(f"Requested resource not found: ResourcArn: {arn} not found")
    return table, label


def _check_revision(current: Mapping[str, str] | None, request: Request) -> None:
    expected = request.get("ExpectedRevisionId")
    if expected is not None and expected != (_NO_POLICY if current is None else current["RevisionId"]):
        raise _missing(request)


def _missing(request: Request) -> PolicyNotFoundError:
    return PolicyNotFoundError(
        f"Resource-based policy not found for the provided ResourceArn: {request['ResourceArn']}"
    )
