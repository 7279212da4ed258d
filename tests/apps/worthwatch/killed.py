"""A process that applies imports until it is killed: `python -m tests.apps.worthwatch.killed FOLDER`."""

from __future__ import annotations

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path

from partita.apps.worthwatch import system
from partita.bootstrap import build
from partita.kit.jobs import JobWorker
from partita.kit.jobs.worker import Pace
from partita.kit.settings import Settings
from partita.kit.suite import Suite


def suite_in(folder: Path) -> Suite:
    """WorthWatch alone, on a folder that several processes use."""
    return build(Settings(data=folder, fetch=False), builders=[system.build])


def work(folder: Path, ready: Connection) -> None:
    asyncio.run(_work(folder, ready))


async def _work(folder: Path, ready: Connection) -> None:
    suite = suite_in(folder)
    ready.send_bytes(b"!")
    await JobWorker(suite.kit.jobs, at_once=1, pace=Pace(poll=0.05, lease=1.0, stalls=1000)).run()
