"""Going back to a moment: a whole data folder as it was at the end of a second."""

from __future__ import annotations

import copy
import json
import random
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from partita.cli import app
from partita.dynamo.errors import InvalidRestoreTimeError, RecoveryUnavailableError
from partita.engine import Engine
from partita.kit.backup import BackupError, back_up, restore, restore_data, to_second
from tests.crash.history import Replay
from tests.crash.structure import check_folder
from tests.engine.steps import STEPS, TABLES, State, do
from tests.engine.tables import Clock, create, index, put, python_items
from tests.kit.backup.folders import PASSPHRASE, QUICK, contents

BEGIN = 1_700_000_000
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def _at(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def _keep(engine: Engine, name: str) -> None:
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    engine.call("UpdateContinuousBackups", {"TableName": name, **recovery})


def _items(engine: Engine, name: str) -> dict[str, dict[str, Any]]:
    return {item["pk"]: item for item in python_items(engine.call("Scan", {"TableName": name}))}


def _check(folder: Path, clock: Clock, expected: dict[str, Any]) -> None:
    """The tables are as expected, their indexes and counters agree, and their streams tell the same story."""
    with Engine(folder, clock=clock, background=False, durability="off") as engine:
        assert engine.call("ListTables", {})["TableNames"] == sorted(expected)
        for name, items in expected.items():
            assert _items(engine, name) == items
            replay = Replay(name)
            _, violations = replay.advance(engine)
            assert [*violations, *replay.differences(engine)] == []
        assert list(check_folder(engine, folder)) == []
        # It goes on: a reader of the stream misses nothing, and the history begins no gap.
        for name in expected:
            put(engine, name, pk="new")
            replay = Replay(name)
            assert replay.advance(engine)[1] == []
            assert list(replay.differences(engine)) == []


@settings(deadline=None, max_examples=6, phases=(Phase.reuse, Phase.generate))  # shrinking a failure would take minutes
@given(STEPS, st.lists(st.integers(0, 12), min_size=2, max_size=2), st.booleans())
def test_every_table_goes_back_to_the_same_moment_and_from_there_further(
    steps: list[tuple[Any, ...]], offsets: list[int], backed_up: bool
) -> None:
    clock = Clock(BEGIN + 0.25)
    now: State = {name: {} for name in TABLES}
    past = {BEGIN: copy.deepcopy(now)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Engine(folder / "data", clock=clock, background=False, durability="off") as engine:
            for table in TABLES:
                create(engine, table, gsis=[index("byG", "g")], StreamSpecification=STREAM)
                _keep(engine, table)
            ttl = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}
            engine.call("UpdateTimeToLive", {"TableName": "music", **ttl})
            for step in steps:
                do(engine, clock, now, step)
                past[int(clock.now)] = copy.deepcopy(now)
            clock.advance(20)
            create(engine, "later")
            later, earlier = sorted(offsets, reverse=True)
            if backed_up:
                back_up(folder / "data", folder / "copy", passphrase=PASSPHRASE, encryption=QUICK)
                restore(folder / "copy", folder / "first", passphrase=PASSPHRASE, at=_at(BEGIN + later))
            else:
                restore_data(folder / "data", folder / "first", _at(BEGIN + later))
            restore_data(folder / "first", folder / "second", _at(BEGIN + earlier))
            for made, offset in (("first", later), ("second", earlier)):
                expected = past[max(second for second in past if second <= BEGIN + offset)]
                _check(folder / made, clock, expected)


def test_a_long_history_is_what_it_was_at_twenty_random_moments(tmp_path: Path) -> None:
    """As a table of its own, and of five of them as a whole folder."""
    seed = random.SystemRandom().randrange(1_000_000)
    chance, clock = random.Random(seed), Clock(BEGIN + 0.25)
    now: State = {name: {} for name in TABLES}
    past = {BEGIN: copy.deepcopy(now)}
    with Engine(tmp_path / "data", clock=clock, background=False, durability="off") as engine:
        for table in TABLES:
            create(engine, table, gsis=[index("byG", "g")])
            _keep(engine, table)
        while clock.now < BEGIN + 90:
            do(engine, clock, now, _any_step(chance))
            past[int(clock.now)] = copy.deepcopy(now)
        clock.advance(1)
        moments = chance.sample(range(BEGIN, int(clock.now)), 20)

        def then(second: int) -> State:
            return past[max(each for each in past if each <= second)]

        assert len({json.dumps(then(second), sort_keys=True) for second in moments}) > 10, "it changes all the time"
        for number, second in enumerate(moments):
            if number < 5:
                restore_data(tmp_path / "data", tmp_path / f"folder{number}", _at(second))
                with Engine(tmp_path / f"folder{number}", clock=clock, background=False, durability="off") as there:
                    assert {name: _items(there, name) for name in TABLES} == then(second), (seed, second)
            for name in TABLES:
                request = {"SourceTableName": name, "TargetTableName": f"{name}{number}", "RestoreDateTime": second}
                engine.call("RestoreTableToPointInTime", request)
        engine.maintenance.run()
        for number, second in enumerate(moments):
            assert {name: _items(engine, f"{name}{number}") for name in TABLES} == then(second), (seed, second)


def _any_step(chance: random.Random) -> tuple[Any, ...]:
    key, other = chance.choices("abcdefgh", k=2)
    table, value = chance.choice(TABLES), chance.randrange(9)
    steps: list[tuple[Any, ...]] = [
        ("put", table, key, value),
        ("update", table, key, value),
        ("delete", table, key),
        ("transact", key, other, value),
        ("refused", key, other, value),
        ("pass", chance.choice((0.4, 1.0, 2.3))),
    ]
    return chance.choice(steps)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table that can go back and a file."""
    folder = tmp_path_factory.mktemp("moments") / "data"
    with Engine(folder, clock=(clock := Clock(BEGIN)), background=False, durability="off") as engine:
        create(engine)
        _keep(engine, "music")
        for number in range(600):  # more than a batch
            put(engine, pk=f"p{number}", v=1)
        clock.advance(10)
        for number in range(600):
            put(engine, pk=f"p{number}", v=2)
    (folder / "files").mkdir()
    (folder / "files" / "one.png").write_bytes(b"pixels")
    (folder / "secret").write_text("a secret that nobody knows, of this length\n")
    return folder


def test_files_and_the_secret_come_along_and_nothing_is_changed_in_the_old_folder(data: Path, tmp_path: Path) -> None:
    before = contents(data)
    manifest = restore_data(data, tmp_path / "new", _at(BEGIN + 5))
    assert (manifest.moment, manifest.items) == (_at(BEGIN + 5), 600)
    after = contents(tmp_path / "new")
    assert after.keys() == {"files/one.png", "partita.sqlite3", "secret"}
    assert after["files/one.png"] == b"pixels"
    assert {path: content for path, content in contents(data).items() if "sqlite3" not in path} == {
        path: content for path, content in before.items() if "sqlite3" not in path
    }
    with Engine(tmp_path / "new", background=False, durability="off") as engine:
        assert {item["v"] for item in _items(engine, "music").values()} == {1}


def test_a_moment_that_cannot_be_had_is_refused_and_leaves_nothing(data: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    with pytest.raises(InvalidRestoreTimeError, match=r"is not over|was not over.*Name an earlier moment"):
        restore_data(data, new, datetime.now(UTC).replace(year=2999, microsecond=0))
    with pytest.raises(BackupError, match="neither a backup nor a data folder"):
        restore_data(tmp_path, new, _at(BEGIN))
    with pytest.raises(BackupError, match="within the data folder"):
        restore_data(data, data / "new", _at(BEGIN))
    with Engine(tmp_path / "other", clock=(clock := Clock(BEGIN)), background=False, durability="off") as engine:
        create(engine)
        clock.advance(60)
        with pytest.raises(RecoveryUnavailableError, match=r"What music held at a moment is not kept.*recovery_days"):
            restore_data(tmp_path / "other", new, _at(BEGIN))
        _keep(engine, "music")
        with pytest.raises(
            InvalidRestoreTimeError, match=r"too early: changes of music are kept since 2023-11-14 22:14"
        ):
            restore_data(tmp_path / "other", new, _at(BEGIN + 59))
    assert not new.exists()


def test_tables_whose_changes_are_not_kept_stay_as_they_are_and_are_named(tmp_path: Path) -> None:
    with Engine(tmp_path / "data", clock=(clock := Clock(BEGIN)), background=False, durability="off") as engine:
        for name in ("music", "other"):
            create(engine, name, StreamSpecification=STREAM)
        _keep(engine, "music")
        for name in ("music", "other"):
            put(engine, name, pk="a", v=1)
        clock.advance(10)
        for name in ("music", "other"):
            put(engine, name, pk="a", v=2)
        clock.advance(10)
    kept: list[str] = []
    restore_data(tmp_path / "data", tmp_path / "new", _at(BEGIN + 5), on_kept=kept.extend)
    assert kept == ["other"]
    assert contents(tmp_path / "new").keys() == {"partita.sqlite3"}
    _check(tmp_path / "new", clock, {"music": {"a": {"pk": "a", "v": 1}}, "other": {"a": {"pk": "a", "v": 2}}})
    said = CliRunner().invoke(
        app, ["restore", str(tmp_path / "data"), "--data", str(tmp_path / "again"), "--at", f"{_at(BEGIN + 5):%F %T}"]
    )
    assert "note     their changes are not kept, so they are as they are now: other\n" in said.output


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_moment_outside_all_time_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BackupError, match="moment"):
        to_second(text, _at(BEGIN))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-16 14:05:09", "2026-11-16T14:05:09+00:00"),
        ("2026-11-16 14:05:09 UTC", "2026-11-16T14:05:09+00:00"),
        ("2026-11-16T14:05:09.999Z", "2026-11-16T14:05:09+00:00"),
        ("2026-11-16T14:05:09+02:00", "2026-11-16T12:05:09+00:00"),
        ("2026-11-16", "2026-11-16T00:00:00+00:00"),
        ("18:59", "2026-11-16T18:59:00+00:00"),
        ("18:59:30 UTC", "2026-11-16T18:59:30+00:00"),
        ("19:00:01", "2026-11-15T19:00:01+00:00"),
        ("01:30+02:00", "2026-11-15T23:30:00+00:00"),
        ("20:59+02:00", "2026-11-16T18:59:00+00:00"),
        ("1 minute ago", "2026-11-16T18:59:00+00:00"),
        ("an hour ago", "2026-11-16T18:00:00+00:00"),
        ("36 hours ago", "2026-11-15T07:00:00+00:00"),
    ],
)
def test_a_moment_is_in_utc_unless_it_says_otherwise_and_a_time_is_the_last_one(text: str, moment: str) -> None:
    assert to_second(text, _NOW).isoformat() == moment


_NOW = datetime(2026, 11, 16, 19, 0, 0, 700_000, tzinfo=UTC)


def test_what_is_no_moment_is_told(tmp_path: Path) -> None:
    for text in ("yesterday", "", "2026-13-01", "25:00", "18", "2 hours", "-1 hours ago", "999999999 days ago"):
        with pytest.raises(BackupError, match=r"is no moment\. Write it as .* 14:05, in UTC, or as 10 minutes ago"):
            to_second(text, _NOW)
