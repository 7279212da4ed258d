"""What happens when the disk is full, the file is damaged, or is not ours."""

from __future__ import annotations

import random
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from partita.dynamo.errors import DynamoError, StorageCorruptError, StorageFullError
from partita.engine import Durability, Engine, FormatError
from partita.engine.database import APPLICATION_ID, FILE_NAME, FORMAT_VERSION
from tests.crash.history import Replay
from tests.crash.peer import Peer, PeerError
from tests.crash.structure import check_folder
from tests.crash.tables import key_schema, pages
from tests.small_disks import fill_up, mounted_disk

Item = dict[str, Any]
_QUOTA = 400_000
_PAGE = 4096


def _table(name: str, *, stream: bool = False) -> Item:
    definition: Item = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in ("id", "color")],
        "KeySchema": key_schema("id"),
        "GlobalSecondaryIndexes": [
            {"IndexName": "byColor", "KeySchema": key_schema("color"), "Projection": {"ProjectionType": "KEYS_ONLY"}}
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }
    if stream:
        definition["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    return definition


def _item(name: str, size: int = 2000) -> Item:
    return {"id": {"S": name}, "color": {"S": f"color-{len(name)}"}, "text": {"S": name[-1] * size}}


def _put(engine: Engine, name: str, *, table: str = "things", size: int = 2000) -> None:
    engine.call("PutItem", {"TableName": table, "Item": _item(name, size)})


def _delete(engine: Engine, name: str) -> None:
    engine.call("DeleteItem", {"TableName": "things", "Key": {"id": {"S": name}}})


def _names(engine: Engine, table: str = "things") -> set[str]:
    return {item["id"]["S"] for item in pages(engine, "Scan", {"TableName": table})}


def _fill(engine: Engine, *, prefix: str = "n") -> set[str]:
    """Put items until the engine says that it is full; those that it took."""
    taken: set[str] = set()
    for number in range(10_000):
        try:
            _put(engine, f"{prefix}{number}")
        except StorageFullError:
            return taken
        taken.add(f"{prefix}{number}")
    raise AssertionError("the engine was never full")


# ---- durability


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("normal", 1), ("off", 0)])
def test_durability_is_what_sqlite_is_told(tmp_path: Path, durability: Durability, synchronous: int) -> None:
    with Engine(tmp_path, durability=durability, background=False) as engine, engine.database.reader() as reader:
        for connection in (engine.database.writer, reader):
            assert next(connection.execute("PRAGMA synchronous"))[0] == synchronous
            assert next(connection.execute("PRAGMA journal_mode"))[0] == "wal"


