"""The short mode of the fuzzer; `make fuzz` runs the long one."""

from pathlib import Path

from tests.fuzz.door import fuzz, summary
from tests.serving import partita_door

REQUESTS = 3000


def test_hostile_requests_never_bring_a_500_a_crash_or_unbounded_memory(tmp_path: Path) -> None:
    with partita_door(tmp_path, "--durability", "off") as served:
        outcome = fuzz(served, REQUESTS, seed=7)
    assert not outcome.failures, summary(outcome, REQUESTS)
    assert sum(outcome.statuses.values()) >= REQUESTS
    assert outcome.codes["answered"] > 100, "the corpus should also hold requests that work"
    assert outcome.megabytes_after < 250, summary(outcome, REQUESTS)
