"""The engine against two others, in short; `make differential` is the long run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.__main__ import run
from tests.differential.differences import RULES, document
from tests.differential.engines import DYNOXIDE_BINARY
from tests.differential.report import report

REQUESTS = 400
STATEMENTS = 60


@pytest.mark.slow
@pytest.mark.skipif(not DYNOXIDE_BINARY.exists(), reason="dynoxide is not installed (npm ci, Linux on x86-64 only)")
def test_every_difference_to_moto_and_dynoxide_is_explained() -> None:
    tally, unexplained = run(REQUESTS, seed=1, stop_at=3)
    assert not tally.unexplained, f"{report(tally)}\n\n{unexplained}"
    assert tally.requests >= REQUESTS


@pytest.mark.slow
@pytest.mark.skipif(not DYNOXIDE_BINARY.exists(), reason="dynoxide is not installed (npm ci, Linux on x86-64 only)")
def test_every_difference_in_statements_is_explained() -> None:
    tally, unexplained = run(STATEMENTS, seed=1, stop_at=3, statements=True)
    assert not tally.unexplained, f"{report(tally)}\n\n{unexplained}"
    assert tally.requests >= STATEMENTS


def test_every_explanation_has_a_name_of_its_own() -> None:
    names = [str(rule) for rule in RULES]
    assert len(names) == len(set(names))


def test_the_differences_are_documented() -> None:
    page = Path(__file__).parents[1] / "docs" / "differences.md"
    assert page.read_text() == document(), "run: python -m tests.differential --document > docs/differences.md"
