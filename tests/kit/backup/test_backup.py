"""A backup holds everything that cannot be made anew, can be read by its owner alone, and is refused if it changed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import StorageCorruptError
from partita.engine import Engine
from partita.held_folders import alone_in, may_change, nothing_changes
from partita.kit.backup import BackupError, Manifest, back_up, is_encrypted, restore, taking
from partita.kit.backup.manifest import is_text
from partita.kit.clock import SystemClock
from partita.kit.files import LocalFiles
from partita.store.files import FolderFiles
from tests.kit.backup.folders import PASSPHRASE, QUICK, contents, make_data, put, rows

Take = Callable[[Path, Path], Manifest]


def _plain(data: Path, folder: Path) -> Manifest:
    return back_up(data, folder)


def _encrypted(data: Path, folder: Path) -> Manifest:
    return back_up(data, folder, passphrase=PASSPHRASE, encryption=QUICK)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder `data`, and its backups `plain` and `encrypted`."""
    folder = tmp_path_factory.mktemp("made")
    make_data(folder / "data")
    _plain(folder / "data", folder / "plain")
    _encrypted(folder / "data", folder / "encrypted")
    return folder


@pytest.mark.parametrize("kind", ["plain", "encrypted"])
def test_what_is_restored_is_what_was_backed_up(made: Path, tmp_path: Path, kind: str) -> None:
    manifest = restore(made / kind, tmp_path / "new", passphrase=PASSPHRASE)
    assert [(table.name, table.items) for table in manifest.tables] == [("films", 20), ("people", 20)]
    before, after = contents(made / "data"), contents(tmp_path / "new")
    left_out = {"place", "search.db", "files/.incoming/half", ".partita.sqlite3.lock"}
    assert {path for path in before if not path.startswith("partita.sqlite3")} - left_out == {
        path for path in after if path != "partita.sqlite3"
    }
    assert all(before[path] == after[path] for path in after if path != "partita.sqlite3")
    with Engine(made / "data", durability="off") as old, Engine(tmp_path / "new", durability="off") as new:
        for table in ("films", "people"):
            assert rows(old, table) == rows(new, table)
        (backup,) = new.call("ListBackups", {})["BackupSummaries"]
        restored = {"BackupArn": backup["BackupArn"], "TargetTableName": "again"}
        new.call("RestoreTableFromBackup", restored)
        new.maintenance.run()
        assert rows(new, "again") == rows(old, "films")


NAMES = st.binary(min_size=1, max_size=30).filter(lambda name: not set(name) & {0, ord("/")} and name[:1] != b".")


@pytest.mark.parametrize("take", [_plain, _encrypted])
@given(names=st.sets(NAMES, max_size=4), folder=NAMES)
@settings(max_examples=15, deadline=None)
def test_files_of_any_name_are_restored_as_they_were(
    made: Path, tmp_path_factory: pytest.TempPathFactory, take: Take, names: set[bytes], folder: bytes
) -> None:
    """Also if it is no text, as of a program that knows another encoding."""
    place = tmp_path_factory.mktemp("names")
    data = place / "data"
    shutil.copytree(made / "data", data)
    below = os.path.join(os.fsencode(data / "files"), folder)
    os.makedirs(below, exist_ok=True)
    for name in names:
        with open(os.path.join(below, name), "wb") as file:
            file.write(name)
    take(data, place / "copy")
    header = json.loads((place / "copy" / "backup.json").read_bytes())
    texts = all(is_text(os.fsdecode(name)) for name in (*names, *([folder] if names else [])))
    assert header["format"] == (1 if texts else 2), "earlier versions read what they know, and say so of what not"
    restore(place / "copy", place / "new", passphrase=PASSPHRASE)
    before, after = contents(data / "files"), contents(place / "new" / "files")
    assert after == {path: content for path, content in before.items() if not path.startswith(".incoming")}


def test_folders_that_sqlite_cannot_open_are_refused_before_anything_is_written(made: Path, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    for take, source, target in (
        (_plain, made / "data", odd),
        (_plain, odd, tmp_path / "copy"),
        (restore, made / "plain", odd),
    ):
        with pytest.raises(BackupError, match="has a name that is not UTF-8"):
            take(source, target)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["plain", "encrypted"])
