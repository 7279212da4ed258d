"""Forms with files, read as they arrive: no part is in memory or on the disk before somebody takes it."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from partita.kit.problems import BadRequest

MOST_PARTS = 250
"""More than any form of ours has."""


@dataclass(slots=True)
class Part:
    """One field of a form; the content of a file comes piece by piece."""

    name: str
    filename: str | None
    """What the browser says the file is called; None for a field that is no file."""
    _form: _Form = field(repr=False)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The content, as it arrives; to be read before the next part is."""
        async for chunk in self._form.content_of(self):
            yield chunk


def is_multipart(request: Request) -> bool:
    """Whether a request brings a form that can hold files."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data"


async def parts_of(request: Request) -> AsyncIterator[Part]:
    """The parts of a multipart form, in order; `BadRequest` if it is none or breaks off."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not boundary:
        raise no_form("it is not multipart/form-data")
    form = _Form(request.stream(), boundary)
    for _ in range(MOST_PARTS + 1):
        part = await form.next_part()
        if part is None:
            return
        yield part
    raise no_form(f"it has more than {MOST_PARTS} fields")


def no_form(why: str) -> BadRequest:
    """The refusal of what cannot be read as a form with a file."""
    return BadRequest(f"This is no form with a file: {why}.", code="file_missing")


@dataclass(slots=True)
class _Begun:
    headers: dict[bytes, bytes] = field(default_factory=dict)


_ENDED = object()


class _Form:
    """Turns what the parser calls back into a queue, and pulls from the body only when the queue is empty."""

    def __init__(self, body: AsyncIterator[bytes], boundary: bytes) -> None:
        self._body = body
        self._queue: deque[object] = deque()
        self._headers = _Begun()
        self._name, self._value = b"", b""
        self._complete = False
        self._open: Part | None = None
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_name,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": lambda: self._queue.append(self._headers),
                "on_part_data": lambda data, start, end: self._queue.append(data[start:end]),
                "on_part_end": lambda: self._queue.append(_ENDED),
                "on_end": self._end,
            },
        )

    async def next_part(self) -> Part | None:
        if self._open is not None:
            async for _ in self.content_of(self._open):
                pass  # nobody wanted the rest
        while True:
            event = await self._next()
            if event is None:
                return None
            if isinstance(event, _Begun):
                self._open = _part(event.headers, self)
                return self._open

    async def content_of(self, part: Part) -> AsyncIterator[bytes]:
        while self._open is part:
            event = await self._next()
            if event is None or event is _ENDED:
                self._open = None
                return
            if isinstance(event, bytes):
                yield event

    async def _next(self) -> object | None:
        while not self._queue:
            chunk = await anext(self._body, b"")
            if not chunk:
                if not self._complete:
                    raise no_form("it breaks off before its end")
                return None
            try:
                self._parser.write(chunk)
            except FormParserError as error:
                raise no_form(str(error)) from None
        return self._queue.popleft()

    def _begin(self) -> None:
        self._headers = _Begun()

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers.headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _end(self) -> None:
        self._complete = True


def _part(headers: dict[bytes, bytes], form: _Form) -> Part:
    _, options = parse_options_header(headers.get(b"content-disposition", b""))
    if b"name" not in options:
        raise no_form("a field has no name")
    filename = options.get(b"filename")
    # Browsers write quotation marks within a name like this, and nothing else but line ends.
    return Part(_text(options[b"name"]), None if filename is None else _text(filename).replace("%22", '"'), form)


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace")
