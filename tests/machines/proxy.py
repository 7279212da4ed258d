"""A proxy in front of an endpoint that can fall silent: connections stay open, and nothing comes."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit

_CHUNK = 64 * 1024
_GET_RECORDS = b"DynamoDBStreams_20120810.GetRecords"


class Proxy:
    """Passes on what comes, and counts the reads of streams."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (target.hostname or "", target.port or 80)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._talks = threading.Event()
        self._talks.set()
        self.stream_reads = 0
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def fall_silent(self) -> None:
        self._talks.clear()

    def talk_again(self) -> None:
        self._talks.set()

    def close(self) -> None:
        self._talks.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = self._socket.accept()
                server = socket.create_connection(self._target)
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                self.stream_reads += data.count(_GET_RECORDS)
                self._talks.wait()
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
