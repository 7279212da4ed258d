"""The power is cut while something is written: what was acknowledged is there, and nothing is there by half."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_bytes

import apsw
import pytest

from partita.engine import Engine
from partita.engine.buckets import Buckets
from partita.engine.database import Durability
from partita.kit.backup import back_up, restore
from partita.kit.clock import SystemClock
from partita.kit.files.local import LocalFiles
from partita.kit.keys import place_of, signing_keys
from partita.kit.search import Search
from partita.kit.settings import Settings
from partita.private_files import private_folder
from partita.store.cursor_keys import lasting_keys
from partita.store.files import FolderFiles
from partita.table import CursorKeys
from tests.crash.tables import pages, side_table
from tests.kit.search.books import BOOKS, Book
from tests.powercut import sqlite
from tests.powercut.disk import SECTOR, Disk
from tests.powercut.rounds import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which file a handle is of")


@pytest.mark.slow
def test_a_power_cut_takes_nothing_acknowledged_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", seed=2)
    for _ in range(4):
        assert run.round() == []
    assert run.report.acknowledged > 0
    assert run.report.unsynced > 0


@pytest.mark.slow
def test_with_normal_durability_a_power_cut_takes_at_most_the_last_writes(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", seed=3, durability="normal")
    for _ in range(4):
        assert run.round() == []


@pytest.mark.slow
def test_without_any_sync_a_power_cut_is_noticed(tmp_path: Path) -> None:
    """What shows that the rounds can fail: held to the promise of full durability, a file that is never synced breaks
    it."""
    run = Run(tmp_path / "run", seed=4, durability="off", promised="full")
    assert any(run.round() for _ in range(20))


@pytest.mark.slow
def test_the_long_run_reports_its_figures() -> None:
    command = [sys.executable, "-m", "tests.powercut", "--rounds", "1", "--seed", "5", "--steps", "200"]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 violations" in done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What is on the disk."""
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


@contextmanager
def power_cut(root: Path) -> Iterator[Disk]:
    """At the end, if not before, the power is cut. What was synced is in the image then, and nothing else."""
    disk = Disk(root, root.parent / "left", random.Random(0))
    with sqlite.on(disk):
        yield disk
        disk.cut(worst=True)
    disk.close()


def test_the_disk_forgets_what_was_not_synced(root: Path) -> None:
    (root / "before").write_bytes(b"old")
    with power_cut(root) as disk:
        (root / "before").write_bytes(b"new")
        (root / "after").write_bytes(b"new")
    assert (disk.image / "before").read_bytes() == b"old"
    assert not (disk.image / "after").exists()


def test_the_disk_brings_back_what_was_deleted_or_renamed_since(root: Path) -> None:
    for name in ("deleted", "renamed"):
        (root / name).write_bytes(name.encode())
    with power_cut(root) as disk:
        (root / "deleted").unlink()
        (root / "renamed").rename(root / "other")
    assert {file.name: file.read_bytes() for file in disk.image.iterdir()} == {
        "deleted": b"deleted",
        "renamed": b"renamed",
    }


def test_the_disk_leaves_some_sectors_old_some_new_and_some_torn(root: Path) -> None:
    sectors = 400
    (root / "file").write_bytes(b"o" * SECTOR * sectors)
    disk = Disk(root, root.parent / "left", random.Random(7))
    (root / "file").write_bytes(b"n" * SECTOR * sectors)
    disk.cut()
    disk.close()
    content = (disk.image / "file").read_bytes()
    found = {content[start : start + SECTOR] for start in range(0, len(content), SECTOR)}
    assert {b"o" * SECTOR, b"n" * SECTOR} < found
    assert all(each.startswith(b"n") and each.endswith(b"o") for each in found - {b"o" * SECTOR, b"n" * SECTOR})


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_a_new_data_folder_keeps_its_name(root: Path, durability: Durability) -> None:
    with power_cut(root) as disk, Engine(root / "srv" / "data", background=False, durability=durability) as engine:
        engine.call("CreateTable", side_table("things"))
        engine.call("PutItem", {"TableName": "things", "Item": {"id": {"S": "a"}}})
        if durability == "normal":
            engine.database.writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)
        disk.cut(worst=True)
    with Engine(disk.image / "srv" / "data", background=False) as engine:
        assert len(pages(engine, "Scan", {"TableName": "things"})) == 1


