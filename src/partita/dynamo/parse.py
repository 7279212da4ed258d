"""From the wire to request values: shapes checked, placeholders bound, legacy parameters translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard, TypeVar, cast

from partita.dynamo import item_shapes as shape
from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind, legacy
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.tree import Condition, Projection, Update
from partita.dynamo.limits import TRANSACTION_ACTIONS
from partita.dynamo.request_rules import (
    check_batch_get,
    check_batch_write,
    check_distinct_keys,
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
from partita.dynamo.shapes import Structure, check, fits, is_name_in_batch, is_table_name, name_in_batch_fault
from partita.dynamo.value_faults import ValueFaultError
from partita.dynamo.values import Item, checked_item

Wire = Mapping[str, Any]
T = TypeVar("T")


def parse(operation: str, wire: object) -> ItemRequest:
    """The request value of an item operation."""
    return _PARSERS[operation](wire)


_ENVELOPE = "1 validation error detected: "


def _is_bare(wire: object, content: str) -> TypeGuard[dict[str, Any]]:
    """Whether a request names a table and has an item or a key, and nothing else: most do, and are read at once."""
    return (
        type(wire) is dict
        and len(wire) == 2
        and type(wire.get(content)) is dict
        and is_table_name(wire.get("TableName"))
    )


class _Expressions:
    """The expression members of one request, with their placeholders and their legacy counterparts.

    It is made in two steps, since DynamoDB looks at other members in between: which parameters there are, and what
    they hold. The writes of a single item tell their faults in an envelope, which other operations do not have.
    """

    def __init__(
        self, wire: Wire, modern: tuple[str, ...], old: tuple[str, ...] = (), *, enveloped: bool = False
    ) -> None:
        self.wire = wire
        self.enveloped = enveloped
        self._placeholders: Placeholders | None = None
        used = [member for member in modern if wire.get(member) is not None]
        used_old = [member for member in old if wire.get(member) is not None]
        if used and used_old:
            raise self._told(
                "Can not use both expression and non-expression parameters in the same request: "
                f"Non-expression parameters: {{{', '.join(used_old)}}} Expression parameters: {{{', '.join(used)}}}"
            )
        if used:
            return
        if wire.get("ExpressionAttributeNames") is not None:
            raise self._told("ExpressionAttributeNames can only be specified when using expressions")
        if wire.get("ExpressionAttributeValues") is not None:
            fillable = [member for member in modern if member != "ProjectionExpression"]
            verb = "is" if len(fillable) == 1 else "are"
            reason = "" if enveloped else f": {' and '.join(fillable)} {verb} null"
            raise self._told(f"ExpressionAttributeValues can only be specified when using expressions{reason}")

    def _told(self, message: str) -> ValidationError:
        return ValidationError(_ENVELOPE + message if self.enveloped else message)

    @property
    def placeholders(self) -> Placeholders:
        if self._placeholders is None:
            self._placeholders = self._filled()
        return self._placeholders

    def _filled(self) -> Placeholders:
        names, values = self.wire.get("ExpressionAttributeNames"), self.wire.get("ExpressionAttributeValues")
        if names is not None and not names:
            raise ValidationError("ExpressionAttributeNames must not be empty")
        placeholders = Placeholders(names)
        if values is not None:
            if not values:
                raise ValidationError("ExpressionAttributeValues must not be empty")
            placeholders.fill(values)
        return placeholders

    def condition(self, member: str = "ConditionExpression") -> Condition | None:
        text = self.wire.get(member)
        if text is not None:
            return self._read(lambda: bind.condition(text, self.placeholders, member))
        if member == "ConditionExpression":
            expected = self.wire.get("Expected") or {}
            return self._read(lambda: legacy.expected(expected, self.wire.get("ConditionalOperator")))
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
            return self._read(lambda: bind.update(text, self.placeholders))
        updates = self.wire.get("AttributeUpdates")
        return None if not updates else legacy.attribute_updates(updates)

    def done(self) -> None:
        if self._placeholders is not None:
            self._read(self._placeholders.check_all_used)

    def _read(self, read: Callable[[], T]) -> T:
        if not self.enveloped:
            return read()
        try:
            return read()
        except ValueFaultError:
            raise
        except ValidationError as error:
            raise self._told(error.message) from None


def _get(wire: object) -> GetItem:
    if _is_bare(wire, "Key"):
        return GetItem(table=wire["TableName"], key=checked_item(wire["Key"]))
    request = check(shape.GET, wire)
    key = checked_item(request["Key"])
    expressions = _Expressions(request, ("ProjectionExpression",), ("AttributesToGet",))
    projection = expressions.projection()
    expressions.done()
    return GetItem(
        table=request["TableName"],
        key=key,
        projection=projection,
        consistent=bool(request.get("ConsistentRead")),
        capacity=request.get("ReturnConsumedCapacity") or "NONE",
    )


def _old_or_none(request: Wire) -> Any:
    returns = request.get("ReturnValues") or "NONE"
    try:
        check_old_or_none(returns)
    except ValidationError as error:
        raise ValidationError(_ENVELOPE + error.message) from None
    return returns


def _write_options(request: Wire) -> dict[str, Any]:
    return {
        "on_failure": request.get("ReturnValuesOnConditionCheckFailure") or "NONE",
        "capacity": request.get("ReturnConsumedCapacity") or "NONE",
        "metrics": request.get("ReturnItemCollectionMetrics") or "NONE",
    }


def _written(members: Structure, wire: object, *, alone: bool = False) -> dict[str, Any]:
    """The members of a write of a single item; a missing name of a table is told alone.

    What cannot be returned is told alone too, or after a fault in how to return capacity.
    """
    if isinstance(wire, dict) and wire.get("TableName") == "":
        raise ValidationError(
            f"{_ENVELOPE}Value at 'TableName' failed to satisfy constraint: Member must have length greater than or "
            "equal to 1"
        )
    try:
        return check(members, wire)
    except ValidationError:
        if not isinstance(wire, dict) or wire.get("ReturnValues") in (None, *shape.RETURN_VALUES.choices):
            raise
    if alone:
        raise ValidationError(_ENVELOPE + shape.RETURN_VALUES.told)
    first = {name: wire[name] for name in ("ReturnConsumedCapacity",) if name in wire}
    return check(members, {**first, **wire})


def _worded_anew(read: Callable[[object], ItemRequest], envelope: str = "") -> Callable[[object], ItemRequest]:
    """Tell a fault of a number or a set as today's checks do, wherever in the request it is."""

    def anew(wire: object) -> ItemRequest:
        try:
            return read(wire)
        except ValueFaultError as error:
            raise ValidationError(envelope + error.current) from None

    return anew


