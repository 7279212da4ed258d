"""What passes is sent again, in process and over a network; a failed condition never is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo import errors
from partita.dynamo.errors import ConditionalCheckFailedError, DynamoError, TransactionCanceledError
from partita.engine import Engine, FaultPlan
from partita.store import EmbeddedStore, Observation, Retries, Store
from partita.store.answers import read_answer
from partita.store.dynamo import DynamoStore, fixed
from partita.store.retries import IN_PROCESS, OVER_A_NETWORK
from partita.table import Put, Transaction, Update
from tests.serving import partita_door
from tests.table.forum import FORUM, Member, Post, posts_of

QUICK = Retries(attempts=8, first=0.0001, longest=0.001, answers_get_lost=True)
MEMBER = Member.key(Member.member_id("ada"))


def _canceled(*codes: str) -> TransactionCanceledError:
    return TransactionCanceledError([{"Code": code} for code in codes])


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (errors.ThroughputExceededError(""), True),
        (errors.ThrottlingError(""), True),
        (errors.TransactionConflictError(""), True),
        (errors.TransactionInProgressError(""), True),
        (_canceled("None", "TransactionConflict"), True),
        (_canceled("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"), True),
        (_canceled("TransactionConflict", "ConditionalCheckFailed"), False),
        (_canceled("ValidationError", "TransactionConflict"), False),
        (_canceled("Unknown"), False),
        (ConditionalCheckFailedError(), False),
        (errors.ValidationError(""), False),
        (errors.IdempotentParameterMismatchError(""), False),
    ],
    ids=lambda value: str(value) if isinstance(value, bool) else type(value).__name__,
)
def test_throttling_and_conflicts_pass_and_conditions_do_not(error: DynamoError, expected: bool) -> None:
    assert IN_PROCESS.worth_it(error) is expected
    assert OVER_A_NETWORK.worth_it(error) is expected


def test_failures_of_the_other_side_pass_but_a_broken_disk_of_ones_own_does_not() -> None:
    assert OVER_A_NETWORK.worth_it(errors.InternalServerError(""))
    assert not IN_PROCESS.worth_it(errors.StorageFullError(""))


@given(st.integers(1, 5000), st.floats(1e-6, 1), st.floats(1e-6, 9))
def test_no_pause_exceeds_its_bound(attempt: int, first: float, longest: float) -> None:
    retries = Retries(attempts=3, first=first, longest=longest, answers_get_lost=True)
    assert 0 <= retries.pause(attempt) <= min(retries.longest, retries.first * 2 ** min(attempt - 1, 900))


@pytest.mark.parametrize(
    ("status", "code"), [(400, "RequestLimitExceeded"), (408, "RequestTimeoutException"), (503, "ServiceUnavailable")]
)
def test_other_names_for_later_are_understood(status: int, code: str) -> None:
    with pytest.raises(DynamoError) as refused:
        read_answer(status, None, orjson.dumps({"__type": f"x#{code}", "message": "m"}))
    assert OVER_A_NETWORK.worth_it(refused.value)


def _work(store: Store) -> None:
    """Every kind of request; each must come through."""
    store.write(Put(Member(member_id="ada", name="Ada")))
    for number in range(12):
        post = Post(member_id="ada", post_id=f"{number:02d}")
        store.transact(Transaction(Put(post).if_new(), Update(MEMBER, Member.post_count.add(1))))
    assert len(store.page(posts_of("ada"), limit=20)) == 12
    assert store.count(posts_of("ada")) == 12
    assert (
        len(store.batch_get(Post.key(Post.member_id("ada"), Post.post_id(f"{number:02d}")) for number in range(12)))
        == 12
    )
    member = store.update(Update(MEMBER, Member.name.set("Ada L.")))
    assert (member.name, member.post_count) == ("Ada L.", 12)


async def _work_async(store: Store) -> None:
    face = store.asynchronous
    for number in range(12):
        post = Post(member_id="bob", post_id=f"{number:02d}")
        await face.transact(Transaction(Put(post).if_new(), Update(MEMBER, Member.post_count.add(1))))
    assert len(await face.page(posts_of("bob"), limit=20)) == 12
    member = await face.get(Member.get(Member.member_id("ada")).consistently())
    assert member is not None
    assert member.post_count == 24


@pytest.mark.parametrize("seed", range(3))
def test_the_embedded_store_gets_through_bad_weather(seed: int) -> None:
    with Engine.temporary(faults=FaultPlan(seed=seed, throttle=0.25, conflict=0.25, partial_batch=0.3)) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        seen: list[Observation] = []
        store.observe(seen.append)
        _work(store)
        asyncio.run(_work_async(store))
        assert {call.error for call in seen} >= {
            None,
            "ProvisionedThroughputExceededException",
            "TransactionCanceledException",
        }


def test_the_store_over_http_gets_through_bad_weather(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"seed": 4, "throttle": 0.25, "conflict": 0.25}')
    with partita_door(tmp_path / "data", "--faults", str(plan)) as served:
        store = DynamoStore(endpoint_url=served.url, region="us-east-1", credentials=fixed("a", "b"), retries=QUICK)
        store.create(FORUM)
        _work(store)

        async def program() -> None:
            await _work_async(store)
            await store.dynamo.close_async()

        asyncio.run(program())
        store.close()


def test_it_ends_after_so_many_attempts_with_the_last_error() -> None:
    with Engine.temporary(faults=FaultPlan(throttle=1.0)) as engine:
        store = EmbeddedStore(engine, retries=QUICK)
        store.create(FORUM)
        seen: list[Observation] = []
        store.observe(seen.append)
        with pytest.raises(errors.ThroughputExceededError) as refused:
            store.get(Member.get(Member.member_id("ada")))
        assert len(seen) == 8
        assert refused.value.__notes__ == ["Sent 8 times."]


def _told_twice(store: Store, wanted: Put | Transaction) -> int:
    """How many calls it takes for a condition to fail."""
    seen: list[Observation] = []
    store.observe(seen.append)
    with pytest.raises((ConditionalCheckFailedError, TransactionCanceledError)):
        store.transact(wanted) if isinstance(wanted, Transaction) else store.write(wanted)
    return len(seen)


@pytest.mark.parametrize("make", [Put.if_new, lambda put: Transaction(put.if_new())], ids=["alone", "together"])
def test_a_failed_condition_is_not_sent_again(make: Callable[[Put], Put | Transaction]) -> None:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        put = Put(Member(member_id="ada", name="Ada"))
        store.write(put)
        assert _told_twice(store, make(put)) == 1


@contextmanager
def _losing_answers(engine: Engine, every: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An endpoint that does what it is asked and hangs up without an answer, but for every so many requests."""
    bodies: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            operation = self.headers["x-amz-target"].rpartition(".")[2]
            body = orjson.loads(self.rfile.read(int(self.headers["content-length"])))
            bodies.append(body)
            answer = orjson.dumps(engine.call(operation, body))
            if len(bodies) % every:
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_arguments: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("face", ["blocking", "asynchronous"])
def test_a_transaction_whose_answer_got_lost_is_done_once(face: str) -> None:
    with Engine.temporary() as engine, _losing_answers(engine, every=3) as (url, bodies):
        EmbeddedStore(engine).create(FORUM)
        store = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("a", "b"), retries=QUICK)
        for _ in range(2):
            counted = Transaction(Update(MEMBER, Member.post_count.add(1), Member.name.set("Ada")).or_new())
            if face == "blocking":
                store.transact(counted)
            else:
                asyncio.run(_once(store, counted))
        found = EmbeddedStore(engine).get(Member.get(Member.member_id("ada")))
        assert found is not None
        assert found.post_count == 2
        tokens = [body["ClientRequestToken"] for body in bodies]
        assert [len(set(tokens[:3])), len(set(tokens[3:])), len(set(tokens))] == [1, 1, 2]
        store.close()


async def _once(store: DynamoStore, wanted: Transaction) -> None:
    await store.asynchronous.transact(wanted)
    await store.dynamo.close_async()
