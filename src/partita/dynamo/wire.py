"""From request values to the wire: the operation's name and its JSON members."""

from __future__ import annotations

from typing import Any

from partita.dynamo.expressions.render import Renderer
from partita.dynamo.expressions.tree import Condition, Projection, Update
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    DeleteItem,
    GetItem,
    ItemRequest,
    Keys,
    PutItem,
    Query,
    Scan,
    TransactAction,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)

Wire = dict[str, Any]
_MEASURED = (PutItem, UpdateItem, DeleteItem, BatchWriteItem, TransactWriteItems)


def render(request: ItemRequest) -> tuple[str, Wire]:
    """What to send: the operation and the body's members."""
    match request:
        case GetItem():
            return "GetItem", {**_get(request), **_given(ConsistentRead=request.consistent), **_reported(request)}
        case PutItem() | UpdateItem() | DeleteItem():
            name, wire = _action(request)
            if request.returns != "NONE":
                wire["ReturnValues"] = request.returns
            return f"{name}Item", {**wire, **_reported(request)}
        case Query() | Scan():
            return type(request).__name__, _read(request)
        case BatchGetItem(tables=tables):
            return "BatchGetItem", {
                "RequestItems": {table: _keys(keys) for table, keys in tables.items()},
                **_reported(request),
            }
        case BatchWriteItem(tables=tables):
            return "BatchWriteItem", {
                "RequestItems": {table: [_batch(entry) for entry in entries] for table, entries in tables.items()},
                **_reported(request),
            }
        case TransactGetItems(gets=gets):
            return "TransactGetItems", {"TransactItems": [{"Get": _get(get)} for get in gets], **_reported(request)}
        case TransactWriteItems(actions=actions, token=token):
            return "TransactWriteItems", {
                "TransactItems": [dict([_action(action)]) for action in actions],
                **_given(ClientRequestToken=token),
                **_reported(request),
            }


def _given(**members: object) -> Wire:
    return {name: value for name, value in members.items() if value is not None and value is not False}


def _reported(request: ItemRequest) -> Wire:
    wire: Wire = {}
    if request.capacity != "NONE":
        wire["ReturnConsumedCapacity"] = request.capacity
    if isinstance(request, _MEASURED) and request.metrics != "NONE":
        wire["ReturnItemCollectionMetrics"] = request.metrics
    return wire


def _expressions(**trees: Condition | Projection | Update | None) -> Wire:
    renderer = Renderer()
    wire: Wire = {}
    for member, tree in trees.items():
        if tree is None:
            continue
        if isinstance(tree, Update):
            wire[member] = renderer.update(tree)
        elif isinstance(tree, Projection):
            wire[member] = renderer.projection(tree)
        else:
            wire[member] = renderer.condition(tree)
    if renderer.names:
        wire["ExpressionAttributeNames"] = renderer.names
    if renderer.values:
        wire["ExpressionAttributeValues"] = renderer.values
    return wire


def _get(get: GetItem) -> Wire:
    return {"TableName": get.table, "Key": get.key, **_expressions(ProjectionExpression=get.projection)}


def _keys(keys: Keys) -> Wire:
    return {
        "Keys": list(keys.keys),
        **_expressions(ProjectionExpression=keys.projection),
        **_given(ConsistentRead=keys.consistent),
    }


def _batch(entry: PutItem | DeleteItem) -> Wire:
    if isinstance(entry, PutItem):
        return {"PutRequest": {"Item": entry.item}}
    return {"DeleteRequest": {"Key": entry.key}}


def _action(action: TransactAction) -> tuple[str, Wire]:
    wire: Wire = {"TableName": action.table}
    update = action.update if isinstance(action, UpdateItem) else None
    if isinstance(action, PutItem):
        wire["Item"] = action.item
    else:
        wire["Key"] = action.key
    wire |= _expressions(UpdateExpression=update, ConditionExpression=action.condition)
    if action.on_failure != "NONE":
        wire["ReturnValuesOnConditionCheckFailure"] = action.on_failure
    names = {PutItem: "Put", UpdateItem: "Update", DeleteItem: "Delete", ConditionCheck: "ConditionCheck"}
    return names[type(action)], wire


def _read(request: Query | Scan) -> Wire:
    wire: Wire = {
        "TableName": request.table,
        **_given(
            IndexName=request.index,
            Select=request.select,
            ExclusiveStartKey=request.start,
            Limit=request.limit,
            ConsistentRead=request.consistent,
        ),
        **_expressions(
            KeyConditionExpression=request.condition if isinstance(request, Query) else None,
            FilterExpression=request.filter,
            ProjectionExpression=request.projection,
        ),
        **_reported(request),
    }
    if isinstance(request, Query):
        if not request.forward:
            wire["ScanIndexForward"] = False
    else:
        wire |= _given(Segment=request.segment, TotalSegments=request.total_segments)
    return wire