def _put(wire: object) -> PutItem:
    if _is_bare(wire, "Item"):
        return PutItem(table=wire["TableName"], item=checked_item(wire["Item"]))
    request = _written(shape.PUT, wire)
    returns = _old_or_none(request)
    expressions = _Expressions(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"), enveloped=True)
    item = checked_item(request["Item"])
    condition = expressions.condition()
    expressions.done()
    table = request["TableName"]
    return PutItem(table=table, item=item, condition=condition, returns=returns, **_write_options(request))


def _delete(wire: object) -> DeleteItem:
    request = _written(shape.DELETE, wire)
    returns = _old_or_none(request)
    key = checked_item(request["Key"])
    expressions = _Expressions(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"), enveloped=True)
    condition = expressions.condition()
    expressions.done()
    table = request["TableName"]
    return DeleteItem(table=table, key=key, condition=condition, returns=returns, **_write_options(request))


def _update(wire: object) -> UpdateItem:
    request = _written(shape.UPDATE, wire, alone=True)
    key = checked_item(request["Key"])
    expressions = _Expressions(
        request,
        ("UpdateExpression", "ConditionExpression"),
        ("AttributeUpdates", "Expected", "ConditionalOperator"),
        enveloped=True,
    )
    update, condition = expressions.update(), expressions.condition()
    expressions.done()
    return UpdateItem(
        table=request["TableName"],
        key=key,
        update=update,
        condition=condition,
        returns=request.get("ReturnValues") or "NONE",
        **_write_options(request),
    )


def _reading(request: Wire, filter_member: str, expressions: _Expressions) -> dict[str, Any]:
    """The members Query and Scan share, without the starting key."""
    condition = expressions.condition("FilterExpression")
    if condition is None:
        condition = legacy.filters(request.get(filter_member) or {}, request.get("ConditionalOperator"))
    projection = expressions.projection()
    select = request.get("Select")
    member = "ProjectionExpression" if request.get("ProjectionExpression") is not None else "AttributesToGet"
    try:
        check_select(select, projection, request.get("IndexName"), member)
    except ValidationError as error:
        raise ValidationError(error.message if filter_member == "ScanFilter" else _ENVELOPE + error.message) from None
    return {
        "table": request["TableName"],
        "index": request.get("IndexName"),
        "filter": condition,
        "projection": projection,
        "select": select,
        "limit": request.get("Limit"),
        "consistent": bool(request.get("ConsistentRead")),
        "capacity": request.get("ReturnConsumedCapacity") or "NONE",
    }


def _start_key(request: Wire) -> Item | None:
    start = request.get("ExclusiveStartKey")
    if start is None:
        return None
    try:
        return checked_item(start)
    except ValidationError as error:
        told = f"The provided starting key is invalid: {error.message}"
        if isinstance(error, ValueFaultError):
            raise ValueFaultError(told, error.current) from None
        raise ValidationError(told) from None


def _query(wire: object) -> Query:
    request = check(shape.QUERY, wire)
    start = _start_key(request)
    conditions = request.get("KeyConditions")
    modern = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
    old = ("AttributesToGet", "QueryFilter", "ConditionalOperator")
    # The old conditions on the key go with all expressions but their own.
    both = conditions is not None and request.get("KeyConditionExpression") is not None
    expressions = _Expressions(request, modern, (*old, "KeyConditions") if both else old)
    key_condition = expressions.condition("KeyConditionExpression")
    members = _reading(request, "QueryFilter", expressions)
    expressions.done()
    if key_condition is None:
        if conditions is None:
            raise ValidationError(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
            )
        key_condition = legacy.key_conditions(conditions, of_index=members["index"] is not None)
    used = tuple(name for name in ("KeyConditions", "QueryFilter") if request.get(name))
    forward = request.get("ScanIndexForward") is not False
    return Query(condition=key_condition, forward=forward, start=start, legacy=used, **members)


def _scan(wire: object) -> Scan:
    request = check(shape.SCAN, wire)
    start = _start_key(request)
    expressions = _Expressions(
        request,
        ("ProjectionExpression", "FilterExpression"),
        ("AttributesToGet", "ScanFilter", "ConditionalOperator"),
    )
    members = _reading(request, "ScanFilter", expressions)
    expressions.done()
    segment, total = request.get("Segment"), request.get("TotalSegments")
    check_segments(segment, total)
    return Scan(segment=segment, total_segments=total, start=start, **members)


def _batch_get(wire: object) -> BatchGetItem:
    request = check(shape.BATCH_GET, wire)
    items = request["RequestItems"]
    check_batch_get(items)
    tables: dict[str, Keys] = {}
    for name, member in items.items():
        keys = tuple(checked_item(key) for key in member["Keys"])
        check_distinct_keys(keys)
        expressions = _Expressions(member, ("ProjectionExpression",), ("AttributesToGet",))
        projection = expressions.projection()
        expressions.done()
        tables[name] = Keys(keys=keys, projection=projection, consistent=bool(member.get("ConsistentRead")))
    return BatchGetItem(tables=tables, capacity=request.get("ReturnConsumedCapacity") or "NONE")


def _batch_write(wire: object) -> BatchWriteItem:
    request = check(shape.BATCH_WRITE, wire)
    items = request["RequestItems"]
    check_batch_write(items)
    if not all(map(is_name_in_batch, items)):
        raise ValidationError(_ENVELOPE + name_in_batch_fault(shape.BATCH_WRITE.members["RequestItems"].shown(items)))
    return BatchWriteItem(
        tables={name: tuple(_batch_action(name, entry) for entry in entries) for name, entries in items.items()},
        capacity=request.get("ReturnConsumedCapacity") or "NONE",
        metrics=request.get("ReturnItemCollectionMetrics") or "NONE",
    )


def _batch_action(table: str, entry: Wire) -> PutItem | DeleteItem:
    put, delete = entry.get("PutRequest"), entry.get("DeleteRequest")
    if (put is None) == (delete is None):
        raise ValidationError(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
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
                table=get["TableName"],
                key=checked_item(get["Key"]),
                projection=projection,
                consistent=True,
            )
        )
    return TransactGetItems(gets=tuple(gets), capacity=request.get("ReturnConsumedCapacity") or "NONE")


def _are_bare_puts(wire: object) -> TypeGuard[dict[str, Any]]:
    """Whether a transaction has puts of items and nothing else, but a token: these are read at once too."""
    if type(wire) is not dict or type(entries := wire.get("TransactItems")) is not list:
        return False
    if len(wire) > 1 and not (len(wire) == 2 and _is_token(wire.get("ClientRequestToken"))):
        return False
    return 0 < len(entries) <= TRANSACTION_ACTIONS and all(
        type(entry) is dict and len(entry) == 1 and _is_bare(entry.get("Put"), "Item") for entry in entries
    )


def _is_token(value: object) -> bool:
    return type(value) is str and fits(shape.TOKEN, value)


def _transact_write(wire: object) -> TransactWriteItems:
    if _are_bare_puts(wire):
        puts = [entry["Put"] for entry in wire["TransactItems"]]
        return TransactWriteItems(
            actions=tuple([PutItem(table=put["TableName"], item=checked_item(put["Item"])) for put in puts]),
            token=wire.get("ClientRequestToken"),
        )
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
    table = member["TableName"]
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
    "GetItem": _worded_anew(_get),
    "PutItem": _worded_anew(_put, _ENVELOPE),
    "UpdateItem": _worded_anew(_update, _ENVELOPE),
    "DeleteItem": _worded_anew(_delete, _ENVELOPE),
    "Query": _worded_anew(_query),
    "Scan": _scan,
    "BatchGetItem": _worded_anew(_batch_get),
    "BatchWriteItem": _batch_write,
    "TransactGetItems": _transact_get,
    "TransactWriteItems": _transact_write,
}

ITEM_OPERATIONS = frozenset(_PARSERS)
