"""The smallest sequence that still shows a difference."""

from __future__ import annotations

from dataclasses import replace

from tests.differential.compare import Difference
from tests.differential.engines import Peer
from tests.differential.play import Play, Tally
from tests.differential.requests import Sequence


def smallest(engines: list[Peer], sequence: Sequence, difference: Difference) -> str:
    """Leave out requests one by one, last first, as long as the difference stays."""
    steps = list(sequence.steps)
    steps = steps[: steps.index(difference.step) + 1] if difference.step in steps else steps
    for position in range(len(steps) - 2, -1, -1):
        fewer = steps[:position] + steps[position + 1 :]
        if _shows(engines, replace(sequence, steps=tuple(fewer)), difference):
            steps = fewer
    lines = [f"{difference}\n    after:"]
    lines += [f"      CreateTable {table.create}" for table in sequence.tables]
    lines += [f"      {step.operation} {step.params}" for step in steps[:-1]]
    return "\n".join(lines)


def _shows(engines: list[Peer], sequence: Sequence, wanted: Difference) -> bool:
    found = Play(engines, Tally()).sequence(sequence)
    return any((each.engine, each.member, each.step) == (wanted.engine, wanted.member, wanted.step) for each in found)
