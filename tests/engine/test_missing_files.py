"""A data file that is deleted or replaced while it is in use: writes are refused rather than lost."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from partita.dynamo.errors import StorageMissingError
from partita.engine import Engine
from partita.engine.backups import new_copy
from partita.engine.database import FILE_NAME
from partita.engine.openings import lock_of
from partita.engine.snapshot import Snapshot
from tests.engine.tables import create, get, put


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_a_file_beside_the_data_file_is_missed_and_stopping_saves_everything(tmp_path: Path, end: str) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine)
        put(engine, pk="a")
        (tmp_path / f"{FILE_NAME}{end}").unlink()
        with pytest.raises(StorageMissingError, match=rf"{FILE_NAME}{end} was deleted.*nothing is lost"):
            put(engine, pk="b")
        assert get(engine, pk="a") == {"pk": "a"}
        assert get(engine, pk="b") is None
    with Engine(tmp_path, background=False) as engine:
        assert get(engine, pk="a") == {"pk": "a"}
        put(engine, pk="b")


_OTHER = """
import sys
from partita.engine import Engine

with Engine(sys.argv[1], background=False) as engine:
    engine.call("PutItem", {"TableName": "music", "Item": {"pk": {"S": "theirs"}}})
"""


@pytest.mark.parametrize("ends", [("-shm",), ("-wal",), ("-wal", "-shm"), ("",)])
def test_another_process_does_not_open_what_misses_a_file_that_is_in_use(tmp_path: Path, ends: tuple[str, ...]) -> None:
    """It would make a new one, and each of the two would write over what the other has written."""
    with Engine(tmp_path, background=False) as engine:
        create(engine)
        put(engine, pk="a")
        aside = tmp_path / "aside"
        for end in ends:
            (tmp_path / f"{FILE_NAME}{end}").rename(aside)
        other = subprocess.run([sys.executable, "-c", _OTHER, str(tmp_path)], capture_output=True, text=True)
        assert "StorageMissingError" in other.stderr
        assert f"{FILE_NAME}{ends[0]} was deleted" in other.stderr
        with pytest.raises(StorageMissingError), Snapshot(tmp_path / FILE_NAME):
            pass
        assert not (tmp_path / f"{FILE_NAME}{ends[0]}").exists(), "nothing made a new one"
        if ends == ("",):
            aside.rename(tmp_path / FILE_NAME)
    with Engine(tmp_path, background=False) as engine:
        assert get(engine, pk="a") == {"pk": "a"}
        assert get(engine, pk="theirs") is None


def test_a_file_that_somebody_else_has_made_anew_is_noticed_too(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine)
        (tmp_path / f"{FILE_NAME}-shm").rename(tmp_path / "aside")
        shutil.copyfile(tmp_path / "aside", tmp_path / f"{FILE_NAME}-shm")
        with pytest.raises(StorageMissingError, match="nothing is lost"):
            Engine(tmp_path, background=False)


def test_what_a_killed_process_left_is_opened_whatever_is_missing(tmp_path: Path) -> None:
    script = _OTHER.replace("music", "other") + "    import os; os._exit(9)\n"
    with Engine(tmp_path, background=False) as engine:
        create(engine, "other")
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True)
    (tmp_path / f"{FILE_NAME}-shm").unlink()
    with Engine(tmp_path, background=False) as engine:
        answer = engine.call("GetItem", {"TableName": "other", "Key": {"pk": {"S": "theirs"}}})
        assert answer["Item"] == {"pk": {"S": "theirs"}}


_IN_AND_OUT = """
import sys
from partita.engine import Engine

for number in range(int(sys.argv[2])):
    with Engine(sys.argv[1], background=False) as engine:
        engine.call("PutItem", {"TableName": "music", "Item": {"pk": {"S": f"{sys.argv[3]}-{number}"}}})
