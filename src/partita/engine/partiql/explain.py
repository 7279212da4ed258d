"""What a statement does: a get, a query or a scan, of which index, as the requests it is equal to."""

from __future__ import annotations

from typing import Any

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import And
from partita.dynamo.frozen import dataclass
from partita.dynamo.partiql.statements import Exists, Select, Statement
from partita.dynamo.requests import ConditionCheck, GetItem, ItemRequest, Query, Scan, TransactWriteItems
from partita.dynamo.wire import render
from partita.engine.definitions import Index, KeyAttribute, Table
from partita.engine.partiql import writing
from partita.engine.partiql.plan import Plan, Stretch, plan
from partita.engine.partiql.single import one
from partita.engine.partiql.transactions import UNCONDITIONAL

Wire = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The kind of a statement, what it is about, and the operations that read or write the same."""

    kind: str
    table: str
    index: str | None
    requests: tuple[tuple[str, Wire], ...]

    def __str__(self) -> str:
        of = self.table if self.index is None else f"index {self.index} of {self.table}"
        times = "" if len(self.requests) == 1 else f", {len(self.requests)} times"
        return f"{self.kind} of {of}{times}"


def explain(table: Table, statement: Statement, *, consistent: bool = False) -> Explanation:
    """Explain a statement on its table, or refuse it as it would be refused."""
    if isinstance(statement, Exists):
        found = one(table, statement.select.where)
        key = found.checked_key(table)
        if not found.rest:
            raise ValidationError(UNCONDITIONAL)
        check = ConditionCheck(table=table.name, key=key, condition=writing.existing(table, found.rest))
        return Explanation("check", table.name, None, (render(TransactWriteItems(actions=(check,))),))
    if isinstance(statement, Select):
        planned = plan(table, statement, consistent=consistent)
        index = None if planned.index is None else planned.index.name
        requests = tuple(render(request) for request in _reads(planned, statement, consistent))
        kind = {"GetItem": "get", "Query": "query", "Scan": "scan"}[requests[-1][0]]
        return Explanation(kind, table.name, index, requests)
    name, wire = render(writing.item_write(table, statement))
    return Explanation(name.removesuffix("Item").lower(), table.name, None, ((name, wire),))


def _reads(planned: Plan, select: Select, consistent: bool) -> list[ItemRequest]:
    table = planned.table.name
    index = None if planned.index is None else planned.index.name
    if planned.stretches is None:
        return [
            Scan(
                table=table,
                index=index,
                filter=planned.filter,
                projection=select.projection,
                consistent=consistent,
            )
        ]
    found: list[ItemRequest] = []
    for stretch in planned.stretches:
        # Only the key and nothing else: another condition on the sort key may rule the item out.
        if stretch.single and stretch.filter is None and len(stretch.key) == len(planned.table.keys):
            key = one(planned.table, _key(stretch)).key
            found.append(GetItem(table=table, key=key, projection=select.projection, consistent=consistent))
        else:
            found.append(
                Query(
                    table=table,
                    index=index,
                    condition=_key(stretch),
                    filter=stretch.filter,
                    projection=select.projection,
                    forward=planned.forward,
                    consistent=consistent,
                )
            )
    return found


def _key(stretch: Stretch) -> Any:
    return stretch.key[0] if len(stretch.key) == 1 else And(stretch.key)


def described(description: Wire) -> Table:
    """A table out of DescribeTable's answer: as much of it as plans need."""
    types = {each["AttributeName"]: each["AttributeType"] for each in description["AttributeDefinitions"]}
    keys = _keys(description["KeySchema"], types)
    global_indexes = [_index(each, types, local=False) for each in description.get("GlobalSecondaryIndexes") or ()]
    local_indexes = [_index(each, types, local=True) for each in description.get("LocalSecondaryIndexes") or ()]
    return Table(
        id=0,
        uuid="",
        name=description["TableName"],
        hash=keys[0][0],
        range=keys[1][0] if keys[1] else None,
        created=0.0,
        attributes=tuple(types.items()),
        indexes=(*global_indexes, *local_indexes),
    )


def _keys(schema: list[Wire], types: dict[str, str]) -> tuple[tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]:
    def of(kind: str) -> tuple[KeyAttribute, ...]:
        names = [each["AttributeName"] for each in schema if each["KeyType"] == kind]
        return tuple((name, types[name]) for name in names)

    return of("HASH"), of("RANGE")


def _index(description: Wire, types: dict[str, str], *, local: bool) -> Index:
    hash_keys, range_keys = _keys(description["KeySchema"], types)
    projection = description["Projection"]
    return Index(
        id=0,
        name=description["IndexName"],
        local=local,
        hash=hash_keys,
        range=range_keys,
        projection=projection["ProjectionType"],
        included=tuple(projection.get("NonKeyAttributes") or ()),
    )
