"""A process that runs the newsletter's steps until it kills itself at one of its checkpoints. Every phase of a step
ends with one: begun, a section kept, the result stored."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from partita.apps.newsletter import system as newsletter
from partita.bootstrap import build
from partita.kit.jobs import JobWorker
from partita.kit.jobs.holds import Hold
from partita.kit.jobs.worker import Pace
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from tests.starters import Anybody


def suite_in(folder: Path) -> Suite:
    """A suite with newsletters alone; everything on one folder."""
    suite = build(Settings(data=folder, fetch=False, jobs=0), builders=[newsletter.build])
    suite.kit.jobs.starters = Anybody(suite.kit.accounts)
    return suite


def kill_at(number: int, when: str) -> None:
    """Kill this process before or after its nth checkpoint."""
    save, count = Hold.save, 0

    async def counted(self: Hold, *arguments: Any, **named: Any) -> None:
        nonlocal count
        count += 1
        mine = count  # others may save meanwhile
        if mine == number and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        await save(self, *arguments, **named)
        if mine == number and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)

    Hold.save = counted  # type: ignore[method-assign]


def work(folder: Path, number: int, when: str, ready: Connection) -> None:
    """Die before or after a checkpoint."""
    kill_at(number, when)
    # With a folder of its own for what processes of a machine share, such as the places for child processes.
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
    asyncio.run(_work(folder, ready))


async def _work(folder: Path, ready: Connection) -> None:
    suite = suite_in(folder)
    ready.send_bytes(b"!")
    await JobWorker(suite.kit.jobs, at_once=2, pace=Pace(poll=0.05, lease=1.0, stalls=1000)).run()
