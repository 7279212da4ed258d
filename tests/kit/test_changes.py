from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import StorageFullError, ThrottlingError
from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.kit.changes import Change, ChangeWorker, Handler, Kept
from partita.kit.changes.aws_lambda import StreamFunction
from partita.kit.changes.lease import LeaseLostError, Tenancy
from partita.kit.changes.pace import OVER_THE_NETWORK
from partita.kit.changes.reading import SharedReader
from partita.kit.changes.schema import Checkpoint, Lease, Parked, checkpoints, lease, parked_changes
from partita.kit.changes.worker import Pace
from partita.kit.clock import SystemClock
from partita.kit.problems import Unavailable
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.store.dynamo import DynamoStore, fixed
from partita.store.streams import Call
from partita.table import Attribute, Delete, Item, Put, Table, Update, attribute

NOTES = Table("changes-notes", pk="id", ttl="expiresAt")
QUICK = Pace(poll=0.001, tries=3, first_pause=0.0001, longest_pause=0.0001, lease=0.4, batch=7)


class Note(Item, table=NOTES):
    id: Attribute[str]
    text: Attribute[str] = attribute(default="")


class TestClock:
    __test__ = False

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment


class Place:
    """A store with a notes table, and workers on it."""

    def __init__(self, engine: Engine, clock: TestClock | None = None) -> None:
        self.engine = engine
        self.clock = clock or TestClock()
        self.store = EmbeddedStore(engine, clock=self._seconds)
        self.store.create(HOUSE, NOTES)
        self.seen: list[tuple[str | None, str | None]] = []

    def _seconds(self) -> float:
        return self.clock.moment.timestamp()

    async def see(self, change: Change) -> None:
        old, new = change.read(Note)
        self.seen.append((old.text if old else None, new.text if new else None))

    def worker(self, *handlers: Handler, pace: Pace = QUICK) -> ChangeWorker:
        chosen = handlers or (Handler("notes.see", NOTES, self.see),)
        return ChangeWorker(self.store.asynchronous, self.engine.call_async, chosen, self.clock, pace=pace)

    def parked(self) -> list[Parked]:
        return list(self.store.stream(parked_changes()))


@pytest.fixture
def place() -> Iterator[Place]:
    with Engine.temporary(background=False) as engine:
        yield Place(engine)


def _stream_records(place: Place) -> list[dict[str, Any]]:
    """What a Lambda function is given: the records, each with the stream it comes from."""
    arn = place.engine.call("DescribeTable", {"TableName": NOTES.name})["Table"]["LatestStreamArn"]
    (shard,) = place.engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = place.engine.call("GetShardIterator", start)["ShardIterator"]
    records = place.engine.call("GetRecords", {"ShardIterator": iterator})["Records"]
    return [{**record, "eventSourceARN": arn} for record in records]


def _called(worker: ChangeWorker, records: list[dict[str, Any]]) -> list[str]:
    """What a Lambda function says has failed."""
    function = StreamFunction(worker)
    try:
        answer = function({"Records": records}, None)
    finally:
        function.close()
    return [failed["itemIdentifier"] for failed in answer["batchItemFailures"]]


def _change_three_times(place: Place) -> None:
    place.store.write(Put(Note(id="1", text="a")))
    place.store.write(Update(Note.key(Note.id("1")), Note.text.set("b")))
    place.store.write(Delete(Note.key(Note.id("1"))))


def test_a_handler_sees_every_change_in_order_with_both_images(place: Place) -> None:
    _change_three_times(place)
    assert asyncio.run(place.worker().drain()) == 3
    assert place.seen == [(None, "a"), ("a", "b"), ("b", None)]


def test_streams_are_followed_over_the_network_too(place: Place) -> None:
    _change_three_times(place)

    async def story(url: str) -> int:
        store = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"))
        handlers = [Handler("notes.see", NOTES, place.see)]
        handled = await ChangeWorker(store.asynchronous, store.dynamo.call_async, handlers, place.clock).drain()
        await store.dynamo.close_async()
        return handled

    with DoorThread(place.engine) as door:
        assert asyncio.run(story(door.url)) == 3
    assert place.seen == [(None, "a"), ("a", "b"), ("b", None)]


