"""docs/security.md: every file that it names is there, and no section of the standard is left out."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text()
SECTIONS: dict[int, int | tuple[int, ...]] = {
    1: (1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14),
    4: 3,
    5: 5,
    6: 4,
    7: 4,
    8: 3,
    9: 2,
    11: 1,
    12: 6,
    13: 4,
    14: 5,
}
"""Of each chapter, those with requirements of level 1 or 2; V2 and V3 are in accounts.md, V10 begins with 10.2."""
VERDICTS = {"met", "partly", "not met", "n/a"}


def test_every_file_it_names_is_there() -> None:
    named = re.findall(r"`((?:src|tests|docs|requirements)/[\w./-]+)`", PAGE)
    assert len(named) > 80
    assert sorted({each for each in named if not (ROOT / each).exists()}) == []


def test_every_section_of_the_standard_has_a_verdict() -> None:
    rows = re.findall(r"^\| ([\d., –]+) [^|]*\| ([^|]*) \|", PAGE.partition("## ASVS")[2], re.MULTILINE)
    assert {verdict for _, verdict in rows} <= VERDICTS
    judged = {
        (int(chapter), int(section)) for numbers, _ in rows for chapter, section in re.findall(r"(\d+)\.(\d+)", numbers)
    }
    wanted = {
        (chapter, section)
        for chapter, sections in SECTIONS.items()
        for section in (range(1, sections + 1) if isinstance(sections, int) else sections)
    } | {(10, 2), (10, 3)}
    assert wanted - judged == set()
    assert "### V2 Authentication, V3 Sessions\n\n[accounts.md](accounts.md)" in PAGE
