"""What child processes are asked to do by the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita.kit.jobs.runner import ChildJob


def add(one: int, two: int) -> int:
    print("what is printed does not get between the answers")
    return one + two


def echo(value: Any) -> Any:
    return value


def shout() -> None:
    raise ValueError("no")


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def spin() -> None:
    while True:
        pass


def eat(megabytes: int) -> int:
    return len(bytearray(megabytes * 1_000_000))


def crash() -> None:
    os.kill(os.getpid(), 9)


def environment() -> list[str]:
    return sorted(os.environ)


def hostile() -> object:
    return subprocess.Popen  # a name that a careless reader would import


def with_another_process(seconds: float) -> None:
    """Start a process of its own, and go on."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    time.sleep(seconds)


def at_work(folder: str, name: str) -> int:
    """How many are at work at once, this one among them."""
    mark = Path(folder) / name
    mark.touch()
    most = 0
    for _ in range(10):
        most = max(most, len(list(Path(folder).iterdir())))
        time.sleep(0.01)
    mark.unlink()
    return most


def count(job: ChildJob, arguments: dict[str, Any]) -> dict[str, Any]:
    """A job: counts, saves, and says how far it is."""
    for number in range(job.saved or 0, arguments["to"]):
        job.progress("Counting", done=number + 1, total=arguments["to"])
        job.checkpoint(number + 1)
        time.sleep(arguments.get("pause", 0))
    return {"message": f"Counted to {arguments['to']}.", "values": {"attempt": job.attempt}}


def write_here(file: str) -> str:
    try:
        Path(file).write_text("x" * 100)
    except OSError as error:
        return type(error).__name__
    return "written"


def answer_much() -> bytes:
    return b"x" * 10_000_000