def test_what_was_handled_is_not_handled_again_by_the_next_worker(place: Place) -> None:
    _change_three_times(place)
    asyncio.run(place.worker().drain())
    place.store.write(Put(Note(id="2", text="c")))
    asyncio.run(place.worker().drain())
    assert place.seen[3:] == [(None, "c")]


def test_more_changes_than_a_batch_are_all_seen(place: Place) -> None:
    for number in range(50):
        place.store.write(Put(Note(id=str(number), text=str(number))))
    assert asyncio.run(place.worker().drain()) == 50
    assert [new for _, new in place.seen] == [str(number) for number in range(50)]


def test_a_handler_that_fails_for_a_while_is_asked_again(place: Place) -> None:
    failures = iter([OSError("not now"), OSError("still not")])

    async def moody(change: Change) -> None:
        for failure in failures:
            raise failure
        await place.see(change)

    place.store.write(Put(Note(id="1", text="a")))
    asyncio.run(place.worker(Handler("moody", NOTES, moody)).drain())
    assert place.seen == [(None, "a")]
    assert place.parked() == []


@pytest.mark.parametrize(
    "error", [ConnectionError("refused"), TimeoutError(), Unavailable("S3 is away"), ThrottlingError("slow down")]
)
def test_an_outage_is_waited_for_and_other_handlers_go_on(place: Place, error: Exception) -> None:
    tried = 0

    async def out_of_reach(change: Change) -> None:
        nonlocal tried
        tried += 1
        if tried < 40:
            raise error
        await asyncio.wait_for(seen_by_the_other.wait(), 5)

    async def see(change: Change) -> None:
        seen_by_the_other.set()

    async def story() -> None:
        await place.worker(Handler("away", NOTES, out_of_reach), Handler("other", NOTES, see)).drain()

    seen_by_the_other = asyncio.Event()
    place.store.write(Put(Note(id="1", text="a")))
    asyncio.run(story())
    assert (tried, place.parked()) == (40, [])


def test_an_outage_is_waited_for_five_minutes_and_no_longer() -> None:
    for pace in (Pace(), OVER_THE_NETWORK):
        pauses = [min(pace.first_pause * 2**n, pace.longest_pause) for n in range(pace.tries_in_outage - 1)]
        assert 240 < sum(pauses) < 360


def test_a_full_disk_is_waited_for_as_long_as_it_takes(place: Place) -> None:
    """What a machine keeps on its disk misses nothing when somebody frees space after a weekend."""
    tried = 0

    async def keep(change: Change) -> None:
        nonlocal tried
        tried += 1
        if tried < 3 * QUICK.tries_in_outage:
            raise StorageFullError("full")
        await place.see(change)

    place.store.write(Put(Note(id="1", text="a")))
    asyncio.run(place.worker(Handler("kept", NOTES, keep)).drain())
    assert (place.seen, place.parked()) == ([(None, "a")], [])


def test_what_stands_behind_a_long_outage_is_not_waited_for_each_by_itself(place: Place) -> None:
    tried = Counter[str]()

    async def never(change: Change) -> None:
        _, new = change.read(Note)
        assert new is not None
        tried[new.id] += 1
        raise ConnectionError("refused")

    for number in range(3):
        place.store.write(Put(Note(id=str(number))))
    asyncio.run(place.worker(Handler("away", NOTES, never)).drain())
    assert tried == {"0": QUICK.tries_in_outage, "1": QUICK.tries, "2": QUICK.tries}
    assert [parked.tries for parked in place.parked()] == [tried[id] for id in "012"]


def test_changes_that_a_handler_takes_together_come_in_order_and_one_by_one_if_that_fails(place: Place) -> None:
    together: list[int] = []

    async def take(changes: Sequence[Change]) -> None:
        together.append(len(changes))
        if len(together) == 2:
            raise ValueError("one of them is bad")
        for change in changes:
            await place.see(change)

    for number in range(20):
        place.store.write(Put(Note(id="a", text=f"{number}")))
    handler = Handler("notes", NOTES, place.see, together=take)
    asyncio.run(place.worker(handler).drain())
    assert together == [7, 7, 6]
    assert [new for _, new in place.seen] == [f"{number}" for number in range(20)]