def test_only_the_owner_can_read_a_backup_and_what_is_restored(made: Path, tmp_path: Path, kind: str) -> None:
    restore(made / kind, tmp_path / "new", passphrase=PASSPHRASE)
    for top in (made / kind, tmp_path / "new"):
        for path in (top, *top.rglob("*")):
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_an_encrypted_backup_shows_neither_names_nor_contents(made: Path) -> None:
    assert is_encrypted(made / "encrypted")
    assert not is_encrypted(made / "plain")
    secret = (made / "data" / "secret").read_bytes()
    for path, content in contents(made / "encrypted").items():
        for told in (b"films", b"kelifax", b"large text", secret, b"SQLite format"):
            assert told not in content, path
        assert "kelifax" not in path


@settings(max_examples=40)
@given(st.sampled_from(["plain", "encrypted"]), st.data())
def test_a_backup_with_any_changed_byte_is_refused_and_nothing_is_written(
    made: Path, kind: str, choose: st.DataObject
) -> None:
    files = [path for path, content in contents(made / kind).items() if content]
    path = made / kind / choose.draw(st.sampled_from(files))
    right = path.read_bytes()
    wrong = bytearray(right)
    wrong[choose.draw(st.integers(0, len(right) - 1))] ^= choose.draw(st.integers(1, 255))
    try:
        path.write_bytes(wrong)
        with pytest.raises(BackupError):
            restore(made / kind, made / "refused", passphrase=PASSPHRASE)
    finally:
        path.write_bytes(right)
    assert not (made / "refused").exists()


@pytest.mark.parametrize("kind", ["plain", "encrypted"])
def test_a_backup_that_lacks_any_of_its_files_is_refused(made: Path, tmp_path: Path, kind: str) -> None:
    for path in contents(made / kind):
        broken = tmp_path / "broken"
        shutil.copytree(made / kind, broken)
        (broken / path).unlink()
        with pytest.raises(BackupError, match=r"is missing in the backup|it has no backup\.json"):
            restore(broken, tmp_path / "refused", passphrase=PASSPHRASE)
        shutil.rmtree(broken)
    assert not (tmp_path / "refused").exists()


