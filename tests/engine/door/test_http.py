"""HTTP/1.1 as AWS SDKs speak it."""

from __future__ import annotations

import re
import socket
from email.utils import parsedate_to_datetime

import orjson
import pytest

from partita.engine.door import DoorThread
from tests.engine.door.wire import Client, StandIn, chunk, head, post


def test_an_answer_carries_the_headers_dynamodb_sends(client: Client) -> None:
    answer = client.ask("Echo", b'{"a":1}')
    assert (answer.status, answer.body) == (200, b'{"a":1}')
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    assert answer.headers["connection"] == "keep-alive"
    assert answer.headers["server"] == "partita"
    assert re.fullmatch(r"[A-Z0-9]{52}", answer.headers["x-amzn-requestid"])
    assert parsedate_to_datetime(answer.headers["date"]).tzinfo is not None
    assert answer.crc_is_right


def test_a_connection_serves_many_requests(client: Client, backend: StandIn) -> None:
    for number in range(50):
        assert client.ask("Echo", b"%d" % number).body == b"%d" % number
    assert [body for _, body in backend.calls] == [b"%d" % number for number in range(50)]


def test_request_ids_are_unique_on_and_across_connections(door: DoorThread) -> None:
    seen = set()
    for _ in range(5):
        with Client(door.port) as client:
            client.send(post("Echo") * 40)
            seen |= {client.response().headers["x-amzn-requestid"] for _ in range(40)}
    assert len(seen) == 200


@pytest.mark.parametrize("operation", ["Echo", "Later"])
def test_pipelined_requests_are_answered_in_order(client: Client, operation: str) -> None:
    client.send(b"".join(post(operation, b"%d" % number) for number in range(300)))
    assert [client.response().body for _ in range(300)] == [b"%d" % number for number in range(300)]


def test_thousands_of_pipelined_requests_in_one_packet_do_not_nest(client: Client) -> None:
    client.send(post("Echo", b"") * 3000)
    assert all(client.response().status == 200 for _ in range(3000))


def test_a_request_may_come_byte_by_byte(client: Client) -> None:
    client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in post("Echo", b"slowly"):
        client.send(bytes([byte]))
    assert client.response().body == b"slowly"


@pytest.mark.parametrize("operation", ["Echo", "Later"])
def test_a_client_that_has_shut_its_side_still_gets_its_answers(client: Client, operation: str) -> None:
    client.send(post(operation, b"1") + post(operation, b"2"))
    client.socket.shutdown(socket.SHUT_WR)
    assert [client.response().body, client.response().body] == [b"1", b"2"]
    assert client.is_closed()


def test_a_client_that_shuts_its_side_while_its_request_runs_gets_the_answer(
    door: DoorThread, client: Client, backend: StandIn
) -> None:
    client.send(post("Hold"))
    done = backend.held.get(timeout=20)
    client.socket.shutdown(socket.SHUT_WR)
    with Client(door.port) as other:
        for _ in range(10):
            assert other.ask("Echo").status == 200  # by now the server knows
    done(b"answer")
    assert client.response().body == b"answer"
    assert client.is_closed()


def test_a_client_that_shuts_its_side_within_a_request_is_let_go(client: Client, backend: StandIn) -> None:
    client.send(post("Echo", b"1234")[:-1])
    client.socket.shutdown(socket.SHUT_WR)
    assert client.is_closed()
    assert backend.calls == []


def test_connection_close_is_honoured_and_what_follows_is_not_run(client: Client, backend: StandIn) -> None:
    client.send(post("Echo", b"last", Connection="close") + post("Echo", b"more"))
    answer = client.response()
    assert (answer.body, answer.headers["connection"]) == (b"last", "close")
    assert client.is_closed()
    assert len(backend.calls) == 1


def test_http_1_0_closes_unless_asked_to_keep_alive(door: DoorThread) -> None:
    with Client(door.port) as client:
        client.send(post("Echo", b"old", version="1.0", Connection="keep-alive") + post("Echo", b"new", version="1.0"))
        assert client.response().headers["connection"] == "keep-alive"
        assert client.response().headers["connection"] == "close"
        assert client.is_closed()


def test_a_chunked_body_is_put_together(client: Client) -> None:
    client.send(
        head("Echo", Transfer_Encoding="chunked") + chunk(b"one ") + chunk(b"two") + b"0\r\nX-Trailer: x\r\n\r\n"
    )
    assert client.response().body == b"one two"
    assert client.ask("Echo", b"next").body == b"next"


def test_a_trailer_does_not_change_the_operation(client: Client, backend: StandIn) -> None:
    trailer = b"X-Amz-Target: DynamoDB_20120810.Break\r\n"
    client.send(head("Echo", Transfer_Encoding="chunked") + chunk(b"x") + b"0\r\n" + trailer + b"\r\n")
    assert client.response().status == 200
    assert backend.calls == [("Echo", b"x")]


def test_an_empty_body_reaches_the_backend(client: Client, backend: StandIn) -> None:
    client.send(head("Echo"))
    assert client.response().status == 200
    assert backend.calls == [("Echo", b"")]


def test_a_client_that_expects_100_continue_is_told_to_go_on(client: Client) -> None:
    client.send(head("Echo", Content_Length="4", Expect="100-continue"))
    assert client.response().status == 100
    client.send(b"body")
    assert client.response().body == b"body"
    assert client.ask("Echo", b"next").body == b"next"


