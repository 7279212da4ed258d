"""Places with tables and machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machines.place import Place, open_place
from tests.machines.trio import Trio


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Empty tables."""
    with open_place(tmp_path / "place") as opened:
        yield opened


@pytest.fixture(scope="package")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trio]:
    """Three machines on the same tables, which several tests use: each begins with `trio.be_well()`."""
    with open_place(tmp_path_factory.mktemp("machines") / "trio") as opened:
        yield Trio(opened)
