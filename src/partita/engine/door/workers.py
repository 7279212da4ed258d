"""Several doors on one data folder: processes that share a port, and a parent that replaces those that die.

The parent has no engine while they run. It owns the listening sockets, so that a connection that comes while a worker
is replaced waits for the next one. Workers are forked: what the parent has imported, all of them share.
"""

from __future__ import annotations

import gc
import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import field
from typing import NoReturn

from partita.dynamo.frozen import dataclass
from partita.engine.door.backend import Backend
from partita.engine.door.limits import DoorLimits
from partita.engine.door.server import BACKLOG, check_protected, run, url_of

_log = logging.getLogger(__name__)
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_STOP_SECONDS = 30.0
_SHORT_LIFE = 1.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0

Listeners = Sequence[socket.socket]


class NoWorkersError(OSError):
    """This system cannot fork processes."""

    def __init__(self) -> None:
        super().__init__("Several workers need a system that can fork processes. Start one without --workers.")


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What every worker does."""

    open_backend: Callable[[int], AbstractContextManager[Backend]]
    """Opens what a worker serves, given the port."""
    host: str = "127.0.0.1"
    port: int = 8000
    keys: Mapping[str, str] | None = None
    limits: DoorLimits | None = None
    origins: Iterable[str] = ()


def run_workers(count: int, settings: WorkerSettings, ready: Callable[[str], object] | None = None) -> None:
    """Serve with several processes until SIGINT or SIGTERM; `ready` is called with the URL when all are started."""
    if not hasattr(os, "fork"):
        raise NoWorkersError
    check_protected(settings.host, settings.keys)
    with ExitStack() as stack:
        listeners = _listen(stack, settings.host, settings.port, count)
        parent = _Parent(settings, listeners, stack.enter_context(_pipe()), stack.enter_context(_pipe()))
        stack.enter_context(parent.signals())
        gc.freeze()  # a collection would write to what workers share with the parent, and so make copies
        try:
            for number in range(count):
                parent.start(number)
            if ready is not None:
                ready(url_of(*listeners[0][0].getsockname()[:2]))
            parent.watch()
        finally:
            parent.stop()


@dataclass(slots=True)
class _Worker:
    pid: int
    started: float
    pause: float = 0.0


@dataclass(slots=True)
class _Parent:
    """Starts workers, and others in place of those that end."""

    settings: WorkerSettings
    listeners: Sequence[Listeners]
    """Of each worker."""
    lifeline: tuple[int, int]
    """A pipe that is never written to: workers see that the parent is gone."""
    alarm: tuple[int, int]
    """A pipe that signals write to."""
    _workers: dict[int, _Worker] = field(default_factory=dict)
    _due: dict[int, tuple[float, float]] = field(default_factory=dict)
    """When a worker is to be started again, and how long that pause was."""
    _stopping: bool = False

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Note signals in this process, and wake `watch` up."""

        def stop(*_: object) -> None:
            self._stopping = True

        for end in self.alarm:
            os.set_blocking(end, False)
        before = {number: signal.signal(number, stop) for number in _STOP_SIGNALS}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        previous = signal.set_wakeup_fd(self.alarm[1], warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(previous)
            for number, handler in before.items():
                signal.signal(number, handler)

    def start(self, number: int, pause: float = 0.0) -> None:
        """Fork a worker."""
        sys.stdout.flush()
        sys.stderr.flush()
        # A signal between the fork and the worker's own handlers would reach the parent's, which the worker has too.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                self._be_worker(number)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
        self._workers[number] = _Worker(pid, time.monotonic(), pause)

    def watch(self) -> None:
        """Replace workers that end, until a signal says to stop."""
        while True:
            due = min((at for at, _ in self._due.values()), default=None)
            self._wait(None if due is None else max(0.0, due - time.monotonic()))
            if self._stopping:
                return  # Ctrl-C reaches the workers too: that they end is no news
            self._reap()
            for number in [number for number, (at, _) in self._due.items() if at <= time.monotonic()]:
                try:
                    self.start(number, self._due[number][1])
                except OSError as error:  # such as a limit of processes
                    _log.error("worker %d cannot be started, and will be tried again: %s", number + 1, error)
                    self._due[number] = (time.monotonic() + _LONGEST_PAUSE, _LONGEST_PAUSE)
                else:
                    del self._due[number]

    def stop(self) -> None:
        """End all workers: gracefully, and those that take too long by force, which loses nothing acknowledged."""
        for listener in (each for group in self.listeners for each in group):
            listener.close()  # first, so that nobody waits in a queue that nobody serves
        self._send(signal.SIGTERM)
        ends = time.monotonic() + _STOP_SECONDS
        while True:
            self._take_ended()
            if not self._workers:
                return
            if not self._wait(max(0.0, ends - time.monotonic())):
                self._send(signal.SIGKILL)
                ends = time.monotonic() + _STOP_SECONDS

    def _send(self, number: signal.Signals) -> None:
        for worker in self._workers.values():
            os.kill(worker.pid, number)

    def _wait(self, seconds: float | None) -> bool:
        """Wait for a signal; whether there was one."""
        if not select.select([self.alarm[0]], [], [], seconds)[0]:
            return False
        os.read(self.alarm[0], 4096)
        return True

    def _take_ended(self) -> list[tuple[int, _Worker, int]]:
        """The number, the worker and the status of those that have ended since."""
        ended = []
        for number, worker in list(self._workers.items()):
            pid, status = os.waitpid(worker.pid, os.WNOHANG)
            if pid:
                ended.append((number, self._workers.pop(number), status))
        return ended

    def _reap(self) -> None:
        now = time.monotonic()
        for number, worker, status in self._take_ended():
            # One that dies as soon as it starts would otherwise keep the processor busy with starting.
            short = now - worker.started < _SHORT_LIFE
            pause = min(max(_FIRST_PAUSE, 2 * worker.pause), _LONGEST_PAUSE) if short else 0.0
            self._due[number] = (now + pause, pause)
            _log.warning("worker %d (process %d) %s; starting another", number + 1, worker.pid, _end(status))

    def _be_worker(self, number: int) -> NoReturn:
        """Serve in this process, which ends here."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for each in (*_STOP_SIGNALS, signal.SIGCHLD):
                signal.signal(each, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
            os.close(self.lifeline[1])
            for end in self.alarm:
                os.close(end)
            mine = self.listeners[number]
            for listener in {each for group in self.listeners for each in group if each not in mine}:
                listener.close()
            _name_in_logs(number + 1)
            self._serve(mine)
            code = 0
        except BaseException:
            _log.exception("it cannot go on")
        finally:
            logging.shutdown()
            os._exit(code)

    def _serve(self, listeners: Listeners) -> None:
        settings = self.settings
        with settings.open_backend(listeners[0].getsockname()[1]) as backend:
            run(
                backend,
                host=settings.host,
                keys=settings.keys,
                limits=settings.limits,
                origins=settings.origins,
                listeners=listeners,
                lifeline=self.lifeline[0],
            )


def _listen(stack: ExitStack, host: str, port: int, count: int) -> list[list[socket.socket]]:
    """The sockets of each worker, one for each address of the host.

    On Linux every worker has its own, and the kernel spreads connections over them; elsewhere all have the same.
    """
    own = sys.platform == "linux"
    groups: list[list[socket.socket]] = [[] for _ in range(count)]
    addresses = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    for family, kind, protocol, _, address in addresses:
        # Sockets that share a port would share it with another server of the same user too, so look whether it is free.
        with socket.socket(family, kind, protocol) as probe:
            _bind(probe, (address[0], port, *address[2:]), shared=False)
            port = probe.getsockname()[1]  # if the system chooses it, it is chosen here
        sockets = []
        for _ in range(count if own else 1):
            listener = stack.enter_context(socket.socket(family, kind, protocol))
            _bind(listener, (address[0], port, *address[2:]), shared=own)
            listener.listen(BACKLOG)
            sockets.append(listener)
        for number, group in enumerate(groups):
            group.append(sockets[number % len(sockets)])
    return groups


def _bind(listener: socket.socket, address: tuple[object, ...], *, shared: bool) -> None:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if listener.family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind(address)
    except OSError as error:
        where = f"{address[0]}:{address[1]}"
        raise OSError(f"cannot listen on {where}: {error.strerror}. Choose another --port.") from None


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    try:
        yield reading, writing
    finally:
        os.close(reading)
        os.close(writing)


def _end(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _name_in_logs(number: int) -> None:
    """Let every line of the log say which worker it is from."""
    logging.basicConfig(format=f"worker {number} (process %(process)d): %(message)s", level=logging.WARNING)
