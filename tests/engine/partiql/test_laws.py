"""PartiQL and the other operations are two ways to the same place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError, ValidationError
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Compare,
    Condition,
    DeleteAction,
    In,
    Not,
    Or,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    Update,
    Value,
)
from partita.dynamo.requests import DeleteItem, GetItem, PutItem, Query, Scan, UpdateItem
from partita.dynamo.values import Item
from partita.engine import Engine
from partita.store.statements import explain
from tests.dynamo.partiql.writing import Writer, name, text
from tests.dynamo.strategies import conditions, values
from tests.engine.tables import Clock, create, index

_SORTS = ("1", "12", "2", "3")
_PK, _SK = Path(("pk",)), Path(("sk",))
_A, _ONE = Value({"S": "a"}), Value({"S": "1"})
_key_values = st.sampled_from("abc").map(lambda content: Value({"S": content}))
_sort_values = st.sampled_from(_SORTS).map(lambda content: Value({"S": content}))
_items = st.dictionaries(
    st.tuples(st.sampled_from("ab"), st.sampled_from(_SORTS)),
    st.dictionaries(st.sampled_from(("a", "b", "ü", "x.y")), values, max_size=2)
    | st.just({"g": {"S": "x"}, "b": {"N": "1"}}),
    min_size=1,
    max_size=6,
).map(lambda found: [{"pk": {"S": pk}, "sk": {"S": sk}, **rest} for (pk, sk), rest in found.items()])
_sort_conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Compare, st.sampled_from(("=", "<", "<=", ">", ">=")), st.just(_SK), _sort_values),
    st.builds(BeginsWith, st.just(_SK), _sort_values),
    st.builds(lambda low, high: Between(_SK, *sorted((low, high), key=repr)), _sort_values, _sort_values),
)
_key_conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Compare, st.sampled_from(("=", "=", "=", "<>", ">")), st.just(_PK), _key_values),
    st.builds(In, st.just(_PK), st.lists(_key_values, min_size=1, max_size=2, unique_by=repr).map(tuple)),
    st.builds(In, st.just(_SK), st.lists(_sort_values, min_size=1, max_size=2, unique_by=repr).map(tuple)),
    _sort_conditions,
)


def _rows(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    terms = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(And, terms) | st.builds(Or, terms) | st.builds(Not, inner)


_wheres = st.recursive(_key_conditions | conditions, _rows, max_leaves=5)


@pytest.fixture(scope="module")
def shared() -> Iterator[Engine]:
    with Engine.temporary(clock=Clock(), background=False) as engine:
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        for table in ("reads", "mine", "theirs"):
            create(engine, table, "pk sk", gsis=[index("byG", "g", "sk")], StreamSpecification=stream)
        yield engine


def _table(engine: Engine, items: list[Item], table: str = "reads") -> str:
    """The table with these items and no others."""
    given = {(item["pk"]["S"], item["sk"]["S"]): item for item in items}
    entries: list[Any] = []
    for pk, sk in product("ab", _SORTS):
        item = given.get((pk, sk))
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        entries.append({"DeleteRequest": {"Key": key}} if item is None else {"PutRequest": {"Item": item}})
    engine.call("BatchWriteItem", {"RequestItems": {table: entries}})
    return table


def _select(engine: Engine, written: str, parameters: list[Any], **options: Any) -> tuple[list[Item], list[Any]]:
    """All items of a SELECT and what each page cost."""
    request = {"Statement": written, **({"Parameters": parameters} if parameters else {}), **options}
    items: list[Item] = []
    costs = []
    for _ in range(40):
        answer = engine.call("ExecuteStatement", {**request, "ReturnConsumedCapacity": "INDEXES"})
        items += answer["Items"]
        costs.append(answer["ConsumedCapacity"])
        if "NextToken" not in answer:
            return items, costs
        request["NextToken"] = answer["NextToken"]
    raise AssertionError("a SELECT without an end")


def _core(engine: Engine, request: Query | Scan) -> tuple[list[Item], list[Any]]:
    items: list[Item] = []
    costs = []
    while True:
        answer = engine.execute(replace(request, capacity="INDEXES"))
        items += answer["Items"]
        costs.append(answer["ConsumedCapacity"])
        if "LastEvaluatedKey" not in answer:
            return items, costs
        request = replace(request, start=answer["LastEvaluatedKey"])


@settings(max_examples=40)
@given(_items, _wheres, st.none() | st.integers(1, 3), st.booleans())
def test_a_select_finds_every_item_for_which_where_holds_and_each_once(
    shared: Engine, items: list[Item], where: Condition, limit: int | None, literal: bool
) -> None:
    table = _table(shared, items)
    writer = Writer(literal=literal)
    written = f"SELECT * FROM {table} WHERE {writer.condition(where)}"
    options = {} if limit is None else {"Limit": limit}
    found: list[Item] | None = None
    refusal = ""
    try:
        found, _ = _select(shared, written, writer.parameters, **options)
    except ValidationError as error:
        refusal = error.message
    if found is None:
        assert refusal.startswith(("Overlapping", "Key attribute", "Too many", "One or more parameter"))
        return
    wanted = [item for item in items if holds(where, item)]
    assert sorted(found, key=repr) == sorted(wanted, key=repr)


@settings(max_examples=40)
@given(_items, st.none() | _sort_conditions, st.none() | conditions, st.none() | st.integers(1, 3), st.booleans())
def test_a_select_with_a_key_is_the_same_query_page_by_page(
    shared: Engine,
    items: list[Item],
    sort: Condition | None,
    rest: Condition | None,
    limit: int | None,
    descending: bool,
) -> None:
    table = _table(shared, items)
    key: Condition = Compare("=", _PK, Value({"S": "a"}))
    writer = Writer()
    terms = [f"({writer.condition(term)})" for term in (key, sort, rest) if term is not None]
    order = f" ORDER BY sk {'DESC' if descending else 'ASC'}"
    options: dict[str, Any] = {"ConsistentRead": descending, **({} if limit is None else {"Limit": limit})}
    found = _select(shared, f"SELECT * FROM {table} WHERE {' AND '.join(terms)}{order}", writer.parameters, **options)
    core = Query(
        table=table,
        condition=key if sort is None else And((key, sort)),
        filter=rest,
        forward=not descending,
        limit=limit,
        consistent=descending,
    )
    whole = isinstance(sort, Compare) and sort.operator == "="
    items_of_core, costs = _core(shared, core)
    assert found[0] == items_of_core
    # One item by its whole key ends there: no page follows.
    assert found[1] == (costs[:1] if whole else costs)


@settings(max_examples=15)
@given(_items, st.none() | conditions, st.none() | st.integers(1, 3), st.booleans())
def test_a_select_without_a_key_is_the_same_scan_page_by_page(
    shared: Engine, items: list[Item], where: Condition | None, limit: int | None, of_index: bool
) -> None:
    table = _table(shared, items)
    writer = Writer()
    source = f'{table}."byG"' if of_index else table
    clause = "" if where is None else f" WHERE NOT (NOT ({writer.condition(where)}))"
    found = _select(
        shared, f"SELECT * FROM {source}{clause}", writer.parameters, **({} if limit is None else {"Limit": limit})
    )
    core = Scan(table=table, index="byG" if of_index else None, filter=where, limit=limit)
    assert found == _core(shared, core)


_actions: st.SearchStrategy[list[Any]] = st.lists(
    st.one_of(
        st.builds(lambda value: SetAction(Path(("b",)), Value(value)), values),
        st.just(RemoveAction(Path(("x.y",)))),
        st.just(AddAction(Path(("set",)), Value({"SS": ["m"]}))),
        st.just(DeleteAction(Path(("other",)), Value({"NS": ["1"]}))),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda action: action.path,
)


def _written_update(writer: Writer, actions: list[Any]) -> str:
    clauses = []
    for action in actions:
        path = writer.path(action.path)
        match action:
            case SetAction(_, Value(value)):
                clauses.append(f"SET {path} = {writer.value(value)}")
            case RemoveAction():
                clauses.append(f"REMOVE {path}")
            case AddAction(_, Value(value)):
                clauses.append(f"SET {path} = set_add({path}, {writer.value(value)})")
            case DeleteAction(_, Value(value)):
                clauses.append(f"SET {path} = set_delete({path}, {writer.value(value)})")
    return " ".join(clauses)


def _story(engine: Engine, table: str) -> list[Any]:
    """What the stream of a table tells, without its places and names."""
    arn = engine.call("DescribeTable", {"TableName": table})["Table"]["LatestStreamArn"]
    (shard,) = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    wanted = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = engine.call("GetShardIterator", wanted)["ShardIterator"]
    records = engine.call("GetRecords", {"ShardIterator": iterator})["Records"]
    kept = ("Keys", "NewImage", "OldImage", "SizeBytes")
    return [(each["eventName"], {name: each["dynamodb"].get(name) for name in kept}) for each in records[-3:]]


def _outcome(run: Any) -> Any:
    try:
        return run()
    except DynamoError as error:
        code = "ConditionalCheckFailedException" if error.code == "DuplicateItemException" else error.code
        return code, error.members()


@settings(max_examples=30)
@given(
    _items,
    st.sampled_from(("insert", "update", "delete")),
    st.dictionaries(st.sampled_from(("b", "ü")), values, max_size=2),
    _actions,
    st.none() | conditions,
    st.sampled_from((("ALL OLD", "ALL_OLD"), ("ALL NEW", "ALL_NEW"), ("MODIFIED NEW", "UPDATED_NEW"))),
)
def test_a_write_is_the_same_write_with_the_same_stream_records(
    shared: Engine,
    items: list[Item],
    kind: str,
    attributes: Item,
    actions: list[Any],
    rest: Condition | None,
    returning: tuple[str, Any],
) -> None:
    key = {"pk": {"S": "a"}, "sk": {"S": "1"}}
    mine, theirs = _table(shared, items, "mine"), _table(shared, items, "theirs")
    writer = Writer()
    exists = AttributeExists(_PK)
    where = "WHERE pk = 'a' AND sk = '1'"
    core: PutItem | UpdateItem | DeleteItem
    if kind == "insert":
        entries = ", ".join(f"{text(each)}: {writer.value(value)}" for each, value in {**key, **attributes}.items())
        written = f"INSERT INTO {mine} VALUE {{{entries}}}"
        core = PutItem(table=theirs, item={**key, **attributes}, condition=AttributeNotExists(_PK))
    elif kind == "update":
        changes = _written_update(writer, actions)
        also = "" if rest is None else f" AND ({writer.condition(rest)})"
        written = f"UPDATE {mine} {changes} {where}{also} RETURNING {returning[0]} *"
        condition = exists if rest is None else And((exists, rest))
        update = Update(tuple(actions))
        core = UpdateItem(table=theirs, key=key, update=update, condition=condition, returns=returning[1])
    else:
        also = "" if rest is None else f" AND ({writer.condition(rest)})"
        written = f"DELETE FROM {mine} {where}{also} RETURNING ALL OLD *"
        condition_or_nothing = None if rest is None else Or((AttributeNotExists(_PK), rest))
        core = DeleteItem(table=theirs, key=key, condition=condition_or_nothing, returns="ALL_OLD")
    request: dict[str, Any] = {"Statement": written, "ReturnConsumedCapacity": "INDEXES"}
    if writer.parameters:
        request["Parameters"] = writer.parameters
    answer = _outcome(lambda: shared.call("ExecuteStatement", request))
    wanted = _outcome(lambda: shared.execute(_counted(core)))
    if isinstance(answer, dict):
        shown = wanted.get("Attributes")
        assert answer["Items"] == ([] if shown is None else [shown])
        assert {**answer["ConsumedCapacity"], "TableName": theirs} == wanted["ConsumedCapacity"]
    else:
        assert answer == wanted
    assert _story(shared, mine) == _story(shared, theirs)
    assert shared.call("Scan", {"TableName": mine})["Items"] == shared.call("Scan", {"TableName": theirs})["Items"]


def _counted(core: PutItem | UpdateItem | DeleteItem) -> PutItem | UpdateItem | DeleteItem:
    return replace(core, capacity="INDEXES")


@settings(max_examples=8)
@given(_items, st.lists(st.sampled_from(("pk", "sk", "b", "ü", "x.y")), min_size=1, max_size=3, unique=True))
def test_columns_are_the_attributes_that_a_projection_gives(
    shared: Engine, items: list[Item], columns: list[str]
) -> None:
    table = _table(shared, items)
    item = items[0]
    key = {"pk": item["pk"], "sk": item["sk"]}
    written = f"SELECT {', '.join(map(name, columns))} FROM {table} WHERE pk = ? AND sk = ?"
    found, _ = _select(shared, written, [item["pk"], item["sk"]])
    projection = Projection(tuple(Path((each,)) for each in columns))
    assert found == [shared.execute(GetItem(table=table, key=key, projection=projection))["Item"]]


@settings(max_examples=25)
@given(_items, _wheres)
@example(
    [{"pk": {"S": "a"}, "sk": {"S": "1"}}],
    And(tuple(Compare(*each) for each in (("=", _PK, _A), ("=", _SK, _ONE), (">", _SK, _ONE)))),
)
def test_the_requests_that_explain_names_return_what_the_statement_returns(
    shared: Engine, items: list[Item], where: Condition
) -> None:
    table = _table(shared, items)
    writer = Writer()
    written = f"SELECT * FROM {table} WHERE {writer.condition(where)}"
    found: list[Item] = []
    try:
        explanation = explain(shared.call, written, writer.parameters)
        for operation, wire in explanation.requests:
            answer = shared.call(operation, wire)
            found += answer["Items"] if "Items" in answer else [answer["Item"]] if "Item" in answer else []
    except ValidationError:
        return  # a key condition holds less than WHERE can, and a filter no keys
    assert found == _select(shared, written, writer.parameters)[0]
    assert (explanation.kind == "scan") == (explanation.requests[0][0] == "Scan")
