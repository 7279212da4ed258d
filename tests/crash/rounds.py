"""Rounds: start workers on one folder, kill them in the middle of their work, look at what is left."""

from __future__ import annotations

import os
import random
import selectors
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from partita.engine import Engine
from tests.crash import journal, tables, worker
from tests.crash.history import History
from tests.crash.journal import Step
from tests.crash.structure import check_folder
from tests.forked import fork_server

_KINDS = {"notes-0": "notes", "notes-1": "notes", "transfers": "transfers", "sessions": "sessions", "tables": "tables"}
_SECONDS = 60.0


@dataclass(slots=True)
class Report:
    """What a run has seen."""

    rounds: int = 0
    lives: int = 0
    acknowledged: int = 0
    refused: int = 0
    kills: int = 0
    kills_in_work: int = 0
    left_unfilled: int = 0
    violations: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Count another run as well."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(slots=True)
class _Worker:
    slot: int
    life: int
    process: ForkServerProcess
    output: Connection


@dataclass(slots=True)
class Run:
    """Rounds on one folder, which keeps what the rounds before have left."""

    folder: Path
    journals: Path
    seed: int = 0
    workers: int = 3
    answers: int = 800
    loaded: str = "tests.loaded"
    """What processes are forked from."""
    report: Report = field(default_factory=Report)
    _history: History = field(default_factory=History)
    _living: dict[int, _Worker] = field(default_factory=dict)
    _before: dict[int, int] = field(default_factory=dict)
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)
        self.journals.mkdir(parents=True, exist_ok=True)
        with Engine(self.folder, background=False) as engine:
            tables.create_all(engine)

    def round(self) -> list[str]:
        """One round; what it has found wrong."""
        first = self.report.lives
        try:
            self._work_and_kill()
        finally:
            for victim in list(self._living.values()):
                self._kill(victim)
        violations = list(self._look(range(first, self.report.lives)))
        self.report.rounds += 1
        self.report.violations += violations
        return violations

    def check_from_the_beginning(self) -> list[str]:
        """The streams of all rounds, from their first record."""
        with Engine(self.folder, background=False) as engine:
            violations = list(self._history.check_from_the_beginning(engine))
        self.report.violations += violations
        return violations

    def _work_and_kill(self) -> None:
        with selectors.DefaultSelector() as selector:
            for slot in range(self.workers):
                self._start(slot, selector)
            match self._dice.randrange(4):
                case 0:  # while they start and recover what the last round has left
                    self._wait(selector, self.workers, b"!")
                case 1:  # one dies, its successor comes while the others go on
                    for _ in range(3):
                        self._wait(selector, self._some() // 3)
                        slot = self._dice.choice(list(self._living))
                        self._kill(self._living[slot], selector)
                        self._start(slot, selector)
                    self._wait(selector, self._some() // 3)
                case 2:  # one after another
                    for slot in self._dice.sample(list(self._living), len(self._living)):
                        self._wait(selector, self._some() // 2)
                        self._kill(self._living[slot], selector)
                case 3:  # all at once
                    self._wait(selector, self._some())

    def _some(self) -> int:
        return self._dice.randrange(1, 2 * self.answers)

    def _start(self, slot: int, selector: selectors.BaseSelector) -> None:
        life = self.report.lives
        self.report.lives += 1
        output, its_end = fork_server(self.loaded).Pipe(duplex=False)
        arguments = (self.folder, self.journals, slot, life, self._before.get(slot, -1), its_end)
        process = fork_server(self.loaded).Process(target=worker.work, args=arguments, daemon=True)
        process.start()
        its_end.close()
        self._living[slot] = _Worker(slot, life, process, output)
        self._before[slot] = life
        selector.register(output, selectors.EVENT_READ, self._living[slot])

    def _wait(self, selector: selectors.BaseSelector, answers: int, sign: bytes = b".") -> None:
        """Until so many answers were heard, and then a moment more, so that the kill may hit anything."""
        while answers > 0:
            ready = selector.select(_SECONDS)
            if not ready:
                raise AssertionError(f"no worker has had an answer for {_SECONDS:.0f} seconds")
            for key, _ in ready:
                heard = os.read(key.fd, 65536)
                if not heard:
                    key.data.process.join()
                    raise AssertionError(f"a worker ended by itself: {key.data.process.exitcode}")
                answers -= heard.count(sign)
        with selectors.DefaultSelector() as nothing:
            nothing.select(self._dice.uniform(0, 0.03))

    def _kill(self, victim: _Worker, selector: selectors.BaseSelector | None = None) -> None:
        if selector is not None:
            selector.unregister(victim.output)
        victim.process.kill()
        self.report.kills += 1
        victim.process.join()
        victim.process.close()
        victim.output.close()
        del self._living[victim.slot]

    def _look(self, lives: range) -> Iterator[str]:
        steps: dict[str, list[Step]] = {kind: [] for kind in _KINDS.values()}
        for life in lives:
            pending = False
            for path in sorted(self.journals.glob(f"{life:05d}-*.log")):
                found, violations = journal.read(path)
                yield from violations
                thread = path.stem.split("-", 2)[2]
                if thread in _KINDS:
                    steps[_KINDS[thread]] += found
                self.report.acknowledged += sum(step.outcome == "done" for step in found)
                self.report.refused += sum(step.outcome == "refused" for step in found)
                pending = pending or any(step.outcome == "pending" for step in found)
            self.report.kills_in_work += pending and self._was_cut_off(life)
        with Engine(self.folder, background=False) as engine:
            yield from self._history.check(engine, steps)
            yield from check_folder(engine, self.folder)
            if self._filling(engine):
                self.report.left_unfilled += 1
                engine.maintenance.run()
                if self._filling(engine):
                    yield "a table or an index is still being filled after a pass of the maintenance"
                yield from check_folder(engine, self.folder)
                yield from self._history.check(engine, {kind: [] for kind in steps})

    def _was_cut_off(self, _life: int) -> bool:
        """Whether a life ended by a kill."""
        return True

    def _filling(self, engine: Engine) -> bool:
        """Whether an index or a restored table is half filled."""
        names = engine.call("ListTables", {})["TableNames"]
        described = [engine.call("DescribeTable", {"TableName": name})["Table"] for name in names]
        return any(table["TableStatus"] != "ACTIVE" for table in described)
