"""What an engine made of a request, in a form that can be compared."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from botocore import xform_name
from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as BotoConnectionError
from botocore.parsers import ResponseParserError

from tests.differential.engines import Peer
from tests.differential.requests import Step
from tests.differential.tables import Table

_EXACT = Context(prec=400, Emax=10_000, Emin=-10_000)
_MOST_PAGES = 60
_SETTLING = 10
DIED = "Died"
UNREADABLE = (AttributeError, TypeError, ValueError, ResponseParserError)
"""What the SDK raises when an answer is not of the protocol's form."""


@dataclass(frozen=True)
class Outcome:
    """An answer: `members` by value, `spelled` with numbers as the engine writes them; or an error."""

    members: dict[str, Any] = field(default_factory=dict)
    spelled: dict[str, Any] = field(default_factory=dict)
    code: str | None = None
    message: str = ""

    @property
    def ok(self) -> bool:
        return self.code is None

    @property
    def crashed(self) -> bool:
        return self.code is not None and self.members["status"] >= 500

    def __str__(self) -> str:
        if self.ok:
            return json.dumps(self.members, default=repr, ensure_ascii=False)
        extra = {name: member for name, member in self.members.items() if member and name != "status"}
        return f"{self.code}: {self.message} {extra or ''}".rstrip()


def send(peer: Peer, step: Step, tables: tuple[Table, ...]) -> Outcome:
    """Send one request; queries and scans are followed to the last page."""
    call = getattr(peer.client, xform_name(step.operation))
    try:
        if step.operation in ("Query", "Scan"):
            answer = _pages(call, step)
        elif step.operation == "ExecuteStatement":
            answer = _statement_pages(call, step)
        else:
            answer = call(**step.params)
            answer.pop("ResponseMetadata")
            if step.operation == "UpdateTable":
                answer = {"TableDescription": settled(peer, step.params["TableName"])}
    except ClientError as error:
        refused = _error(error)
        return replace(refused, members={**refused.members, **_left(peer, step)})
    except (BotoConnectionError, HTTPClientError) as error:
        return Outcome({"status": 500}, {}, DIED, f"the connection broke: {error}")
    except UNREADABLE as error:
        return Outcome({"status": 500}, {}, "Unreadable", f"the SDK cannot read the answer: {error}")
    return Outcome(_members(step, answer, tables, spelled=False), _members(step, answer, tables, spelled=True))


def _pages(call: Any, step: Step) -> dict[str, Any]:
    """All pages as one answer."""
    answer: dict[str, Any] = {"Count": 0, "Scanned": [], "Last": [], "Capacity": []}
    segment, total = step.params.get("Segment"), step.params.get("TotalSegments")
    if segment is None or total is None or not 0 <= segment < total:
        return _stretch(call, dict(step.params), answer)
    # Which items are in which segment is each engine's own affair.
    for each in range(total):
        _stretch(call, {**step.params, "Segment": each}, answer)
    return {**answer, "Scanned": [sum(answer["Scanned"])], "Last": [None], "Capacity": [None]}


