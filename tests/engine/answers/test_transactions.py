"""Transactions: every action is validated before any condition is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import TransactionCanceledError
from partita.engine import Engine
from tests.engine.answers.asking import fault
from tests.engine.tables import Wire, get, values

_UNMET: Wire = {"ConditionExpression": "attribute_exists(nothing)"}


def _named(**members: Any) -> Wire:
    return {"TableName": "music", **members}


def _key(text: str) -> Wire:
    return {"pk": {"S": text}}


def _reasons(engine: Engine, *actions: Wire) -> list[Wire]:
    with pytest.raises(TransactionCanceledError) as caught:
        engine.call("TransactWriteItems", {"TransactItems": list(actions)})
    return caught.value.reasons


_INVALID: list[Wire] = [
    {"Put": _named(Item={"x": {"S": "no key"}})},
    {"Put": _named(Item={"pk": {"N": "5"}})},
    {"Put": _named(Item={"pk": {"S": "tagged"}, "tag": {"N": "1"}}, **_UNMET)},
    {"Delete": _named(Key={"pk": {"N": "1"}})},
    {"ConditionCheck": _named(Key={"other": {"S": "a"}}, ConditionExpression="attribute_exists(pk)")},
    {"Update": _named(Key=_key("u"), UpdateExpression="SET pk = :v", **values(v="w"))},
    {"Update": _named(Key=_key("u"), UpdateExpression="SET tag = :v", **values(v=1))},
    {"Update": _named(Key=_key("u"), UpdateExpression="REMOVE y SET x = :w, tag = :v", **values(v=[], w=1))},
]


@pytest.mark.parametrize("invalid", _INVALID, ids=str)
def test_the_first_invalid_action_is_the_only_reason(engine: Engine, invalid: Wire) -> None:
    unmet = {"Put": _named(Item=_key("a"), **_UNMET)}
    also_invalid = {"Put": _named(Item={"y": {"S": "no key"}})}
    reasons = _reasons(engine, unmet, invalid, also_invalid)
    assert [reason["Code"] for reason in reasons] == ["None", "ValidationError", "None"]
    assert [set(reason) for reason in reasons] == [{"Code"}, {"Code", "Message"}, {"Code"}]


def test_an_index_key_that_is_set_to_a_wrong_type_is_told_before_any_condition(engine: Engine) -> None:
    first, second = (
        {"Update": _named(Key=_key(name), UpdateExpression="SET tag = :n", **values(n=1))} for name in "ab"
    )
    unmet = {"ConditionCheck": _named(Key=_key("c"), ConditionExpression="attribute_exists(pk)")}
    reasons = _reasons(engine, first, second, unmet)
    assert [reason["Code"] for reason in reasons] == ["ValidationError", "None", "None"]
    assert "Type mismatch for Index Key tag Expected: S Actual: N" in reasons[0]["Message"]


def test_conditions_and_updates_of_what_the_items_hold_are_judged_one_by_one(engine: Engine) -> None:
    unmet = {"Put": _named(Item=_key("a"), **_UNMET)}
    impossible = {"Update": _named(Key=_key("b"), UpdateExpression="SET a.b = :v", **values(v=1))}
    codes = [reason["Code"] for reason in _reasons(engine, unmet, impossible, {"Delete": _named(Key=_key("c"))})]
    assert codes == ["ConditionalCheckFailed", "ValidationError", "None"]


@pytest.mark.parametrize(
    "action",
    [
        {"Put": _named(Item=_key(""))},
        {"Update": _named(Key=_key(""), UpdateExpression="SET a = :v", **values(v=1))},
        {"Delete": _named(Key=_key(""))},
        {"ConditionCheck": _named(Key=_key(""), ConditionExpression="attribute_exists(pk)")},
    ],
    ids=str,
)
def test_an_empty_key_refuses_the_request(engine: Engine, action: Wire) -> None:
    request = {"TransactItems": [{"Put": _named(Item=_key("beside-empty"))}, action]}
    assert fault(engine, "TransactWriteItems", request) == (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk"
    )
    assert get(engine, pk="beside-empty") is None


@pytest.mark.parametrize(
    "action",
    [
        {"Put": _named(Item={"pk": {"S": "empty-tag"}, "tag": {"S": ""}})},
        {"Update": _named(Key=_key("empty-tag"), UpdateExpression="SET x = :w, tag = :v", **values(v="", w=1))},
    ],
    ids=str,
)
def test_an_empty_key_of_an_index_refuses_the_request_whatever_else_is_invalid(engine: Engine, action: Wire) -> None:
    for beside in ({"Put": _named(Item=_key("beside-empty"))}, {"Put": _named(Item={"pk": {"N": "5"}})}):
        told = fault(engine, "TransactWriteItems", {"TransactItems": [beside, action]})
        assert told.startswith("One or more parameter values are not valid. ")
        assert "secondary index key" in told
    assert get(engine, pk="beside-empty") is None
    statement = {"Statement": "INSERT INTO music VALUE {'pk': ''}"}
    assert "cannot contain an empty string value" in fault(
        engine, "ExecuteTransaction", {"TransactStatements": [statement]}
    )


def test_an_item_that_is_put_too_large_refuses_the_request_and_one_that_becomes_so_cancels_it(engine: Engine) -> None:
    large = {"S": "x" * 409_600}
    beside = {"Put": _named(Item=_key("beside-large"))}
    for table in ("music", "absent"):
        put = {"Put": {"TableName": table, "Item": {**_key("large"), "f": large}}}
        assert fault(engine, "TransactWriteItems", {"TransactItems": [beside, put]}) == (
            "Item size has exceeded the maximum allowed size"
        )
    update = {"Update": _named(Key=_key("large"), UpdateExpression="SET f = :v")}
    update["Update"]["ExpressionAttributeValues"] = {":v": large}
    told = {"Code": "ValidationError", "Message": "Item size to update has exceeded the maximum allowed size"}
    assert _reasons(engine, beside, update) == [{"Code": "None"}, told]
    assert get(engine, pk="beside-large") is None
