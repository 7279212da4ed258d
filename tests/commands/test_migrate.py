"""`partita migrate` as a person types it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from partita.apps.worthwatch.schema import WORTHWATCH
from partita.cli import app
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.migrate import status
from tests.apps.worthwatch.old_rows import (
    FEBRUARY,
    Old,
    holding,
    list_item,
    movie,
    rating,
    saved,
    user,
    watchlist,
)
from tests.serving import partita_door
from tests.store.migrate.library import everything

NAME = "worthwatch-by-id"
ROWS: list[Old] = [
    user("u1"),
    user("u2", email="U1@example.com", createdAt=FEBRUARY),
    movie("m1"),
    watchlist("w1"),
    list_item("i1", "w1", "m1"),
    list_item("orphan", "nowhere", "m1"),
    saved("s1", "u1", "w1"),
    saved("s2", "u1", "w1", savedAt=FEBRUARY),
]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data"
    with Engine(folder, durability="off", background=False) as engine:
        holding(engine, ROWS)
    return folder


def said(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["migrate", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def tables(data: Path) -> list[str]:
    with Engine(data, background=False) as engine:
        names: list[str] = engine.call("ListTables", {})["TableNames"]
        return names


def mend(data: Path) -> None:
    """What a person does about the problems: the rows of the old table are put right."""
    with Engine(data, durability="off", background=False) as engine:
        holding(engine, [user("u2"), list_item("orphan", "w1", "m2")])


def test_list_names_source_target_and_purpose() -> None:
    assert said("list").startswith(f"{NAME}: worthwatch-by-id → worthwatch\n  WorthWatch's first table")


def test_a_dry_run_shows_what_would_be_written_and_writes_nothing(data: Path) -> None:
    output = said("run", NAME, "--dry-run", "--data", str(data), code=1)
    assert f"{NAME}: dry run, nothing was written\n" in output
    assert "8 rows: 5 would be moved, 0 already there, 1 skipped, 2 problems\n" in output
    written = re.search(r"  would write (.*)\n", output)
    assert written is not None
    kinds = ("User", "EmailGuard", "Movie", "Watchlist", "WatchlistItem", "SavedWatchlist", "Named")
    assert set(written[1].split(", ")) == {f"1 {kind}" for kind in kinds}
    assert re.search(r'an example of User\n    before  \{"id": "u1", .*\n    after   \{"PK": "USER#u1"', output)
    assert 'problem  id="orphan": its watchlist nowhere is not there\n' in output
    assert 'problem  id="u2": the email u1@example.com belongs to the row id="u1"\n' in output
    assert tables(data) == ["worthwatch-by-id"]


def test_problems_make_the_exit_code_one_until_they_are_mended(data: Path) -> None:
    where = ("--data", str(data))
    first = said("run", NAME, "--verify", *where, code=1)
    assert f"{NAME}: run 1 done, 4 segments\n  8 rows: 5 moved, 0 already there, 1 skipped, 2 problems\n" in first
    assert "verified 8 rows: 5 the same, 0 newer in the new table, 1 skipped, 2 differences\n" in first
    assert 'differs  id="orphan": not there\n' in first
    said("verify", NAME, *where, code=1)
    mend(data)
    assert "8 rows: 2 moved, 5 already there, 1 skipped, 0 problems\n" in said("run", NAME, *where)
    assert "7 the same" in said("verify", NAME, *where)


def test_status_tells_of_the_newest_run(data: Path) -> None:
    assert said("status", "--data", str(data)) == f"{NAME}: never run\n"
    said("run", NAME, "--segments", "2", "--data", str(data), code=1)
    output = said("status", NAME, "--data", str(data))
    assert re.match(rf"{NAME}: run 1 of worthwatch-by-id in 2 segments, finished at 20\d\d-", output)
    assert "  5 moved, 0 already there, 1 skipped, 2 problems\n" in output
    assert 'skipped  id="s2": the watchlist w1 saved by u1 belongs to the row id="s1"\n' in output
    assert 'problem  id="orphan"' in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nothing"], "there is no migration nothing; choose worthwatch-by-id"),
        (["run", NAME, "--source", "nowhere"], "There is no table nowhere to read from."),
        (["verify", NAME, "--source", "nowhere"], "Use --data or --endpoint-url for the place"),
        (["verify", NAME], "Requested resource not found"),
        (["run", NAME, "--rate", "0"], "Invalid value for '--rate'"),
        (["run", NAME, "--endpoint-url", "somewhere"], "Enter a complete URL"),
    ],
)
def test_what_cannot_work_is_said_with_the_next_step(arguments: list[str], message: str, data: Path) -> None:
    result = CliRunner().invoke(app, ["migrate", *arguments])
    assert result.exit_code != 0
    assert message in " ".join(result.output.replace("│", " ").split())


def test_it_works_at_an_endpoint(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    mend(data)
    with partita_door(data) as served:
        where = ("--endpoint-url", served.url)
        assert "7 would be moved" in said("run", NAME, "--dry-run", *where)
        assert "7 the same" in said("run", NAME, "--verify", *where)
        assert "7 moved" in said("status", NAME, *where)


MANY: list[Old] = [
    *(user(f"u{number}") for number in range(60)),
    *(movie(f"m{number}") for number in range(20)),
    *(watchlist(f"w{number}") for number in range(10)),
    *(list_item(f"i{number}", f"w{number % 10}", f"m{number % 20}", addedAt=FEBRUARY) for number in range(120)),
    *(rating(f"r{number}", f"u{number % 60}", f"m{number % 7}", number % 10 + 1) for number in range(150)),
    {"id": "odd", "entityType": "GENRE"},
]


def command(data: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "partita.cli", "migrate", "run", NAME, "--data", str(data), *arguments]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=lambda how: how.name)
def test_a_run_that_is_stopped_by_a_signal_goes_on_where_it_was(how: signal.Signals, tmp_path: Path) -> None:
    with Engine.temporary(background=False) as whole:
        holding(whole, MANY)
        said("run", NAME, "--data", str(whole.database.folder), code=1)
        expected = everything(whole, WORTHWATCH)
    with Engine(tmp_path / "data", background=False) as engine:
        store = holding(engine, MANY)
        # What was started in the background is deaf to Ctrl-C, and so would be what it starts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        slow: Any = subprocess.Popen(
            command(tmp_path / "data", "--rate", "60"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        signal.signal(signal.SIGINT, before)
        with slow as process:
            wait_until_it_has_moved_something(store, process)
            process.send_signal(how)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == (-9 if how is signal.SIGKILL else 130)
        assert ("partita: stopped\n" in errors) == (how is signal.SIGINT)
        unfinished = said("status", NAME, "--data", str(tmp_path / "data"))
        assert "not finished, last progress at 20" in unfinished
        assert len(everything(engine, WORTHWATCH)) < len(expected)
        output = said("run", NAME, "--data", str(tmp_path / "data"), code=1)
        assert f"{NAME}: run 1 resumed and done, 4 segments\n" in output
        assert everything(engine, WORTHWATCH) == expected
        assert 'problem  id="odd"' in output


def wait_until_it_has_moved_something(store: EmbeddedStore, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "it was done before it could be stopped"
        known = status(store, NAME)
        if known is not None and any(place.rows for place in known.places):
            return
        time.sleep(0.02)
    raise AssertionError("it moved nothing")


def test_on_a_terminal_a_bar_shows_how_far_it_is(data: Path) -> None:
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        command(data), stdout=subprocess.PIPE, stderr=terminal, env={**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            shown += os.read(screen, 65536)
        except OSError:  # the process has ended, and with it the terminal
            break
    output, _ = process.communicate(timeout=60)
    os.close(screen)
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    for stage in ("looking at every row", "users, movies and shows", "watchlists", "items, saved lists, ratings and"):
        assert stage in drawn
    assert "8/8" in drawn
    assert b"8 rows: 5 moved" in output


def test_without_a_terminal_each_stage_is_a_line_beside_the_output(data: Path) -> None:
    done = subprocess.run(command(data), capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines() == [
        "looking at every row …",
        "users, movies and shows …",
        "watchlists …",
        "items, saved lists, ratings and comments …",
    ]
    assert done.stdout.startswith(f"{NAME}: run 1 done")
