"""What a worker is about to do and what it was told: a file per thread and life, which survives its death."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import orjson

Outcome = Literal["done", "refused", "pending", "began"]


@dataclass(slots=True)
class Step:
    """One call: what it was to do, and what became of it as far as the worker heard."""

    what: dict[str, Any]
    outcome: Outcome = "pending"


class Log(Protocol):
    """Where a thread says what it is about to do and what it was told."""

    @property
    def name(self) -> str:
        """Of this thread and life alone."""

    def begin(self, what: dict[str, Any]) -> None:
        """Say what was there when this life began."""

    def intend(self, what: dict[str, Any]) -> None:
        """Say what the next call is to do."""

    def heard(self, outcome: Outcome) -> None:
        """Say what the call answered."""

    def look(self) -> None:
        """Say that the next call only reads."""

    def complain(self, violation: str) -> None:
        """Something a worker saw that must not be."""


@dataclass(frozen=True, slots=True)
class Journal:
    """Writes one thread's file; every line is handed to the system at once."""

    path: Path
    sink: int = 1
    """Where answers are counted."""
    _file: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_file", os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644))

    def close(self) -> None:
        """Nothing more is written."""
        os.close(self._file)

    @property
    def name(self) -> str:
        return self.path.stem

    def begin(self, what: dict[str, Any]) -> None:
        self._write({"began": what})

    def intend(self, what: dict[str, Any]) -> None:
        self._write({"intend": what})

    def heard(self, outcome: Outcome) -> None:
        """The parent counts it."""
        self._write({"heard": outcome})
        os.write(self.sink, b".")

    def look(self) -> None:
        os.write(self.sink, b"?")  # fails, and ends this thread like the others, once the parent is gone

    def complain(self, violation: str) -> None:
        self._write({"violation": violation})

    def _write(self, line: dict[str, Any]) -> None:
        os.write(self._file, orjson.dumps(line) + b"\n")


def read(path: Path) -> tuple[list[Step], list[str]]:
    """The steps of one file, the last of which may be pending, and the complaints."""
    steps: list[Step] = []
    violations: list[str] = []
    for line in _lines(path):
        if "intend" in line:
            steps.append(Step(line["intend"]))
        elif "began" in line:
            steps.append(Step(line["began"], "began"))
        elif "heard" in line:
            steps[-1].outcome = line["heard"]
        else:
            violations.append(f"{path.name}: {line['violation']}")
    return steps, violations


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError:
            return  # torn by the kill: the intention was never carried out, or the answer not heard


def file_name(life: int, slot: int, thread: str) -> str:
    """The file of a thread of the worker in that slot; lives are numbered through all rounds."""
    return f"{life:05d}-{slot}-{thread}.log"