def _stretch(call: Any, params: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    for _ in range(_MOST_PAGES):
        page = call(**params)
        answer["Count"] += page["Count"]
        answer["Scanned"].append(page["ScannedCount"])
        answer["Capacity"].append(page.get("ConsumedCapacity"))
        if "Items" in page:
            answer.setdefault("Items", []).extend(page["Items"])
        last = page.get("LastEvaluatedKey")
        answer["Last"].append(last)
        if not last:
            return answer
        if last == params.get("ExclusiveStartKey"):
            break
        params["ExclusiveStartKey"] = last
    answer["Scanned"].append("endless")
    return answer


def _statement_pages(call: Any, step: Step) -> dict[str, Any]:
    """All pages of a statement as one answer; the cost of a first page only, since others end elsewhere."""
    params = dict(step.params)
    answer = call(**params)
    answer.pop("ResponseMetadata")
    items = list(answer.get("Items") or [])
    following = answer.get("NextToken")
    for _ in range(_MOST_PAGES):
        if not following:
            return {**answer, "Items": items}
        page = call(**{**params, "NextToken": following})
        items += page.get("Items") or []
        following = page.get("NextToken")
    return {**answer, "Items": [*items, {"endless": {"BOOL": True}}]}


def _error(error: ClientError) -> Outcome:
    response = error.response
    reasons = response.get("CancellationReasons") or []
    members = {
        "status": response["ResponseMetadata"]["HTTPStatusCode"],
        "Reasons": [reason.get("Code") for reason in reasons],
        "ReasonItems": [normal_item(reason.get("Item")) for reason in reasons],
        "Item": normal_item(response.get("Item")),
    }
    return Outcome(members, {}, str(response["Error"]["Code"]), str(response["Error"].get("Message", "")))


def _members(step: Step, answer: dict[str, Any], tables: tuple[Table, ...], *, spelled: bool) -> dict[str, Any]:
    match step.operation:
        case "GetItem":
            found = {"Item": normal_item(answer.get("Item"), spelled)}
        case "PutItem" | "UpdateItem" | "DeleteItem":
            found = {"Attributes": normal_item(answer.get("Attributes"), spelled)}
        case "Query" | "Scan":
            return _page_members(step, answer, tables, spelled)
        case "BatchGetItem":
            found = {
                "Responses": {
                    table: unordered(normal_item(item, spelled) for item in items)
                    for table, items in answer["Responses"].items()
                },
                "Unprocessed": answer.get("UnprocessedKeys") or {},
            }
        case "BatchWriteItem":
            found = {"Unprocessed": answer.get("UnprocessedItems") or {}}
        case "TransactGetItems":
            found = {"Responses": [normal_item(each.get("Item"), spelled) for each in answer["Responses"]]}
        case "ExecuteStatement":
            items = [normal_item(item, spelled) for item in answer["Items"]]
            ordered = "ORDER BY" in step.params["Statement"]
            found = {"Items": items if ordered else unordered(items)}
        case "BatchExecuteStatement" | "ExecuteTransaction":
            found = {
                "Responses": [normal_item(each.get("Item"), spelled) for each in answer.get("Responses") or []],
                "Errors": [(each.get("Error") or {}).get("Code") for each in answer.get("Responses") or []],
            }
            if step.operation == "BatchExecuteStatement":
                errors = [each.get("Error") or {} for each in answer["Responses"]]
                found["Failed"] = [normal_item(each.get("Item"), spelled) for each in errors]
        case "CreateTable":
            return description(answer["TableDescription"])
        case "UpdateTable":
            return {**description(answer["TableDescription"]), **_settings(answer["TableDescription"])}
        case _:
            return {}
    return {**found, "ConsumedCapacity": _capacity(answer.get("ConsumedCapacity"))}


def _page_members(step: Step, answer: dict[str, Any], tables: tuple[Table, ...], spelled: bool) -> dict[str, Any]:
    items = answer.get("Items")
    index = step.params.get("IndexName")
    members: dict[str, Any] = {"Count": answer["Count"], "Scanned": answer["Scanned"]}
    shown = None if items is None else [normal_item(item, spelled) for item in items]
    if step.operation == "Query" and index is None:
        members["Items"] = shown
        members["Last"] = [normal_item(last, spelled) for last in answer["Last"]]
    else:
        members["Items"] = None if shown is None else unordered(shown)
        members["Last"] = [last is not None for last in answer["Last"]]
    if step.operation == "Query" and index is not None and items is not None:
        # Items with the same index key come in no particular order.
        keys = [each.keys for table in tables for each in table.indexes if each.name == index]
        range_key = keys[0][1][0] if keys and len(keys[0]) > 1 else ""
        members["Order"] = [normal(item[range_key]) if range_key in item else None for item in items]
    whole = step.operation == "Query" or len(answer["Scanned"]) == 1
    members["ConsumedCapacity"] = [_capacity(each) for each in answer["Capacity"]] if whole else None
    return members


def _capacity(capacity: Any) -> Any:
    if isinstance(capacity, list):
        return sorted((_capacity(each) for each in capacity), key=repr)
    return capacity


def description(table: dict[str, Any]) -> dict[str, Any]:
    """Keys and indexes of a table, as it is described or as it is asked for."""

    def index(each: dict[str, Any]) -> dict[str, Any]:
        projection = dict(each.get("Projection") or {})
        projection["NonKeyAttributes"] = sorted(projection.get("NonKeyAttributes", []))
        return {"IndexName": each["IndexName"], "KeySchema": each["KeySchema"], "Projection": projection}

    return {
        "KeySchema": table["KeySchema"],
        "Attributes": unordered(table["AttributeDefinitions"]),
        "Global": unordered(index(each) for each in table.get("GlobalSecondaryIndexes", [])),
        "Local": unordered(index(each) for each in table.get("LocalSecondaryIndexes", [])),
    }


def _left(peer: Peer, step: Step) -> dict[str, Any]:
    """The table that a refused change left behind, if there is one: it should be as it was."""
    if step.operation != "UpdateTable":
        return {}
    try:
        left = settled(peer, step.params["TableName"])
    except ClientError:
        return {}
    return {**description(left), **_settings(left)}


def _settings(description: dict[str, Any]) -> dict[str, Any]:
    """What UpdateTable changes beside indexes; what is not said is as it is at first."""
    stream = description.get("StreamSpecification") or {}
    units = description.get("ProvisionedThroughput") or {}
    return {
        "BillingMode": (description.get("BillingModeSummary") or {}).get("BillingMode", "PROVISIONED"),
        "Units": (units.get("ReadCapacityUnits", 0), units.get("WriteCapacityUnits", 0)),
        "Stream": stream.get("StreamViewType") if stream.get("StreamEnabled") else None,
        "Protected": bool(description.get("DeletionProtectionEnabled")),
        "TableClass": (description.get("TableClassSummary") or {}).get("TableClass", "STANDARD"),
        "MostUnits": (description.get("OnDemandThroughput") or {}).get("MaxReadRequestUnits", -1),
    }


def settled(peer: Peer, table: str) -> dict[str, Any]:
    """A table's description when all changes of it are done."""
    deadline = time.monotonic() + _SETTLING
    while True:
        description: dict[str, Any] = peer.client.describe_table(TableName=table)["Table"]
        states = [description["TableStatus"]]
        states += [each.get("IndexStatus") for each in description.get("GlobalSecondaryIndexes") or []]
        if set(states) == {"ACTIVE"} or time.monotonic() > deadline:
            return description
        time.sleep(0.005)


def unordered(items: Any) -> list[Any]:
    return sorted(items, key=repr)


def normal_item(item: Any, spelled: bool = False) -> Any:
    if item is None:
        return None
    return {name: normal(item[name], spelled) for name in sorted(item)}


def normal(value: dict[str, Any], spelled: bool = False) -> Any:
    """A value such that equal values have equal forms."""
    if len(value) != 1:
        return value
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return {"N": _number(content, spelled)}
        case "NS":
            return {"NS": sorted(_number(each, spelled) for each in content)}
        case "SS" | "BS":
            return {kind: sorted(content)}
        case "L":
            return {"L": [normal(each, spelled) for each in content]}
        case "M":
            return {"M": normal_item(content, spelled)}
    return value


def _number(text: str, spelled: bool) -> str:
    if spelled:
        return text
    try:
        number = Decimal(text).normalize(_EXACT)
    except InvalidOperation:
        return text
    return str(number) if number else "0"
