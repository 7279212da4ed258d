"""Over HTTP, on both faces: connections are kept and replaced, and no answer is ever taken for another."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from partita.dynamo.errors import (
    ConditionalCheckFailedError,
    InternalServerError,
    ThroughputExceededError,
    ValidationError,
)
from partita.store.address import Timeouts
from partita.store.answers import ConnectionFailedError
from partita.store.dynamo import DynamoStore
from tests.serving import free_port
from tests.store.faces import FACES, ONCE, SOON, THRICE, connected
from tests.store.listener import HANG_UP, SILENCE, Asked, Reply, http, in_turn, listening, said
from tests.table.forum import Member

pytestmark = pytest.mark.parametrize("face", FACES)

ANN = Member(member_id="ann", name="Ann")
FOUND = {"Item": ANN.to_row()}


def _whoever(asked: Asked) -> Reply:
    """The member that was asked for, so that a mixed-up answer shows."""
    name = asked.members["Key"]["PK"]["S"].removeprefix("MEMBER#")
    return said({"Item": Member(member_id=name, name=f"Name of {name}").to_row()})


def test_a_connection_is_kept_for_the_next_request(face: str) -> None:
    with listening(_whoever) as listener, connected(face, listener.url) as store:
        for name in ("ann", "ben", "cy"):
            found = store.get(name)
            assert found is not None
            assert found.name == f"Name of {name}"
        assert [asked.connection for asked in listener.asked] == [1, 1, 1]


def test_a_request_is_one_post_with_what_dynamodb_needs(face: str) -> None:
    with listening(_whoever) as listener, connected(face, listener.url) as store:
        store.get()
    (asked,) = listener.asked
    line, *fields = asked.head.rstrip().split("\r\n")
    headers = dict(field.split(": ", 1) for field in fields)
    assert line == "POST / HTTP/1.1"
    assert headers["host"] == listener.url.removeprefix("http://")
    assert headers["x-amz-target"] == "DynamoDB_20120810.GetItem"
    assert headers["content-type"] == "application/x-amz-json-1.0"
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=any/")
    assert asked.members == {"TableName": "forum", "Key": {"PK": {"S": "MEMBER#ann"}, "SK": {"S": "PROFILE"}}}


def test_a_connection_that_was_closed_while_idle_is_not_used_again(face: str) -> None:
    script = in_turn(said(FOUND, then_close=True), said(FOUND))
    with listening(script) as listener, connected(face, listener.url, retries=ONCE) as store:
        store.get()
        assert listener.ended.get(timeout=20) == 1
        assert store.get() == ANN
        assert [asked.connection for asked in listener.asked] == [1, 2]


def test_a_connection_that_was_idle_for_too_long_is_not_used_again(face: str) -> None:
    with listening(_whoever) as listener, connected(face, listener.url, timeouts=Timeouts(idle=0.0)) as store:
        store.get()
        store.get()
        assert [asked.connection for asked in listener.asked] == [1, 2]


def test_a_server_that_closes_after_each_answer_gets_a_new_connection_each_time(face: str) -> None:
    closing = said(FOUND, headers={"Connection": "close"}, then_close=True)
    with listening(in_turn(closing, closing)) as listener, connected(face, listener.url) as store:
        assert store.get() == ANN
        assert store.get() == ANN
        assert [asked.connection for asked in listener.asked] == [1, 2]


def test_a_connection_that_dies_under_a_request_is_replaced(face: str) -> None:
    script = in_turn(said(FOUND), HANG_UP, said(FOUND))
    with listening(script) as listener, connected(face, listener.url, retries=THRICE) as store:
        store.get()
        assert store.get() == ANN
        assert [asked.connection for asked in listener.asked] == [1, 1, 2]


@pytest.mark.parametrize("part", [5, 40, -1])
def test_half_an_answer_is_no_answer(face: str, part: int) -> None:
    (whole,) = said(FOUND).pieces
    cut = Reply((whole[:part],), then_close=True)
    with listening(in_turn(cut, said(FOUND), cut)) as listener:
        with connected(face, listener.url, retries=THRICE) as store:
            assert store.get() == ANN
        with (
            connected(face, listener.url, retries=ONCE) as store,
            pytest.raises(ConnectionFailedError, match=r"closed before the answer was whole|reset by peer"),
        ):
            store.get()


def test_an_answer_that_does_not_come_is_given_up_and_never_taken_for_the_next(face: str) -> None:
    def script(asked: Asked) -> Reply:
        return SILENCE if "ann" in asked.body.decode() else _whoever(asked)

    with listening(script) as listener, connected(face, listener.url, timeouts=SOON) as store:
        with pytest.raises(ConnectionFailedError, match="did not answer"):
            store.get("ann")
        found = store.get("ben")
        assert found is not None
        assert found.name == "Name of ben"
        assert [asked.connection for asked in listener.asked] == [1, 2]


def test_an_answer_may_arrive_in_any_pieces(face: str) -> None:
    (whole,) = said(FOUND).pieces
    crumbs = Reply(tuple(whole[at : at + 1] for at in range(len(whole))))
    with listening(in_turn(crumbs, crumbs)) as listener, connected(face, listener.url) as store:
        assert store.get() == ANN
        assert store.get() == ANN
        assert listener.connections == 1


def test_a_slow_answer_is_waited_for_as_long_as_something_comes(face: str) -> None:
    (whole,) = said(FOUND).pieces
    slow = Reply((whole[:20], whole[20:-9], whole[-9:]), pause=0.6)
    with listening(in_turn(slow)) as listener, connected(face, listener.url, timeouts=Timeouts(read=1.2)) as store:
        assert store.get() == ANN


def test_a_chunked_answer_is_read(face: str) -> None:
    (whole,) = said(FOUND).pieces
    head, _, body = whole.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    head = b"\r\n".join([*lines, b"Transfer-Encoding: chunked", b"", b""])
    chunks = (b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:7], body[7:]))
    reply = Reply((head, *chunks, b"0\r\n\r\n"))
    with listening(in_turn(reply, reply)) as listener, connected(face, listener.url) as store:
        assert store.get() == ANN
        assert store.get() == ANN
        assert listener.connections == 1


def test_an_answer_may_be_announced(face: str) -> None:
    (whole,) = said(FOUND).pieces
    reply = Reply((b"HTTP/1.1 100 Continue\r\n\r\n", whole))
    with listening(in_turn(reply)) as listener, connected(face, listener.url) as store:
        assert store.get() == ANN


def test_a_large_answer_is_read_whole(face: str) -> None:
    name = "🎼" * 1_000_000
    reply = said({"Item": ANN.to_row() | {"name": {"S": name}}})
    with listening(in_turn(reply)) as listener, connected(face, listener.url) as store:
        found = store.get()
        assert found is not None
        assert found.name == name


def test_a_large_request_arrives_whole(face: str) -> None:
    member = Member(member_id="ann", name="ö" * 150_000)
    with listening(in_turn(said({}))) as listener, connected(face, listener.url) as store:
        store.put(member)
        assert listener.asked[0].members["Item"]["name"]["S"] == member.name


@pytest.mark.parametrize("checksum", ["1", "none", ""])
def test_an_answer_damaged_on_the_way_is_asked_for_again(face: str, checksum: str) -> None:
    damaged = said(FOUND, headers={"x-amz-crc32": checksum})
    with listening(in_turn(damaged, said(FOUND), damaged)) as listener:
        with connected(face, listener.url, retries=THRICE) as store:
            assert store.get() == ANN
        with connected(face, listener.url) as store, pytest.raises(ConnectionFailedError, match="CRC32"):
            store.get()


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9.9\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"])
def test_what_is_not_http_is_refused(face: str, answer: bytes) -> None:
    with (
        listening(in_turn(Reply((answer,)))) as listener,
        connected(face, listener.url) as store,
        pytest.raises(ConnectionFailedError, match="not HTTP"),
    ):
        store.get()


def test_more_than_was_asked_for_is_refused(face: str) -> None:
    (whole,) = said(FOUND).pieces
    with (
        listening(in_turn(Reply((whole + whole,)))) as listener,
        connected(face, listener.url) as store,
        pytest.raises(ConnectionFailedError, match="more came than one answer"),
    ):
        store.get()


def test_an_answer_nobody_asked_for_is_not_taken_for_the_next(face: str) -> None:
    with listening(_whoever) as listener, connected(face, listener.url) as store:
        store.get("ben")
        listener.push(1, said(FOUND).pieces[0])
        found = store.get("cy")
        assert found is not None
        assert found.name == "Name of cy"
        assert [asked.connection for asked in listener.asked] == [1, 2]


def test_what_is_not_json_is_refused(face: str) -> None:
    with (
        listening(in_turn(http(b"<html>Hello</html>"))) as listener,
        connected(face, listener.url) as store,
        pytest.raises(ConnectionFailedError, match="is it DynamoDB"),
    ):
        store.get()


def test_nobody_there_is_an_error_with_the_address(face: str) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with connected(face, url) as store, pytest.raises(ConnectionFailedError, match=f"{url}/ did not answer"):
        store.get()


def _refusal(code: str, status: int = 400) -> Reply:
    return said({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "Because."}, status=status)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (_refusal("InternalServerError", 500), InternalServerError),
        (http(b"Service Unavailable", status=503), InternalServerError),
        (http(b"", status=502), InternalServerError),
        (_refusal("ProvisionedThroughputExceededException"), ThroughputExceededError),
    ],
    ids=["internal", "unavailable", "empty", "throttled"],
)
def test_failures_of_the_other_side_and_throttling_are_tried_again(
    face: str, reply: Reply, error: type[Exception]
) -> None:
    with listening(in_turn(reply, reply, said(FOUND), reply)) as listener:
        with connected(face, listener.url, retries=THRICE) as store:
            assert store.get() == ANN
        assert len(listener.asked) == 3
        with connected(face, listener.url) as store, pytest.raises(error):
            store.get()


@pytest.mark.parametrize(
    ("code", "error"),
    [("ConditionalCheckFailedException", ConditionalCheckFailedError), ("ValidationException", ValidationError)],
)
def test_a_refusal_is_final(face: str, code: str, error: type[Exception]) -> None:
    with listening(in_turn(_refusal(code))) as listener, connected(face, listener.url, retries=THRICE) as store:
        with pytest.raises(error):
            store.put(ANN)
        assert len(listener.asked) == 1


def test_a_closed_store_leaves_no_connection_open(face: str) -> None:
    with listening(_whoever) as listener, connected(face, listener.url) as store:
        store.get()
        store.close()
        assert listener.ended.get(timeout=20) == 1


def test_many_at_once_get_their_own_answers_over_no_more_connections_than_allowed(face: str) -> None:
    names = [f"m{number}" for number in range(120)]
    with listening(_whoever) as listener, connected(face, listener.url, connections=5) as store:
        if face == "async":
            gathered = _gather(store.store, names)
            found = asyncio.run(gathered)
        else:
            with ThreadPoolExecutor(16) as threads:
                found = list(threads.map(store.get, names))
        assert [member and member.name for member in found] == [f"Name of {name}" for name in names]
        assert listener.connections <= 5


async def _gather(store: DynamoStore, names: list[str]) -> list[Member | None]:
    found = await asyncio.gather(*(store.asynchronous.get(Member.get(Member.member_id(name))) for name in names))
    await store.dynamo.close_async()
    return found
