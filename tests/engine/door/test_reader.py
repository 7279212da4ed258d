"""However bytes are cut on their way, the same requests come out."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.limits import REQUEST_BYTES
from partita.engine.door.admission import Admissions
from partita.engine.door.budget import Budget
from partita.engine.door.limits import DoorLimits
from partita.engine.door.reader import Request, RequestReader
from tests.engine.door.wire import chunk, head, post

STREAM = b"".join(
    (
        post("First", b'{"a":1}'),
        post("Second", b"", Accept_Encoding="gzip"),
        b"\r\n",
        head("Third", Transfer_Encoding="chunked") + chunk(b"ab") + chunk(b"cde") + chunk(b""),
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        post("Fourth", b"xyz", X_Amz_Target="nonsense"),
        post("Fifth", b"{}", Expect="100-continue"),
        post("Last", b"{}", Connection="close"),
        b"and what follows is not read",
    )
)


@settings(deadline=None)
@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_the_cuts_do_not_matter(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    assert _read(*(STREAM[a:b] for a, b in pairwise(edges))) == _read(STREAM)


def test_a_stream_is_read_as_it_was_meant() -> None:
    read = _read(STREAM)
    assert [operation for operation, *_ in read] == ["First", "Second", "Third", None, None, "Fifth", "Last"]
    assert [body for _, body, *_ in read] == [b'{"a":1}', b"", b"abcde", b"healthy", b"", b"{}", b"{}"]
    assert [keep_alive for *_, keep_alive in read] == [True] * 6 + [False]


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=100), max_size=20))
def test_no_bytes_make_the_reader_fail(parts: list[bytes]) -> None:
    assert len(_read(*parts)) <= sum(map(len, parts))


@settings(deadline=None)
@given(st.integers(0, len(STREAM) - 1), st.binary(min_size=1, max_size=3))
def test_no_damage_makes_the_reader_fail(at: int, damage: bytes) -> None:
    assert _read(STREAM[:at] + damage + STREAM[at + len(damage) :])


@settings(deadline=None)
@given(st.integers(0, 40), st.booleans())
def test_the_body_limit_is_exact(size: int, chunked: bool) -> None:
    body = b"x" * size
    chunks = head("A", Transfer_Encoding="chunked") + (chunk(body) if body else b"") + chunk(b"")
    data = chunks if chunked else post("A", body)
    ((_, read, refused, _),) = _read(data, limits=DoorLimits(body_bytes=20))
    assert (read, refused) == ((body, False) if size <= 20 else (b"", True))


def _read(*parts: bytes, limits: DoorLimits | None = None) -> list[tuple[str | None, bytes, bool, bool]]:
    reader = RequestReader(Admissions(), limits or DoorLimits(), Budget(2 * REQUEST_BYTES))
    for part in parts:
        reader.feed(part)
    return [_essence(request) for request in reader.requests]


def _essence(request: Request) -> tuple[str | None, bytes, bool, bool]:
    return request.operation, request.body, request.refusal is not None, request.keep_alive
