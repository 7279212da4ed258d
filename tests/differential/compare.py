"""Two outcomes of the same request: what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.differential.outcomes import Outcome
from tests.differential.requests import Step
from tests.differential.tables import Table


@dataclass(frozen=True)
class Difference:
    """One member in which another engine's outcome is not ours; `outcome` if only one of them refused."""

    engine: str
    step: Step
    member: str
    ours: Outcome
    theirs: Outcome
    tables: tuple[Table, ...]
    seconded: bool = False
    """Whether a third engine is with us in this member."""

    def __str__(self) -> str:
        return (
            f"{self.engine} differs in {self.member}\n    request: {self.step.operation} {self.step.params}\n"
            f"    partita: {self.ours}\n    {self.engine}: {self.theirs}"
        )


def compare(engine: str, step: Step, ours: Outcome, theirs: Outcome, tables: tuple[Table, ...]) -> list[Difference]:
    """All differences of two outcomes."""
    return [Difference(engine, step, member, ours, theirs, tables) for member in differing(ours, theirs)]


def differing(ours: Outcome, theirs: Outcome) -> Iterator[str]:
    if ours.ok != theirs.ok:
        yield "outcome"
    elif ours.code != theirs.code:
        yield "code"
    else:
        names = [name for name in {**ours.members, **theirs.members} if name != "status"]
        found = [name for name in names if ours.members.get(name) != theirs.members.get(name)]
        yield from found
        if not found and ours.spelled != theirs.spelled:
            yield "spelling"


def agree(ours: Outcome, other: Outcome, member: str) -> bool:
    """Whether another engine is with us in one member, and in whether the request was refused."""
    same = ours.code == other.code
    if member in ("outcome", "code"):
        return same
    return same and ours.members.get(member) == other.members.get(member)


def same_message(ours: Outcome, theirs: Outcome) -> bool:
    return ours.ok or ours.message == theirs.message
