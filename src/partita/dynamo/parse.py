"""From the wire to request values: shapes checked, placeholders bound, legacy parameters translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from partita.dynamo import item_shapes as shape
from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind, legacy
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.tree import Condition, Projection, Update
from partita.dynamo.request_rules import (
    check_batch_get,
    check_batch_write,
    check_old_or_none,
    check_segments,
    check_select,
)
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    DeleteItem,
    FailureReturn,
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
from partita.dynamo.shapes import check
from partita.dynamo.values import Item, checked_item

Wire = Mapping[str, Any]


def parse(operation: str, wire: object) -> ItemRequest:
    """The request value of an item operation."""
    return _PARSERS[operation](wire)


def table_name(text: str) -> str:
    """The table's name out of a name or an ARN."""
    if text.startswith("arn:"):
        text = text.partition(":table/")[2].partition("/")[0]
    if not 3 <= len(text) <= 255:
        raise ValidationError("TableName must be at least 3 characters long and at most 255 characters long")
    return text


class _Expressions:
    """The expression members of one request, with their placeholders and their legacy counterparts."""

    def __init__(self, wire: Wire, modern: tuple[str, ...], old: tuple[str, ...] = ()) -> None:
        self.wire = wire
        used = [member for member in modern if wire.get(member) is not None]
        used_old = [member for member in old if wire.get(member) is not None]
        if used and used_old:
            raise ValidationError(
                "Can not use both expression and non-expression parameters in the same request: "
                f"Non-expression parameters: {{{', '.join(used_old)}}} Expression parameters: {{{', '.join(used)}}}"
            )
        names, values = wire.get("ExpressionAttributeNames"), wire.get("ExpressionAttributeValues")
        if names is None and values is None:
            self.placeholders = Placeholders()
            return
        if not used:
            if names is not None:
                raise ValidationError("ExpressionAttributeNames can only be specified when using expressions")
            fillable = [member for member in modern if member != "ProjectionExpression"]
            verb = "is" if len(fillable) == 1 else "are"
            raise ValidationError(
                "ExpressionAttributeValues can only be specified when using expressions: "
                f"{' and '.join(fillable)} {verb} null"
            )
        for member, given in (("ExpressionAttributeNames", names), ("ExpressionAttributeValues", values)):
            if given is not None and not given:
                raise ValidationError(f"{member} must not be empty")
        self.placeholders = Placeholders(names, values)

    def condition(self, member: str = "ConditionExpression") -> Condition | None:
        text = self.wire.get(member)
        if text is not None:
            return bind.condition(text, self.placeholders, member)
        if member == "ConditionExpression":
            return legacy.expected(self.wire.get("Expected") or {}, self.wire.get("ConditionalOperator"))
        return None

    def projection(self) -> Projection | None:
        text = self.wire.get("ProjectionExpression")
        if text is not None:
            return bind.projection(text, self.placeholders)
        names = self.wire.get("AttributesToGet")
        return None if names is None else legacy.attributes_to_get(names)

    def update(self) -> Update | None:
        text = self.wire.get("UpdateExpression")
        if text is not None:
            return bind.update(text, self.placeholders)
        updates = self.wire.get("AttributeUpdates")
        return None if not updates else legacy.attribute_updates(updates)

    def done(self) -> None:
        self.placeholders.check_all_used()


def _get(wire: object) -> GetItem:
    request = check(shape.GET, wire)
    expressions = _Expressions(request, ("ProjectionExpression",), ("AttributesToGet",))
    projection = expressions.projection()
    expressions.done()
    return GetItem(
        table=table_name(request["TableName"]),
        key=checked_item(request["Key"]),
        projection=projection,
        consistent=bool(request.get("ConsistentRead")),
        capacity=request.get("ReturnConsumedCapacity") or "NONE",
    )


def _old_or_none(request: Wire) -> Any:
    returns = request.get("ReturnValues") or "NONE"
    check_old_or_none(returns)
    return returns


def _write_options(request: Wire) -> dict[str, Any]:
    return {
        "on_failure": request.get("ReturnValuesOnConditionCheckFailure") or "NONE",
        "capacity": request.get("ReturnConsumedCapacity") or "NONE",
        "metrics": request.get("ReturnItemCollectionMetrics") or "NONE",
    }


