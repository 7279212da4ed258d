"""A process that applies imports until it is killed: `python -m tests.apps.worthwatch.killed FOLDER`."""

from __future__ import annotations

import asyncio
import os
import sys
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


async def main(folder: Path) -> None:
    suite = suite_in(folder)
    os.write(1, b"!")  # a kill may come from here on
    await JobWorker(suite.kit.jobs, at_once=1, pace=Pace(poll=0.05, lease=1.0, stalls=1000)).run()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
