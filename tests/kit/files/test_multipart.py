"""Forms are read as they arrive, however they are cut into pieces."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.types import Message

from partita.kit.files.multipart import MOST_PARTS, parts_of
from partita.kit.problems import BadRequest

Parts = list[tuple[str, str | None, bytes]]

_NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters='"\\\r\n\0', exclude_categories=("Cs", "Cc")), max_size=20
)
_FILES = st.lists(_NAMES, min_size=1, max_size=3).map('"'.join).filter(lambda name: "%22" not in name)
_PARTS = st.lists(st.tuples(_NAMES, st.none() | _FILES, st.binary(max_size=300)), max_size=5)


def form_of(parts: Parts, boundary: bytes = b"b0undary") -> bytes:
    """A form as browsers write it."""
    written = []
    for name, filename, content in parts:
        quoted = None if filename is None else filename.replace('"', "%22")
        file = "" if quoted is None else f'; filename="{quoted}"'
        written.append(f'--{boundary.decode()}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode())
        written.append(content + b"\r\n")
    return b"".join(written) + b"--" + boundary + b"--\r\n"


def request_with(body: bytes, cut: int = 1 << 16, boundary: str = "b0undary") -> Request:
    """A request whose body comes in pieces."""
    pieces = [body[start : start + cut] for start in range(0, len(body), cut)] or [b""]
    messages: list[Message] = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Message:
        return messages.pop(0)

    kind = f"multipart/form-data; boundary={boundary}".encode()
    return Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind)]}, receive)


async def _read(request: Request) -> Parts:
    return [
        (part.name, part.filename, b"".join([chunk async for chunk in part.chunks()]))
        async for part in parts_of(request)
    ]


@given(_PARTS, st.integers(1, 400))
@settings(max_examples=150)
def test_a_form_is_read_as_it_was_written_however_it_is_cut(parts: Parts, cut: int) -> None:
    wanted = [part for part in parts if b"--b0undary" not in part[2]]
    assert asyncio.run(_read(request_with(form_of(wanted), cut))) == wanted


@given(_PARTS.filter(len), st.data())
@settings(max_examples=80)
def test_a_form_that_breaks_off_is_refused(parts: Parts, data: st.DataObject) -> None:
    whole = form_of(parts)
    end = data.draw(st.integers(0, len(whole) - 5))
    with pytest.raises(BadRequest):
        asyncio.run(_read(request_with(whole[:end])))


def test_a_part_that_nobody_reads_is_passed_over() -> None:
    async def names() -> list[str]:
        body = form_of([("a", "a.bin", b"x" * 100_000), ("b", None, b"y")])
        return [part.name async for part in parts_of(request_with(body, 1000))]

    assert asyncio.run(names()) == ["a", "b"]


def test_what_is_no_form_is_refused() -> None:
    for request in (
        request_with(b"", boundary=""),
        request_with(form_of([(f"n{number}", None, b"") for number in range(MOST_PARTS + 1)])),
        request_with(b"--b0undary\r\nContent-Type: text/plain\r\n\r\nx\r\n--b0undary--\r\n"),
        request_with(b"--b0undary\r\nX: " + b"x" * 50_000 + b"\r\n\r\nx\r\n--b0undary--\r\n"),
    ):
        with pytest.raises(BadRequest) as refused:
            asyncio.run(_read(request))
        assert refused.value.code == "file_missing"
