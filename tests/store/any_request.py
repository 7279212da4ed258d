"""Any request value at all: right ones, wrong ones, and those that stand at an edge."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import strategies as st

from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    Arithmetic,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Contains,
    DeleteAction,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Or,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    Size,
    Update,
    Value,
)
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
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from tests.store.edges import (
    LONG_CONDITIONS,
    LONG_PROJECTIONS,
    LONG_UPDATES,
    ODD_NAMES,
    ODD_PATHS,
    ODD_VALUES,
    Colour,
    wrapped,
)

Any_ = st.SearchStrategy[Any]


def _seldom(usual: Any_, odd: Any_, chance: int = 6) -> Any_:
    """The usual most of the time; once in so many times, and never at the ends that are tried most, the odd."""
    return st.integers(0, 2 * chance).flatmap(lambda number: odd if number in (chance - 1, chance) else usual)


def _one_of(found: tuple[Any, ...]) -> Any_:
    """One of these; unlike `sampled_from`, which shows them all, it takes what is too deep to be shown."""
    return st.integers(0, len(found) - 1).map(lambda position: found[position])


# Values.

_ordinary: Any_ = st.sampled_from(
    (
        {"S": "x"},
        {"S": "ü"},
        {"S": ""},
        {"N": "1"},
        {"N": "-12.5"},
        {"N": "0"},
        {"B": "AQ=="},
        {"B": ""},
        {"BOOL": True},
        {"NULL": True},
        {"SS": ["a", "b"]},
        {"NS": ["1", "2.5"]},
        {"BS": ["AQ=="]},
        {"L": [{"S": "x"}, {"N": "1"}]},
        {"L": []},
        {"M": {"a": {"S": "x"}, "ü": {"NULL": True}}},
        {"M": {}},
        {"S": Colour.RED},
    )
)
_odd: Any_ = st.sampled_from(ODD_VALUES)
values = _seldom(_ordinary, _odd)
_numbers: Any_ = st.sampled_from(("1", "2", "-1", "1.5")).map(lambda text: {"N": text})
_texts: Any_ = st.sampled_from(("a", "b", "ab", "")).map(lambda text: {"S": text})

# Names and paths.

_ordinary_names = st.sampled_from(("a", "b", "n", "l", "m", "s", "g", "date", "x.y", "ü", "size", "REMOVE", "_1"))
_odd_names = st.sampled_from(ODD_NAMES)
names = _seldom(_ordinary_names, _odd_names, 10)
_odd_paths: Any_ = st.sampled_from(ODD_PATHS)
_ordinary_paths = st.builds(
    lambda first, rest: Path((first, *rest)), names, st.lists(names | st.integers(0, 2), max_size=2).map(tuple)
)
paths = _seldom(_ordinary_paths, _odd_paths, 12)

# Conditions.

_literals = values.map(Value)
_operands: Any_ = st.one_of(
    paths, _literals, _numbers.map(Value), _texts.map(Value), st.builds(Size, paths | _literals)
)
_comparators: Any = _seldom(
    st.sampled_from(("=", "<>", "<", "<=", ">", ">=")), st.sampled_from(("LIKE", "", "AND")), 40
)
_many: Any_ = st.sampled_from((0, 1, 2, 99, 100, 101, 400))
_bounds: Any_ = st.sampled_from(
    ({"N": "1"}, {"N": "2"}, {"S": "a"}, {"S": "b"}, {"B": "AQ=="}, {"SS": ["a"]}, {"N": "1.0"})
)
_leaves: Any_ = st.one_of(
    st.builds(Compare, _comparators, _operands, _operands),
    st.builds(Compare, _comparators, paths, _literals),
    st.builds(Between, _operands, _bounds.map(Value), _bounds.map(Value)),
    st.builds(Between, _operands, _operands, _operands),
    st.builds(In, _operands, st.lists(_operands, max_size=3).map(tuple)),
    st.builds(lambda path, value, count: In(path, (Value(value),) * count), paths, _ordinary, _many),
    st.builds(AttributeExists, paths),
    st.builds(AttributeNotExists, paths),
    st.builds(AttributeType, paths, _literals | st.sampled_from(("S", "NS", "X")).map(lambda kind: Value({"S": kind}))),
    st.builds(BeginsWith, _operands, _operands),
    st.builds(Contains, _operands, _operands),
)


def _rows(inner: Any_) -> Any_:
    terms = st.lists(inner, max_size=3).map(tuple)
    return st.builds(And, terms) | st.builds(Or, terms) | st.builds(Not, inner)


_long: Any_ = _one_of(LONG_CONDITIONS) | st.builds(
    wrapped, st.sampled_from((Not, And, Or)), st.sampled_from((1, 135, 300, 3000)), _leaves
)
conditions: Any_ = _seldom(st.recursive(_leaves, _rows, max_leaves=4), _long)

# Updates and projections.

_set_operands: Any_ = _seldom(
    _literals | paths,
    st.recursive(
        paths | _literals | _numbers.map(Value) | st.just(Value({"L": [{"S": "y"}]})),
        lambda inner: (
            st.builds(IfNotExists, paths, inner)
            | st.builds(ListAppend, inner, inner)
            | st.builds(Arithmetic, st.sampled_from(cast(Any, ("+", "-"))), inner, inner)
        ),
        max_leaves=4,
    ),
    2,
)
_members: Any_ = values | st.sampled_from(({"SS": ["a"]}, {"NS": ["1"]}, {"N": "3"}))
_actions: Any_ = st.one_of(
    st.builds(SetAction, paths, _set_operands),
    st.builds(SetAction, names.map(lambda name: Path((name,))), _literals),
    st.builds(RemoveAction, paths),
    st.builds(AddAction, paths, _members.map(Value)),
    st.builds(DeleteAction, paths, _members.map(Value)),
)


# Each of these is refused for a reason of its own, or by none: which comes first depends on how the update is written.
_REASONS: tuple[Any, ...] = (
    SetAction(Path(("new",)), Path(("missing",))),
    SetAction(Path(("b",)), Value({"S": "x"})),
    SetAction(Path(("m", "x", "y")), Value({"S": "x"})),
    SetAction(Path(("pk",)), Value({"S": "x"})),
    AddAction(Path(("a",)), Value({"N": "1"})),
    AddAction(Path(("n",)), Value({"N": "1"})),
    AddAction(Path(("sk",)), Value({"N": "1"})),
    DeleteAction(Path(("l",)), Value({"SS": ["a"]})),
    DeleteAction(Path(("s",)), Value({"SS": ["a"]})),
    RemoveAction(Path(("g", "x"))),
    RemoveAction(Path(("date",))),
)
_mixed: Any_ = st.lists(st.sampled_from(_REASONS), min_size=2, max_size=5, unique_by=lambda action: str(action.path))

updates: Any_ = _mixed.map(lambda found: Update(tuple(found))) | _seldom(
    st.lists(_actions, max_size=4).map(lambda found: Update(tuple(found))),
    _one_of(LONG_UPDATES),
    8,
)
projections: Any_ = _seldom(
    st.lists(paths, max_size=4).map(lambda found: Projection(tuple(found))),
    st.sampled_from(LONG_PROJECTIONS),
)

# Keys and items.

_partition: Any_ = _seldom(
    st.sampled_from(({"S": "a"}, {"S": "b"}, {"S": "new"})),
    st.sampled_from(({"S": ""}, {"S": "x" * 2048}, {"S": "x" * 2049}, {"S": "ü" * 1025}, {"N": "1"}, {"S": Colour.RED}))
    | values,
    8,
)
_sort: Any_ = _seldom(
    st.sampled_from(({"N": "1"}, {"N": "2"}, {"N": "3.5"})), st.sampled_from(({"N": "1.0"}, {"S": "1"})) | values, 8
)
keys: Any_ = _seldom(
    st.fixed_dictionaries({"pk": _partition, "sk": _sort}),
    st.one_of(
        st.fixed_dictionaries({"pk": _partition}),
        st.fixed_dictionaries({"pk": _partition, "sk": _sort, "a": values}),
        st.just({}),
        st.just({"pk": {"S": "a"}, "sk": {"N": "1"}, "": {"S": "x"}}),
    ),
    10,
)
items: Any_ = st.builds(lambda key, rest: {**rest, **key}, keys, st.dictionaries(names, values, max_size=4))
_short_items: Any_ = st.builds(lambda key, rest: {**rest, **key}, keys, st.dictionaries(names, _ordinary, max_size=2))

# Requests.

_tables: Any = _seldom(
    st.just("music"),
    st.sampled_from(("films", "nowhere", "ab", "", "n" * 256, "mu sic", "arn:aws:dynamodb:x:0:table/music", "\ud800")),
    20,
)
_capacity: Any = _seldom(st.just("NONE"), st.sampled_from(("TOTAL", "INDEXES", "ALL", "")), 8)
_metrics: Any = _seldom(st.just("NONE"), st.sampled_from(("SIZE", "ALL")), 8)
_on_failure: Any = _seldom(st.just("NONE"), st.sampled_from(("ALL_OLD", "ALL_NEW")), 8)
_returns: Any = _seldom(
    st.just("NONE"), st.sampled_from(("ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW", "SOME")), 3
)


def _perhaps(strategy: Any_) -> Any_:
    return st.none() | strategy


_reported: dict[str, Any] = {"on_failure": _on_failure, "capacity": _capacity, "metrics": _metrics, "returns": _returns}
gets: Any_ = st.builds(
    GetItem,
    table=_tables,
    key=keys,
    projection=_perhaps(projections),
    consistent=_seldom(st.booleans(), st.sampled_from((1, 0, None)), 20),
    capacity=_capacity,
)
puts: Any_ = st.builds(PutItem, table=_tables, item=items, condition=_perhaps(conditions), **_reported)
deletes: Any_ = st.builds(DeleteItem, table=_tables, key=keys, condition=_perhaps(conditions), **_reported)
changes: Any_ = st.builds(
    UpdateItem, table=_tables, key=keys, update=_perhaps(updates), condition=_perhaps(conditions), **_reported
)
_reading: dict[str, Any] = {
    "table": _tables,
    "index": _seldom(st.none(), st.sampled_from(("byG", "keys", "absent", "", "ab", "x y", "\ud800")), 3),
    "filter": _perhaps(conditions),
    "projection": _perhaps(projections),
    "select": _seldom(
        st.none(),
        st.sampled_from(("COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SOME")),
        3,
    ),
    "limit": _seldom(st.none(), st.sampled_from((0, 1, -1, 2, 10**30, True)), 3),
    "start": _seldom(st.none(), keys, 6),
    "consistent": st.booleans(),
    "capacity": _capacity,
}
_key_terms: Any_ = st.one_of(
    st.builds(Compare, _comparators, st.just(Path(("sk",))), _sort.map(Value)),
    st.builds(Between, st.just(Path(("sk",))), _bounds.map(Value), _bounds.map(Value)),
    st.builds(BeginsWith, st.just(Path(("sk",))), _texts.map(Value)),
)
_partition_terms: Any_ = st.builds(Compare, st.just("="), st.just(Path(("pk",))), _partition.map(Value))
_key_conditions: Any_ = st.one_of(
    _partition_terms,
    st.builds(lambda first, second: And((first, second)), _partition_terms, _key_terms),
    st.builds(lambda first, second: And((And((first, second)),)), _partition_terms, _key_terms),
    st.builds(lambda value: Compare("=", Path(("g",)), Value(value)), values),
    conditions,
)
queries: Any_ = st.builds(Query, condition=_key_conditions, forward=st.booleans(), **_reading)
_segments = st.sampled_from((None, None, None, 0, 1, 2, -1, 999_999, 1_000_000))
scans: Any_ = st.builds(Scan, segment=_segments, total_segments=_segments, **_reading)


def _repeated(few: Any_, counts: tuple[int, ...], one: Any) -> Any_:
    """A few of any kind, or exactly so many that are all right."""
    return few | st.sampled_from(counts).map(lambda count: tuple(one(number) for number in range(count)))


def _numbered(number: int) -> dict[str, Any]:
    return {"pk": {"S": "many"}, "sk": {"N": str(number)}}


_batch_keys = _repeated(st.lists(keys, max_size=3).map(tuple), (0, 50, 99, 100, 101), _numbered)
batch_gets: Any_ = st.builds(
    BatchGetItem,
    tables=st.dictionaries(
        _tables,
        st.builds(Keys, keys=_batch_keys, projection=_perhaps(projections), consistent=st.booleans()),
        max_size=2,
    ),
    capacity=_capacity,
)
_entries = _repeated(
    st.lists(
        st.builds(PutItem, table=st.just("music"), item=_short_items)
        | st.builds(DeleteItem, table=st.just("music"), key=keys),
        max_size=3,
    ).map(tuple),
    (0, 24, 25, 26),
    lambda number: PutItem(table="music", item=_numbered(number % 25 if number < 26 else 0)),
)
batch_writes: Any_ = st.builds(
    BatchWriteItem, tables=st.dictionaries(_tables, _entries, max_size=2), capacity=_capacity, metrics=_metrics
)
transact_gets: Any_ = st.builds(
    TransactGetItems,
    gets=_repeated(
        st.lists(gets, max_size=3).map(tuple),
        (0, 99, 100, 101),
        lambda number: GetItem(table="music", key=_numbered(number)),
    ),
    capacity=_capacity,
)
_checks: Any_ = st.builds(ConditionCheck, table=_tables, key=keys, condition=conditions, on_failure=_on_failure)
transact_writes: Any_ = st.builds(
    TransactWriteItems,
    actions=_repeated(
        st.lists(puts | deletes | changes | _checks, max_size=3).map(tuple),
        (0, 99, 100, 101),
        lambda number: PutItem(table="music", item=_numbered(number)),
    )
    | st.lists(st.builds(DeleteItem, table=st.just("music"), key=keys), min_size=1, max_size=3).map(tuple),
    token=_seldom(st.none(), st.sampled_from(("", "t" * 36, "t" * 37, "\ud800")), 6),
    capacity=_capacity,
    metrics=_metrics,
)

_KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
_PARTITION = Compare("=", Path(("pk",)), Value({"S": "a"}))
_other_index = st.sampled_from((None, None, "byG", "keys"))

# One part of the request is anything, the rest is right: so more of them run.
expression_requests: st.SearchStrategy[ItemRequest] = st.one_of(
    conditions.map(lambda tree: PutItem(table="music", item=_KEY, condition=tree)),
    conditions.map(lambda tree: Query(table="music", condition=_PARTITION, filter=tree)),
    conditions.map(lambda tree: ConditionCheck(table="music", key=_KEY, condition=tree)).map(
        lambda check: TransactWriteItems(actions=(check,))
    ),
    st.builds(Query, table=st.just("music"), condition=_key_conditions, index=_other_index),
    st.builds(
        lambda update, key, returns: UpdateItem(table="music", key=key, update=update, returns=returns),
        updates,
        st.sampled_from((_KEY, {"pk": {"S": "new"}, "sk": {"N": "1"}})),
        st.sampled_from(cast(Any, ("NONE", "ALL_NEW", "UPDATED_NEW", "UPDATED_OLD"))),
    ),
    updates.map(lambda update: UpdateItem(table="music", key=_KEY, update=update)).map(
        lambda change: TransactWriteItems(actions=(change,))
    ),
    projections.map(lambda projection: GetItem(table="music", key=_KEY, projection=projection)),
    st.builds(Scan, table=st.just("music"), projection=projections, index=_other_index),
)
value_requests: st.SearchStrategy[ItemRequest] = st.one_of(
    st.dictionaries(names, values, max_size=3).map(lambda rest: PutItem(table="music", item={**rest, **_KEY})),
    _odd.map(lambda value: PutItem(table="music", item={**_KEY, "a": value})),
    keys.map(lambda key: GetItem(table="music", key=key)),
    keys.map(lambda key: PutItem(table="music", item=key)),
    keys.map(lambda key: Scan(table="music", start=key)),
)
single_requests: st.SearchStrategy[ItemRequest] = st.one_of(gets, puts, deletes, changes, changes)
read_requests: st.SearchStrategy[ItemRequest] = st.one_of(queries, scans)
many_requests: st.SearchStrategy[ItemRequest] = st.one_of(batch_gets, batch_writes, transact_gets, transact_writes)
