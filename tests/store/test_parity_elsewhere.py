"""A sample of any requests at all at moto's server and at dynoxide: they refuse what we refuse, or we know why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError, InternalServerError
from partita.dynamo.requests import BatchGetItem, GetItem, ItemRequest, Query, Scan, TransactGetItems
from partita.dynamo.wire import render
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.dynamo import DynamoStore, fixed
from tests.differential.compare import Difference
from tests.differential.differences import explain
from tests.differential.engines import DYNOXIDE, MOTO
from tests.differential.outcomes import Outcome
from tests.differential.requests import Step
from tests.serving import DYNOXIDE as DYNOXIDE_BINARY
from tests.serving import dynoxide_server, moto_server
from tests.store.any_request import (
    expression_requests,
    many_requests,
    read_requests,
    single_requests,
    value_requests,
)
from tests.store.standing import TABLES, Standing

SAMPLE = 80
"""Of each kind of request."""

_READS = (GetItem, Query, Scan, BatchGetItem, TransactGetItems)
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class Known:
    """A difference that only requests like these bring out: whose, what we and they say, and why it is so."""

    engine: str
    ours: str
    theirs: str
    why: str

    def explains(self, engine: str, ours: Outcome, theirs: Outcome) -> bool:
        both = ((self.ours, ours), (self.theirs, theirs))
        return engine == self.engine and all(re.search(wanted, _said(outcome)) for wanted, outcome in both)


def _said(outcome: Outcome) -> str:
    return "runs" if outcome.ok else f"{outcome.code}: {outcome.message}"


# What tests/differential knows of the two is not repeated here.
KNOWN = (
    Known(MOTO, "The expression can not be empty", "^runs", "An empty condition is no condition to it."),
    Known(MOTO, "IN operator is provided with too many", "^runs", "IN takes up to 100 values; it does not count."),
    Known(MOTO, "^SerializationException", "^runs", "It does not look at the JSON types of the members it reads."),
    Known(MOTO, "^runs", "length less than or equal to 25", "Transactions read 25 items before 2022, and 100 since."),
    Known(MOTO, "^IdempotentParameterMismatch", "^runs", "It compares no requests that come with the same token."),
    Known(DYNOXIDE, "(AttributeNames|Token).*Member must have length", "^runs", "It does not measure those."),
    Known(DYNOXIDE, "Member must satisfy enum value set", "^runs", "Some enumerations it only compares with."),
    Known(DYNOXIDE, "IN operator is provided with too many", "^runs", "IN takes up to 100 values; it does not count."),
    Known(DYNOXIDE, "^runs", "Expected attribute name, got :v", "size() takes a value as well; it takes paths only."),
    Known(DYNOXIDE, "List index is not within the allowable range", "^runs", "It takes positions of any length."),
    Known(DYNOXIDE, "Size of hashkey has exceeded", "^runs", "It does not measure keys to start from."),
    Known(DYNOXIDE, "^runs", "more than one datatypes set", "Members that are null are not there; to it they are."),
    Known(DYNOXIDE, "^runs", "expected boolean for BOOL", "Whether true may be text is not documented; we chose."),
)


def _sample() -> list[ItemRequest]:
    """The same requests every time."""
    found: list[ItemRequest] = []
    for strategy in (expression_requests, value_requests, single_requests, read_requests, many_requests):
        _draw(strategy, found)
    return found


def _draw(strategy: st.SearchStrategy[ItemRequest], found: list[ItemRequest]) -> None:
    seen: set[str] = set()

    @settings(
        max_examples=SAMPLE,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(request: ItemRequest) -> None:
        text = str(render(request))
        if len(text) < _MOST_BYTES and text not in seen:
            seen.add(text)
            found.append(request)

    draw()


def _outcome(store: Standing, request: ItemRequest) -> Outcome:
    """Refused, or not: a condition that does not hold is no refusal."""
    try:
        store.send(request)
    except DynamoError as error:
        reasons = [reason["Code"] for reason in error.members().get("CancellationReasons", ())]
        if error.code == "ConditionalCheckFailedException" or (reasons and set(reasons) <= _UNMET):
            return Outcome()
        members: dict[str, Any] = {"status": error.status, "Reasons": reasons}
        if isinstance(error, InternalServerError):
            return Outcome({**members, "status": 500}, {}, error.code, error.message)
        told = [reason.get("Message") or "" for reason in error.members().get("CancellationReasons", ())]
        return Outcome(members, {}, error.code, " ".join((error.message, *told)))
    return Outcome()


_UNMET = {"None", "ConditionalCheckFailed"}


@pytest.fixture(scope="module")
def ours() -> Iterator[Standing]:
    with Engine.temporary(background=False) as engine:
        yield Standing(EmbeddedStore(engine).transport, engine.call)


@pytest.fixture(scope="module", params=[MOTO, DYNOXIDE])
def theirs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    if request.param == DYNOXIDE and not DYNOXIDE_BINARY.exists():
        pytest.skip("dynoxide is not installed: npm ci")
    with ExitStack() as stack:
        server = moto_server() if request.param == MOTO else dynoxide_server(tmp_path_factory.mktemp("dynoxide"))
        url = stack.enter_context(server).url
        store = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"))
        stack.callback(store.close)
        yield Standing(store.transport, store.dynamo.call, name=request.param)


def test_they_refuse_what_we_refuse(ours: Standing, theirs: Standing) -> None:
    unexplained = []
    for request in _sample():
        mine, other = _outcome(ours, request), _outcome(theirs, request)
        if not isinstance(request, _READS) and (mine.ok or other.ok):
            ours.restore()
            theirs.restore()
        if mine.ok != other.ok and not _is_known(theirs.name, request, mine, other):
            unexplained.append(f"{ascii(render(request))[:700]}\n  ours: {mine}\n  {theirs.name}: {other}")
    assert not unexplained, "\n".join(unexplained)


def _is_known(engine: str, request: ItemRequest, ours: Outcome, theirs: Outcome) -> bool:
    difference = Difference(engine, Step(*render(request)), "outcome", ours, theirs, TABLES, seconded=True)
    return explain(difference) is not None or any(known.explains(engine, ours, theirs) for known in KNOWN)
