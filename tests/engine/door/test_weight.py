"""What the values of a body take counts before they are read."""

from __future__ import annotations

import tracemalloc
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.engine.door.limits import DoorLimits
from partita.weight import weight
from tests.engine.door.conftest import OpenDoor
from tests.engine.door.wire import Client

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-10, 10),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text('{}[],"\\ab', max_size=12),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text("ab{,", max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUES, st.integers(400, 900))
def test_it_is_at_least_what_reading_takes(value: Any, times: int) -> None:
    """The texts themselves are part of the body, which counts as well."""
    body = orjson.dumps([value] * times)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        read = orjson.loads(body)
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert read == [value] * times
    if len(body) > 4096:
        assert taken <= 2 * weight(body) + 8 * len(body) + 100_000


@pytest.mark.parametrize("text", ["{", "[", ",", "{}", '{"a":[1,2]},', "\\", '\\"', '"'])
def test_texts_weigh_nothing_whatever_they_hold(text: str) -> None:
    item = {"pk": {"S": "1"}, "text": {"S": text * (300_000 // len(text))}}
    body = orjson.dumps({"RequestItems": {"notes": [{"PutRequest": {"Item": item}}] * 25}})
    assert weight(body) < 1024 * 1024


@pytest.mark.parametrize("value", [b"{}", b"[]", b"1.5", b'{"S":""}', b'{ "S" : "" }', b'{"a":{}}'])
def test_a_body_of_small_values_is_refused_with_what_to_do(open_door: OpenDoor, value: bytes) -> None:
    limits = DoorLimits()
    body = b'{"a":[' + b",".join([value] * ((limits.body_bytes - 16) // (len(value) + 1))) + b"]}"
    with Client(open_door().port) as client:
        answer = client.ask("Size", body)
        assert answer.status == 413
        assert b"Send fewer of them in one request" in answer.body
        assert client.ask("Size", b"x").body == b'{"Size":1}', "and the connection goes on"


def test_bodies_with_values_share_the_memory_of_all(open_door: OpenDoor) -> None:
    body = b'{"a":[' + b",".join([b'{"S":""}'] * 100_000) + b"]}"
    with Client(open_door(all_bodies_bytes=30_000_000).port) as client:
        assert client.ask("Size", body).status == 200
    with Client(open_door(all_bodies_bytes=20_000_000).port) as client:
        assert client.ask("Size", body).status == 413
