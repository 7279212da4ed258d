"""Machines whose clocks are a minute off: whoever is killed is replaced in time, and nobody before."""

from __future__ import annotations

import re
import time

import pytest

from tests.machines.machine import LEASE_SECONDS
from tests.machines.place import Machine, Place, until

MINUTE = 60.0
LATE = 10.0
"""What a busy computer may take beside; by clocks it would be a minute or two."""


@pytest.mark.timeout(600)
def test_with_clocks_a_minute_off_the_handlers_of_a_killed_machine_are_taken_over_in_time(place: Place) -> None:
    ahead = place.start("ahead", ahead=MINUTE)
    until(lambda: place.holder() != "")
    # By the clock of the one behind, the lease of the one ahead has two minutes to go.
    behind = place.start("behind", ahead=-MINUTE)
    assert _taken_over(place, ahead) < LEASE_SECONDS + LATE
    # By the clock of the one ahead, the lease of the one behind is long over; but that one lives.
    ahead, right = place.begin("ahead", ahead=MINUTE), place.begin("right")
    for each in (ahead, right):
        each.await_ready()
    _nobody_takes_over(place, [ahead, behind, right])
    assert _taken_over(place, behind) < LEASE_SECONDS + LATE

    place.write(3)
    place.everybody_finds_everything([ahead, right])
    assert re.search(r"clock is [56]\d seconds ahead of the clock of the tables", ahead.log), ahead.log
    assert re.search(r"clock is [56]\d seconds behind the clock of the tables", behind.log), behind.log
    assert "clock of the tables" not in right.log


def _taken_over(place: Place, killed: Machine) -> float:
    """Seconds from the kill until another process has the lease of the shared handlers."""
    before = place.holder()
    killed.kill()
    return until(lambda: place.holder() not in ("", before))


def _nobody_takes_over(place: Place, machines: list[Machine]) -> None:
    """For longer than a lease, unless its owner found that it could not be renewed: this computer may be busy."""
    first, lost = place.lease(), _lost(machines)
    assert first is not None
    begun = time.monotonic()
    until(lambda: time.monotonic() - begun > LEASE_SECONDS)
    now = place.lease()
    assert now is not None
    assert now.turn - first.turn <= _lost(machines) - lost


def _lost(machines: list[Machine]) -> int:
    """How often machines have said that a lease was lost."""
    return sum(each.log.count("; trying again") for each in machines)