def test_full_durability_is_the_default(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        assert next(engine.database.writer.execute("PRAGMA synchronous"))[0] == 2


# ---- a full quota


@pytest.fixture
def quota(tmp_path: Path) -> Iterator[Engine]:
    """An engine that may fill 400 kB, with an empty table."""
    with Engine(tmp_path, max_bytes=_QUOTA, background=False, durability="normal") as engine:
        engine.call("CreateTable", _table("things"))
        yield engine


def test_a_full_quota_refuses_writes_and_keeps_what_it_has(quota: Engine, tmp_path: Path) -> None:
    taken = _fill(quota)
    with pytest.raises(StorageFullError, match=r"is full; nothing was written\. Free some space and try again"):
        _put(quota, "one-more", size=20_000)
    assert len(taken) > 50
    assert _names(quota) == taken
    assert list(check_folder(quota, tmp_path)) == []
    assert quota.call("GetItem", {"TableName": "things", "Key": {"id": {"S": "n0"}}})["Item"] == _item("n0")


def test_a_full_quota_takes_writes_again_after_deletes(quota: Engine, tmp_path: Path) -> None:
    taken = _fill(quota)
    for number in range(20):
        _delete(quota, f"n{number}")
        taken.discard(f"n{number}")
    again = _fill(quota, prefix="again")
    assert len(again) >= 10
    assert _names(quota) == taken | again
    assert list(check_folder(quota, tmp_path)) == []


def test_a_larger_quota_takes_writes_again_and_has_lost_nothing(quota: Engine, tmp_path: Path) -> None:
    taken = _fill(quota)
    quota.close()
    with Engine(tmp_path, max_bytes=2 * _QUOTA, background=False) as engine:
        assert _names(engine) == taken
        again = _fill(engine, prefix="again")
        assert len(again) > 50
        assert _names(engine) == taken | again
    with Engine(tmp_path, max_bytes=_QUOTA, background=False) as engine:  # smaller than the file: full, but whole
        assert _names(engine) == taken | again
        with pytest.raises(StorageFullError):
            _put(engine, "large", size=300_000)


def test_a_full_quota_refuses_a_transaction_whole(quota: Engine, tmp_path: Path) -> None:
    taken = _fill(quota)
    _delete(quota, "n0")
    actions = [{"Put": {"TableName": "things", "Item": _item(f"together-{number}")}} for number in range(10)]
    with pytest.raises(StorageFullError):
        quota.call("TransactWriteItems", {"TransactItems": actions})
    requests = [{"PutRequest": {"Item": _item(f"batch-{number}")}} for number in range(10)]
    with pytest.raises(StorageFullError):
        quota.call("BatchWriteItem", {"RequestItems": {"things": requests}})
    assert _names(quota) == taken - {"n0"}
    assert list(check_folder(quota, tmp_path)) == []


def test_a_full_quota_refuses_a_table_whole(quota: Engine, tmp_path: Path) -> None:
    _fill(quota)
    with pytest.raises(StorageFullError):
        _create_many(quota)
    assert list(check_folder(quota, tmp_path)) == []
    quota.call("DeleteTable", {"TableName": "things"})
    quota.call("CreateTable", _table("things"))
    assert len(_fill(quota)) > 10


def _create_many(engine: Engine) -> None:
    for number in range(100):
        engine.call("CreateTable", _table(f"more-{number}", stream=True))


def test_a_quota_too_small_for_an_empty_file_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(StorageFullError):
        Engine(tmp_path, max_bytes=8192)
    with Engine(tmp_path, background=False) as engine:
        assert engine.call("ListTables", {}) == {"TableNames": []}


def test_at_a_full_quota_concurrent_writers_learn_the_truth_each_for_itself(quota: Engine, tmp_path: Path) -> None:
    quota.call("CreateTable", _table("streamed", stream=True))
    taken, refused = _write_concurrently(quota)
    assert taken
    assert refused
    assert _names(quota, "streamed") == taken
    assert list(check_folder(quota, tmp_path)) == []
    replay = Replay("streamed")
    assert replay.advance(quota)[1] == []
    assert list(replay.differences(quota)) == []


def _write_concurrently(engine: Engine, *, writers: int = 16, each: int = 25) -> tuple[set[str], set[str]]:
    """What was acknowledged and what was refused to 16 threads, some of whose items are too large for what is left."""
    taken: set[str] = set()
    refused: set[str] = set()

    def write(writer: int) -> None:
        for number in range(each):
            name = f"{writer}-{number}"
            try:
                _put(engine, name, table="streamed", size=100 if number % 3 else 5000)
            except StorageFullError:
                refused.add(name)
            else:
                taken.add(name)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) + len(refused) == writers * each
    return taken, refused


# ---- a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    with mounted_disk(tmp_path / "disk", 8) as disk:
        yield disk


def test_a_full_disk_refuses_writes_until_there_is_space_again(small_disk: Path) -> None:
    folder = small_disk / "data"
    with Engine(folder, background=False) as engine:
        engine.call("CreateTable", _table("streamed", stream=True))
        filler = fill_up(small_disk, 1_000_000)
        taken, refused = _write_concurrently(engine)
        assert taken
        assert refused
        assert _names(engine, "streamed") == taken
        filler.unlink()
        _put(engine, "afterwards", table="streamed")
        taken.add("afterwards")
        assert _names(engine, "streamed") == taken
        assert list(check_folder(engine, folder)) == []
    with Engine(folder, background=False) as engine:
        assert _names(engine, "streamed") == taken
        replay = Replay("streamed")
        assert replay.advance(engine)[1] == []
        assert list(replay.differences(engine)) == []


