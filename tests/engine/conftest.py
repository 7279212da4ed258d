"""An engine on a folder of its own, with a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.engine import Engine
from tests.engine.tables import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder for exports and imports, with the bucket `shelf`."""
    (tmp_path / "shelf").mkdir()
    return tmp_path


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """Background work happens only when a test calls `engine.maintenance.run()`."""
    with Engine.temporary(clock=clock, background=False) as engine:
        yield engine