def test_a_new_backup_of_a_table_is_there_and_can_be_restored(root: Path) -> None:
    with power_cut(root) as disk, Engine(root / "data", background=False) as engine:
        engine.call("CreateTable", side_table("things"))
        engine.call("PutItem", {"TableName": "things", "Item": {"id": {"S": "a"}}})
        made = engine.call("CreateBackup", {"TableName": "things", "BackupName": "first"})
        disk.cut(worst=True)
    with Engine(disk.image / "data", background=False) as engine:
        request = {"TargetTableName": "again", "BackupArn": made["BackupDetails"]["BackupArn"]}
        engine.call("RestoreTableFromBackup", request)
        engine.maintenance.run()
        assert len(pages(engine, "Scan", {"TableName": "again"})) == 1


def test_with_normal_durability_a_backup_is_listed_as_long_as_its_file_may_be_there(root: Path) -> None:
    """Else a power cut could take the deletion from the list, and not that of the file."""
    with Engine(root / "data", background=False) as engine:
        engine.call("CreateTable", side_table("things"))
        made = engine.call("CreateBackup", {"TableName": "things", "BackupName": "first"})
    with power_cut(root) as disk, Engine(root / "data", background=False, durability="normal") as engine:
        engine.call("DeleteBackup", {"BackupArn": made["BackupDetails"]["BackupArn"]})
        disk.cut(worst=True)
    with Engine(disk.image / "data", background=False) as engine:
        assert engine.call("ListBackups", {})["BackupSummaries"] == []


def test_what_the_search_index_has_followed_is_still_found(root: Path) -> None:
    """The tables say which changes it has followed; they would not come again."""
    with power_cut(root) as disk:
        search = Search(root / "search.db", CursorKeys(b"s" * 32), durability="full")
        asyncio.run(search.apply(BOOKS, None, Book(id="1", title="Lighthouse"), sequence="1"))
        disk.cut(worst=True)
        before = asyncio.run(search.find(BOOKS, "lighthouse")).total
        search.close()
    search = Search(disk.image / "search.db", CursorKeys(b"s" * 32))
    assert asyncio.run(search.find(BOOKS, "lighthouse")).total == before == 1
    search.close()


def _secret(folder: Path) -> object:
    return signing_keys(Settings(data=folder), "test")


def _place(folder: Path) -> object:
    return place_of(Settings(data=folder))


def _cursor_keys(folder: Path) -> object:
    private_folder(folder)
    return lasting_keys(folder).keys


def _large_value(folder: Path) -> object:
    files = FolderFiles(folder / "large-values")
    if files.load("ab12") is None:
        files.save("ab12", token_bytes(4 * SECTOR))
    return files.load("ab12")


def _upload(folder: Path) -> object:
    files = LocalFiles(folder / "files", (b"k" * 32,), SystemClock())
    if not (folder / "files" / "letters").exists():
        files.save_blocking("letters/2026/a.txt", token_bytes(4 * SECTOR), "text/plain")
    loaded = files.load_blocking("letters/2026/a.txt").data
    files.close_blocking()
    return loaded


def _export(folder: Path) -> object:
    buckets = Buckets(folder)
    private_folder(folder / "bucket")
    if not buckets.objects("bucket", ""):
        buckets.put("bucket", "AWSDynamoDB/0123/data/a.json", token_bytes(4 * SECTOR))
    return [path.read_bytes() for _, path in buckets.objects("bucket", "")]


@pytest.mark.parametrize("keep", [_secret, _place, _cursor_keys, _large_value, _upload, _export])
def test_what_is_kept_beside_the_tables_is_still_there(root: Path, keep: Callable[[Path], object]) -> None:
    with power_cut(root) as disk:
        before = keep(root / "srv" / "data")
    assert keep(disk.image / "srv" / "data") == before


def test_a_backup_and_what_is_restored_from_it_are_still_there(root: Path) -> None:
    with Engine(root / "data", background=False, durability="off") as engine:
        engine.call("CreateTable", side_table("things"))
        engine.call("PutItem", {"TableName": "things", "Item": {"id": {"S": "a"}}})
    with power_cut(root) as disk:
        back_up(root / "data", root / "mnt" / "backups" / "monday")
        restore(root / "mnt" / "backups" / "monday", root / "srv" / "restored")
    restore(disk.image / "mnt" / "backups" / "monday", disk.image / "again")
    for folder in ("again", "srv/restored"):
        with Engine(disk.image / folder, background=False) as engine:
            assert len(pages(engine, "Scan", {"TableName": "things"})) == 1
