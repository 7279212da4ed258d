"""Whoever imports this has loaded the suite: an application was made once, with all that it imports on its way."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import threading
from pathlib import Path

import partita.commands.serve
import partita.web.connections  # noqa: F401
from partita.bootstrap import build
from partita.kit.settings import Settings
from partita.web.app import create_app


async def _load() -> None:
    with tempfile.TemporaryDirectory() as folder:
        suite = build(Settings(data=Path(folder), fetch=False))
        create_app(suite)
        await suite.close()


asyncio.run(_load())
assert threading.active_count() == 1, "nobody can be forked from a process with threads"
gc.collect()
gc.freeze()
