"""A machine that was away for longer than a stream keeps changes finds what is there, and nothing else; after some days
nothing is known of it."""

from __future__ import annotations

import os

import pytest

from partita.apps.kelifax.schema import RESOURCES
from partita.kit.changes.schema import checkpoints
from tests.machines.place import Machine, Place, until

LONG = "PARTITA_MACHINES" in os.environ
SIGN = "kelifax.search missed changes of"
AWAY = 25.0
"""In hours; streams keep a day."""
DAY = 24 * 3600


@pytest.mark.timeout(600)
def test_a_machine_that_missed_changes_notices_it_by_each_sign_and_finds_what_is_there(place: Place) -> None:
    file = place.folder / "time-of-day"
    away, *others = place.start_all("away", "one", "two", time_of_day=file)
    place.write(6)
    place.everybody_finds_everything([away, *others])

    # Its clock tells it for how long it was away.
    _is_away(place, away, others)
    away = place.start("away", time_of_day=file)
    place.everybody_finds_everything([away, *others])
    assert away.log.count("this machine missed changes since") == 1, away.log

    # A clock that stood still tells nothing; but the stream no longer has the changes, and then not even the shard.
    for number, new_shard in enumerate((False, True) if LONG else (True,), start=1):
        _is_away(place, away, others, new_shard=new_shard)
        known = away.log.count(SIGN)
        away = place.start("away", time_of_day=file, ahead=-number * AWAY * 3600)
        place.everybody_finds_everything([away, *others])
        assert away.log.count(SIGN) > known, away.log
        assert away.log.count("this machine missed changes since") == 1, away.log

    # After some days the tables have forgotten it. Those who live renew what is known of them.
    until(lambda: _traces(place, away) == {"checkpoint", "lease"})
    _is_away(place, away, others)
    for _ in range(3):
        place.time_of_day.pass_by(AWAY)
        until(lambda: all(_expiry(place, each) > place.time_of_day.now() + 2 * DAY for each in others))
    until(lambda: _traces(place, away) == set())
    assert [_traces(place, each) for each in others] == [{"checkpoint", "lease"}] * 2
    place.engine.maintenance.trim()
    away = place.start("away", time_of_day=file)
    place.everybody_finds_everything([away, *others])
    until(lambda: _traces(place, away) == {"checkpoint", "lease"})
    assert away.log.count("is new here, or was away for long") == 2, away.log  # at its first start as well


def _is_away(place: Place, away: Machine, others: list[Machine], *, new_shard: bool = False) -> None:
    """Kill it. Meanwhile resources come, change and go, and nothing in the streams tells of it any more."""
    away.kill()
    gone, changed, *_ = sorted(place.slugs)
    place.delete(gone)
    place.rename(changed)
    place.write(3)
    place.everybody_finds_everything(others)
    missed = _records(place)
    place.time_of_day.pass_by(AWAY)
    if new_shard:
        _switch_stream(place, on=False)
        _switch_stream(place, on=True)
    place.engine.maintenance.trim()
    assert missed
    assert not missed & _records(place)


def _switch_stream(place: Place, *, on: bool) -> None:
    setting = {"StreamEnabled": True, "StreamViewType": RESOURCES.stream} if on else {"StreamEnabled": False}
    place.engine.call("UpdateTable", {"TableName": RESOURCES.name, "StreamSpecification": setting})


def _records(place: Place) -> set[str]:
    """The changes that the stream of resources has."""
    arn = place.engine.call("DescribeTable", {"TableName": RESOURCES.name})["Table"]["LatestStreamArn"]
    (shard,) = place.engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    first = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = place.engine.call("GetShardIterator", first)["ShardIterator"]
    return {each["eventID"] for each in place.engine.call("GetRecords", {"ShardIterator": iterator})["Records"]}


def _traces(place: Place, machine: Machine) -> set[str]:
    """What the tables know of a machine."""
    known = {"checkpoint"} if list(place.store.stream(checkpoints(f"kelifax.search@{_name(machine)}"))) else set()
    return known if place.lease(f"changes@{_name(machine)}") is None else {*known, "lease"}


def _expiry(place: Place, machine: Machine) -> int:
    """When the first of those that are in use expires."""
    lease = place.lease(f"changes@{_name(machine)}")
    reached = [
        each for each in place.store.stream(checkpoints(f"kelifax.search@{_name(machine)}")) if not each.finished
    ]
    return min(0 if each is None else each.expires_at or 0 for each in (lease, *reached))


def _name(machine: Machine) -> str:
    return (machine.orders.folder / "place").read_text().strip()
