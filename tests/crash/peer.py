"""A process with an engine that does as it is told: the other side of tests with several processes on one folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson

from partita.dynamo.errors import DynamoError
from partita.engine import Engine

_ROOT = Path(__file__).parents[2]


class PeerError(Exception):
    """What the other process was refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Peer:
    """Another process's engine, called like one of our own."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        command = [sys.executable, "-m", "tests.crash.peer", str(folder), orjson.dumps(settings).decode()]
        self._process = subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.kill()

    def call(self, operation: str, request: dict[str, Any]) -> Any:
        """Run an operation over there."""
        return self._ask([operation, request])

    def visit(self, folder: Path) -> Any:
        """Open another folder over there, list its tables, and close it."""
        return self._ask([str(folder)])

    def _ask(self, question: list[Any]) -> Any:
        assert self._process.stdin is not None  # both are pipes
        assert self._process.stdout is not None
        self._process.stdin.write(orjson.dumps(question) + b"\n")
        self._process.stdin.flush()
        answer = orjson.loads(self._process.stdout.readline())
        if "code" in answer:
            raise PeerError(answer["code"], answer["message"])
        return answer["answer"]

    def kill(self) -> None:
        """End it without a warning, and wait until it is gone."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def main(folder: str, settings: str) -> None:
    """Answer every line until there are no more."""
    with Engine(folder, **orjson.loads(settings)) as engine:
        for line in sys.stdin.buffer:
            question = orjson.loads(line)
            try:
                answer: dict[str, Any] = {"answer": engine.call(*question) if len(question) > 1 else _visit(*question)}
            except DynamoError as error:
                answer = {"code": error.code, "message": error.message}
            os.write(1, orjson.dumps(answer) + b"\n")


def _visit(folder: str) -> Any:
    with Engine(folder, background=False) as engine:
        return engine.call("ListTables", {})


if __name__ == "__main__":
    main(*sys.argv[1:])
