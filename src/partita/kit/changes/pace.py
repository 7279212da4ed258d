"""How fast the worker goes about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """All times in seconds."""

    poll: float = 0.15
    """Between two looks at a stream, as long as something happens."""
    idle: float = 0.15
    """Between two looks at a stream in which nothing has happened for some seconds."""
    batch: int = 100
    """Records between two checkpoints."""
    tries: int = 6
    """How often a handler is asked to take a change before the change is parked."""
    tries_in_outage: int = 66
    """How often if what fails is out of reach for a while (files, the network, a throttled table): for five minutes."""
    first_pause: float = 0.05
    longest_pause: float = 5.0
    lease: float = 10.0
    """How long others wait before they take over from a process that was killed."""
    shards: float = 5.0
    """Between two looks at which shards there are."""

    def after_failures(self, failures: int) -> float:
        """How long to wait after the tables could not be reached so many times before."""
        return min(self.poll * 2.0 ** min(failures, 10), max(self.longest_pause, self.poll))


OVER_THE_NETWORK = Pace(poll=0.4, idle=1.2)
"""DynamoDB answers five reads a second for each shard, whichever machine asks."""

IN_LAMBDA = Pace(tries_in_outage=6)
"""AWS ends a function that waits for minutes."""