def test_a_poisoned_change_is_parked_with_its_error_and_the_others_go_on(place: Place) -> None:
    poison = True

    async def picky(change: Change) -> None:
        _, new = change.read(Note)
        if poison and new is not None and new.text == "poison":
            raise ValueError("cannot digest this")
        await place.see(change)

    for text in ("a", "poison", "b"):
        place.store.write(Put(Note(id=text, text=text)))
    worker = place.worker(Handler("picky", NOTES, picky))
    asyncio.run(worker.drain())
    assert place.seen == [(None, "a"), (None, "b")]
    (parked,) = place.parked()
    assert (parked.handler, parked.error, parked.tries) == ("picky", "ValueError: cannot digest this", 3)
    with pytest.raises(ValueError, match="cannot digest"):
        asyncio.run(worker.replay(parked))
    assert place.parked() == [parked]
    poison = False
    asyncio.run(worker.replay(parked))
    assert place.seen[-1] == (None, "poison")
    assert place.parked() == []


def test_a_killed_worker_repeats_what_it_had_not_checkpointed_and_loses_nothing(place: Place) -> None:
    for number in range(10):
        place.store.write(Put(Note(id=str(number), text=str(number))))
    told = 0

    async def killed(change: Change) -> None:
        nonlocal told
        told += 1
        if told == 10:
            raise asyncio.CancelledError
        await place.see(change)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(place.worker(Handler("notes.see", NOTES, killed)).drain())
    asyncio.run(place.worker().drain())
    seen = [new for _, new in place.seen]
    assert list(dict.fromkeys(seen)) == [str(number) for number in range(10)]
    assert seen[:9] == [str(number) for number in range(9)]
    assert seen[9:] == ["7", "8", "9"]


def test_one_of_two_processes_works_and_the_other_takes_over(place: Place) -> None:
    counts = {"first": 0, "second": 0}

    def counting(name: str) -> Handler:
        async def count(_change: Change) -> None:
            counts[name] += 1

        return Handler("shared", NOTES, count)

    async def story() -> None:
        first = asyncio.create_task(place.worker(counting("first")).run())
        while not counts["first"]:
            place.store.write(Put(Note(id="1", text=str(place.clock.now()))))
            await asyncio.sleep(0.001)
        second = asyncio.create_task(place.worker(counting("second")).run())
        for number in range(20):
            place.store.write(Put(Note(id="2", text=str(number))))
            await asyncio.sleep(0)
        while sum(counts.values()) < 21:
            await asyncio.sleep(0.001)
        assert counts["second"] == 0
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        place.store.write(Put(Note(id="3", text="x")))
        while not counts["second"]:
            await asyncio.sleep(0.001)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second

    asyncio.run(asyncio.wait_for(story(), 20))


def test_a_handler_away_for_more_than_a_day_says_so_and_goes_on_with_what_is_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hours = 0.0
    with Engine.temporary(background=False, clock=lambda: 1_800_000_000 + hours * 3600) as engine:
        place = Place(engine)
        place.store.write(Put(Note(id="1", text="seen")))
        asyncio.run(place.worker().drain())
        place.store.write(Put(Note(id="1", text="missed")))
        hours = 25
        place.store.write(Put(Note(id="1", text="kept")))
        engine.maintenance.run()
        asyncio.run(place.worker().drain())
    assert place.seen == [(None, "seen"), ("missed", "kept")]
    assert "notes.see missed changes of" in caplog.text


# -- machines that were away


@pytest.fixture
def later() -> Iterator[Place]:
    """A place where days can pass."""
    clock = TestClock()
    with Engine.temporary(background=False, clock=lambda: clock.moment.timestamp()) as engine:
        yield Place(engine, clock)


class Machine:
    """A machine with an index of its own, of which only is known whether it is whole."""

    def __init__(self, place: Place, name: str = "here", *, whole: bool = True) -> None:
        self._place = place
        self._name = name
        self.whole = whole
        self.built = 0

    def worker(self, call: Call | None = None, pace: Pace = QUICK) -> ChangeWorker:
        store, clock = self._place.store.asynchronous, self._place.clock
        kept = Kept(self._whole, self._build, self._outdate)
        handler = Handler("notes.index", NOTES, self._place.see, kept)
        call = call or self._place.engine.call_async
        return ChangeWorker(store, call, [handler], clock, place=self._name, pace=pace)

    async def serve(self) -> None:
        """Run until every change there is has been seen."""
        worker = self.worker()
        working = asyncio.create_task(worker.run())
        end = f"end {len(self._place.seen)}"
        self._place.store.write(Put(Note(id="end", text=end)))
        await _until(lambda: any(new == end for _, new in self._place.seen))
        await _ended(working)

    async def look(self, call: Call | None = None) -> None:
        """Take the lease, read what there is, and give it back."""
        worker = self.worker(call)
        assert await worker._lease.take(worker._note_absence)
        await worker.drain()
        await worker._lease.give_back()

    async def _whole(self) -> bool:
        return self.whole

    async def _build(self) -> None:
        self.built += 1
        self.whole = True

    async def _outdate(self) -> None:
        self.whole = False


