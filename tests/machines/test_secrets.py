"""Three machines as `partita serve` starts them: one that has no secret in common with the others says so."""

from __future__ import annotations

import pytest

from tests.forked import victim
from tests.machines.machine import LOG, SECRET, served
from tests.machines.place import Place, until

_WARNING = "Set PARTITA_SECRET to the same text on all of them"


@pytest.mark.timeout(600)
def test_a_machine_without_the_common_secret_says_so_at_its_start_and_the_others_do_not(place: Place) -> None:
    common = {
        "PARTITA_BACKEND": "dynamodb",
        "PARTITA_ENDPOINT_URL": place.proxy.url,
        "PARTITA_REGION": "us-east-1",
        "PARTITA_FETCH": "false",
    }
    given = {"one": {"PARTITA_SECRET": SECRET}, "two": {"PARTITA_SECRET": SECRET}, "alone": {}}
    machines = [victim(served, place.folder / name, {**common, **secret}) for name, secret in given.items()]
    try:
        logs = [place.folder / name / LOG for name in given]
        until(lambda: all(log.exists() and "Ctrl-C" in log.read_text() for log in logs))
        assert [log.read_text().count(_WARNING) for log in logs] == [0, 0, 1]
    finally:
        for each in machines:
            each.kill()