"""


def test_processes_that_come_and_go_at_once_are_not_taken_for_others_files_missing(tmp_path: Path) -> None:
    """The last one to leave removes the files beside the data file, while others come."""
    with Engine(tmp_path, background=False) as engine:
        create(engine)
    command = [sys.executable, "-c", _IN_AND_OUT, str(tmp_path), "30"]
    running = [subprocess.Popen([*command, str(each)], stderr=subprocess.PIPE, text=True) for each in range(3)]
    assert [process.communicate()[1] for process in running] == [""] * 3
    with Engine(tmp_path, background=False) as engine:
        assert engine.call("Scan", {"TableName": "music", "Select": "COUNT"})["Count"] == 90


def test_a_data_file_that_is_moved_away_is_told_once_and_works_again_when_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine)
        put(engine, pk="a")
        file, aside = tmp_path / FILE_NAME, tmp_path / "aside"
        file.rename(aside)
        for _ in range(3):
            with pytest.raises(StorageMissingError, match="Put it back, or restore a backup"):
                put(engine, pk="b")
        assert get(engine, pk="a") == {"pk": "a"}, "reading goes on"
        assert not file.exists(), "nothing makes a new one in its place"
        shutil.copyfile(aside, file)
        with pytest.raises(StorageMissingError):
            put(engine, pk="b")
        with pytest.raises(StorageMissingError):
            engine.call("CreateBackup", {"TableName": "music", "BackupName": "nightly"})
        aside.replace(file)
        put(engine, pk="b")
        assert get(engine, pk="b") == {"pk": "b"}
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1


def test_a_data_file_that_is_a_link_is_looked_for_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "disk" / "tables").touch(mode=0o600)
    (tmp_path / "data" / FILE_NAME).symlink_to(tmp_path / "disk" / "tables")
    with Engine(tmp_path / "data", background=False) as engine:
        create(engine)
        (tmp_path / "disk" / "tables-wal").unlink()
        with pytest.raises(StorageMissingError, match="tables-wal was deleted"):
            put(engine, pk="a")


def test_a_new_reader_does_not_make_a_new_file(tmp_path: Path) -> None:
    with Engine(tmp_path, background=False) as engine:
        create(engine)
        put(engine, pk="a")
        for end in ("", "-wal", "-shm"):
            (tmp_path / f"{FILE_NAME}{end}").unlink()
        with engine.database.reader(), pytest.raises(StorageMissingError):
            engine.database.take()
        assert list(tmp_path.iterdir()) == [lock_of(tmp_path / FILE_NAME)]


def test_no_copy_makes_a_new_file_in_its_place_and_the_log_beside_it_stays(tmp_path: Path) -> None:
    data, target = tmp_path / "a #1?", tmp_path / "copies" / "one.sqlite3"
    (tmp_path / "shelf").mkdir()
    with Engine(data, background=False, exports=tmp_path) as engine:
        create(engine)
        put(engine, pk="a")
        export = {"TableArn": engine.place.table_arn("music"), "S3Bucket": "shelf"}
        engine.call("ExportTableToPointInTime", export)
        file, aside = data / FILE_NAME, tmp_path / "aside"
        file.rename(aside)
        with pytest.raises(StorageMissingError):
            engine.call("ExportTableToPointInTime", export)
        with pytest.raises(apsw.CantOpenError), new_copy(file, target):  # as if it had gone a moment later
            pass
        assert not file.exists()
        assert not target.exists()
        aside.rename(file)
        put(engine, pk="b")
        assert get(engine, pk="a") == {"pk": "a"}


def _put_for_long(engine: Engine) -> None:
    for number in range(100_000):
        put(engine, pk=str(number))


@pytest.mark.parametrize("durability", ["normal", "off"])
def test_without_full_durability_it_is_noticed_a_moment_later(tmp_path: Path, durability: str) -> None:
    with Engine(tmp_path, background=False, durability=durability) as engine:  # type: ignore[arg-type]
        create(engine)
        (tmp_path / FILE_NAME).unlink()
        with pytest.raises(StorageMissingError):
            _put_for_long(engine)
