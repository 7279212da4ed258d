"""What DynamoDB refuses is refused in this process too, though the request was never written as text."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from partita.dynamo.errors import SerializationError, ValidationError
from partita.dynamo.expressions.tree import (
    And,
    Arithmetic,
    AttributeExists,
    Between,
    Compare,
    Condition,
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
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    GetItem,
    ItemRequest,
    Keys,
    PutItem,
    Query,
    Scan,
    TransactWriteItems,
    UpdateItem,
)
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.dynamo import DynamoStore, fixed
from tests.engine.tables import create, get, put

_KEY = {"pk": {"S": "a"}}
_A = Path(("a",))
_ONE, _TWO = Value({"N": "1"}), Value({"N": "2"})


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.temporary(background=False) as engine:
        create(engine)
        put(engine, pk="a", a=1, m={"x": 1})
        yield engine


def _refusal(engine: Engine, request: ItemRequest) -> str:
    transport = EmbeddedStore(engine).transport
    with pytest.raises(ValidationError) as refused:
        transport.send(request)
    with pytest.raises(ValidationError) as refused_here_too:
        asyncio.run(transport.send_async(request))
    assert refused_here_too.value.message == refused.value.message
    return refused.value.message


def _put(condition: Condition) -> PutItem:
    return PutItem(table="music", item=_KEY, condition=condition)


def _scan(condition: Condition) -> Scan:
    return Scan(table="music", filter=condition)


def _update(*actions: Any) -> UpdateItem:
    return UpdateItem(table="music", key=_KEY, update=Update(actions))


def test_one_of_no_values_is_refused(engine: Engine) -> None:
    assert _refusal(engine, _scan(In(_A, ()))) == 'Invalid FilterExpression: Syntax error; token: ")", near: "()"'


def test_one_of_100_values_is_taken_and_of_101_refused(engine: Engine) -> None:
    assert engine.execute(_scan(In(_A, (_ONE,) * 100)))["Count"] == 1
    assert _refusal(engine, _scan(In(_A, (_ONE,) * 101))) == (
        "Invalid FilterExpression: The IN operator is provided with too many operands; number of operands: 101"
    )


@pytest.mark.parametrize("condition", [And(()), Or(()), And((And(()),))])
def test_all_of_nothing_and_any_of_nothing_are_refused(engine: Engine, condition: Condition) -> None:
    assert _refusal(engine, _put(condition)).endswith("Invalid ConditionExpression: The expression can not be empty;")


def test_an_empty_row_inside_another_is_refused(engine: Engine) -> None:
    assert "Syntax error" in _refusal(engine, _put(Or((AttributeExists(_A), And(())))))
    assert "Syntax error" in _refusal(engine, _put(Not(And(()))))


def test_an_expression_of_more_than_4_kb_is_refused(engine: Engine) -> None:
    longest = AttributeExists(Path(("a" * (4096 - len("attribute_exists()")),)))
    assert engine.execute(_scan(longest))["Count"] == 0
    longer = AttributeExists(Path(("a" * (4097 - len("attribute_exists()")),)))
    assert _refusal(engine, _scan(longer)).endswith("expression size: 4097")
    assert "exceeded the maximum allowed size" in _refusal(engine, _update(SetAction(Path(("a" * 4090,)), _ONE)))
    assert "exceeded the maximum allowed size" in _refusal(
        engine, GetItem(table="music", key=_KEY, projection=Projection((Path(("a" * 4097,)),)))
    )


def test_a_condition_of_more_than_300_operators_is_refused(engine: Engine) -> None:
    equal = Compare("=", _A, _ONE)
    assert engine.execute(_scan(And((equal,) * 150)))["Count"] == 1
    assert "too many operators" in _refusal(engine, _scan(And((equal,) * 151)))


@pytest.mark.parametrize("levels", [300, 1000, 20_000])
def test_a_tree_too_deep_for_any_text_is_refused_and_breaks_nothing(engine: Engine, levels: int) -> None:
    deep: Condition = AttributeExists(_A)
    for _ in range(levels):
        deep = Not(deep)
    assert "Invalid ConditionExpression" in _refusal(engine, _put(deep))


def test_a_range_whose_ends_are_reversed_is_refused(engine: Engine) -> None:
    assert engine.execute(_scan(Between(_A, _ONE, _ONE)))["Count"] == 1
    assert _refusal(engine, _scan(Between(_A, _TWO, _ONE))) == (
        "Invalid FilterExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower "
        "bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"
    )
    key = Compare("=", Path(("pk",)), Value({"S": "a"}))
    assert "BETWEEN" in _refusal(engine, Query(table="music", condition=And((key, Between(_A, _TWO, _ONE)))))


@pytest.mark.parametrize("second", [SetAction(_A, _TWO), RemoveAction(_A), SetAction(Path(("a", "x")), _TWO)])
def test_one_path_twice_in_an_update_is_refused(engine: Engine, second: Any) -> None:
    assert _refusal(engine, _update(SetAction(_A, _ONE), second)).startswith(
        "1 validation error detected: Invalid UpdateExpression: Two document paths overlap with each other"
    )
    assert get(engine, pk="a") == {"pk": "a", "a": 1, "m": {"x": 1}}


def test_one_path_twice_in_a_projection_is_refused(engine: Engine) -> None:
    assert "overlap" in _refusal(engine, GetItem(table="music", key=_KEY, projection=Projection((_A, _A))))


def test_a_sum_of_sums_is_refused(engine: Engine) -> None:
    total = Arithmetic("+", Arithmetic("+", _A, _ONE), _ONE)
    assert "Syntax error" in _refusal(engine, _update(SetAction(_A, total)))


def test_an_update_of_nothing_and_a_projection_of_nothing_are_refused(engine: Engine) -> None:
    assert _refusal(engine, _update()).endswith("The expression can not be empty;")
    nothing = GetItem(table="music", key=_KEY, projection=Projection(()))
    assert _refusal(engine, nothing).endswith("The expression can not be empty;")


@pytest.mark.parametrize(
    "value", [{"N": "1" * 39}, {"N": "1E126"}, {"SS": []}, {"SS": ["a", "a"]}, {"NS": ["1", "1.0"]}], ids=str
)
def test_a_value_that_cannot_be_stored_is_refused_wherever_it_stands(engine: Engine, value: dict[str, Any]) -> None:
    _refusal(engine, PutItem(table="music", item={**_KEY, "a": value}))
    _refusal(engine, _update(SetAction(_A, Value(value))))
    _refusal(engine, _scan(Compare("=", _A, Value(value))))


def test_a_value_is_nested_32_levels_deep_at_most(engine: Engine) -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(31):
        value = {"L": [value]}
    engine.execute(PutItem(table="music", item={**_KEY, "a": value}))
    assert "Nesting Levels" in _refusal(engine, PutItem(table="music", item={**_KEY, "a": {"L": [value]}}))


def test_a_number_is_stored_in_its_one_spelling(engine: Engine) -> None:
    engine.execute(PutItem(table="music", item={**_KEY, "a": {"N": "1E2"}}))
    assert engine.execute(GetItem(table="music", key=_KEY))["Item"]["a"] == {"N": "100"}
    assert engine.execute(_scan(Compare("=", _A, Value({"N": "100.0"}))))["Count"] == 1


def test_a_limit_of_nothing_is_refused(engine: Engine) -> None:
    assert "'limit'" in _refusal(engine, Scan(table="music", limit=0))


def test_a_segment_without_a_total_is_refused(engine: Engine) -> None:
    assert "TotalSegments" in _refusal(engine, Scan(table="music", segment=0))


def test_batches_and_transactions_have_their_most(engine: Engine) -> None:
    keys = tuple({"pk": {"S": str(number)}} for number in range(101))
    puts = tuple(PutItem(table="music", item=key) for key in keys)
    assert "equal to 100" in _refusal(engine, BatchGetItem(tables={"music": Keys(keys=keys)}))
    assert "equal to 25" in _refusal(engine, BatchWriteItem(tables={"music": puts[:26]}))
    assert "'transactItems'" in _refusal(engine, TransactWriteItems(actions=puts))
    assert "'transactItems'" in _refusal(engine, TransactWriteItems(actions=()))


def test_a_transaction_has_no_update_without_actions(engine: Engine) -> None:
    assert "updateExpression" in _refusal(
        engine, TransactWriteItems(actions=(UpdateItem(table="music", key={"pk": {"S": "b"}}),))
    )


def test_a_put_or_deletion_returns_nothing_new(engine: Engine) -> None:
    new: Any = "ALL_NEW"
    assert "ReturnValues" in _refusal(engine, PutItem(table="music", item=_KEY, returns=new))
    assert "ReturnValues" in _refusal(engine, DeleteItem(table="music", key=_KEY, returns=new))


def test_what_json_cannot_say_is_refused_before_it_is_sent() -> None:
    store = DynamoStore(endpoint_url="http://127.0.0.1:1", region="x", credentials=fixed("any", "any"))
    with pytest.raises(SerializationError):
        store.transport.send(PutItem(table="music", item={"pk": {"S": "\ud800"}}))
    store.close()
