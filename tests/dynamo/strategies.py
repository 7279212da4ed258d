"""What DynamoDB's language can say: numbers, values, items, paths, conditions, updates."""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal
from typing import Any, cast

from hypothesis import strategies as st

from partita.dynamo import numbers as dynamo_numbers
from partita.dynamo.expressions.paths import check_disjoint
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
    Condition,
    Contains,
    DeleteAction,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Operand,
    Or,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    Size,
    Update,
    UpdateAction,
    Value,
)
from partita.dynamo.values import AttributeValue, order

text = st.text(max_size=12)
key_text = st.text(min_size=1, max_size=12)
binaries = st.binary(max_size=12)


@st.composite
def decimals(draw: st.DrawFn) -> Decimal:
    """Any number DynamoDB can hold: 38 digits, 1E-130 to 9.99E+125, either sign, and zero."""
    digits = draw(st.integers(0, 10**38 - 1) | st.integers(0, 999))
    if digits == 0:
        return Decimal(0)
    length = len(str(digits))
    exponent = draw(st.integers(-130 - length + 1, 125 - length + 1) | st.integers(-3, 3))
    sign = draw(st.sampled_from((0, 1)))
    return Decimal((sign, tuple(map(int, str(digits))), exponent))


numbers = decimals().map(lambda number: dynamo_numbers.canonical(str(number)))
small_numbers = st.integers(-20, 20).map(str)

strings_wire = text.map(lambda content: {"S": content})
numbers_wire = numbers.map(lambda content: {"N": content})
binaries_wire = binaries.map(lambda content: {"B": b64encode(content).decode()})
sets_wire = st.one_of(
    st.lists(text, min_size=1, max_size=4, unique=True).map(lambda members: {"SS": sorted(members)}),
    st.lists(numbers, min_size=1, max_size=4, unique=True).map(lambda members: {"NS": sorted(members, key=Decimal)}),
    st.lists(binaries, min_size=1, max_size=4, unique=True).map(
        lambda members: {"BS": [b64encode(member).decode() for member in sorted(members)]}
    ),
)
scalars_wire: st.SearchStrategy[AttributeValue] = st.one_of(
    strings_wire,
    numbers_wire,
    binaries_wire,
    st.booleans().map(lambda content: {"BOOL": content}),
    st.just({"NULL": True}),
)
names = st.sampled_from(
    ("a", "b", "c", "Size", "date", "REMOVE", "contains", "x.y", "with space", "_1", "9", "ü", "#z")
)

values: st.SearchStrategy[AttributeValue] = st.recursive(
    scalars_wire | sets_wire,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda elements: {"L": elements})
        | st.dictionaries(names, inner, max_size=3).map(lambda members: {"M": members})
    ),
    max_leaves=6,
)
items: st.SearchStrategy[dict[str, AttributeValue]] = st.dictionaries(names, values, max_size=6)

paths = st.builds(
    lambda first, rest: Path((first, *rest)), names, st.lists(names | st.integers(0, 4), max_size=3).map(tuple)
)
literals = values.map(Value)
ordered_literals = (strings_wire | numbers_wire | binaries_wire).map(Value)
sized = st.builds(Size, paths | (strings_wire | sets_wire).map(Value))
operands: st.SearchStrategy[Operand] = st.one_of(paths, literals, sized)
ordered_operands: st.SearchStrategy[Operand] = st.one_of(paths, ordered_literals, sized)
text_operands: st.SearchStrategy[Operand] = st.one_of(paths, (strings_wire | binaries_wire).map(Value))


def _distinct(condition: Compare | Contains | BeginsWith) -> bool:
    match condition:
        case Compare(_, left, right) | Contains(left, right) | BeginsWith(left, right):
            pass
    return not (isinstance(left, Path) and left == right)


def _sensible_bounds(condition: Between) -> bool:
    low, high = condition.low, condition.high
    if not (isinstance(low, Value) and isinstance(high, Value)):
        return True
    relation = order(low.value, high.value)
    return relation is not None and relation <= 0


comparators: Any = st.sampled_from(("=", "<>", "<", "<=", ">", ">="))
orderings: Any = st.sampled_from(("<", "<=", ">", ">="))
type_literals = st.sampled_from(("S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL", "NULL")).map(
    lambda kind: Value({"S": kind})
)
simple_conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Compare, st.sampled_from(cast(Any, ("=", "<>"))), operands, operands).filter(_distinct),
    st.builds(Compare, orderings, ordered_operands, ordered_operands).filter(_distinct),
    st.builds(Between, ordered_operands, ordered_operands, ordered_operands).filter(_sensible_bounds),
    st.builds(In, operands, st.lists(operands, min_size=1, max_size=3).map(tuple)),
    st.builds(AttributeExists, paths),
    st.builds(AttributeNotExists, paths),
    st.builds(AttributeType, paths | literals, type_literals),
    st.builds(BeginsWith, text_operands, text_operands).filter(_distinct),
    st.builds(Contains, operands, operands).filter(_distinct),
)


def _rows(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    terms = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(And, terms) | st.builds(Or, terms) | st.builds(Not, inner)


conditions: st.SearchStrategy[Condition] = st.recursive(simple_conditions, _rows, max_leaves=6)

_numeric = st.one_of(paths, numbers_wire.map(Value))
_lists = st.lists(scalars_wire, max_size=3).map(lambda elements: Value({"L": elements}))
_set_functions: Any = st.recursive(
    paths | literals,
    lambda inner: (
        st.builds(IfNotExists, paths, inner)
        | st.builds(ListAppend, paths | _lists, st.builds(IfNotExists, paths, _lists) | _lists)
    ),
    max_leaves=3,
)
set_operands: Any = st.one_of(
    _set_functions,
    st.builds(
        Arithmetic,
        st.sampled_from(cast(Any, ("+", "-"))),
        _numeric,
        _numeric | st.builds(IfNotExists, paths, numbers_wire.map(Value)),
    ),
)
_adding = (numbers_wire | sets_wire).map(Value)
actions: st.SearchStrategy[UpdateAction] = st.one_of(
    st.builds(SetAction, paths, set_operands),
    st.builds(RemoveAction, paths),
    st.builds(AddAction, paths, _adding),
    st.builds(DeleteAction, paths, sets_wire.map(Value)),
)


def _disjoint(found: list[Path]) -> bool:
    try:
        check_disjoint(found)
    except Exception:
        return False
    return True


_SECTIONS = (SetAction, RemoveAction, AddAction, DeleteAction)


def _update(found: list[UpdateAction]) -> Update:
    # Text keeps the order of sections by first appearance, so a tree that came from text has each section in one row.
    kinds = list(dict.fromkeys(type(action) for action in found))
    return Update(tuple(action for kind in kinds for action in found if type(action) is kind))


updates = (
    st.lists(actions, min_size=1, max_size=4)
    .filter(lambda found: _disjoint([action.path for action in found]))
    .map(_update)
)
projections = st.lists(paths, min_size=1, max_size=4).filter(_disjoint).map(lambda found: Projection(tuple(found)))
