"""Lists of patterns in text files beside this one: a name, a weight, a pattern; indented lines go on with it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from importlib.resources import files

_LINE = re.compile(r"(\S+) ([\d.]+) (.*)", re.DOTALL)
_NAMED = "name:"


def patterns(file: str, exact: Container[str] = ()) -> Iterator[tuple[str, float, re.Pattern[str]]]:
    """The patterns of a file in its order; `{names}` in them stand for patterns that the file names. Those of names in
    `exact` tell small from capital letters."""
    rows = [(found[1], float(found[2]), found[3]) for line in _lines(file) if (found := _LINE.fullmatch(line))]
    named = [(name.removeprefix(_NAMED), pattern) for name, _, pattern in rows if name.startswith(_NAMED)]
    for name, weight, pattern in rows:
        for short, whole in reversed(named):
            pattern = pattern.replace(f"{{{short}}}", whole)
        yield name, weight, re.compile(pattern, 0 if name in exact else re.IGNORECASE)


def _lines(file: str) -> Iterator[str]:
    held = ""
    for line in (files(__package__) / file).read_text("utf-8").split("\n"):
        if line.startswith("    "):
            held += line[4:]
            continue
        if held and not held.startswith("#"):
            yield held
        held = line
    yield held
