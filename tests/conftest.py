"""What holds for all tests."""

from __future__ import annotations

import gc
import os

import pytest

# No test cuts the power, and a process that is killed loses nothing: nobody has to wait for the disk at every write.
os.environ.setdefault("PARTITA_DURABILITY", "off")
os.environ.setdefault("PARTITA_MEANING", "false")  # the model takes its time; tests that want it ask for it


def pytest_collection_finish(session: pytest.Session) -> None:
    """Modules stay until the end: nobody has to look through them for garbage again and again."""
    gc.collect()
    gc.freeze()
