"""A server that answers every operation at once with bytes made beforehand, so that only the client's work is measured.

`python -m bench.canned FILE` reads the answers from a JSON file (operation → answer) and prints its address.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import orjson
import uvloop

_TARGET = b"dynamodb_20120810."


@contextmanager
def canned_server(answers: dict[str, Any]) -> Iterator[str]:
    """The server in a process of its own; yields its address."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        Path(file.name).write_bytes(orjson.dumps(answers))
        command = [sys.executable, "-m", "bench.canned", file.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                url = process.stdout.readline().strip()
                assert url, "the server with the canned answers did not start"
                yield url
            finally:
                process.terminate()


def http_answer(body: bytes) -> bytes:
    """An answer with the headers DynamoDB sends."""
    head = (
        "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Sun, 15 Nov 2026 10:00:00 GMT\r\n"
        "Content-Type: application/x-amz-json-1.0\r\n"
        f"Content-Length: {len(body)}\r\nConnection: keep-alive\r\n"
        "x-amzn-RequestId: 4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQNSO5AEMVJF66Q9ASUAAJG\r\n"
        f"x-amz-crc32: {crc32(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Answering(asyncio.Protocol):
    """Reads as little of a request as it takes to know the operation and where the request ends."""

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end].lower()
            whole = end + 4 + int(_between(head, b"\r\ncontent-length:"))
            if len(self._received) < whole:
                return
            self._received = self._received[whole:]
            self._transport.write(self._answers[_between(head, _TARGET)])


def _between(head: bytes, start: bytes) -> bytes:
    at = head.index(start) + len(start)
    end = head.find(b"\r\n", at)
    return head[at : end if end >= 0 else len(head)].strip()


async def _serve(file: Path) -> None:
    answers = {
        operation.lower().encode(): http_answer(orjson.dumps(answer))
        for operation, answer in orjson.loads(file.read_bytes()).items()
    }
    server = await asyncio.get_running_loop().create_server(lambda: _Answering(answers), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1])))