def test_a_killed_process_on_a_full_disk_has_lost_nothing_acknowledged(small_disk: Path) -> None:
    folder = small_disk / "data"
    taken: set[str] = set()
    with Peer(folder) as peer:
        peer.call("CreateTable", _table("things"))
        filler = fill_up(small_disk, 500_000)
        with pytest.raises(PeerError, match="full"):
            _put_many(peer, taken)
    filler.unlink()
    with Engine(folder, background=False) as engine:
        assert _names(engine) == taken
        assert list(check_folder(engine, folder)) == []


def _put_many(peer: Peer, taken: set[str]) -> None:
    for number in range(10_000):
        peer.call("PutItem", {"TableName": "things", "Item": _item(f"n{number}")})
        taken.add(f"n{number}")


def test_a_folder_on_a_full_disk_says_that_the_disk_is_full(small_disk: Path) -> None:
    folder = small_disk / "data"
    with Engine(folder, background=False) as engine:
        engine.call("CreateTable", _table("things"))
    filler = fill_up(small_disk, 0)
    with pytest.raises(StorageFullError):
        Engine(folder, background=False)
    filler.unlink()
    with Engine(folder, background=False) as engine:
        _put(engine, "n0")


# ---- a damaged file


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small and large items, an index and a stream, closed."""
    folder = tmp_path_factory.mktemp("sound")
    with Engine(folder, background=False, durability="off") as engine:
        engine.call("CreateTable", _table("things", stream=True))
        for number in range(60):
            _put(engine, f"n{number}", size=20_000 if number % 10 == 0 else 700)
        for number in range(20, 40):
            _delete(engine, f"n{number}")
    return folder


def _reads() -> list[Callable[[Engine], object]]:
    """Calls that together look at every page that holds something."""

    def stream(engine: Engine) -> object:
        replay = Replay("things")
        replay.advance(engine)
        return replay.items

    return [
        lambda engine: pages(engine, "Scan", {"TableName": "things"}),
        lambda engine: pages(engine, "Scan", {"TableName": "things", "IndexName": "byColor"}),
        lambda engine: [
            engine.call("GetItem", {"TableName": "things", "Key": {"id": {"S": f"n{number}"}}}) for number in range(60)
        ],
        lambda engine: engine.call("DescribeTable", {"TableName": "things"}),
        lambda engine: engine.call("ListTables", {}),
        stream,
    ]


def _answers_or_says_damaged(folder: Path, expected: list[object]) -> int:
    """Run every read; each answers as it did before the damage or says that the file is damaged. How many said so."""
    try:
        engine = Engine(folder, background=False, durability="off")
    except (StorageCorruptError, FormatError):
        return 1
    damaged = 0
    with engine:
        for read, answer in zip(_reads(), expected, strict=True):
            try:
                assert read(engine) == answer
            except StorageCorruptError:
                damaged += 1
        try:
            _put(engine, "new")
        except StorageCorruptError:
            damaged += 1
    return damaged


@pytest.fixture
def expected(sound: Path) -> list[object]:
    with Engine(sound, background=False) as engine:
        return [read(engine) for read in _reads()]


def _copy(folder: Path, content: bytes) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(content)


@pytest.mark.parametrize("kind", ["garbage", "zeros"])
def test_a_damaged_page_is_noticed_or_does_no_harm(
    sound: Path, expected: list[object], tmp_path: Path, kind: str
) -> None:
    content = (sound / FILE_NAME).read_bytes()
    dice = random.Random(kind)
    folder = tmp_path / "damaged"
    noticed = 0
    for at in range(0, len(content), _PAGE):
        page = bytes(_PAGE) if kind == "zeros" else dice.randbytes(_PAGE)
        _copy(folder, content[:at] + page + content[at + _PAGE :])
        noticed += _answers_or_says_damaged(folder, expected) > 0
    assert noticed > len(content) // _PAGE // 2


def test_a_flipped_bit_in_an_item_or_a_stream_record_is_noticed(
    sound: Path, expected: list[object], tmp_path: Path
) -> None:
    content = (sound / FILE_NAME).read_bytes()
    folder = tmp_path / "damaged"
    noticed = 0
    for found in list(re.finditer(rb"0{500}", content))[::8]:  # in the large items, and in their stream records
        at = found.start() + 250
        _copy(folder, content[:at] + b"1" + content[at + 1 :])
        with Engine(folder, background=False, durability="off") as engine:
            for read, answer in zip(_reads(), expected, strict=True):
                try:
                    assert read(engine) == answer
                except StorageCorruptError:
                    noticed += 1
    assert noticed > 0


def test_a_damaged_file_says_what_to_do(sound: Path, tmp_path: Path) -> None:
    content = (sound / FILE_NAME).read_bytes()
    _copy(tmp_path / "damaged", content[: len(content) // 2])
    with pytest.raises(StorageCorruptError, match=r"The data file is damaged .*copy the folder.*restore from a backup"):
        Engine(tmp_path / "damaged")


def test_a_truncated_file_is_noticed(sound: Path, expected: list[object], tmp_path: Path) -> None:
    content = (sound / FILE_NAME).read_bytes()
    folder = tmp_path / "damaged"
    for size in (1, 99, 100, 511, 512, 4095, 4096, 10_000, len(content) // 2, len(content) - 4096):
        _copy(folder, content[:size])
        assert _answers_or_says_damaged(folder, expected) > 0, f"cut to {size} bytes"
    _copy(folder, content[:-1])
    _answers_or_says_damaged(folder, expected)


@pytest.mark.parametrize("content", [b"x", b"hello world\n" * 1000, b"PK\x03\x04" + bytes(5000)])
def test_a_file_that_is_not_sqlite_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises((StorageCorruptError, FormatError)):
        Engine(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == content


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("PRAGMA user_version=0", "is a SQLite file of something else. Choose another data folder"),
        (f"PRAGMA user_version={FORMAT_VERSION}", "is a SQLite file of something else. Choose another data folder"),
        ("PRAGMA user_version=77", "is a SQLite file of something else. Choose another data folder"),
        (f"PRAGMA user_version=77; PRAGMA application_id={APPLICATION_ID}", "has format 77.*Install a newer Partita"),
    ],
)
def test_a_file_of_another_program_or_a_newer_version_is_refused_and_left_alone(
    tmp_path: Path, settings: str, says: str
) -> None:
    path = tmp_path / FILE_NAME
    connection = apsw.Connection(str(path))
    connection.execute(f"CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('partita'); {settings}")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(FormatError, match=says):
        Engine(tmp_path)
    assert path.read_bytes() == content


def test_errors_of_the_file_are_dynamodb_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DynamoError):
        Engine(tmp_path / "file" / "data")
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(DynamoError):
        Engine(tmp_path)


# ---- a torn log


def _written(log: Path) -> int:
    """Where the log ends: after the last frame with the numbers that its head has. Room that was made follows."""
    content = log.read_bytes()
    end = 32
    while content[end + 8 : end + 16] == content[16:24]:
        end += 24 + 4096
    return end


def test_a_torn_log_loses_nothing_that_was_written_before_the_tear(tmp_path: Path) -> None:
    """After power loss the log may end anywhere after what was synced, or in anything at all."""
    folder, torn = tmp_path / "data", tmp_path / "torn"
    log = folder / f"{FILE_NAME}-wal"
    sizes: list[int] = []
    with Peer(folder) as peer:
        peer.call("CreateTable", _table("things", stream=True))
        sizes.append(_written(log))
        for number in range(40):
            peer.call("PutItem", {"TableName": "things", "Item": _item(f"n{number:02d}", 100)})
            sizes.append(_written(log))
    content = log.read_bytes()
    dice = random.Random(0)
    for _ in range(40):
        cut = dice.randrange(sizes[0], sizes[-1] + 1)
        tail = dice.choice((b"", bytes(5000), dice.randbytes(5000), content[sizes[0] : sizes[0] + 9000]))
        shutil.rmtree(torn, ignore_errors=True)
        shutil.copytree(folder, torn)
        (torn / log.name).write_bytes(content[:cut] + tail)
        (torn / f"{FILE_NAME}-shm").write_bytes(dice.randbytes(32768))  # never synced, hence never trusted
        written = max(number for number, size in enumerate(sizes) if size <= cut)
        with Engine(torn, background=False, durability="off") as engine:
            assert _names(engine) == {f"n{number:02d}" for number in range(written)}
            assert list(check_folder(engine, torn)) == []
            replay = Replay("things")
            assert replay.advance(engine)[1] == []
            assert list(replay.differences(engine)) == []
            _put(engine, "afterwards")
