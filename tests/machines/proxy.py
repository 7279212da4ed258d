"""A proxy in front of an endpoint that can fall silent: connections stay open, and nothing comes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

_CHUNK = 64 * 1024
_END_SECONDS = 20
_GET_RECORDS = b"DynamoDBStreams_20120810.GetRecords"


class Proxy:
    """Passes on what comes, and counts the reads of streams."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (target.hostname or "", target.port or 80)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._talks = threading.Event()
        self._talks.set()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.stream_reads = 0
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._start(self._accept)

    def fall_silent(self) -> None:
        self._talks.clear()

    def talk_again(self) -> None:
        self._talks.set()

    def close(self) -> None:
        """End all connections, and wait for those who passed on."""
        self._talks.set()
        _end(self._socket)
        self._threads[0].join(_END_SECONDS)  # from now on there are no new ones
        self._socket.close()
        with self._lock:
            for each in self._open:
                _end(each)
        for thread in self._threads[1:]:
            thread.join(_END_SECONDS)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = self._socket.accept()
                try:
                    server = socket.create_connection(self._target)
                except OSError:
                    client.close()
                    continue
                with self._lock:
                    self._open |= {client, server}
                ended = threading.Barrier(2)
                self._start(self._pass_on, client, server, ended)
                self._start(self._pass_on, server, client, ended)

    def _pass_on(self, source: socket.socket, sink: socket.socket, ended: threading.Barrier) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                self.stream_reads += data.count(_GET_RECORDS)
                self._talks.wait()
                sink.sendall(data)
        for each in (source, sink):
            _end(each)
        ended.wait()  # whoever still passes on in the other direction uses both
        with self._lock:
            self._open.discard(source)
        source.close()


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
