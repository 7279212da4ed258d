"""What a table is billed by: provisioned throughput or requests, of the table and of its global indexes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from partita.dynamo.errors import ValidationError
from partita.engine.definitions import Index, Table

_INVALID = "One or more parameter values were invalid: "
Request = Mapping[str, Any]
Units = Mapping[str, int]


def created_billing(request: Request) -> tuple[Any, Units | None]:
    """The billing mode and throughput of a new table."""
    billing = request.get("BillingMode") or "PROVISIONED"
    throughput = request.get("ProvisionedThroughput")
    _check_table_throughput(billing, throughput)
    if billing == "PROVISIONED" and throughput is None:
        raise ValidationError(
            f"{_INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
        )
    check_on_demand(request.get("OnDemandThroughput"), billing)
    return billing, throughput


def check_created_index(index: Index, billing: str) -> None:
    """Refuse an index of a new table that is not billed as the table is."""
    if billing == "PROVISIONED" and index.throughput is None:
        raise ValidationError(f"{_INVALID}ProvisionedThroughput is not specified for index: {index.name}")
    if billing == "PAY_PER_REQUEST" and index.throughput is not None:
        raise ValidationError(
            f"{_INVALID}ProvisionedThroughput should not be specified for index: {index.name} when BillingMode is "
            "PAY_PER_REQUEST"
        )
    check_on_demand(index.on_demand, billing, f"index : {index.name}")


def check_added_index(index: Index, billing: str) -> None:
    """The same for a new index of a table that is there, in UpdateTable's words."""
    if billing == "PROVISIONED" and index.throughput is None:
        raise ValidationError(f"{_INVALID}ProvisionedThroughput must be specified for index: {index.name}")
    if billing == "PAY_PER_REQUEST" and index.throughput is not None:
        raise ValidationError(
            f"{_INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {index.name} when "
            "BillingMode is PAY_PER_REQUEST"
        )
    check_on_demand(index.on_demand, billing, f"index : {index.name}")


def changed_billing(table: Table, request: Request, now: float) -> Table:
    """The table with another billing mode or throughput; each global index needs its own if it becomes provisioned."""
    billing = request.get("BillingMode") or table.billing
    given = request.get("ProvisionedThroughput")
    _check_table_throughput(billing, given)
    on_demand = request.get("OnDemandThroughput")
    check_on_demand(on_demand, billing, changed=True)
    if billing == "PAY_PER_REQUEST":
        since = table.on_demand_since if table.billing == billing else now
        return replace(
            table,
            billing=billing,
            throughput=None,
            on_demand_since=since,
            on_demand=on_demand if on_demand is not None else table.on_demand,
            indexes=tuple(replace(index, throughput=None) for index in table.indexes),
        )
    if table.billing == "PROVISIONED":
        if given is not None:
            _check_change(table.throughput, given, "table", "table")
        return replace(table, throughput=given or table.throughput)
    if given is None:
        raise ValidationError(f"{_INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    updates = request.get("GlobalSecondaryIndexUpdates") or ()
    named = {(update.get("Update") or update.get("Delete") or {}).get("IndexName") for update in updates}
    for index in table.indexes:
        if not index.local and index.name not in named:
            raise ValidationError(f"{_INVALID}ProvisionedThroughput must be specified for index: {index.name}")
    return replace(table, billing=billing, throughput=given, on_demand=None)


def changed_index(table: Table, index: Index, action: Request) -> Index:
    """The index with another throughput."""
    given = action.get("ProvisionedThroughput")
    if table.billing == "PAY_PER_REQUEST":
        if given is not None or action.get("OnDemandThroughput") is None:
            raise ValidationError(
                f"{_INVALID}The only Updates for index: {index.name} when TableThroughputMode is PAY_PER_REQUEST can "
                "be to OnDemandThroughput, WarmThroughput"
            )
        check_on_demand(action["OnDemandThroughput"], table.billing, f"index : {index.name}", changed=True)
        return replace(index, on_demand=action["OnDemandThroughput"])
    check_on_demand(action.get("OnDemandThroughput"), table.billing, f"index : {index.name}")
    if given is None:
        raise ValidationError(f"{_INVALID}ProvisionedThroughput must be specified for index: {index.name}")
    if index.throughput is not None:
        _check_change(index.throughput, given, f"index {index.name}", "index")
    return replace(index, throughput=given)


def _check_table_throughput(billing: str, throughput: Units | None) -> None:
    if billing == "PAY_PER_REQUEST" and throughput is not None:
        raise ValidationError(
            f"{_INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST"
        )


def check_on_demand(on_demand: Units | None, billing: str, what: str = "table", *, changed: bool = False) -> None:
    """Limits are for tables on demand, and positive; a change takes one away with -1."""
    of = "" if what == "table" else f" for {what}"
    for name in ("MaxReadRequestUnits", "MaxWriteRequestUnits"):
        units = None if on_demand is None else on_demand.get(name)
        if units is None:
            continue
        if billing == "PROVISIONED":
            raise ValidationError(
                f"{_INVALID}{name} for OnDemandThroughput{of} cannot be specified when the table BillingMode is "
                "PROVISIONED"
            )
        if units < 1 and not (changed and units == -1):
            raise ValidationError(
                f"{_INVALID}Requested {name} for OnDemandThroughput for {what} is outside of valid range"
            )


def _check_change(current: Units | None, wanted: Units, what: str, owner: str) -> None:
    if current is None or any(current[name] != wanted[name] for name in ("ReadCapacityUnits", "WriteCapacityUnits")):
        return
    compared = " ".join(
        f"Current {name} provisioned for the {owner}: {current[name]}. Requested {name}: {wanted[name]}."
        for name in ("ReadCapacityUnits", "WriteCapacityUnits")
    )
    raise ValidationError(
        f"The provisioned throughput for the {what} will not change. The requested value equals the current value. "
        f"{compared} Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )
