"""UpdateContributorInsights, DescribeContributorInsights and ListContributorInsights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw

from partita.engine import catalog
from partita.engine.catalog import Catalog
from partita.engine.contributors import KINDS, counted_keys, forget, target
from partita.engine.definitions import Table
from partita.engine.place import Place
from partita.engine.writer import Transaction

_PAGE = 100
Request = Mapping[str, Any]
Response = dict[str, Any]


def update(transaction: Transaction, request: Request, _place: Place) -> Response:
    """UpdateContributorInsights; switching off forgets what was counted."""
    index = request.get("IndexName") or ""
    table = target(transaction.catalog, request["TableName"], index)
    insights = {name: setting for name, setting in table.insights.items() if name != index}
    enable = request["ContributorInsightsAction"] == "ENABLE"
    mode = request.get("ContributorInsightsMode") or "ACCESSED_AND_THROTTLED_KEYS"
    if enable:
        insights[index] = {"mode": mode, "since": transaction.now}
    else:
        forget(transaction, counted_keys(table, index)[0])
    catalog.save(transaction.connection, replace(table, insights=insights))
    transaction.reload()
    status = "ENABLING" if enable else "DISABLING"
    response = {**_named(table, index), "ContributorInsightsStatus": status}
    return {**response, "ContributorInsightsMode": mode} if enable else response


def describe(_connection: apsw.Connection, tables: Catalog, request: Request, _place: Place) -> Response:
    """DescribeContributorInsights."""
    index = request.get("IndexName") or ""
    table = target(tables, request["TableName"], index)
    response = _summary(table, index)
    setting = table.insights.get(index)
    if setting is not None:
        moment = int(setting["since"] * 1000)
        name = f"{table.name}-{index}" if index else table.name
        response["ContributorInsightsRuleList"] = [
            f"DynamoDBContributorInsights-{kind}-{name}-{moment}"
            for kind in KINDS[setting["mode"]]
            if kind in ("PKC", "PKT") or counted_keys(table, index)[2]
        ]
        response["LastUpdateDateTime"] = setting["since"]
    return response


def list_insights(_connection: apsw.Connection, tables: Catalog, request: Request, place: Place) -> Response:
    """ListContributorInsights: of tables and indexes whose insights are on."""
    only = request.get("TableName")
    wanted = tables.tables.values() if only is None else (target(tables, place.table_name(only), ""),)
    start = request.get("NextToken") or ""
    limit = request.get("MaxResults") or _PAGE
    found = sorted((f"{table.name}/{index}", table, index) for table in wanted for index in table.insights)
    rest = [entry for entry in found if entry[0] > start]
    response: Response = {"ContributorInsightsSummaries": [_summary(table, index) for _, table, index in rest[:limit]]}
    if len(rest) > limit:
        response["NextToken"] = rest[limit - 1][0]
    return response


def _summary(table: Table, index: str) -> Response:
    setting = table.insights.get(index)
    if setting is None:
        return {**_named(table, index), "ContributorInsightsStatus": "DISABLED"}
    mode = setting["mode"]
    return {**_named(table, index), "ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": mode}


def _named(table: Table, index: str) -> Response:
    return {"TableName": table.name, "IndexName": index} if index else {"TableName": table.name}