def _put(wire: object) -> PutItem:
    request = check(shape.PUT, wire)
    returns = _old_or_none(request)
    item = checked_item(request["Item"])
    expressions = _Expressions(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    condition = expressions.condition()
    expressions.done()
    table = table_name(request["TableName"])
    return PutItem(table=table, item=item, condition=condition, returns=returns, **_write_options(request))


def _delete(wire: object) -> DeleteItem:
    request = check(shape.DELETE, wire)
    returns = _old_or_none(request)
    key = checked_item(request["Key"])
    expressions = _Expressions(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    condition = expressions.condition()
    expressions.done()
    table = table_name(request["TableName"])
    return DeleteItem(table=table, key=key, condition=condition, returns=returns, **_write_options(request))


def _update(wire: object) -> UpdateItem:
    request = check(shape.UPDATE, wire)
    key = checked_item(request["Key"])
    expressions = _Expressions(
        request,
        ("UpdateExpression", "ConditionExpression"),
        ("AttributeUpdates", "Expected", "ConditionalOperator"),
    )
    update, condition = expressions.update(), expressions.condition()
    expressions.done()
    return UpdateItem(
        table=table_name(request["TableName"]),
        key=key,
        update=update,
        condition=condition,
        returns=request.get("ReturnValues") or "NONE",
        **_write_options(request),
    )


def _reading(request: Wire, filter_member: str, expressions: _Expressions) -> dict[str, Any]:
    """The members Query and Scan share."""
    condition = expressions.condition("FilterExpression")
    if condition is None:
        condition = legacy.filters(request.get(filter_member) or {}, request.get("ConditionalOperator"))
    projection = expressions.projection()
    select = request.get("Select")
    member = "ProjectionExpression" if request.get("ProjectionExpression") is not None else "AttributesToGet"
    check_select(select, projection, request.get("IndexName"), member)
    start = request.get("ExclusiveStartKey")
    return {
        "table": table_name(request["TableName"]),
        "index": request.get("IndexName"),
        "filter": condition,
        "projection": projection,
        "select": select,
        "limit": request.get("Limit"),
        "start": None if start is None else _start_key(start),
        "consistent": bool(request.get("ConsistentRead")),
        "capacity": request.get("ReturnConsumedCapacity") or "NONE",
    }


def _start_key(start: object) -> Item:
    try:
        return checked_item(start)
    except ValidationError as error:
        raise ValidationError(f"The provided starting key is invalid: {error.message}") from None


def _query(wire: object) -> Query:
    request = check(shape.QUERY, wire)
    expressions = _Expressions(
        request,
        ("ProjectionExpression", "FilterExpression", "KeyConditionExpression"),
        ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"),
    )
    key_condition = expressions.condition("KeyConditionExpression")
    members = _reading(request, "QueryFilter", expressions)
    expressions.done()
    if key_condition is None:
        if request.get("KeyConditions") is None:
            raise ValidationError(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
            )
        key_condition = legacy.key_conditions(request["KeyConditions"])
    forward = request.get("ScanIndexForward")
    return Query(condition=key_condition, forward=forward is not False, **members)


def _scan(wire: object) -> Scan:
    request = check(shape.SCAN, wire)
    expressions = _Expressions(
        request,
        ("ProjectionExpression", "FilterExpression"),
        ("AttributesToGet", "ScanFilter", "ConditionalOperator"),
    )
    members = _reading(request, "ScanFilter", expressions)
    expressions.done()
    segment, total = request.get("Segment"), request.get("TotalSegments")
    check_segments(segment, total)
    return Scan(segment=segment, total_segments=total, **members)


def _batch_get(wire: object) -> BatchGetItem:
    request = check(shape.BATCH_GET, wire)
    items = request["RequestItems"]
    check_batch_get(sum(len(member["Keys"]) for member in items.values()))
    _check_tables(items)
    tables: dict[str, Keys] = {}
    for name, member in items.items():
        expressions = _Expressions(member, ("ProjectionExpression",), ("AttributesToGet",))
        projection = expressions.projection()
        expressions.done()
        tables[table_name(name)] = Keys(
            keys=tuple(checked_item(key) for key in member["Keys"]),
            projection=projection,
            consistent=bool(member.get("ConsistentRead")),
        )
    return BatchGetItem(tables=tables, capacity=request.get("ReturnConsumedCapacity") or "NONE")


def _check_tables(items: Wire) -> None:
    """Refuse a table that is named twice, once by its name and once by its ARN."""
    names = [table_name(name) for name in items]
    if len(set(names)) != len(names):
        raise ValidationError("One or more parameter values were invalid: a table is named by name and by ARN")


def _batch_write(wire: object) -> BatchWriteItem:
    request = check(shape.BATCH_WRITE, wire)
    items = request["RequestItems"]
    check_batch_write(sum(map(len, items.values())))
    _check_tables(items)
    return BatchWriteItem(
        tables={
            table_name(name): tuple(_batch_action(table_name(name), entry) for entry in entries)
            for name, entries in items.items()
        },
        capacity=request.get("ReturnConsumedCapacity") or "NONE",
        metrics=request.get("ReturnItemCollectionMetrics") or "NONE",
    )


def _batch_action(table: str, entry: Wire) -> PutItem | DeleteItem:
    put, delete = entry.get("PutRequest"), entry.get("DeleteRequest")
    if (put is None) == (delete is None):
        raise ValidationError(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
            if put is not None
            else "Supplied WriteRequest is empty, must contain exactly one of PutRequest and DeleteRequest"
        )
    if put is not None:
        return PutItem(table=table, item=checked_item(put["Item"]))
    return DeleteItem(table=table, key=checked_item(cast(Wire, delete)["Key"]))


def _transact_get(wire: object) -> TransactGetItems:
    request = check(shape.TRANSACT_GET, wire)
    gets = []
    for entry in request["TransactItems"]:
        get = entry["Get"]
        expressions = _Expressions(get, ("ProjectionExpression",))
        projection = expressions.projection()
        expressions.done()
        gets.append(
            GetItem(
                table=table_name(get["TableName"]),
                key=checked_item(get["Key"]),
                projection=projection,
                consistent=True,
            )
        )
    return TransactGetItems(gets=tuple(gets), capacity=request.get("ReturnConsumedCapacity") or "NONE")


def _transact_write(wire: object) -> TransactWriteItems:
    request = check(shape.TRANSACT_WRITE, wire)
    return TransactWriteItems(
        actions=tuple(_transact_action(entry) for entry in request["TransactItems"]),
        token=request.get("ClientRequestToken"),
        capacity=request.get("ReturnConsumedCapacity") or "NONE",
        metrics=request.get("ReturnItemCollectionMetrics") or "NONE",
    )


def _transact_action(entry: Wire) -> TransactAction:
    present = [name for name in ("ConditionCheck", "Put", "Update", "Delete") if entry.get(name) is not None]
    if len(present) != 1:
        raise ValidationError("TransactItems can only contain one of Check, Put, Update or Delete")
    name = present[0]
    member = entry[name]
    modern = ("UpdateExpression", "ConditionExpression") if name == "Update" else ("ConditionExpression",)
    expressions = _Expressions(member, modern)
    update, condition = expressions.update(), expressions.condition()
    expressions.done()
    table = table_name(member["TableName"])
    on_failure: FailureReturn = member.get("ReturnValuesOnConditionCheckFailure") or "NONE"
    if name == "Put":
        return PutItem(table=table, item=checked_item(member["Item"]), condition=condition, on_failure=on_failure)
    key = checked_item(member["Key"])
    if name == "Delete":
        return DeleteItem(table=table, key=key, condition=condition, on_failure=on_failure)
    if name == "Update":
        return UpdateItem(table=table, key=key, update=update, condition=condition, on_failure=on_failure)
    assert condition is not None  # the shape asks for it
    return ConditionCheck(table=table, key=key, condition=condition, on_failure=on_failure)


_PARSERS: dict[str, Callable[[object], ItemRequest]] = {
    "GetItem": _get,
    "PutItem": _put,
    "UpdateItem": _update,
    "DeleteItem": _delete,
    "Query": _query,
    "Scan": _scan,
    "BatchGetItem": _batch_get,
    "BatchWriteItem": _batch_write,
    "TransactGetItems": _transact_get,
    "TransactWriteItems": _transact_write,
}

ITEM_OPERATIONS = frozenset(_PARSERS)
