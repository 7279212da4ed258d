"""gzip both ways, with checksums over what is sent."""

from __future__ import annotations

import gzip
import time

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import RequestTooLargeError, SerializationError
from partita.dynamo.limits import REQUEST_BYTES
from partita.engine.door.compression import compress, decompress, wants_gzip
from tests.engine.door.wire import Client, StandIn


def test_a_large_answer_is_compressed_for_who_asks_and_its_checksum_is_of_the_bytes_sent(client: Client) -> None:
    answer = client.ask("Big", b"10000", Accept_Encoding="deflate, gzip;q=0.5")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) < 1000
    assert answer.crc_is_right
    assert gzip.decompress(answer.body) == b'{"Big":"%b"}' % (b"x" * 10_000)


@pytest.mark.parametrize("accepted", ["identity", "", "gzip;q=0", "gzip; q=0.0", "br, deflate", "*"])
def test_an_answer_is_not_compressed_for_who_does_not_ask(client: Client, accepted: str) -> None:
    answer = client.ask("Big", b"10000", Accept_Encoding=accepted)
    assert "content-encoding" not in answer.headers
    assert len(answer.body) == 10_010


def test_a_small_answer_is_not_worth_compressing(client: Client) -> None:
    answer = client.ask("Big", b"1000", Accept_Encoding="gzip")
    assert "content-encoding" not in answer.headers
    assert answer.crc_is_right


@pytest.mark.parametrize("encoding", ["gzip", "GZip", "identity"])
def test_a_compressed_request_reaches_the_backend_as_it_was(client: Client, backend: StandIn, encoding: str) -> None:
    body = b'{"TableName":"t"}' * 1000
    sent = body if encoding == "identity" else gzip.compress(body)
    assert client.ask("Echo", sent, Content_Encoding=encoding).body == body
    assert backend.calls == [("Echo", body)]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("gzip", b"no gzip"), ("gzip", gzip.compress(b"cut short")[:-4]), ("br", b"{}"), ("gzip, gzip", b"{}")],
    ids=["no gzip", "cut short", "brotli", "twice"],
)
def test_what_cannot_be_unpacked_is_a_serialization_error(
    client: Client, backend: StandIn, encoding: str, body: bytes
) -> None:
    answer = client.ask("Echo", body, Content_Encoding=encoding)
    assert answer.status == 400
    assert orjson.loads(answer.body)["__type"] == "com.amazon.coral.service#SerializationException"
    assert backend.calls == []
    assert client.ask("Echo", b"next").body == b"next"


@settings(deadline=None)
@given(st.lists(st.binary(max_size=2000), min_size=1, max_size=4), st.integers(0, 9))
def test_unpacking_is_the_inverse_of_packing(members: list[bytes], level: int) -> None:
    packed = b"".join(gzip.compress(member, level) for member in members)
    assert decompress(packed, b"gzip", 10_000) == b"".join(members)
    assert gzip.decompress(compress(members[0])) == members[0]


@settings(deadline=None)
@given(st.integers(3, 5000), st.integers(-3, 3))
def test_the_limit_is_exact(limit: int, over: int) -> None:
    packed = gzip.compress(b"x" * (limit + over))
    if over > 0:
        with pytest.raises(RequestTooLargeError):
            decompress(packed, b"gzip", limit)
    else:
        assert len(decompress(packed, b"gzip", limit)) == limit + over


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_unpack_or_are_refused(data: bytes) -> None:
    refusal = None
    try:
        decompress(data, b"gzip", 1000)
    except (SerializationError, RequestTooLargeError) as error:
        refusal = error
    assert refusal is not None or not data


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_accept_encoding_is_understood_or_ignored(value: bytes) -> None:
    assert wants_gzip(value) in (True, False)


def test_many_empty_members_cost_next_to_nothing() -> None:
    body = gzip.compress(b"") * 200_000  # four megabytes
    began = time.process_time()
    with pytest.raises(SerializationError, match="more than 64 members"):
        decompress(body, b"gzip", REQUEST_BYTES)
    assert time.process_time() - began < 0.5


@given(st.lists(st.binary(max_size=200_000), min_size=1, max_size=64))
@settings(deadline=None, max_examples=20)
def test_members_are_one_body_wherever_they_end(parts: list[bytes]) -> None:
    packed = b"".join(map(gzip.compress, parts))
    assert decompress(packed, b"gzip", REQUEST_BYTES) == b"".join(parts)
