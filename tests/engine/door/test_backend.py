"""What a backend may do, and what its client sees of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import orjson
import pytest

from partita.engine.door import DoorThread
from tests.engine.door.wire import Client, StandIn, post


def test_an_error_is_sent_with_its_status_and_members(client: Client) -> None:
    answer = client.ask("Refuse")
    assert answer.status == 400
    assert orjson.loads(answer.body) == {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message": "The conditional request failed",
        "Item": {"pk": {"S": "a"}},
    }
    assert answer.crc_is_right


def test_an_error_may_be_raised_instead(client: Client) -> None:
    answer = client.ask("Raise")
    assert (answer.status, orjson.loads(answer.body)["message"]) == (400, "no")


@pytest.mark.parametrize("operation", ["Break", "BreakLater"])
def test_a_failure_is_500_and_logged_and_the_next_request_works(
    client: Client, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.ask(operation, b"secret")
    assert answer.status == 500
    assert orjson.loads(answer.body) == {
        "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError",
        "message": "Internal server error",
    }
    assert "the backend broke" in caplog.text
    assert operation in caplog.text
    assert "secret" not in caplog.text
    assert client.ask("Echo", b"next").body == b"next"


def test_a_second_answer_is_logged_and_not_sent(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    assert client.ask("Twice", b"once").body == b"once"
    assert client.ask("Echo", b"next").body == b"next"
    assert "twice" in caplog.text


def test_a_failure_after_the_answer_is_logged_and_not_sent(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    assert client.ask("BreakAfterwards", b"once").body == b"once"
    assert client.ask("Echo", b"next").body == b"next"
    assert "broke afterwards" in caplog.text


def test_an_answer_may_come_from_another_thread(client: Client) -> None:
    for number in range(100):
        assert client.ask("Later", b"%d" % number).body == b"%d" % number


def test_while_one_client_waits_others_are_served(door: DoorThread, client: Client, backend: StandIn) -> None:
    client.send(post("Hold"))
    done = backend.held.get(timeout=20)
    with Client(door.port) as other:
        assert other.ask("Echo", b"meanwhile").body == b"meanwhile"
    done(b"at last")
    assert client.response().body == b"at last"


def test_a_group_that_completes_at_once_is_answered_whole(door: DoorThread, backend: StandIn) -> None:
    clients = [Client(door.port) for _ in range(60)]
    for client in clients:
        client.send(post("Hold"))
    waiting = [backend.held.get(timeout=20) for _ in clients]
    threads = [Thread(target=lambda part: [done(b"done") for done in part], args=(waiting[n::3],)) for n in range(3)]
    for thread in threads:
        thread.start()
    for client in clients:
        assert client.response().body == b"done"
        client.close()
    for thread in threads:
        thread.join()


def test_many_threads_and_connections_lose_nothing(door: DoorThread) -> None:
    def talk(worker: int) -> int:
        with Client(door.port) as client:
            for number in range(150):
                body = b"%d-%d" % (worker, number)
                assert client.ask("Later" if number % 2 else "Echo", body).body == body
        return 150

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(talk, range(8))) == 1200
