"""An answer is read to its end and not beyond."""

import pytest

from partita.store import http_answer
from partita.store.http_answer import AnswerReader, HttpError


def test_nothing_is_an_answer_before_its_end() -> None:
    reading = AnswerReader()
    assert reading.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Amz-Crc32: 7\r\n\r\n{") is None
    answer = reading.feed(b"}")
    assert answer is not None
    assert (answer.status, answer.checksum, answer.body, answer.keep_alive) == (200, "7", b"{}", True)


@pytest.mark.parametrize("head", [b"HTTP/1.0 200 OK\r\n", b"HTTP/1.1 200 OK\r\nConnection: close\r\n"])
def test_an_answer_may_be_the_last_of_its_connection(head: bytes) -> None:
    answer = AnswerReader().feed(head + b"Content-Length: 0\r\n\r\n")
    assert answer is not None
    assert not answer.keep_alive


def test_an_answer_whose_end_only_the_connection_tells_is_not_trusted() -> None:
    reading = AnswerReader()
    assert reading.feed(b"HTTP/1.1 200 OK\r\n\r\n{}") is None
    with pytest.raises(HttpError, match="before the answer was whole"):
        reading.feed(b"")


def test_another_protocol_is_refused() -> None:
    with pytest.raises(HttpError, match="not HTTP"):
        AnswerReader().feed(b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n")


def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_answer, "_MOST_BYTES", 1000)
    reading = AnswerReader()
    reading.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(150):
        reading.feed(b"1\r\nx\r\n")
    with pytest.raises(HttpError, match="over 1,000 bytes"):
        reading.feed(b"20\r\n" + b"x" * 32 + b"\r\n" + b"1\r\nx\r\n" * 10)
