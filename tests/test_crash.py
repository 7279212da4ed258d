"""Several processes on one folder: killed in the middle of their work, and side by side."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw
import pytest

from partita.engine import Engine
from partita.engine.database import FILE_NAME
from tests.crash import tables
from tests.crash.doors import DoorRun
from tests.crash.history import Replay
from tests.crash.peer import Peer, PeerError
from tests.crash.rounds import Run
from tests.crash.structure import check_folder
from tests.crash.tables import NOTES, key_schema

Item = dict[str, Any]


@pytest.mark.slow
def test_killed_writers_lose_nothing_acknowledged_and_leave_nothing_half_done(tmp_path: Path) -> None:
    run = Run(tmp_path / "data", tmp_path / "journals", seed=2, answers=100)
    for _ in range(4):
        assert run.round() == []
    assert run.check_from_the_beginning() == []
    assert run.report.acknowledged > 0
    assert run.report.kills_in_work > 0


def test_killed_workers_of_a_door_lose_nothing_acknowledged(tmp_path: Path) -> None:
    run = DoorRun(tmp_path / "data", tmp_path / "journals", seed=2, workers=2, answers=40, clients=1)
    assert run.round() == []
    assert run.report.acknowledged > 0
    assert run.report.kills == 2


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A folder with every table of the crash tests and a few notes."""
    with Engine(tmp_path, background=False, durability="off") as engine:
        tables.create_all(engine)
        for number in range(20):
            item = {
                "pk": {"S": "a"},
                "sk": {"S": str(number)},
                "version": {"N": str(number)},
                "tag": {"S": "tag-1"},
                "stars": {"N": "1"},
            }
            engine.call("PutItem", {"TableName": NOTES, "Item": item})
    return tmp_path


def _complaints(folder: Path) -> list[str]:
    with Engine(folder, background=False) as engine:
        replay = Replay(NOTES)
        _, violations = replay.advance(engine)
        return [*violations, *replay.differences(engine), *check_folder(engine, folder)]


def test_the_checks_have_nothing_against_a_sound_folder(written: Path) -> None:
    assert _complaints(written) == []


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("DELETE FROM {index} WHERE item = 3", "the index shows 19 items, not the 20"),
        ("UPDATE {index} SET item = 999 WHERE item = 3", "1 entries lead nowhere"),
        ("DELETE FROM {items} WHERE id = 3", "the table is not what its stream says"),
        (
            "UPDATE {items} SET (size, body, crc) = (SELECT size, body, crc FROM {items} WHERE id = 4) WHERE id = 3",
            "the table is not what its stream says",
        ),
        ("DELETE FROM {stream} WHERE seq = {3rd}", "the table is not what its stream says"),
        (
            (
                "UPDATE {stream} SET (keys, new, crc) = (SELECT keys, new, crc FROM {stream} WHERE seq = {4th})"
                " WHERE seq = {3rd}"
            ),
            "is not what was there",
        ),
        ("UPDATE counters SET items = items + 1 WHERE owner = (SELECT min(owner) FROM counters)", "counters say"),
        ("CREATE TABLE items_999 (id INTEGER)", "the file holds ['items_999'] too much"),
        ("INSERT INTO counters VALUES (999, 0, 0)", "the file counts for [999]"),
    ],
)
def test_the_checks_notice_damage(written: Path, damage: str, complaint: str) -> None:
    with Engine(written, background=False) as engine:
        table = engine.refresh().tables[NOTES]
        index = table.index("byTag")
        assert index is not None
        assert table.stream is not None
        records = table.stream.rows
        numbers = {f"{n}{th}": f"(SELECT min(seq) + {n - 1} FROM {records})" for n, th in ((3, "rd"), (4, "th"))}
        statement = damage.format(items=table.rows, index=index.rows, stream=records, **numbers)
    connection = apsw.Connection(str(written / FILE_NAME))
    connection.execute(statement)
    assert connection.total_changes() or "CREATE" in damage, "the damage is done"
    connection.close()
    assert any(complaint in found for found in _complaints(written))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for several processes; every test has tables of its own there."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def peers(shared: Path) -> Iterator[list[Peer]]:
    """Three processes on one folder."""
    with ExitStack() as stack:
        yield [stack.enter_context(Peer(shared)) for _ in range(3)]


def _table(table: str, **keys: str) -> Item:
    return {
        "TableName": table,
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": kind} for key, kind in keys.items()],
        "KeySchema": key_schema(*keys),
        "BillingMode": "PAY_PER_REQUEST",
    }


def test_processes_that_open_a_new_folder_at_the_same_moment_all_succeed(peers: list[Peer], tmp_path: Path) -> None:
    """SQLite asks nobody for patience while it changes the journal's mode; the engine has to have it."""
    opened: list[Any] = []

    def visit(peer: Peer, barrier: threading.Barrier) -> None:
        for attempt in range(40):
            barrier.wait()
            try:
                opened.append(peer.visit(tmp_path / str(attempt)))
            except PeerError as error:
                opened.append(error)

    barrier = threading.Barrier(len(peers))
    _run_together([threading.Thread(target=visit, args=(peer, barrier)) for peer in peers])
    assert [answer for answer in opened if answer != {"TableNames": []}] == []


