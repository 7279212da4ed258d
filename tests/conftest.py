"""What holds for all tests."""

from __future__ import annotations

import gc
import os

import pytest

# No test cuts the power: what the engine promises then is SQLite's to keep, and a killed process loses nothing. Waiting
# for the disk at every write would take as long as all else.
os.environ.setdefault("PARTITA_DURABILITY", "off")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Modules stay until the end: to look through all of them for garbage, again and again, takes a tenth of the time."""
    gc.collect()
    gc.freeze()
