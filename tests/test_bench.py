"""The benchmark of the clients runs: every library reads what is there, and the report has its figures."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = (
    "Partita in process",
    "Partita",
    "Partita, async",
    "pydynox",
    "pydynox, async",
    "aiodynamo, async",
    "boto3 client",
    "boto3 resource",
    "PynamoDB",
    "pydynantic",
)


def test_the_clients_are_compared_and_reported() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench", "clients", "--short"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for name in LIBRARIES:
        assert re.search(rf"^\| {name} \|( [\d,]+ \| \d+\.\d\d× \|){{3}}$", ran.stdout, re.MULTILINE), ran.stdout
    assert re.search(r"to boto3 client, get \| ≤ 0\.35× \| \d+\.\d\d× \|$", ran.stdout, re.MULTILINE)
    assert re.search(r"in process, as models, get \| ≤ 60 µs \| [\d,]+ µs \|$", ran.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("part", "figure"),
    [
        ("search", r"with facets \| [\d.]+ ms \| [\d.]+ ms"),
        ("web", r"API detail \| [\d,]+ \| [\d,]+"),
        ("engine", r"get to raw SQLite \| ≥ 0\.45× \| [\d.]+×"),
    ],
)
def test_a_part_is_measured_and_reported(part: str, figure: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench", part, "--short"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert re.search(figure, ran.stdout)
