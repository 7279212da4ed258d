"""Rounds: write in all ways there are, cut the power in the middle, open what is left, and look."""

from __future__ import annotations

import random
import shutil
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from unittest.mock import patch

import apsw

from partita.dynamo.errors import DynamoError
from partita.engine import Engine, write_ahead_log
from partita.engine.database import Durability
from tests.crash import tables
from tests.crash.history import History, Replay
from tests.crash.journal import Log, Outcome, Step
from tests.crash.structure import check_folder
from tests.crash.worker import kinds_of_work
from tests.powercut import sqlite
from tests.powercut.disk import Disk, PowerCut

_CHECKED = {
    "notes-0": "notes",
    "notes-1": "notes",
    "transfers": "transfers",
    "sessions": "sessions",
    "tables": "tables",
}
_STEPS = 600
_PAGES = (20, 100, write_ahead_log.PAGES)
"""How long SQLite's log may grow before it is written into the file."""
Work = Callable[[Engine, Log, random.Random], None]


@dataclass(slots=True)
class Report:
    """What a run has seen."""

    rounds: int = 0
    cuts: int = 0
    cuts_while_opening: int = 0
    acknowledged: int = 0
    unsynced: int = 0
    missing: int = 0
    """Acknowledged, and not there: allowed without full durability."""
    violations: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Count another run as well."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(slots=True)
class _Log:
    """What one thread was about to do and heard; it stops when the power is gone."""

    name: str
    disk: Disk
    steps: list[Step] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def begin(self, what: dict[str, Any]) -> None:
        self.steps.append(Step(what, "began"))

    def intend(self, what: dict[str, Any]) -> None:
        self._check()
        self.steps.append(Step(what))

    def heard(self, outcome: Outcome) -> None:
        self._check()
        self.steps[-1].outcome = outcome

    def look(self) -> None:
        self._check()

    def complain(self, violation: str) -> None:
        self._check()
        self.violations.append(violation)

    def _check(self) -> None:
        if self.disk.is_cut:
            raise PowerCut


