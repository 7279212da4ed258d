"""Requests that were built: an ordinary one is looked at and let through as it is, the rest is read like text."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given

from partita.dynamo.errors import DynamoError, ValidationError
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
    Or,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    Size,
    Update,
    Value,
)
from partita.dynamo.parse import parse
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
from partita.dynamo.validate import validated
from partita.dynamo.wire import render
from tests.dynamo.strategies import conditions, updates

_KEY = {"pk": {"S": "a"}, "sk": {"N": "12.5"}}
_ITEM: dict[str, Any] = {
    **_KEY,
    "text": {"S": "naïve"},
    "größe": {"N": "-3"},
    "parts": {"L": [{"M": {"x": {"BOOL": True}}}, {"NULL": True}]},
    "set": {"SS": ["a", "b"]},
    "binary": {"B": "AQ=="},
}
_A, _LONG = Path(("a",)), Path(("größe", 0, "with space", "date"))
_TEXT, _NUMBER = Value({"S": "x" * 2000}), Value({"N": "1.5"})
_CONDITION = And(
    (
        Or((Compare("<=", _LONG, _NUMBER), Not(AttributeNotExists(_A)))),
        In(_A, (_TEXT,) * 100),
        Between(Size(_A), _NUMBER, _NUMBER),
        BeginsWith(_A, _TEXT),
        Contains(_A, Value({"L": []})),
        AttributeType(_A, Value({"S": "NS"})),
        And((AttributeExists(_A),)),
    )
)
_UPDATE = Update(
    (
        SetAction(_A, Arithmetic("+", IfNotExists(_A, _NUMBER), _NUMBER)),
        SetAction(Path(("b",)), ListAppend(Path(("b",)), Value({"L": [{"S": "ü"}]}))),
        AddAction(Path(("c",)), Value({"SS": ["x"]})),
        DeleteAction(Path(("d", 0)), Value({"NS": ["1"]})),
        RemoveAction(Path(("d", 1))),
    )
)
_KEY_CONDITION = And((Compare("=", Path(("pk",)), Value({"S": "a"})), BeginsWith(Path(("sk",)), Value({"S": "b"}))))
_PROJECTION = Projection((_A, _LONG, Path(("d", 0)), Path(("d", 1))))
_ORDINARY: tuple[ItemRequest, ...] = (
    GetItem(table="music", key=_KEY, projection=_PROJECTION, consistent=True, capacity="TOTAL"),
    PutItem(table="music", item=_ITEM, condition=_CONDITION, returns="ALL_OLD", metrics="SIZE"),
    DeleteItem(table="music", key=_KEY, condition=_CONDITION, on_failure="ALL_OLD"),
    UpdateItem(table="music", key=_KEY, update=_UPDATE, condition=_CONDITION, returns="UPDATED_NEW"),
    UpdateItem(table="music", key=_KEY),
    Query(table="music", condition=_KEY_CONDITION, filter=_CONDITION, index="byName", limit=1, start=_KEY),
    Query(table="music", condition=_KEY_CONDITION, select="COUNT"),
    Scan(table="music", projection=_PROJECTION, segment=1, total_segments=2, select="SPECIFIC_ATTRIBUTES"),
    BatchGetItem(tables={"music": Keys(keys=tuple({"pk": {"N": str(n)}} for n in range(100)), projection=_PROJECTION)}),
    BatchWriteItem(tables={"music": (PutItem(table="music", item=_ITEM),) * 25}),
    TransactGetItems(gets=(GetItem(table="music", key=_KEY),) * 100),
    TransactWriteItems(
        actions=(
            UpdateItem(table="music", key=_KEY, update=_UPDATE),
            ConditionCheck(table="music", key=_KEY, condition=_CONDITION),
            *(PutItem(table="music", item=_ITEM),) * 98,
        ),
        token="t" * 36,
    ),
)


@pytest.mark.parametrize("request_value", _ORDINARY, ids=lambda request: type(request).__name__)
def test_an_ordinary_request_costs_a_look_and_comes_back_as_it_is(request_value: ItemRequest) -> None:
    assert validated(request_value) is request_value
    parse(*render(request_value))


@given(conditions)
def test_a_condition_that_can_be_written_means_what_it_means_as_text(condition: Condition) -> None:
    request = Scan(table="music", filter=condition)
    assert validated(request) == parse(*render(request))


@given(updates)
def test_an_update_that_can_be_written_means_what_it_means_as_text(update: Update) -> None:
    request = UpdateItem(table="music", key=_KEY, update=update)
    assert validated(request) == parse(*render(request))


def test_values_come_in_their_one_spelling() -> None:
    found = validated(
        PutItem(table="music", item={"pk": {"N": "1.0"}}, condition=Compare("=", _A, Value({"N": "1e1"})))
    )
    assert found == PutItem(table="music", item={"pk": {"N": "1"}}, condition=Compare("=", _A, Value({"N": "10"})))


def test_a_table_may_be_named_by_its_arn() -> None:
    request = GetItem(table="arn:aws:dynamodb:eu-central-1:123456789012:table/music", key=_KEY)
    assert validated(request) == request


class _Colour(StrEnum):
    RED = "red"


def test_a_member_of_an_enumeration_is_the_text_it_stands_for() -> None:
    request = PutItem(table="music", item={"pk": {"S": _Colour.RED}, "a": {"SS": [_Colour.RED]}})
    assert validated(request) == parse(*render(request)) == request


@pytest.mark.parametrize(
    "wrong",
    [
        GetItem(table="music", key={"pk": {"N": "x"}}),
        GetItem(table="a b", key=_KEY),
        GetItem(table="music", key=_KEY, projection=Projection((Path(()),))),
        PutItem(table="music", item={"": {"S": "x"}}),
        Query(table="music", condition=Compare("<", Path(("pk",)), Value({"SS": ["a"]}))),
        TransactWriteItems(actions=(), token=""),
    ],
)
def test_a_refusal_is_in_the_words_of_the_wire(wrong: ItemRequest) -> None:
    with pytest.raises(DynamoError) as built:
        validated(wrong)
    with pytest.raises(DynamoError) as sent:
        parse(*render(wrong))
    assert (type(built.value), built.value.message) == (type(sent.value), sent.value.message)
    assert isinstance(built.value, ValidationError)