def test_100_continue_waits_for_the_answers_before_it(client: Client, backend: StandIn) -> None:
    client.send(post("Hold") + head("Echo", Content_Length="4", Expect="100-continue"))
    backend.held.get(timeout=20)(b"first")
    assert client.response().body == b"first"
    assert client.response().status == 100
    client.send(b"body")
    assert client.response().body == b"body"


def test_a_client_that_does_not_wait_for_100_continue_gets_none(client: Client) -> None:
    client.send(post("Echo", b"body", Expect="100-continue"))
    assert client.response().status == 200


def test_a_refused_client_is_not_asked_for_its_body(client: Client) -> None:
    request = head("Echo", Content_Length="4", Expect="100-continue").replace(b"DynamoDB_20120810", b"Other")
    client.send(request)
    assert client.response().status == 400
    assert client.is_closed()


@pytest.mark.parametrize("path", ["/", "/healthz", "/?x=1", "http://localhost/healthz"])
def test_health_is_told_without_a_backend(client: Client, backend: StandIn, path: str) -> None:
    client.send(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = client.response()
    assert (answer.status, answer.body) == (200, b"healthy" if "healthz" in path else b"healthy: x")
    assert answer.headers["content-type"].startswith("text/plain")
    assert backend.calls == []


def test_health_has_no_use_for_a_body(client: Client) -> None:
    client.send(b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
    assert client.response().body == b"healthy: x"
    assert client.ask("Echo", b"next").body == b"next"


def test_head_is_get_without_a_body(client: Client) -> None:
    client.send(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert client.response(bodiless=True).headers["content-length"] == "10"
    assert client.ask("Echo", b"next").body == b"next"


def test_the_operations_of_streams_come_in_too(client: Client, backend: StandIn) -> None:
    client.send(post("GetRecords", b""))
    assert client.response().status == 200
    assert backend.calls == [("GetRecords", b"")]


@pytest.mark.parametrize("operation", ["ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"])
def test_the_operations_of_streams_are_of_their_own_service(client: Client, backend: StandIn, operation: str) -> None:
    for target in (f"DynamoDB_20120810.{operation}", "DynamoDBStreams_20120810.Echo"):
        answer = client.ask("Echo", X_Amz_Target=target)
        assert (answer.status, _type(answer.body)) == (400, "com.amazon.coral.service#UnknownOperationException")
    assert backend.calls == []


@pytest.mark.parametrize(
    "target",
    ["", "Echo", "DynamoDB_20120810", "DynamoDB_20120810.", "DynamoDB_20111205.Echo", "DynamoDB_20120810.E-cho"],
)
def test_a_target_that_names_no_operation_is_an_unknown_operation(client: Client, target: str) -> None:
    answer = client.ask("Echo", X_Amz_Target=target)
    assert (answer.status, answer.body) == (400, b'{"__type":"com.amazon.coral.service#UnknownOperationException"}')
    assert client.ask("Echo").status == 200


def test_a_missing_target_is_an_unknown_operation(client: Client) -> None:
    client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
    answer = client.response()
    assert (answer.status, _type(answer.body)) == (400, "com.amazon.coral.service#UnknownOperationException")


@pytest.mark.parametrize("line", ["PUT /", "POST /elsewhere", "GET /elsewhere", "OPTIONS /", "OPTIONS *", "DELETE /"])
def test_other_methods_and_paths_are_not_found(client: Client, line: str) -> None:
    client.send(f"{line} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    answer = client.response()
    assert (answer.status, _type(answer.body)) == (404, "com.amazon.coral.service#UnknownOperationException")
    assert client.ask("Echo").status == 200


def test_a_web_page_is_refused_where_nothing_is_signed(client: Client, backend: StandIn) -> None:
    answer = client.ask("Echo", Origin="http://rebound.example:8000")
    assert (answer.status, _type(answer.body)) == (403, "com.amazon.coral.service#AccessDeniedException")
    assert backend.calls == []


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"HELLO\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nbad header\r\n\r\n",
        b"POST / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
        b"CONNECT localhost:80 HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_garbage_is_answered_with_400_and_a_close(door: DoorThread, backend: StandIn, garbage: bytes) -> None:
    with Client(door.port) as client:
        client.send(garbage)
        answer = client.response()
        assert (answer.status, answer.headers["connection"]) == (400, "close")
        assert client.is_closed()
    assert backend.calls == []
    with Client(door.port) as other:
        assert other.ask("Echo").status == 200


@pytest.mark.parametrize("operation", ["Echo", "Later"])
def test_requests_before_garbage_are_answered_first(client: Client, operation: str) -> None:
    client.send(post(operation, b"1") + post(operation, b"2") + b"garbage\r\n\r\n")
    assert [client.response().body, client.response().body] == [b"1", b"2"]
    assert client.response().status == 400
    assert client.is_closed()


def test_clients_that_vanish_make_no_noise(
    door: DoorThread, backend: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    for data in (b"", b"POST", post("Echo", b"12")[:-1], post("Hold"), post("Hold") + post("Echo")):
        with Client(door.port) as client:
            client.send(data)
            if b"Hold" in data:
                done = backend.held.get(timeout=20)
                # Closing with a reset, as a killed process does.
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                client.close()
                done(b"too late")
    with Client(door.port) as other:
        assert other.ask("Echo").status == 200
    assert caplog.records == []


def _type(body: bytes) -> str:
    kind = orjson.loads(body)["__type"]
    assert isinstance(kind, str)
    return kind