@dataclass(slots=True)
class Run:
    """Rounds on one disk, which keeps what the cuts before have left."""

    folder: Path
    seed: int = 0
    durability: Durability = "full"
    promised: Durability | None = None
    """What is checked, if that is not the durability it is written with."""
    steps: int = _STEPS
    report: Report = field(default_factory=Report)
    _history: History = field(default_factory=History)
    _unanswered: list[dict[str, Any]] = field(default_factory=list)
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)
        (self.folder / "disk").mkdir(parents=True)
        with self._engine("off") as engine:
            tables.create_all(engine)

    @property
    def _data(self) -> Path:
        return self.folder / "disk" / "data"

    @property
    def _all_must_be_there(self) -> bool:
        return (self.promised or self.durability) == "full"

    def _engine(self, durability: Durability) -> Engine:
        """Two seconds pass at every cut, so that there are moments to go back to."""
        return Engine(
            self._data, background=False, durability=durability, clock=lambda: time.time() + 2 * self.report.cuts
        )

    def round(self) -> list[str]:
        """Work and a cut, perhaps another one while what is left is opened, and a look; what was wrong."""
        self.report.rounds += 1
        logs = self._work(self._dice.randrange(1, self.steps))
        if self._dice.random() < 0.25:
            self._open_and_cut()
        violations = [violation for log in logs.values() for violation in log.violations]
        try:
            violations += self._look(logs)
        except (DynamoError, apsw.Error) as error:
            violations.append(f"it cannot be read: {error}")
        self.report.violations += violations
        return violations

    def _work(self, at_step: int) -> dict[str, _Log]:
        life = self.report.cuts
        disk = self._plug_in(at_step)
        kinds: dict[str, Work] = {
            **kinds_of_work(0, life, self._unanswered),
            "maintenance": _maintain,
        }
        logs = {name: _Log(name, disk) for name in kinds}
        pages = patch.object(write_ahead_log, "PAGES", self._dice.choice(_PAGES))
        with sqlite.on(disk), pages, self._engine(self.durability) as engine:
            engine.database.log.beside = self._dice.random() < 0.5
            threads = [
                threading.Thread(target=_guarded, args=(work, engine, logs[name], random.Random(f"{life}-{name}")))
                for name, work in kinds.items()
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self._take_what_is_left(disk)
        return logs

    def _open_and_cut(self) -> None:
        disk = self._plug_in(self._dice.randrange(1, 40))
        with sqlite.on(disk):
            try:
                self._engine(self.durability).close()
            except DynamoError:
                if not disk.is_cut and self.durability != "off":
                    raise
        self.report.cuts_while_opening += disk.is_cut
        self._take_what_is_left(disk)

    def _plug_in(self, at_step: int) -> Disk:
        dice = random.Random(self._dice.random())  # of its own: how often it is thrown hangs on the threads
        return Disk(self.folder / "disk", self.folder / "left", dice, at_step=at_step)

    def _take_what_is_left(self, disk: Disk) -> None:
        disk.cut()
        disk.close()
        self.report.cuts += 1
        self.report.unsynced += disk.unsynced
        shutil.rmtree(self.folder / "disk")
        (self.folder / "left").rename(self.folder / "disk")

    def _look(self, logs: dict[str, _Log]) -> Iterator[str]:
        steps: dict[str, list[Step]] = {kind: [] for kind in _CHECKED.values()}
        for name, kind in _CHECKED.items():
            steps[kind] += logs[name].steps
        self.report.acknowledged += sum(step.outcome == "done" for kind in steps.values() for step in kind)
        self._unanswered = [step.what for step in steps["transfers"] if step.outcome == "pending"]
        with self._engine("off") as engine:
            if self._all_must_be_there:
                yield from self._history.check(engine, steps)
            else:
                yield from self._check_without_the_last(engine, steps)
            yield from check_folder(engine, self._data)
            engine.maintenance.run()
            yield from check_folder(engine, self._data)
            yield from self._check_from_the_beginning(engine)

    def _check_from_the_beginning(self, engine: Engine) -> Iterator[str]:
        """Every stream from its first record, and tables taken back to some of their seconds."""
        history = self._history if self._all_must_be_there else History()
        for replay in history.replays.values():
            yield from replay.advance(engine)[1]
        yield from history.check_from_the_beginning(engine)

    def _check_without_the_last(self, engine: Engine, steps: dict[str, list[Step]]) -> Iterator[str]:
        """Whole as of some moment: what is there has everything before it, and agrees with itself."""
        for name in self._history.replays:
            replay = Replay(name)
            records, violations = replay.advance(engine)
            yield from violations
            yield from replay.differences(engine)
            if name == tables.SESSIONS:
                yield from self._check_order(records, steps["sessions"])
        for step in steps["transfers"]:
            if step.outcome == "done":
                step.outcome = "pending"
        yield from self._history.check_transfers(engine, steps["transfers"])
        self._unanswered = []

    def _check_order(self, records: list[dict[str, Any]], steps: list[Step]) -> Iterator[str]:
        there = {record["dynamodb"]["Keys"]["id"]["S"] for record in records}
        found = [step.what["item"]["id"]["S"] in there for step in steps if step.outcome == "done"]
        self.report.missing += found.count(False)
        if found != sorted(found, reverse=True):
            yield "a session is missing, and one that came later is there"


def _maintain(engine: Engine, log: Log, _dice: random.Random) -> None:
    while True:
        log.look()
        engine.maintenance.run()


def _guarded(work: Work, engine: Engine, log: _Log, dice: random.Random) -> None:
    try:
        work(engine, log, dice)
    except PowerCut:
        return
    except Exception:
        if not log.disk.is_cut:
            log.violations.append(traceback.format_exc())
