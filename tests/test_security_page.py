"""docs/security.md: every file that it names is there, and no requirement of the standard is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text()
ACCOUNTS = (ROOT / "docs" / "accounts.md").read_text()
REQUIREMENTS: dict[int, dict[int, int | tuple[int, ...]]] = {
    1: {1: 7, 2: 4, 4: (1, 4, 5), 5: 4, 6: 4, 7: 2, 8: 2, 9: 2, 10: 1, 11: 2, 12: (2,), 14: 6},
    2: {1: 12, 2: 3, 3: 3, 4: 5, 5: 7, 6: 3, 7: 6, 8: 7, 9: 3, 10: 4},
    3: {1: 1, 2: 4, 3: 4, 4: 5, 5: 3, 7: 1},
    4: {1: (1, 2, 3, 5), 2: 2, 3: 3},
    5: {1: 5, 2: 8, 3: 10, 4: 3, 5: 4},
    6: {1: 3, 2: 6, 3: 2, 4: 2},
    7: {1: 4, 2: 2, 3: (1, 3, 4), 4: 3},
    8: {1: 4, 2: 3, 3: 8},
    9: {1: 3, 2: 4},
    10: {2: 2, 3: 3},
    11: {1: 8},
    12: {1: 3, 2: 1, 3: 6, 4: 2, 5: 2, 6: 1},
    13: {1: (1, 3, 4, 5), 2: (1, 2, 3, 5, 6), 3: 2, 4: 2},
    14: {1: 4, 2: 6, 3: (2, 3), 4: 7, 5: 4},
}
"""Of each chapter and section, how many requirements are of level 1 or 2, or which: the standard has deleted some."""
ON_ACCOUNTS = {2, 3}
"""Chapters that accounts.md judges."""
NUMBER = r"\d+\.\d+\.\d+"
VERDICTS = {"met", "partly", "not met", "n/a"}


def test_every_file_it_names_is_there() -> None:
    named = re.findall(r"`((?:src|tests|docs|requirements)/[\w./-]+)`", PAGE)
    assert len(named) > 80
    assert sorted({each for each in named if not (ROOT / each).exists()}) == []


def test_every_requirement_of_the_standard_has_one_verdict() -> None:
    for page, here in ((PAGE, REQUIREMENTS.keys() - ON_ACCOUNTS), (ACCOUNTS, ON_ACCOUNTS)):
        table = page.partition("## ASVS")[2]
        rows = re.findall(rf"^\| ({NUMBER}(?:(?:–|, ){NUMBER})*) [^|]*\| ([^|]*) \|", table, re.MULTILINE)
        assert {verdict for _, verdict in rows} <= VERDICTS
        judged = [number for numbers, _ in rows for number in named(numbers)]
        assert sorted(judged) == sorted(
            (chapter, section, number)
            for chapter in here
            for section, numbers in REQUIREMENTS[chapter].items()
            for number in (range(1, numbers + 1) if isinstance(numbers, int) else numbers)
        )


def named(numbers: str) -> Iterator[tuple[int, int, int]]:
    """The requirements that a row names: `2.4.1, 2.5.1–2.5.3`."""
    for part in numbers.split(", "):
        first, _, last = part.partition("–")
        chapter, section, number = map(int, first.split("."))
        assert not last or last.startswith(f"{chapter}.{section}.")
        until = int(last.rpartition(".")[2]) if last else number
        yield from ((chapter, section, each) for each in range(number, until + 1))