def test_a_wrong_passphrase_is_told_apart_from_none(made: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"The passphrase is wrong, or the backup was changed\."):
        restore(made / "encrypted", tmp_path / "new", passphrase="correct horse batterz")
    with pytest.raises(BackupError, match=r"is encrypted\. Give its passphrase\."):
        restore(made / "encrypted", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_backup_of_a_newer_format_asks_for_a_newer_partita(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "plain", tmp_path / "newer")
    header = json.loads((tmp_path / "newer" / "backup.json").read_text())
    (tmp_path / "newer" / "backup.json").write_text(json.dumps({**header, "format": 3}))
    with pytest.raises(BackupError, match=r"has format 3; this Partita knows up to 2\. Install a newer one\."):
        restore(tmp_path / "newer", tmp_path / "new")


@pytest.mark.parametrize(
    "path",
    [
        *("../out", "files/../../out", "/out", "search.db", "files", "files//x", "secret/x", "", "."),
        *(
            f"bytes:{base64.b64encode(name).decode()}"
            for name in (b"../out", b"files/../../out", b"/out", b"files", b"")
        ),
    ],
)
def test_a_manifest_cannot_lead_out_of_the_folder(made: Path, path: str) -> None:
    (file, *_) = Manifest.model_validate_json((made / "plain" / "manifest.json").read_bytes()).files
    with pytest.raises(ValueError, match="path"):
        type(file)(path=path, bytes=1, sha256=file.sha256, stored=file.stored)
    with pytest.raises(ValueError, match="stored"):
        type(file)(path=file.path, bytes=1, sha256=file.sha256, stored=path)


def test_a_manifest_names_the_tables_and_every_path_once(made: Path) -> None:
    manifest = Manifest.model_validate_json((made / "plain" / "manifest.json").read_bytes())
    members = {"partita": "1", "moment": manifest.moment, "tables": manifest.tables}
    for files in (manifest.files[1:], (*manifest.files, manifest.files[-1])):
        with pytest.raises(ValueError, match="the tables, and every path once"):
            Manifest.model_validate({**members, "files": files})


def test_nothing_is_restored_into_a_folder_that_is_not_empty(made: Path, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "notes.txt").write_text("mine")
    with pytest.raises(BackupError, match=r"used is not empty: it has notes\.txt\. Name a new folder"):
        restore(made / "plain", tmp_path / "used")
    (tmp_path / "half" / ".restoring").mkdir(parents=True)
    with pytest.raises(BackupError, match=r"was interrupted\. Delete .*\.restoring and start again"):
        restore(made / "plain", tmp_path / "half")
    with pytest.raises(BackupError, match="is a file"):
        restore(made / "plain", tmp_path / "used" / "notes.txt")
    assert contents(tmp_path / "used") == {"notes.txt": b"mine"}


def test_an_empty_folder_that_is_there_is_taken(made: Path, tmp_path: Path) -> None:
    (tmp_path / "mount").mkdir(mode=0o700)
    place = (tmp_path / "mount").stat().st_ino
    restore(made / "plain", tmp_path / "mount")
    assert (tmp_path / "mount").stat().st_ino == place
    assert not (tmp_path / "mount" / ".restoring").exists()


def test_a_folder_that_is_no_backup_is_told(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"is no backup: it has no backup\.json"):
        restore(tmp_path, tmp_path / "new")
    with pytest.raises(BackupError, match=r"There is no folder .*/nothing"):
        restore(tmp_path / "nothing", tmp_path / "new")


def test_a_backup_is_never_written_over_something_nor_into_the_data(made: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"plain is there already\. Name a new folder"):
        back_up(made / "data", made / "plain")
    with pytest.raises(BackupError, match="is within the data folder"):
        back_up(made / "data", made / "data" / "copy")
    with pytest.raises(BackupError, match=r"There are no tables in .*nothing\. Name the data folder"):
        back_up(tmp_path / "nothing", tmp_path / "copy")
    assert not (tmp_path / "nothing").exists()


def test_two_backups_at_once_are_one_too_many(made: Path, tmp_path: Path) -> None:
    with alone_in(made / "data" / ".backup") as alone:
        assert alone
        with pytest.raises(BackupError, match=r"Another backup of .* is running"):
            back_up(made / "data", tmp_path / "second")
    back_up(made / "data", tmp_path / "second")


@pytest.mark.parametrize("take", [_plain, _encrypted])
def test_one_that_breaks_off_leaves_nothing_behind(tmp_path: Path, take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_data(tmp_path / "data")
    before = set(contents(data))
    (data / ".backup").mkdir(mode=0o700)
    (data / ".backup" / "files").mkdir()
    (data / ".backup" / "files" / "left").write_text("by one that was killed")

    def fail(*_: object) -> None:
        raise OSError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(taking, "sync_folders", fail)
        with pytest.raises(OSError, match="the disk is gone"):
            take(data, tmp_path / "copy")
    assert set(contents(data)) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    take(data, tmp_path / "copy")
    assert set(contents(data)) == before


def test_folders_that_root_makes_for_a_backup_belong_to_whoever_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = make_data(tmp_path / "data")
    shutil.rmtree(data / "large-values")
    owner, given = data.stat(), []
    monkeypatch.setattr(os, "geteuid", lambda: owner.st_uid + 1)
    monkeypatch.setattr(os, "chown", lambda *arguments: given.append(arguments))
    back_up(data, tmp_path / "copy")
    assert given == [(data / name, owner.st_uid, owner.st_gid) for name in (".backup", "large-values")]


def test_a_damaged_file_of_tables_is_told_instead_of_being_copied(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    file = data / "partita.sqlite3"
    damaged = bytearray(file.read_bytes())
    damaged[8192:] = os.urandom(len(damaged) - 8192)
    file.write_bytes(damaged)
    with pytest.raises(StorageCorruptError):
        back_up(data, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_disk_without_room_is_told_before_anything_is_copied(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(BackupError, match=r"The backup needs [\d,]+ bytes, and .* has 1,000\."):
        back_up(made / "data", tmp_path / "copy")
    with pytest.raises(BackupError, match=r"The backup needs [\d,]+ bytes, and .* has 1,000\."):
        restore(made / "plain", tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_an_encrypted_backup_does_not_fill_the_disk_that_is_served_from(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: usage._replace(free=50_000_000 if "data" in Path(path).parts else 10**12)
    )
    with pytest.raises(BackupError, match=r"needs [\d,]+ bytes in .*data for a copy of the tables meanwhile"):
        _encrypted(made / "data", tmp_path / "copy")
    _plain(made / "data", tmp_path / "copy")


def test_what_a_killed_backup_left_is_cleared_unless_one_runs(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    taking.clear_left_behind(data)
    with taking.beside(data) as staging:
        (staging / "one").touch()
        taking.clear_left_behind(data)
        assert (staging / "one").exists()
    (data / ".backup" / "files").mkdir()
    (data / ".backup" / "files" / "left").write_text("somebody's")
    taking.clear_left_behind(data)
    assert list((data / ".backup").iterdir()) == []


def test_a_new_ext4_mount_is_restored_into(made: Path, tmp_path: Path) -> None:
    new = tmp_path / "mount"
    (new / "lost+found").mkdir(parents=True)
    restore(made / "plain", new)
    assert (new / "partita.sqlite3").exists()
    (tmp_path / "other" / "lost+found" / "something").mkdir(parents=True)
    with pytest.raises(BackupError, match="is not empty: it has lost"):
        restore(made / "plain", tmp_path / "other")


def test_a_folder_that_cannot_be_written_says_what_to_do(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(BackupError, match=r"Nothing can be written in .*cp -a .* COPY"):
        back_up(made / "data", tmp_path / "copy")


def test_a_file_deleted_while_the_backup_runs_is_in(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    name = "0" * 32 + ".txt"
    large = FolderFiles(data / "large-values")
    deleted: list[str] = []

    def delete(what: str, _done: int, _total: int) -> None:
        if what == "tables" and not deleted:
            large.delete(name)  # waits for nobody: the files have their second names
            deleted.append(name)

    manifest = back_up(data, tmp_path / "copy", progress=delete)
    assert deleted
    assert large.load(name) is None
    assert f"large-values/00/{name}" in [file.path for file in manifest.uploads]


def test_a_file_that_is_listed_and_gone_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = make_data(tmp_path / "data")
    (lost,) = (data / "backups").iterdir()
    lost.unlink()
    back_up(data, tmp_path / "copy")
    assert f"{lost} is missing, and so it is in the backup" in caplog.text


def test_changes_that_no_handler_had_seen_are_still_there_after_a_month(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = make_data(tmp_path / "data")
    with Engine(data, durability="off", background=False) as engine:
        put(engine, "films", "last", number=1)
    manifest = back_up(data, tmp_path / "copy")
    then = manifest.moment.timestamp() + 30 * 86_400
    monkeypatch.setattr("partita.kit.backup.restoring.time.time", lambda: then)
    restore(tmp_path / "copy", tmp_path / "new")
    with Engine(tmp_path / "new", durability="off", background=False, clock=lambda: then) as engine:
        engine.maintenance.run()
        (stream,) = engine.call("ListStreams", {})["Streams"]
        shards = engine.call("DescribeStream", {"StreamArn": stream["StreamArn"]})["StreamDescription"]["Shards"]
        iterator = {"StreamArn": stream["StreamArn"], "ShardId": shards[0]["ShardId"]}
        start = engine.call("GetShardIterator", {**iterator, "ShardIteratorType": "TRIM_HORIZON"})["ShardIterator"]
        records = engine.call("GetRecords", {"ShardIterator": start})["Records"]
    assert [record["dynamodb"]["Keys"]["id"]["S"] for record in records][-1] == "last"
    assert len(records) == 21


def test_no_file_comes_or_goes_while_the_folders_are_held(tmp_path: Path) -> None:
    large, local = FolderFiles(tmp_path / "large"), LocalFiles(tmp_path / "files", [b"k" * 32], SystemClock())
    large.save("a" * 32 + ".txt", b"old")
    local.save_blocking("attic/old.png", b"old", "image/png")
    before = contents(tmp_path)
    works: list[Callable[[], None]] = [
        lambda: large.save("b" * 32 + ".txt", b"new"),
        lambda: large.delete("a" * 32 + ".txt"),
        lambda: local.save_blocking("attic/new.png", b"new", "image/png"),
        lambda: local.delete_blocking("attic/old.png"),
    ]
    with ThreadPoolExecutor(len(works)) as threads:
        with nothing_changes(tmp_path / "large", tmp_path / "files"):
            waiting = [threads.submit(work) for work in works]
            assert wait(waiting, 0.05).done == set()
            assert {path: data for path, data in contents(tmp_path).items() if "/." not in path} == before
        for each in waiting:
            each.result(20)
    local.close_blocking()
    assert [path for path in contents(tmp_path) if "old" in path or "a" * 32 in path] == []
    assert len(contents(tmp_path)) == 2


def test_whoever_changes_files_waits_only_while_the_folder_is_held(tmp_path: Path) -> None:
    with may_change(tmp_path), may_change(tmp_path), alone_in(tmp_path) as alone:
        assert not alone
    with alone_in(tmp_path) as alone:
        assert alone
