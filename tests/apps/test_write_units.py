"""What the pages say that writes cost is what they cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.apps import write_units
from tests.apps.write_units import Row

DOCS = Path(__file__).parent.parent.parent / "docs"
RENEW = "renew its table with `python -m tests.apps.write_units`"


def _told(page: str) -> dict[str, tuple[float, ...]]:
    """What is done → the numbers of today in the page's table, which are behind those of before."""
    part = (DOCS / page).read_text().partition("## What writes cost")[2].partition("\n## ")[0]
    _, _, body = part.partition("|---|")
    rows = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("| ")]
    return {name: tuple(float(each.rpartition("→ ")[2]) for each in units) for name, *units in rows}


@pytest.mark.parametrize(
    ("page", "measure"), [("kelifax.md", write_units.kelifax), ("fus.md", write_units.fus)], ids=["kelifax", "fus"]
)
def test_a_write_costs_what_the_page_says(page: str, measure: Callable[[], list[Row]]) -> None:
    measured = dict(measure())
    assert _told(page) == measured, f"docs/{page} is old: {RENEW}"
