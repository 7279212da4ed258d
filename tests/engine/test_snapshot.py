"""A snapshot: what was committed when it began, counted and copied; what is not ours is refused."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from partita.dynamo.errors import InternalServerError
from partita.engine import Engine, FormatError
from partita.engine.database import FILE_NAME
from partita.engine.snapshot import Snapshot, renew_records
from tests.kit.backup.folders import make_table, put, rows


def test_a_snapshot_sees_nothing_that_came_later_and_is_copied_as_it_was(tmp_path: Path) -> None:
    with Engine(tmp_path / "data", durability="off", background=False) as engine:
        make_table(engine, "films")
        put(engine, "films", "before", number=1)
        with Snapshot(tmp_path / "data" / FILE_NAME) as snapshot:
            put(engine, "films", "after", number=2)
            make_table(engine, "people")
            steps: list[tuple[int, int]] = []
            (tmp_path / "copy").mkdir()
            snapshot.copy(tmp_path / "copy" / FILE_NAME, lambda done, total: steps.append((done, total)))
            assert [(table.name, table.items) for table in snapshot.tables()] == [("films", 1)]
            assert snapshot.size == (tmp_path / "copy" / FILE_NAME).stat().st_size
    assert steps[-1][0] == steps[-1][1] > 0
    assert [path.name for path in (tmp_path / "copy").iterdir()] == [FILE_NAME]
    with Engine(tmp_path / "copy", durability="off", background=False) as copy:
        assert copy.call("ListTables", {})["TableNames"] == ["films"]
        assert rows(copy, "films") == {"before": {"number": 1}}


def test_a_file_that_is_not_ours_or_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    with Engine(tmp_path, durability="off"):
        pass
    file = tmp_path / FILE_NAME
    for pragma, said in (("user_version=99", "has format 99"), ("application_id=7", "of something else")):
        connection = apsw.Connection(str(file))
        connection.execute(f"PRAGMA {pragma}")
        connection.close()
        with pytest.raises(FormatError, match=said):
            Snapshot(file)
    with pytest.raises(InternalServerError, match="cannot be used"):
        Snapshot(tmp_path / "missing.sqlite3")
    assert not (tmp_path / "missing.sqlite3").exists()


def test_records_of_all_streams_become_younger_and_nothing_else_changes(tmp_path: Path) -> None:
    with Engine(tmp_path, durability="off", background=False, clock=lambda: 1_000_000.0) as engine:
        for table in ("films", "people"):
            make_table(engine, table, stream=True)
            put(engine, table, "one", number=1)
    renew_records(tmp_path / FILE_NAME, 1_000.0, 1_500.0)
    connection = apsw.Connection(str(tmp_path / FILE_NAME))
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'stream_*'")]
    moments = [at for name in names for (at,) in connection.execute(f"SELECT at FROM {name}")]
    connection.close()
    assert moments == [1_000_500.0] * 2
    with Engine(tmp_path, durability="off", background=False) as engine:
        assert rows(engine, "films") == {"one": {"number": 1}}
