"""A request runs in this process exactly if it would run at the door: the same answer, or the same refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from partita.dynamo.errors import DynamoError, InternalServerError
from partita.dynamo.requests import (
    BatchGetItem,
    GetItem,
    ItemRequest,
    Query,
    Scan,
    TransactGetItems,
)
from partita.dynamo.wire import render
from partita.engine import Engine
from partita.store import EmbeddedStore
from tests.engine.tables import Clock
from tests.store.any_request import (
    expression_requests,
    many_requests,
    read_requests,
    single_requests,
    value_requests,
)
from tests.store.edges import edge_requests
from tests.store.standing import Standing

_READS = (GetItem, Query, Scan, BatchGetItem, TransactGetItems)
_law = settings(deadline=None, suppress_health_check=list(HealthCheck))


class Pair:
    """Two engines with the same contents: a request is executed on one, and called on the other as the wire has it."""

    def __init__(self, built: Engine, sent: Engine) -> None:
        self.built = Standing(EmbeddedStore(built).transport, built.call)
        self.sent = Standing(EmbeddedStore(sent).transport, sent.call)

    def check(self, request: ItemRequest) -> None:
        built = _outcome(lambda: self.built.send(request))
        sent = _outcome(lambda: self.sent.call(*render(request)))
        wrote = not isinstance(request, _READS) and None in (built[0], sent[0])
        try:
            assert built == sent, _shown(request)
            if wrote:
                assert self.built.contents() == self.sent.contents(), _shown(request)
        finally:
            if wrote:
                self.built.restore()
                self.sent.restore()


def _shown(request: ItemRequest) -> str:
    try:
        return ascii(request)[:2000]
    except RecursionError:
        return f"a {type(request).__name__} with a very deep expression"


def _outcome(run: Callable[[], Any]) -> tuple[Any, ...]:
    """No error and the answer, or what the error says; anything but DynamoDB's errors is a crash."""
    try:
        return None, run()
    except InternalServerError:
        raise
    except DynamoError as error:
        return type(error), error.message, error.members()


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with (
        Engine.temporary(clock=Clock(), background=False) as built,
        Engine.temporary(clock=Clock(), background=False) as sent,
    ):
        yield Pair(built, sent)


def test_every_edge_has_one_verdict(pair: Pair) -> None:
    for request in edge_requests():
        pair.check(request)


@settings(_law, max_examples=1200)
@given(request_value=expression_requests)
def test_an_expression_has_one_verdict(pair: Pair, request_value: ItemRequest) -> None:
    pair.check(request_value)


@settings(_law, max_examples=500)
@given(request_value=value_requests)
def test_a_value_or_key_has_one_verdict(pair: Pair, request_value: ItemRequest) -> None:
    pair.check(request_value)


@settings(_law, max_examples=500)
@given(request_value=single_requests)
def test_a_request_on_one_item_has_one_verdict(pair: Pair, request_value: ItemRequest) -> None:
    pair.check(request_value)


@settings(_law, max_examples=500)
@given(request_value=read_requests)
def test_a_query_or_scan_has_one_verdict(pair: Pair, request_value: ItemRequest) -> None:
    pair.check(request_value)


@settings(_law, max_examples=500)
@given(request_value=many_requests)
def test_a_batch_or_transaction_has_one_verdict(pair: Pair, request_value: ItemRequest) -> None:
    pair.check(request_value)
