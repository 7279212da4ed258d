"""Rounds through a door: clients write to `partita dynamodb --workers`, whose processes are killed meanwhile."""

from __future__ import annotations

import os
import random
import selectors
import threading
import traceback
from dataclasses import dataclass, field
from typing import Any

import orjson
import psutil

from partita.store.answers import read_answer
from tests.crash import journal
from tests.crash.journal import Journal
from tests.crash.rounds import Run
from tests.crash.worker import THREADS, work_of
from tests.engine.door.wire import Client
from tests.serving import Served, partita_door


class StopError(Exception):
    """The round is over."""


@dataclass(frozen=True, slots=True)
class RemoteEngine:
    """The engine behind a door, by one connection; nothing is asked again, so that every answer is to one request."""

    client: Client
    over: threading.Event

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run an operation over there."""
        if self.over.is_set():
            raise StopError
        response = self.client.ask(operation, orjson.dumps(request))
        if response.status == 503:
            raise ConnectionAbortedError("the worker is stopping")
        return read_answer(response.status, response.headers.get("x-amz-crc32"), response.body)


@dataclass(slots=True)
class DoorRun(Run):
    """Clients are threads of this process. One whose connection breaks begins a new life with the next connection."""

    clients: int = 2
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _last_lives: dict[tuple[int, str], int] = field(default_factory=dict)
    _finished: set[int] = field(default_factory=set)

    def _work_and_kill(self) -> None:
        over = threading.Event()
        reading, writing = os.pipe()
        try:
            with partita_door(self.folder, "--workers", str(self.workers)) as served:
                port = int(served.url.rpartition(":")[2])
                threads = [
                    threading.Thread(target=self._client, args=(port, slot, name, writing, over))
                    for slot in range(self.clients)
                    for name in THREADS
                ]
                for thread in threads:
                    thread.start()
                try:
                    with selectors.DefaultSelector() as selector:
                        selector.register(reading, selectors.EVENT_READ)
                        self._kill_workers(served, selector)
                finally:
                    over.set()
                    for thread in threads:
                        thread.join()
        finally:
            os.close(reading)
            os.close(writing)

    def _kill_workers(self, served: Served, selector: selectors.BaseSelector) -> None:
        parent = psutil.Process(served.pid)
        match self._dice.randrange(4):
            case 0 | 1:  # one after another, each replaced while the others go on
                for worker in parent.children():
                    self._wait(selector, self._some() // 2)
                    self._end(worker)
                self._wait(selector, self._some() // 2)
            case 2:  # all at once
                self._wait(selector, self._some())
                for worker in parent.children():
                    self._end(worker)
                self._wait(selector, self._some() // 2)
            case 3:  # their parent; they stop by themselves
                self._wait(selector, self._some())
                workers = parent.children()
                self._end(parent)
                psutil.wait_procs(workers, timeout=60)

    def _end(self, process: psutil.Process) -> None:
        process.kill()
        self.report.kills += 1

    def _client(self, port: int, slot: int, name: str, sink: int, over: threading.Event) -> None:
        while not over.is_set():
            life = self._new_life()
            log = Journal(self.journals / journal.file_name(life, slot, name), sink)
            try:
                with Client(port) as client:
                    work = work_of(name, self.journals, slot, life, self._last_lives.get((slot, name), -1))
                    self._last_lives[slot, name] = life
                    work(RemoteEngine(client, over), log, random.Random(f"{life}-{slot}-{name}"))
            except ConnectionRefusedError:
                return  # the parent is gone too
            except StopError:
                self._finished.add(life)
            except ConnectionError:
                continue
            except Exception:
                log.complain(traceback.format_exc())
                return
            finally:
                log.close()

    def _was_cut_off(self, life: int) -> bool:
        return life not in self._finished

    def _new_life(self) -> int:
        with self._lock:
            self.report.lives += 1
            return self.report.lives - 1
