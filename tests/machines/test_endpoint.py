"""An endpoint that does not answer holds nobody for long, and idle machines ask it seldom."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from partita.kit.changes.pace import OVER_THE_NETWORK
from partita.kit.changes.schema import Checkpoint
from partita.store.retries import OVER_A_NETWORK
from tests.machines.place import until
from tests.machines.proxy import Proxy
from tests.machines.trio import Trio

READY, PAGE = 2.0, 5.0
"""Seconds, as docs/operations.md has them."""
LATE = 4.0
"""What a busy computer may take beside."""


FAULTS: dict[str, Callable[[Proxy], None]] = {
    "silent": Proxy.fall_silent,
    "refusing": Proxy.hang_up,
    **({"slow": lambda proxy: proxy.slow_down(PAGE * 3)} if "PARTITA_MACHINES" in os.environ else {}),
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault", FAULTS)
def test_an_endpoint_that_does_not_answer_holds_nobody(trio: Trio, fault: str) -> None:
    place, machines = trio.place, trio.be_well()
    place.write(1)
    place.everybody_finds_everything(machines)
    known = f"/api/kelifax/resources/{min(place.slugs)}"
    assert [each.status for each in trio.ask_all(known)] == [200] * 3
    FAULTS[fault](place.proxy)
    waited = trio.ask_all("/readyz", known)
    assert {(each.status, each.headers.get("retry-after")) for each in waited} == {(503, "2")}
    assert [each.seconds for each in waited[:3] if each.seconds > READY + LATE] == []
    assert [each.seconds for each in waited[3:] if each.seconds > PAGE + LATE] == []
    # From now on somebody tries every two seconds, and everybody else is told at once.
    at_once = [min(each.get(known).seconds for _ in range(2)) for each in machines]
    assert max(at_once) < PAGE / 2
    assert [each.status for each in trio.ask_all("/healthz")] == [200] * 3
    place.write(1)
    place.proxy.be_well()
    until(lambda: [each.status for each in trio.ask_all("/readyz")] == [200] * 3)
    place.everybody_finds_everything(machines)


@pytest.mark.timeout(600)
def test_an_endpoint_that_answers_late_is_not_ready_but_pages_come(trio: Trio) -> None:
    trio.be_well()
    trio.place.proxy.slow_down(READY + 0.5)
    answers = trio.ask_all("/readyz", "/api/kelifax/resources/none")
    assert {(each.status, each.headers.get("retry-after")) for each in answers[:3]} == {(503, "2")}
    assert [each.seconds for each in answers[:3] if each.seconds > READY + LATE] == []
    assert {each.status for each in answers[3:]} == {404}


@pytest.mark.timeout(600)
def test_idle_machines_read_each_shard_once_in_the_longest_pause(trio: Trio) -> None:
    place, machines = trio.place, trio.be_well()
    place.write(1)
    place.everybody_finds_everything(machines)
    shards = {each.shard for each in place.store.scan_whole_table(Checkpoint)}
    seconds = 3 * OVER_THE_NETWORK.idle
    most = len(machines) * len(shards) * (seconds / OVER_THE_NETWORK.idle + 1)
    reads: list[int] = []

    def they_are_idle() -> bool:
        before, begun = place.proxy.requests["GetRecords"], time.monotonic()
        while time.monotonic() - begun < seconds:
            time.sleep(0.05)
        reads.append(place.proxy.requests["GetRecords"] - before)
        return 0 < reads[-1] <= most

    until(they_are_idle)


@pytest.mark.timeout(600)
def test_machines_whose_reads_of_streams_are_throttled_pause_and_miss_nothing(trio: Trio) -> None:
    place, machines = trio.place, trio.be_well()
    place.write(1)
    place.everybody_finds_everything(machines)
    missed = [each.log.count("missed changes") for each in machines]
    place.proxy.throttled.clear()
    place.proxy.limit_reads(1.0)
    before, begun = place.proxy.requests["GetRecords"], time.monotonic()
    for _ in range(5):
        place.write(3)
        place.rename(min(place.slugs))
        place.delete(max(place.slugs))
        time.sleep(1.0)
    place.everybody_finds_everything(machines)
    seconds, throttled = time.monotonic() - begun, place.proxy.throttled["GetRecords"]
    assert throttled > 0
    # Each look is tried again some times, with longer pauses, and then left to the next one.
    shards = {each.shard for each in place.store.scan_whole_table(Checkpoint)}
    asked = place.proxy.requests["GetRecords"] - before
    looks = len(machines) * len(shards) * (seconds / OVER_THE_NETWORK.poll + 2)
    assert asked <= looks * OVER_A_NETWORK.attempts
    assert [each.status for each in trio.ask_all("/readyz")] == [200] * 3
    place.proxy.be_well()
    assert [each.log.count("missed changes") for each in machines] == missed
