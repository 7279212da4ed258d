"""How fast the worker goes about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """All times in seconds."""

    poll: float = 0.15
    """Between two looks at a stream that has nothing new."""
    batch: int = 100
    """Records between two checkpoints."""
    tries: int = 6
    """How often a handler is asked to take a change before the change is parked."""
    first_pause: float = 0.05
    longest_pause: float = 5.0
    lease: float = 10.0
    """How long others wait before they take over from a process that was killed."""
    shards: float = 5.0
    """Between two looks at which shards there are."""


OVER_THE_NETWORK = Pace(poll=0.5)
"""DynamoDB answers five reads a second for each shard, and two workers of a machine may read the same one."""
