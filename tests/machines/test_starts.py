"""Three machines that start at once: on empty tables, with one killed on its way, and without the right to make any."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from partita.apps.kelifax.schema import RESOURCES
from partita.kit.accounts import ACCOUNTS
from partita.kit.files.schema import UPLOADS
from partita.kit.schema import HOUSE
from partita.store.table_setup import check
from tests.machines.place import SECONDS, Place, open_place

ROUNDS = int(os.environ.get("PARTITA_MACHINES", "2"))
TABLES = (ACCOUNTS, HOUSE, UPLOADS, RESOURCES)
KILLED_AT = {
    "UpdateTimeToLive": [table for table in TABLES if table.ttl],
    "CreateTable": TABLES,
    "DescribeTable": TABLES,
    "DescribeTimeToLive": [table for table in TABLES if table.ttl],
}
"""What each is asked for, one after the other."""
MAKING = ("CreateTable", "UpdateTable", "UpdateTimeToLive")


@pytest.mark.timeout(3600)
def test_three_that_start_at_once_on_empty_tables_all_serve_though_one_is_killed_on_its_way(tmp_path: Path) -> None:
    for number in range(ROUNDS):
        with open_place(tmp_path / f"round-{number}") as place, ExitStack() as stack:
            own = place.new_proxy(stack)
            operation, asked_for = list(KILLED_AT.items())[number % len(KILLED_AT)]
            held = own.meet(operation, number=2, after=number // len(KILLED_AT) % len(asked_for))
            # They ask at the same time whether there is expiry, and all hear that there is none.
            for operation in ("CreateTable", "DescribeTimeToLive"):
                place.proxy.meet(operation, number=3)
            killed = place.begin("killed", endpoint=own.url)
            assert held.await_somebody(SECONDS), killed.log
            others = [place.begin(name) for name in ("one", "two")]
            killed.kill()
            own.be_well()
            again = place.begin("killed")
            for each in (*others, again):
                each.await_ready()
                assert each.get("/readyz").status == 200
            for table in TABLES:
                check(table, place.engine.call)


@pytest.mark.timeout(600)
def test_three_that_may_not_make_tables_start_on_those_that_are_there(place: Place) -> None:
    place.proxy.refuse(*MAKING)
    alone = place.begin("alone", make_tables=False)
    with pytest.raises(AssertionError, match=r"There is no table .*PARTITA_MAKE_TABLES is false"):
        alone.await_ready()
    place.store.create(*TABLES)
    place.write(3)
    machines = place.start_all("one", "two", "three", make_tables=False)
    place.everybody_finds_everything(machines)
    assert not {*MAKING} & {*place.proxy.requests}