def _run_together(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_counter_raised_by_several_processes_under_conditions_is_exact(peers: list[Peer]) -> None:
    each = 60
    peers[0].call("CreateTable", _table("counters", name="S"))
    key = {"name": {"S": "visits"}}
    peers[0].call("PutItem", {"TableName": "counters", "Item": {**key, "seen": {"N": "0"}, "added": {"N": "0"}}})

    def count(peer: Peer) -> None:
        for _ in range(each):
            while not _raised(peer, key):
                pass

    _run_together([threading.Thread(target=count, args=(peer,)) for peer in peers])
    for peer in peers:
        item = peer.call("GetItem", {"TableName": "counters", "Key": key})["Item"]
        assert item["seen"] == {"N": str(each * len(peers))}
        assert item["added"] == {"N": str(each * len(peers))}


def _raised(peer: Peer, key: Item) -> bool:
    """One more, seen under a condition; False when another process was faster."""
    seen = peer.call("GetItem", {"TableName": "counters", "Key": key, "ConsistentRead": True})["Item"]["seen"]
    request = {
        "TableName": "counters",
        "Key": key,
        "UpdateExpression": "SET seen = :next ADD added :one",
        "ConditionExpression": "seen = :seen",
        "ExpressionAttributeValues": {":seen": seen, ":next": {"N": str(int(seen["N"]) + 1)}, ":one": {"N": "1"}},
    }
    try:
        peer.call("UpdateItem", request)
    except PeerError as error:
        if error.code != "ConditionalCheckFailedException":
            raise
        return False
    return True


def test_a_table_made_and_deleted_by_one_process_is_seen_by_the_others(peers: list[Peer]) -> None:
    first, *others = peers
    key = {"id": {"S": "a"}}
    for peer in others:
        with pytest.raises(PeerError, match="ResourceNotFoundException"):
            peer.call("GetItem", {"TableName": "things", "Key": key})
    first.call("CreateTable", _table("things", id="S"))
    for peer in others:
        assert peer.call("GetItem", {"TableName": "things", "Key": key}) == {}
    others[0].call("PutItem", {"TableName": "things", "Item": key})
    for peer in peers:
        assert peer.call("GetItem", {"TableName": "things", "Key": key}) == {"Item": key}
    first.call("DeleteTable", {"TableName": "things"})
    for peer in others:
        with pytest.raises(PeerError, match="ResourceNotFoundException"):
            peer.call("GetItem", {"TableName": "things", "Key": key})
        with pytest.raises(PeerError, match="ResourceNotFoundException"):
            peer.call("PutItem", {"TableName": "things", "Item": key})
        assert "things" not in peer.call("ListTables", {})["TableNames"]


@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("GetItem", {"Key": {"number": {"N": "1"}, "word": {"S": "x"}}}),
        ("Query", {"KeyConditions": {"number": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]}}}),
        ("Scan", {"ExclusiveStartKey": {"number": {"N": "2"}, "word": {"S": "x"}}}),
        ("Scan", {}),
    ],
)
def test_a_table_made_again_with_another_key_is_read_rightly_by_the_others(
    peers: list[Peer], operation: str, members: Item
) -> None:
    first, *others = peers
    first.call("CreateTable", _table("again", id="S"))
    for peer in others:
        peer.call("PutItem", {"TableName": "again", "Item": {"id": {"S": "a"}}})
    first.call("DeleteTable", {"TableName": "again"})
    first.call("CreateTable", _table("again", number="N", word="S"))
    item = {"number": {"N": "1"}, "word": {"S": "x"}}
    first.call("PutItem", {"TableName": "again", "Item": item})
    expected = first.call(operation, {"TableName": "again", **members})
    for peer in others:
        assert peer.call(operation, {"TableName": "again", **members}) == expected
    first.call("DeleteTable", {"TableName": "again"})


def test_an_index_added_by_one_process_is_filled_and_kept_by_the_others(peers: list[Peer], shared: Path) -> None:
    first, second, third = peers
    first.call("CreateTable", _table("colored", id="S"))
    for number in range(20):
        item = {"id": {"S": str(number)}, "color": {"S": "red"}}
        second.call("PutItem", {"TableName": "colored", "Item": item})
    first.call("UpdateTable", _index_creation("color", "S"))
    second.call("PutItem", {"TableName": "colored", "Item": {"id": {"S": "new"}, "color": {"S": "blue"}}})
    second.call("DeleteItem", {"TableName": "colored", "Key": {"id": {"S": "3"}}})
    _fill_indexes(shared)
    for peer in peers:
        assert _count(peer, "color", {"S": "red"}) == 19
        assert _count(peer, "color", {"S": "blue"}) == 1
    third.call("UpdateTable", _INDEX_DELETION)
    for peer in peers:
        with pytest.raises(PeerError, match="does not have the specified index"):
            _count(peer, "color", {"S": "red"})
    third.call("UpdateTable", _index_creation("price", "N"))
    second.call("PutItem", {"TableName": "colored", "Item": {"id": {"S": "priced"}, "price": {"N": "5"}}})
    _fill_indexes(shared)
    for peer in peers:
        assert _count(peer, "price", {"N": "5"}) == 1


_INDEX_DELETION = {"TableName": "colored", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "extra"}}]}


def _index_creation(attribute: str, kind: str) -> Item:
    index = {"IndexName": "extra", "KeySchema": key_schema(attribute), "Projection": {"ProjectionType": "ALL"}}
    return {
        "TableName": "colored",
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": kind}],
        "GlobalSecondaryIndexUpdates": [{"Create": index}],
    }


def _fill_indexes(folder: Path) -> None:
    with Engine(folder, background=False) as engine:
        engine.maintenance.run()


def _count(peer: Peer, attribute: str, value: Item) -> Any:
    request = {
        "TableName": "colored",
        "IndexName": "extra",
        "KeyConditionExpression": f"{attribute} = :value",
        "ExpressionAttributeValues": {":value": value},
    }
    return peer.call("Query", request)["Count"]


def test_the_long_run_reports_its_figures() -> None:
    command = [sys.executable, "-m", "tests.crash", "--rounds", "1", "--seed", "3", "--workers", "2", "--answers", "50"]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 violations" in done.stdout
