"""The suite: the kit and the systems that live on it. Made in `bootstrap`, served by `web`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from partita.kit.kit import Kit
from partita.kit.permissions import House, Policy
from partita.kit.system import System

if TYPE_CHECKING:
    from partita.kit.changes import ChangeWorker


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that runs."""

    kit: Kit
    systems: tuple[System, ...]
    worker: ChangeWorker | None = None
    """What reacts to changes of the tables; None where something else does, such as Lambda functions."""

    def system(self, name: str) -> System | None:
        """The system whose paths begin with this name."""
        return next((system for system in self.systems if system.name == name), None)


def policy_of(systems: tuple[System, ...]) -> Policy:
    """Every permission of house and systems, and what their roles grant."""
    return Policy(
        known=frozenset(House).union(*(system.permissions for system in systems)),
        roles={f"{system.name}:{role}": granted for system in systems for role, granted in system.roles.items()},
        members=frozenset().union(*(system.members for system in systems)),
    )
