"""gzip and deflate both ways, with checksums over what is sent."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import RequestTooLargeError, SerializationError
from partita.dynamo.limits import REQUEST_BYTES
from partita.engine.door.compression import chosen_encoding, compress, decompress
from tests.engine.door.wire import Client, StandIn, post


def test_a_large_answer_is_compressed_for_who_asks_and_its_checksum_is_of_the_bytes_sent(client: Client) -> None:
    unpack: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "deflate": zlib.decompress}
    for accepted, encoding in (("br, gzip;q=0.5", "gzip"), ("br, deflate", "deflate")):
        answer = client.ask("Big", b"10000", Accept_Encoding=accepted)
        assert answer.headers["content-encoding"] == encoding
        assert len(answer.body) < 1000
        assert answer.crc_is_right
        assert unpack[encoding](answer.body) == b'{"Big":"%b"}' % (b"x" * 10_000)


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        (b"gzip, deflate", b"gzip"),
        (b"deflate, gzip", b"deflate"),
        (b"deflate;q=0.5, gzip;q=0.7", b"gzip"),
        (b"gzip;q=0.1, identity;q=1, deflate;q=0.2", b"deflate"),
        (b"*", b"gzip"),
        (b"deflate;q=0.3, *;q=0.9", b"gzip"),
        (b"gzip;q=0, deflate;q=0", None),
        (b"gzip;q=nan", None),
        (b"identity", None),
    ],
)
def test_the_encoding_with_the_highest_weight_is_chosen_and_then_the_first(
    accepted: bytes, encoding: bytes | None
) -> None:
    assert chosen_encoding(accepted) == encoding


def test_of_several_headers_of_one_name_the_first_counts(client: Client) -> None:
    for first, second, encoding in (("deflate", "gzip", "deflate"), ("identity", "gzip", None)):
        for name in ("Accept-Encoding", "accept-encoding"):
            sent = post("Big", b"10000", Accept_Encoding=first)
            client.send(sent.replace(b"\r\n\r\n", f"\r\n{name}: {second}\r\n\r\n".encode(), 1))
            assert client.response().headers.get("content-encoding") == encoding


@pytest.mark.parametrize("accepted", ["identity", "", "gzip;q=0", "gzip; q=0.0", "br"])
def test_an_answer_is_not_compressed_for_who_does_not_ask(client: Client, accepted: str) -> None:
    answer = client.ask("Big", b"10000", Accept_Encoding=accepted)
    assert "content-encoding" not in answer.headers
    assert len(answer.body) == 10_010


def test_a_small_answer_is_not_worth_compressing(client: Client) -> None:
    answer = client.ask("Big", b"1000", Accept_Encoding="gzip")
    assert "content-encoding" not in answer.headers
    assert answer.crc_is_right


@pytest.mark.parametrize("encoding", ["gzip", "GZip", "identity", "deflate"])
def test_a_compressed_request_reaches_the_backend_as_it_was(client: Client, backend: StandIn, encoding: str) -> None:
    body = b'{"TableName":"t"}' * 1000
    sent = {"identity": body, "deflate": zlib.compress(body)}.get(encoding, gzip.compress(body))
    assert client.ask("Echo", sent, Content_Encoding=encoding).body == body
    assert backend.calls == [("Echo", body)]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"no gzip"),
        ("deflate", b"no deflate"),
        ("gzip", gzip.compress(b"cut short")[:-4]),
        ("br", b"{}"),
        ("gzip, gzip", b"{}"),
    ],
    ids=["no gzip", "no deflate", "cut short", "brotli", "twice"],
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
    assert chosen_encoding(value) in (b"gzip", b"deflate", None)


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
