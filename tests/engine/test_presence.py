"""Asking the folder alone says the same as asking for each file."""

from __future__ import annotations

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.engine import presence
from partita.engine.presence import Presence

NAMES = ("tables", "tables-wal", "tables-shm")
QUIET = 0.025
"""More than the clock of any file system that tests run on needs to go on."""
HAPPENINGS = ("delete", "bring back", "move away", "replace", "copy over", "something else", "write", "time passes")


def _asked_one_by_one(files: dict[str, int]) -> str | None:
    for file, number in files.items():
        try:
            if os.stat(file).st_ino != number:
                return file
        except FileNotFoundError:
            return file
    return None


def _happens(folder: Path, what: str, name: str) -> None:
    file, aside = folder / name, folder.parent / f"{name} aside"
    match what:
        case "delete":
            file.unlink(missing_ok=True)
        case "move away" if file.exists():
            file.replace(aside)
        case "bring back" if aside.exists():
            aside.replace(file)
        case "replace":
            (folder / "new").write_text("other")
            (folder / "new").replace(file)
        case "copy over" if file.exists():
            file.write_text("the same file, other bytes")
        case "something else":
            (folder / "other").touch()
        case "write" if file.exists():
            os.utime(file, (1, 1))
        case "time passes":
            time.sleep(0.03)


@pytest.fixture(autouse=True)
def by_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are not asked for by themselves."""
    monkeypatch.setattr(presence, "_SETTLED_SECONDS", QUIET)
    monkeypatch.setattr(presence, "_LOOK_SECONDS", 1000.0)


@given(st.lists(st.tuples(st.sampled_from(HAPPENINGS), st.sampled_from(NAMES)), max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happens_to_the_files_both_ways_find_the_same(happenings: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place, "data")
        folder.mkdir()
        for name in NAMES:
            (folder / name).touch()
        files = {str(folder / name): os.stat(folder / name).st_ino for name in NAMES}
        kept = [os.open(file, os.O_RDONLY) for file in files]  # as who uses them has: their numbers are not used again
        try:
            there = Presence(list(files))
            for what, name in happenings:
                _happens(folder, what, name)
                assert there.missing() == _asked_one_by_one(files), what
                assert there.missing() == _asked_one_by_one(files), f"{what}, asked again"
        finally:
            there.close()
            for handle in kept:
                os.close(handle)


def test_a_folder_that_is_quiet_is_asked_alone_and_one_that_just_changed_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NAMES:
        (tmp_path / name).touch()
    there = Presence([str(tmp_path / name) for name in NAMES])
    asked: list[str] = []
    stat = os.stat

    def told(path: str) -> os.stat_result:
        asked.append(path)
        return stat(path)

    monkeypatch.setattr(os, "stat", told)
    for _ in range(2):
        assert there.missing() is None
    assert len(asked) == 6, "the folder has just changed"
    time.sleep(QUIET + 0.01)
    assert there.missing() is None
    asked.clear()
    assert there.missing() is None
    assert asked == []
    monkeypatch.setattr(presence, "_LOOK_SECONDS", 0.0)
    (tmp_path / "other").touch()
    assert there.missing() is None
    asked.clear()
    assert there.missing() is None
    assert len(asked) == 3, "whatever the folder says, after a while the files are asked for"
    there.close()
    there.close()
    assert there.missing() is None
    (tmp_path / NAMES[1]).unlink()
    assert there.missing() == str(tmp_path / NAMES[1])


def test_a_folder_that_is_moved_misses_its_first_file_until_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name in NAMES:
        (folder / name).touch()
    there = Presence([str(folder / name) for name in NAMES])
    time.sleep(QUIET + 0.01)
    assert there.missing() is None
    folder.rename(tmp_path / "elsewhere")
    assert there.missing() == str(folder / NAMES[0])
    (tmp_path / "elsewhere").rename(folder)
    assert there.missing() is None
    there.close()


def test_a_folder_further_up_that_is_moved_is_found_out_a_moment_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "_LOOK_SECONDS", 0.01)
    folder = tmp_path / "up" / "data"
    folder.mkdir(parents=True)
    for name in NAMES:
        (folder / name).touch()
    there = Presence([str(folder / name) for name in NAMES])
    time.sleep(QUIET + 0.01)
    assert there.missing() is None
    (tmp_path / "up").rename(tmp_path / "elsewhere")
    time.sleep(0.02)
    assert there.missing() == str(folder / NAMES[0])
    there.close()
