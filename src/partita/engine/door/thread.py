"""A server in its own thread, for programs and tests without an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from threading import Thread
from types import TracebackType

from partita.engine.door.backend import Backend
from partita.engine.door.limits import DoorLimits
from partita.engine.door.server import Door, new_loop


class DoorThread:
    """Serves while its `with` block runs; the port is chosen by the system unless given."""

    def __init__(
        self,
        backend: Backend,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        keys: Mapping[str, str] | None = None,
        limits: DoorLimits | None = None,
        origins: Iterable[str] = (),
    ) -> None:
        self._door = Door(backend, host=host, port=port, keys=keys, limits=limits, origins=origins)
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self.port = 0
        self.url = ""

    def start(self) -> None:
        """Start and wait until it listens; an error in starting is raised here."""
        started: Future[None] = Future()
        self._thread = Thread(target=self._run, args=(started,), name="partita-door", daemon=True)
        self._thread.start()
        started.result()

    def stop(self) -> None:
        """Stop gracefully and wait for the thread."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        thread.join()

    def __enter__(self) -> DoorThread:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self, started: Future[None]) -> None:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(self._serve(started))

    async def _serve(self, started: Future[None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            await self._door.start()
        except BaseException as error:
            started.set_exception(error)
            return
        self.port, self.url = self._door.port, self._door.url
        started.set_result(None)
        await self._stop.wait()
        await self._door.stop()
