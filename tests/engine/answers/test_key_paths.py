"""Keys are scalars: no expression reaches inside a key attribute, of the table or of any index."""

from __future__ import annotations

from typing import Any

import pytest

from partita.engine import Engine
from tests.engine.answers.asking import INVALID, fault
from tests.engine.tables import Wire, values

_KEY: Wire = {"pk": {"S": "a"}, "sk": {"S": "b"}}
_SCALARS = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {what}: {name}"


def _requests(path: str) -> list[tuple[str, Wire]]:
    named: Wire = {"TableName": "pairs"}
    v = values(v=1)
    conditioned = {"ConditionExpression": f"attribute_exists({path})"}
    return [
        ("GetItem", {**named, "Key": _KEY, "ProjectionExpression": path}),
        ("BatchGetItem", {"RequestItems": {"pairs": {"Keys": [_KEY], "ProjectionExpression": path}}}),
        ("TransactGetItems", {"TransactItems": [{"Get": {**named, "Key": _KEY, "ProjectionExpression": path}}]}),
        ("Scan", {**named, "ProjectionExpression": path}),
        ("Scan", {**named, "FilterExpression": f"NOT (x = :v OR size({path}) > :v)", **v}),
        ("Query", {**named, "KeyConditionExpression": "pk = :p", "FilterExpression": f"{path} = :p", **values(p="a")}),
        ("Query", {**named, "KeyConditionExpression": "pk = :p", "ProjectionExpression": path, **values(p="a")}),
        ("Query", {**named, "KeyConditionExpression": f"{path} = :p", **values(p="a")}),
        ("PutItem", {**named, "Item": _KEY, **conditioned}),
        ("DeleteItem", {**named, "Key": _KEY, **conditioned}),
        ("UpdateItem", {**named, "Key": _KEY, "UpdateExpression": f"SET q = if_not_exists(r, {path})"}),
        ("UpdateItem", {**named, "Key": _KEY, "UpdateExpression": f"SET q = :v + {path}", **v}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {**named, "Item": _KEY, **conditioned}}]}),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Update": {**named, "Key": _KEY, "UpdateExpression": f"SET q = {path}"}}]},
        ),
    ]


@pytest.mark.parametrize(
    ("path", "what", "name"),
    [("pk.x", "Key", "pk"), ("sk[0]", "Key", "sk"), ("born.x", "IndexKey", "born"), ("tag[3]", "IndexKey", "tag")],
)
def test_no_expression_reaches_inside_a_key(engine: Engine, path: str, what: str, name: str) -> None:
    for operation, request in _requests(path):
        assert fault(engine, operation, request) == _SCALARS.format(what=what, name=name), (operation, request)


@pytest.mark.parametrize("expression", ["SET tag.x = :v", "REMOVE tag[3]", "SET tag[0] = :v", "ADD tag.n :v"])
def test_an_update_below_the_key_of_an_index_is_refused(engine: Engine, expression: str) -> None:
    request: Wire = {"TableName": "pairs", "Key": _KEY, "UpdateExpression": expression}
    if ":v" in expression:
        request |= values(v=1)
    assert fault(engine, "UpdateItem", request) == _SCALARS.format(what="IndexKey", name="tag")


def test_an_update_below_the_tables_own_key_keeps_its_sentence(engine: Engine) -> None:
    request: Wire = {"TableName": "pairs", "Key": _KEY, "UpdateExpression": "SET pk.x = :v", **values(v=1)}
    assert fault(engine, "UpdateItem", request) == (
        f"{INVALID}Cannot update attribute pk. This attribute is part of the key"
    )


def test_paths_into_other_attributes_are_fine(engine: Engine) -> None:
    for operation, request in _requests("extra.x"):
        if operation in ("GetItem", "BatchGetItem", "Scan", "TransactGetItems"):
            engine.call(operation, request)


def test_a_condition_on_a_nested_attribute_that_is_no_key_is_told_as_such(engine: Engine) -> None:
    request: Any = {"TableName": "pairs", "KeyConditionExpression": "pk = :p AND x.y = :p", **values(p="a")}
    assert fault(engine, "Query", request) == "KeyConditionExpressions cannot have conditions on nested attributes"


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("REMOVE pk.x", "pk"),
        ("ADD pk.x :v", "pk"),
        ("DELETE pk[0] :s", "pk"),
        ("REMOVE sk[1]", "sk"),
        ("ADD sk.x :v", "sk"),
    ],
)
def test_an_update_that_sets_nothing_below_the_tables_own_key_has_the_sentence_of_paths(
    engine: Engine, expression: str, name: str
) -> None:
    request: Wire = {"TableName": "pairs", "Key": _KEY, "UpdateExpression": expression}
    if ":v" in expression:
        request |= values(v=1)
    if ":s" in expression:
        request |= values(s={"a"})
    told = _SCALARS.format(what="Key", name=name)
    assert fault(engine, "UpdateItem", request) == told
    assert fault(engine, "TransactWriteItems", {"TransactItems": [{"Update": request}]}) == told


def test_an_update_of_a_key_is_told_before_one_below_it(engine: Engine) -> None:
    request: Wire = {"TableName": "pairs", "Key": _KEY, "UpdateExpression": "REMOVE pk.x SET sk = :v", **values(v="a")}
    assert fault(engine, "UpdateItem", request) == (
        f"{INVALID}Cannot update attribute sk. This attribute is part of the key"
    )
