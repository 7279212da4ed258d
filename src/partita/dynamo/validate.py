"""Requests that were built and not parsed, held to the same rules: DynamoDB would not run what is refused here.

Nearly every request is far from every limit, and a look tells. One that could be wrong is written as the wire would
carry it and read again, so that it is refused in the same words and for the same reason, or brought to one spelling.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from partita.dynamo import item_shapes as shape
from partita.dynamo.errors import DynamoError
from partita.dynamo.expressions.look import (
    DoubtError,
    look_at_condition,
    look_at_key_condition,
    look_at_projection,
    look_at_update,
)
from partita.dynamo.expressions.tree import And, BeginsWith, Compare, Condition, Path, Value
from partita.dynamo.limits import BATCH_GET_KEYS, BATCH_WRITE_ITEMS, TRANSACTION_ACTIONS
from partita.dynamo.numbers import ordinary
from partita.dynamo.parse import parse
from partita.dynamo.request_rules import (
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
    GetItem,
    ItemRequest,
    PutItem,
    Query,
    Scan,
    TransactAction,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from partita.dynamo.shapes import fits
from partita.dynamo.values import Item, check_name, checked_value, known_names
from partita.dynamo.wire import render

_CAPACITIES = shape.CAPACITY.choices
_METRICS = shape.METRICS.choices
_ON_FAILURE = shape.ON_FAILURE.choices
_PLAIN_TEXT = 2_000


def validated(request: ItemRequest) -> ItemRequest:
    """The request as the wire would carry it: refused as it would be, its values in the one spelling."""
    return request if _is_surely_right(request) else parse(*render(request))


def _is_surely_right(request: ItemRequest) -> bool:
    try:
        _LOOKS[type(request)](request)
    except (DoubtError, DynamoError):
        return False
    return True


def _get(request: GetItem) -> None:
    if not _is_read(request):
        raise DoubtError
    _item(request.key)
    if request.projection is not None:
        look_at_projection(request.projection)


def _put(request: PutItem) -> None:
    _item(request.item)
    _single(request)
    check_old_or_none(request.returns)


def _delete(request: DeleteItem) -> None:
    _item(request.key)
    _single(request)
    check_old_or_none(request.returns)


def _update(request: UpdateItem) -> None:
    _item(request.key)
    _single(request)
    _sure(request.returns in shape.RETURN_VALUES.choices)
    if request.update is not None:
        look_at_update(request.update)


def _single(request: PutItem | UpdateItem | DeleteItem) -> None:
    """What the three writes share."""
    _written(request)
    if request.capacity not in _CAPACITIES or request.metrics not in _METRICS:
        raise DoubtError


def _written(request: TransactAction) -> None:
    """What they share with those in a transaction."""
    if not _plain_name(request.table) or request.on_failure not in _ON_FAILURE:
        raise DoubtError
    if request.condition is not None:
        look_at_condition(request.condition)


def _query(request: Query) -> None:
    if request.legacy:
        raise DoubtError
    if not _is_plain_key_condition(request.condition):
        look_at_key_condition(request.condition)
    _read(request)


def _is_plain_key_condition(condition: Condition) -> bool:
    """A key, or a key and the start of another, in plain text: what nearly every query asks for."""
    terms = condition.terms if type(condition) is And else (condition,)
    if not 1 <= len(terms) <= 2 or (type(condition) is And and len(terms) == 1):
        return False
    for term in terms:
        if type(term) is Compare and term.operator == "=":
            path, value = term.left, term.right
        elif type(term) is BeginsWith:
            path, value = term.operand, term.prefix
        else:
            return False
        if type(path) is not Path or type(value) is not Value or len(path.parts) != 1:
            return False
        text = value.value.get("S") if type(value.value) is dict and len(value.value) == 1 else None
        if path.parts[0] not in known_names or type(text) is not str or not text.isascii() or len(text) > _PLAIN_TEXT:
            return False
    return True


def _scan(request: Scan) -> None:
    segment, total = request.segment, request.total_segments
    if segment is not None or total is not None:
        check_segments(segment, total)
        _sure(fits(shape.SEGMENT, segment) and fits(shape.SEGMENTS, total))
    _read(request)


def _read(request: Query | Scan) -> None:
    """What Query and Scan share."""
    if not _is_read(request) or (request.index is not None and not _plain_name(request.index)):
        raise DoubtError
    if request.limit is not None:
        _sure(fits(shape.LIMIT, request.limit))
    if request.select is not None:
        _sure(request.select in shape.SELECT.choices)
        check_select(request.select, request.projection, request.index)
    if request.start is not None:
        _item(request.start)
    if request.filter is not None:
        look_at_condition(request.filter)
    if request.projection is not None:
        look_at_projection(request.projection)


def _batch_get(request: BatchGetItem) -> None:
    _sure(bool(request.tables) and request.capacity in _CAPACITIES)
    for name, wanted in request.tables.items():
        _sure(_plain_name(name) and bool(wanted.keys) and _is_flag(wanted.consistent))
        for key in wanted.keys:
            _item(key)
        check_distinct_keys(wanted.keys)
        if wanted.projection is not None:
            look_at_projection(wanted.projection)
    _sure(sum(len(wanted.keys) for wanted in request.tables.values()) <= BATCH_GET_KEYS)


def _batch_write(request: BatchWriteItem) -> None:
    _sure(bool(request.tables) and request.capacity in _CAPACITIES and request.metrics in _METRICS)
    for name, entries in request.tables.items():
        _sure(_plain_name(name) and bool(entries))
        for entry in entries:
            _item(entry.item if isinstance(entry, PutItem) else entry.key)
    _sure(sum(map(len, request.tables.values())) <= BATCH_WRITE_ITEMS)


def _transact_get(request: TransactGetItems) -> None:
    _sure(0 < len(request.gets) <= TRANSACTION_ACTIONS and request.capacity in _CAPACITIES)
    for get in request.gets:
        _sure(_plain_name(get.table))
        _item(get.key)
        if get.projection is not None:
            look_at_projection(get.projection)


def _transact_write(request: TransactWriteItems) -> None:
    _sure(0 < len(request.actions) <= TRANSACTION_ACTIONS and request.capacity in _CAPACITIES)
    _sure(request.metrics in _METRICS and (request.token is None or fits(shape.TOKEN, request.token)))
    for action in request.actions:
        _item(action.item if isinstance(action, PutItem) else action.key)
        _written(action)
        if isinstance(action, UpdateItem):
            if action.update is None:
                raise DoubtError
            look_at_update(action.update)
        elif isinstance(action, ConditionCheck):
            look_at_condition(action.condition)


def _sure(certain: bool) -> None:
    if not certain:
        raise DoubtError


def _item(item: Item) -> None:
    """An item or a key that is checked and in its one spelling; nearly every value tells at once."""
    if type(item) is not dict:
        raise DoubtError
    known = known_names
    for name, value in item.items():
        if name not in known:
            _sure(type(name) is str)
            check_name(name)
        if type(value) is not dict or len(value) != 1:
            raise DoubtError
        text = value.get("S")
        if type(text) is str and text.isascii():
            continue
        number = value.get("N")
        if type(number) is str and ordinary(number):
            continue
        if checked_value(value) != value:
            raise DoubtError


def _is_read(request: GetItem | Query | Scan) -> bool:
    """What is quick to tell of every read."""
    return _plain_name(request.table) and _is_flag(request.consistent) and request.capacity in _CAPACITIES


def _is_flag(value: object) -> bool:
    return value is True or value is False


@lru_cache(maxsize=4096)
def _plain_name(text: str) -> bool:
    """Whether a table's or an index's name is one: tables may be named by ARN as well, and then have two names."""
    return fits(shape.INDEX_NAME, text)


_LOOKS: dict[type[ItemRequest], Callable[[Any], None]] = {
    GetItem: _get,
    PutItem: _put,
    UpdateItem: _update,
    DeleteItem: _delete,
    Query: _query,
    Scan: _scan,
    BatchGetItem: _batch_get,
    BatchWriteItem: _batch_write,
    TransactGetItems: _transact_get,
    TransactWriteItems: _transact_write,
}
