"""TransactWriteItems and TransactGetItems: all or nothing, reasons in order, idempotency tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from partita.dynamo.errors import (
    IdempotentParameterMismatchError,
    ResourceNotFoundError,
    TransactionCanceledError,
    ValidationError,
)
from partita.engine import Engine
from tests.engine.tables import Clock, create, get, index, put, values


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.temporary(clock=clock, background=False) as engine:
        create(engine, gsis=[index("byG", "g")])
        create(engine, "films")
        yield engine


def _key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}}


def _put(name: str, table: str = "music", **members: Any) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": _key(name), **members}}


def _add(name: str) -> dict[str, Any]:
    return {"Update": {"TableName": "music", "Key": _key(name), "UpdateExpression": "ADD n :one", **values(one=1)}}


def _check(name: str, condition: str, **members: Any) -> dict[str, Any]:
    return {"ConditionCheck": {"TableName": "music", "Key": _key(name), "ConditionExpression": condition, **members}}


def _write(engine: Engine, *actions: dict[str, Any], **members: Any) -> dict[str, Any]:
    return engine.call("TransactWriteItems", {"TransactItems": list(actions), **members})


def test_a_transaction_writes_over_several_tables(engine: Engine) -> None:
    put(engine, pk="old")
    put(engine, pk="sure")
    delete = {"Delete": {"TableName": "music", "Key": _key("old")}}
    assert (
        _write(engine, _put("a"), _put("b", "films"), _add("c"), delete, _check("sure", "attribute_exists(pk)")) == {}
    )
    assert get(engine, pk="a") == {"pk": "a"}
    assert get(engine, "films", pk="b") == {"pk": "b"}
    assert get(engine, pk="c") == {"pk": "c", "n": 1}
    assert get(engine, pk="old") is None


def test_a_failed_condition_cancels_everything_with_a_reason_per_action_in_order(engine: Engine) -> None:
    put(engine, pk="there", x=1)
    failing = _put(
        "there", ConditionExpression="attribute_not_exists(pk)", ReturnValuesOnConditionCheckFailure="ALL_OLD"
    )
    with pytest.raises(TransactionCanceledError) as caught:
        _write(engine, _put("a"), failing, _add("b"), _check("absent", "attribute_exists(pk)"))
    assert caught.value.reasons == [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": {"pk": {"S": "there"}, "x": {"N": "1"}},
        },
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
    ]
    assert caught.value.message.endswith("[None, ConditionalCheckFailed, None, ConditionalCheckFailed]")
    assert get(engine, pk="a") is None
    assert get(engine, pk="b") is None


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            {
                "Update": {
                    "TableName": "music",
                    "Key": _key("text"),
                    "UpdateExpression": "SET x = x + :one",
                    **values(one=1),
                }
            },
            "An operand in the update expression has an incorrect data type",
        ),
        (
            {
                "Update": {
                    "TableName": "music",
                    "Key": _key("text"),
                    "UpdateExpression": "SET a.b = :one",
                    **values(one=1),
                }
            },
            "The document path provided in the update expression is invalid for update",
        ),
        (
            {
                "Update": {
                    "TableName": "music",
                    "Key": _key("text"),
                    "UpdateExpression": "SET g = :one",
                    **values(one=1),
                }
            },
            "Type mismatch for Index Key g",
        ),
        ({"Put": {"TableName": "music", "Item": {"x": {"S": "no key"}}}}, "Missing the key pk in the item"),
        ({"Delete": {"TableName": "music", "Key": {"other": {"S": "a"}}}}, "The provided key element does not match"),
        (
            {
                "Update": {
                    "TableName": "music",
                    "Key": _key("text"),
                    "UpdateExpression": "SET f = :f",
                    **values(f="x" * 410 * 1024),
                }
            },
            "Item size to update has exceeded the maximum allowed size",
        ),
    ],
)
def test_an_action_that_cannot_be_done_cancels_everything(engine: Engine, action: dict[str, Any], message: str) -> None:
    put(engine, pk="text", x="text")
    with pytest.raises(TransactionCanceledError) as caught:
        _write(engine, _put("a"), action)
    first, second = caught.value.reasons
    assert first == {"Code": "None"}
    assert second["Code"] == "ValidationError"
    assert message in second["Message"]
    assert get(engine, pk="a") is None


def test_two_actions_on_one_item_are_refused(engine: Engine) -> None:
    for other in (_put("a"), _add("a"), _check("a", "attribute_exists(pk)")):
        with pytest.raises(ValidationError, match="Transaction request cannot include multiple operations on one item"):
            _write(engine, _put("a"), other)
    _write(engine, _put("a"), _put("a", "films"))


def test_a_table_that_is_not_there_is_not_found(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundError):
        _write(engine, _put("a"), _put("a", "absent"))
    assert get(engine, pk="a") is None


def test_a_hundred_actions_are_done_together(engine: Engine) -> None:
    _write(engine, *(_put(str(number)) for number in range(100)))
    assert engine.call("Scan", {"TableName": "music", "Select": "COUNT"})["Count"] == 100


def test_the_items_of_a_transaction_have_at_most_4_mb(engine: Engine) -> None:
    def big(number: int) -> dict[str, Any]:
        return {"Put": {"TableName": "music", "Item": {**_key(str(number)), "f": {"S": "x" * 399 * 1024}}}}

    _write(engine, *(big(number) for number in range(10)))
    with pytest.raises(ValidationError, match="size cannot exceed"):
        _write(engine, *(big(number) for number in range(11)))
    gets = [{"Get": {"TableName": "music", "Key": _key(str(number))}} for number in range(10)]
    assert len(engine.call("TransactGetItems", {"TransactItems": gets})["Responses"]) == 10
    put(engine, pk="more", f="x" * 399 * 1024)
    more = [*gets, {"Get": {"TableName": "music", "Key": _key("more")}}]
    with pytest.raises(ValidationError, match="size cannot exceed"):
        engine.call("TransactGetItems", {"TransactItems": more})


def test_the_same_token_does_a_transaction_once_within_ten_minutes(engine: Engine, clock: Clock) -> None:
    for seconds in (0, 1, 598):
        clock.advance(seconds)
        assert _write(engine, _add("a"), ClientRequestToken="token") == {}
    assert get(engine, pk="a") == {"pk": "a", "n": 1}


def test_after_ten_minutes_a_token_is_new_again(engine: Engine, clock: Clock) -> None:
    _write(engine, _add("a"), ClientRequestToken="token")
    clock.advance(601)
    _write(engine, _add("a"), ClientRequestToken="token")
    assert get(engine, pk="a") == {"pk": "a", "n": 2}


def test_a_repetition_costs_reads_instead_of_writes(engine: Engine) -> None:
    request = {"ClientRequestToken": "token", "ReturnConsumedCapacity": "TOTAL"}
    first = _write(engine, _add("a"), **request)["ConsumedCapacity"]
    again = _write(engine, _add("a"), **request)["ConsumedCapacity"]
    assert first == [{"TableName": "music", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}]
    assert again == [{"TableName": "music", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]


def test_a_token_with_another_request_is_a_mismatch(engine: Engine) -> None:
    _write(engine, _add("a"), ClientRequestToken="token")
    with pytest.raises(IdempotentParameterMismatchError):
        _write(engine, _add("b"), ClientRequestToken="token")
    assert get(engine, pk="b") is None
    _write(engine, _add("b"), ClientRequestToken="other")


def test_a_cancelled_transaction_does_not_use_up_its_token(engine: Engine) -> None:
    conditional = _put("a", ConditionExpression="attribute_exists(pk)")
    with pytest.raises(TransactionCanceledError):
        _write(engine, conditional, ClientRequestToken="token")
    put(engine, pk="a", x=1)
    _write(engine, conditional, ClientRequestToken="token")
    assert get(engine, pk="a") == {"pk": "a"}


def test_a_repetition_succeeds_although_its_condition_no_longer_holds(engine: Engine) -> None:
    for _ in range(2):
        _write(engine, _put("a", ConditionExpression="attribute_not_exists(pk)"), ClientRequestToken="token")


def test_a_token_works_with_the_deepest_condition(engine: Engine) -> None:
    deep = _put("a", ConditionExpression="NOT " * 298 + "attribute_not_exists(pk)")
    assert _write(engine, deep, ClientRequestToken="token") == {}


def test_a_transactional_read_answers_in_order_with_gaps(engine: Engine) -> None:
    put(engine, pk="a", x=1)
    put(engine, "films", pk="b")
    gets = [
        {"Get": {"TableName": "music", "Key": _key("absent")}},
        {"Get": {"TableName": "films", "Key": _key("b")}},
        {"Get": {"TableName": "music", "Key": _key("a"), "ProjectionExpression": "x"}},
    ]
    assert engine.call("TransactGetItems", {"TransactItems": gets}) == {
        "Responses": [{}, {"Item": _key("b")}, {"Item": {"x": {"N": "1"}}}]
    }


def test_an_item_that_has_nothing_of_a_projection_is_missing_from_a_transactional_read_alone(engine: Engine) -> None:
    put(engine, pk="a")
    one = {"TableName": "music", "Key": _key("a"), "ProjectionExpression": "x"}
    assert engine.call("TransactGetItems", {"TransactItems": [{"Get": one}]})["Responses"] == [{}]
    assert engine.call("GetItem", one) == {"Item": {}}
    keys = {"Keys": [_key("a")], "ProjectionExpression": "x"}
    assert engine.call("BatchGetItem", {"RequestItems": {"music": keys}})["Responses"] == {"music": [{}]}


def test_a_transactional_read_with_a_bad_key_is_cancelled(engine: Engine) -> None:
    gets = [
        {"Get": {"TableName": "music", "Key": _key("a")}},
        {"Get": {"TableName": "music", "Key": {"other": {"S": "x"}}}},
    ]
    with pytest.raises(TransactionCanceledError) as caught:
        engine.call("TransactGetItems", {"TransactItems": gets})
    assert [reason["Code"] for reason in caught.value.reasons] == ["None", "ValidationError"]


def test_metrics_come_per_table(engine: Engine) -> None:
    create(engine, "local", "pk sk", lsis=[index("byDay", "pk", "day1")])
    item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
    answer = _write(engine, {"Put": {"TableName": "local", "Item": item}}, ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"]["local"][0]["ItemCollectionKey"] == {"pk": {"S": "a"}}
