"""SELECT: a page of a planned read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import apsw

from partita.dynamo.capacity import Capacity
from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.paths import resolve
from partita.dynamo.expressions.tree import AttributeExists, Path
from partita.dynamo.limits import PAGE_BYTES
from partita.dynamo.partiql.requests import ReadStatement
from partita.dynamo.partiql.statements import column
from partita.dynamo.requests import Query, Scan
from partita.dynamo.values import Item
from partita.engine import keys, reads
from partita.engine.catalog import Catalog
from partita.engine.partiql import positions
from partita.engine.partiql.plan import Plan, plan
from partita.engine.partiql.positions import Position
from partita.engine.reads import Load, Page, Response


def execute(connection: apsw.Connection, catalog: Catalog, request: ReadStatement, load: Load) -> Response:
    """ExecuteStatement of a SELECT."""
    table = catalog.table(request.select.source.table)
    planned = plan(table, request.select, consistent=request.consistent)
    start = Position(0, None) if request.token is None else positions.read(request.token, request.digest)
    items, following, capacity = _read(connection, planned, request, start, load)
    response: Response = {"Items": items}
    if following is not None:
        response["NextToken"] = positions.written(following, request.digest)
    if request.capacity != "NONE":
        response["ConsumedCapacity"] = capacity.wire(request.capacity)
    return response


def columns(paths: tuple[Path, ...], item: Item) -> Item:
    """The values at the paths, each under its last name."""
    found = {column(path): resolve(path, item) for path in paths}
    return {name: value for name, value in found.items() if value is not None}


def _read(
    connection: apsw.Connection, planned: Plan, request: ReadStatement, start: Position, load: Load
) -> tuple[list[Any], Position | None, Capacity]:
    capacity = Capacity(planned.table.name, "read")
    if planned.stretches is None:
        low, high = keys.segment_bounds(0, 1)
        if start.stretch:
            raise positions.invalid()
        page = _page(connection, planned, _scan(planned, request), low, high, start.after, load)
        _count(capacity, page)
        return page.items, None if page.last is None else Position(0, page.last), capacity
    items: list[Any] = []
    left, size, after = request.limit, 0, start.after
    if start.stretch >= len(planned.stretches):
        raise positions.invalid()
    for number in range(start.stretch, len(planned.stretches)):
        stretch = planned.stretches[number]
        query = replace(_query(planned, request), filter=stretch.filter, limit=left)
        page = _page(connection, planned, query, stretch.low, stretch.high, after, load)
        _count(capacity, page)
        items += page.items
        size += page.size
        after = None
        more = number + 1 < len(planned.stretches)
        if page.last is not None and not stretch.single:
            return items, Position(number, page.last), capacity
        left = None if left is None else left - page.scanned
        if more and (left == 0 or size >= PAGE_BYTES):
            return items, Position(number + 1, None), capacity
    return items, None, capacity


def _query(planned: Plan, request: ReadStatement) -> Query:
    return Query(
        table=planned.table.name,
        condition=AttributeExists(Path((planned.table.hash[0],))),  # the stretch says which items
        index=None if planned.index is None else planned.index.name,
        projection=request.select.projection,
        consistent=request.consistent,
        capacity=request.capacity,
    )


def _scan(planned: Plan, request: ReadStatement) -> Scan:
    return Scan(
        table=planned.table.name,
        index=None if planned.index is None else planned.index.name,
        filter=planned.filter,
        projection=request.select.projection,
        limit=request.limit,
        consistent=request.consistent,
        capacity=request.capacity,
    )


def _page(
    connection: apsw.Connection,
    planned: Plan,
    request: Query | Scan,
    low: bytes,
    high: bytes,
    after: Item | None,
    load: Load,
) -> Page:
    table, index, forward = planned.table, planned.index, planned.forward
    if after is not None:
        try:
            start = reads.start_key(table, index, after)
        except ValidationError:
            raise positions.invalid() from None
        if not (low <= start < high):
            raise positions.invalid()
        low, high = (start + b"\x00", high) if forward else (low, start)
    return reads.read_page(connection, table, index, request, low, high, load, forward=forward, pick=columns)


def _count(capacity: Capacity, page: Page) -> None:
    if page.capacity is not None:
        capacity.merge(page.capacity)