def test_a_machine_that_was_away_for_a_day_rebuilds_what_it_keeps_and_says_so(
    later: Place, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(later, whole=False)
    caplog.set_level("INFO")
    for away, built in ((0, 1), (21, 1), (30, 2), (1, 2)):
        later.clock.moment += timedelta(hours=away)
        asyncio.run(machine.serve())
        assert machine.built == built, f"after {away} hours"
    assert "this machine missed changes since 2026-01-01T21:" in caplog.text
    assert caplog.text.count("this machine is new here") == 1


def test_a_machine_that_is_not_known_builds_what_it_keeps_without_a_warning(
    later: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    machine = Machine(later, whole=True)
    asyncio.run(machine.serve())
    assert machine.built == 1
    assert "this machine is new here" in caplog.text
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


def test_a_machine_that_was_killed_while_it_rebuilt_does_so_at_the_next_start(later: Place) -> None:
    machine = Machine(later, whole=False)
    asyncio.run(machine.serve())
    later.clock.moment += timedelta(hours=30)
    tenancy = machine.worker()
    asyncio.run(tenancy._lease.take(tenancy._note_absence))  # and then it is killed
    later.clock.moment += timedelta(hours=2)
    asyncio.run(machine.serve())
    assert machine.built == 2


def _rolled_over(engine: Engine, *shards: tuple[str, str | None]) -> Call:
    """A stream whose shards are closed and deleted in the course of days, as those of AWS are; nothing is in them."""

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "GetShardIterator":
            return {"ShardIterator": "next"}
        if operation == "GetRecords":
            return {"Records": [], "NextShardIterator": "next"}
        answer = await engine.call_async(operation, request)
        if operation == "DescribeStream":
            answer["StreamDescription"]["Shards"] = [
                {"ShardId": shard, **({"ParentShardId": parent} if parent else {})} for shard, parent in shards
            ]
        return answer

    return call


@pytest.mark.parametrize(
    ("there", "missed"),
    [
        ([("one", None)], False),
        ([("one", None), ("two", "one")], False),
        ([("two", "one")], True),  # the first was not read to its end
        ([("three", "two")], True),
    ],
)
def test_a_shard_that_went_before_it_was_read_is_noticed_once(
    later: Place, there: list[tuple[str, str | None]], missed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(later, whole=False)
    asyncio.run(machine.look(_rolled_over(later.engine, ("one", None))))
    assert machine.built == 1  # it was new
    for _ in range(2):
        asyncio.run(machine.look(_rolled_over(later.engine, *there)))
        assert machine.built == 1 + missed
    assert caplog.text.count("missed changes of") == int(missed)


def test_a_stream_that_was_switched_off_and_on_is_noticed_once_though_the_old_one_was_read_to_its_end(
    later: Place, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(later, whole=False)
    asyncio.run(machine.serve())
    off = {"TableName": NOTES.name, "StreamSpecification": {"StreamEnabled": False}}
    later.engine.call("UpdateTable", off)
    asyncio.run(machine.look())
    later.store.write(Put(Note(id="1", text="nobody tells of this one")))
    later.store.create(NOTES)  # with its stream
    for _ in range(2):
        asyncio.run(machine.look())
        assert machine.built == 2
    assert caplog.text.count("missed changes of") == 1


def test_what_is_known_of_a_machine_goes_some_days_after_the_machine(later: Place) -> None:
    machine = Machine(later)
    asyncio.run(machine.serve())

    def expiries() -> list[float]:
        """Days after which they expire."""
        known = [*later.store.stream(checkpoints("notes.index@here")), later.store.get(lease("changes@here"))]
        now = later.clock.now().timestamp()
        return [round((each.expires_at - now) / 86400, 1) for each in known if each and each.expires_at]

    assert expiries() == [3, 4]
    later.clock.moment += timedelta(days=2)
    assert expiries() == [1, 2]
    asyncio.run(machine.look())  # nothing has changed, and it shows that it is there
    assert expiries() == [3, 4]
    later.clock.moment += timedelta(days=9)
    asyncio.run(machine.serve())  # though what has expired is not deleted yet
    assert (expiries(), machine.built) == ([3, 4], 3)


def test_a_lease_that_is_not_renewed_is_taken_over_in_time_whatever_the_clocks_say(place: Place) -> None:
    """Seconds pass for all alike; what time it is, every machine believes to know."""
    passed = 0.0

    class Wrong:
        def __init__(self, minutes: float) -> None:
            self.minutes = minutes

        def now(self) -> datetime:
            return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=self.minutes, seconds=passed)

    def tenancy(minutes: float) -> Tenancy:
        return Tenancy(place.store.asynchronous, Wrong(minutes), "changes", 10.0, monotonic=lambda: passed)

    async def story(owner_minutes: float, other_minutes: float) -> float:
        nonlocal passed
        owner, other = tenancy(owner_minutes), tenancy(other_minutes)
        assert await owner.take()
        for _ in range(60):  # as long as it is renewed, nobody takes it
            passed += 1.25
            assert not await other.take()
            await owner._write(Lease.until.set(owner._until()))
            owner._renewed_at = passed
        owner.check()
        killed = passed
        while not await other.take():
            passed += 1.25
        with pytest.raises(LeaseLostError):
            owner.check()
        await other.give_back()
        return passed - killed

    for owner_minutes, other_minutes in ((0, 0), (1, 0), (-1, 0), (30, 0), (0, 30)):
        assert asyncio.run(story(owner_minutes, other_minutes)) <= 10


def test_idle_machines_ask_less_and_less_and_all_workers_of_one_share_what_is_read(place: Place) -> None:
    asked = Counter[str]()

    async def counted(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        asked[operation] += 1
        return await place.engine.call_async(operation, request)

    async def story() -> None:
        pace = Pace(poll=0.01, idle=0.16, shards=60)
        reader = SharedReader(counted, pace)

        def worker(name: str, machine: str) -> ChangeWorker:
            handler = Handler(name, NOTES, place.see)
            store, clock = place.store.asynchronous, place.clock
            return ChangeWorker(store, counted, [handler], clock, place=machine, pace=pace, reader=reader)

        working = [asyncio.create_task(worker(f"h{number}", machine).run()) for number, machine in enumerate(("", "m"))]
        place.store.write(Put(Note(id="1", text="first")))
        await _until(lambda: len(place.seen) == 2)
        begun = time.monotonic()
        await _until(lambda: asked["GetRecords"] > 22)
        waited = time.monotonic() - begun
        assert waited > 0.7, "twenty looks every hundredth of a second would take 0.2 seconds"
        place.store.write(Put(Note(id="1", text="second")))
        await _until(lambda: len(place.seen) == 4)
        (tail,) = reader._tails.values()
        await _until(lambda: tail.empty_reads > 8)
        reader.expect(NOTES.name)
        assert reader._pause(tail) == pace.poll
        await _ended(*working)

    asyncio.run(story())


def test_two_handlers_with_one_name_are_refused(place: Place) -> None:
    handler = Handler("same", NOTES, place.see)
    with pytest.raises(ValueError, match="Two handlers"):
        place.worker(handler, handler)


def test_the_same_handlers_are_a_lambda_function(place: Place) -> None:
    _change_three_times(place)
    records = _stream_records(place)
    assert _called(place.worker(), records) == []
    assert place.seen == [(None, "a"), ("a", "b"), ("b", None)]


def test_a_lambda_function_parks_what_a_handler_cannot_digest(place: Place) -> None:
    async def fails_on_b(change: Change) -> None:
        _, new = change.read(Note)
        if new is not None and new.text == "b":
            raise OSError("no")
        await place.see(change)

    _change_three_times(place)
    records = _stream_records(place)
    assert _called(place.worker(Handler("h", NOTES, fails_on_b)), records) == []
    assert place.seen == [(None, "a"), ("b", None)]
    (parked,) = place.parked()
    assert (parked.handler, parked.sequence) == ("h", records[1]["dynamodb"]["SequenceNumber"])


def test_a_lambda_function_names_the_first_change_that_it_could_not_even_park(place: Place) -> None:
    async def loses_the_table(change: Change) -> None:
        _, new = change.read(Note)
        if new is not None and new.text == "b":
            place.engine.call("DeleteTable", {"TableName": HOUSE.name})
            raise OSError("no")
        await place.see(change)

    _change_three_times(place)
    records = _stream_records(place)
    failed = _called(place.worker(Handler("h", NOTES, loses_the_table)), records)
    assert failed == [records[1]["dynamodb"]["SequenceNumber"]]
    assert place.seen == [(None, "a")]


def test_what_a_handler_keeps_is_built_where_it_is_missing_and_only_there(place: Place) -> None:
    index: dict[str, str] = {}
    told: list[str] = []

    async def whole() -> bool:
        return bool(index)

    async def build() -> None:
        told.append("built")
        index.update({note.id: note.text for note in place.store.stream(Note.query(Note.id("1")))} or {"": ""})

    async def run(change: Change) -> None:
        told.append("changed")

    place.store.write(Put(Note(id="1", text="a")))
    handler = Handler("notes.index", NOTES, run, Kept(whole, build, None))
    for _ in range(2):
        asyncio.run(place.worker(handler).drain())
    assert told == ["built", "changed"]
    assert index == {"1": "a"}
    index.clear()
    asyncio.run(place.worker(handler).drain())
    assert told == ["built", "changed", "built"]


def test_every_machine_follows_for_what_it_keeps_itself(place: Place) -> None:
    _change_three_times(place)
    handler = Handler("notes.see", NOTES, place.see)
    for machine in ("one", "two"):
        calls = place.engine.call_async
        worker = ChangeWorker(place.store.asynchronous, calls, [handler], place.clock, place=machine, pace=QUICK)
        assert asyncio.run(worker.drain()) == 3
        assert asyncio.run(worker.drain()) == 0


def test_building_for_long_keeps_the_lease(place: Place) -> None:
    begun = asyncio.Event()

    async def whole() -> bool:
        return begun.is_set()

    async def build() -> None:
        begun.set()
        await asyncio.sleep(QUICK.lease * 2)  # longer than the lease lasts

    async def run(_: Change) -> None: ...

    async def story() -> None:
        system = SystemClock()
        workers = [
            ChangeWorker(
                place.store.asynchronous,
                place.engine.call_async,
                [Handler("notes.index", NOTES, run, Kept(whole, build, None))],
                system,
                pace=QUICK,
            )
            for _ in range(2)
        ]
        first = asyncio.create_task(workers[0].run())
        await begun.wait()
        held = await place.store.asynchronous.get(lease("changes"))
        assert held is not None
        second = asyncio.create_task(workers[1].run())
        await asyncio.sleep(QUICK.lease * 1.5)
        still = await place.store.asynchronous.get(lease("changes"))
        assert still is not None
        assert still.holder == held.holder
        for task in (first, second):
            task.cancel()
        await asyncio.gather(first, second, return_exceptions=True)

    asyncio.run(story())


# -- handlers do not wait for each other


def _following(place: Place, *handlers: Handler, pace: Pace) -> ChangeWorker:
    return ChangeWorker(place.store.asynchronous, place.engine.call_async, handlers, SystemClock(), pace=pace)


async def _ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _until(condition: Callable[[], object], seconds: float = 10.0) -> float:
    """Wait for something; how long it took."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds
        await asyncio.sleep(0.002)
    return time.monotonic() - begun


def test_a_slow_handler_delays_no_other_and_is_not_taken_up_twice(place: Place) -> None:
    slow_for = float(os.environ.get("PARTITA_SLOW_HANDLER", "2"))  # five seconds in `make jobs`
    pace = Pace(poll=0.01, lease=0.5)  # the handler takes several leases
    begun: list[str] = []
    quick: list[str] = []

    async def slow(change: Change) -> None:
        begun.append(change.sequence)
        await asyncio.sleep(slow_for)

    async def soon(change: Change) -> None:
        quick.append(change.sequence)

    async def story() -> None:
        handlers = (Handler("slow", NOTES, slow), Handler("quick", NOTES, soon))
        workers = [asyncio.create_task(_following(place, *handlers, pace=pace).run()) for _ in range(2)]
        place.store.write(Put(Note(id="0", text="first")))
        await _until(lambda: begun)
        for number in range(1, 6):
            place.store.write(Put(Note(id=str(number), text="later")))
            assert await _until(lambda: len(quick) == number + 1) < 1.0  # noqa: B023 - called at once
        assert len(begun) == 1
        await _until(lambda: len(begun) == 2, slow_for + 5)  # only the next change, after the first was done
        assert begun[0] != begun[1]
        await _ended(*workers)

    asyncio.run(story())


def test_who_has_lost_the_lease_writes_no_progress(place: Place) -> None:
    pace = Pace(poll=0.01, lease=0.5)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def paused(_change: Change) -> None:
        begun.set()
        await go_on.wait()

    async def story() -> None:
        place.store.write(Put(Note(id="1", text="a")))
        first = _following(place, Handler("shared", NOTES, paused), pace=pace)
        working = asyncio.create_task(first.run())
        await begun.wait()
        # Another process takes over, as if this one had slept, and moves the progress further than this one is.
        held = await place.store.asynchronous.get(lease("changes"))
        assert held is not None
        theirs = Lease(name="changes", holder="other", until="2999-01-01T00:00:00.000000Z", turn=held.turn + 1)
        await place.store.asynchronous.write(Put(theirs))
        (point,) = [each async for each in place.store.asynchronous.stream(checkpoints("shared"))]
        moved = point.with_(Checkpoint.turn(theirs.turn), Checkpoint.updated_at("2026-01-01T00:00:00Z"))
        await place.store.asynchronous.write(Put(moved))
        go_on.set()
        await asyncio.sleep(pace.lease / 2)  # as long as the other one's lease holds
        (now,) = [each async for each in place.store.asynchronous.stream(checkpoints("shared"))]
        assert now == moved
        assert (await place.store.asynchronous.get(lease("changes"))) == theirs
        await _ended(working)

    asyncio.run(story())


def test_handlers_that_keep_up_share_every_read_of_the_stream(place: Place) -> None:
    reads = Counter[str]()

    async def counted(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        reads[operation] += 1
        return await place.engine.call_async(operation, request)

    async def nothing(_change: Change) -> None: ...

    async def drained(handlers: int) -> Counter[str]:
        reads.clear()
        chosen = [Handler(f"h{handlers}-{number}", NOTES, nothing) for number in range(handlers)]
        worker = ChangeWorker(place.store.asynchronous, counted, chosen, place.clock, pace=QUICK)
        assert await worker.drain() == 40 * handlers
        return reads.copy()

    for number in range(40):
        place.store.write(Put(Note(id=str(number))))
    alone, five = asyncio.run(drained(1)), asyncio.run(drained(5))
    # Drained, each asks once more at the end whether there is more; the records themselves are read once.
    assert five["GetRecords"] <= alone["GetRecords"] + 2 * 5


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.data())
def test_handlers_at_any_places_all_see_every_change_in_order(texts: list[int], data: st.DataObject) -> None:
    """One is asked, then another, in any order and any number of times, while writes go on."""
    with Engine.temporary(background=False) as engine:
        place = Place(engine)
        seen: dict[str, list[str]] = {"a": [], "b": [], "c": []}

        def seeing(name: str) -> Handler:
            async def see(change: Change) -> None:
                _, new = change.read(Note)
                assert new is not None
                seen[name].append(new.text)

            return Handler(name, NOTES, see)

        async def story() -> None:
            worker = place.worker(*map(seeing, seen), pace=Pace(poll=0, batch=2, tries=1))
            for number, _ in enumerate(texts):
                place.store.write(Put(Note(id="1", text=str(number))))
                for which in data.draw(st.lists(st.integers(0, 2), max_size=4)):
                    await worker._followers[which].step()
            await worker.drain()

        asyncio.run(story())
    expected = [str(number) for number, _ in enumerate(texts)]
    assert seen == {"a": expected, "b": expected, "c": expected}


def test_an_index_that_cannot_be_read_at_the_start_is_asked_again(later: Place) -> None:
    """What a machine keeps lies in a file, which may be locked or full for a while: nothing that `run` knows."""
    machine = Machine(later)
    whole, failures = machine._whole, 2

    async def locked() -> bool:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise apsw.BusyError("database is locked")
        return await whole()

    machine._whole = locked  # type: ignore[method-assign]
    asyncio.run(asyncio.wait_for(machine.serve(), 20))
    assert failures < 0
