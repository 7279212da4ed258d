"""An index in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.kit.search import Search
from partita.table import CursorKeys


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    search = Search(tmp_path / "search.db", CursorKeys(b"s" * 32))
    yield search
    search.close()
