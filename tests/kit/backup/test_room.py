"""Backups on the disk that is served from leave room to whoever serves, and what happens when a disk is full."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.cli import app
from partita.engine.database import FILE_NAME
from partita.kit.backup import BackupError, back_up, restore_data
from tests.kit.backup.folders import PASSPHRASE, QUICK, contents, make_data
from tests.small_disks import fill_up, mounted_disk

SPARE = 64 * 1024 * 1024
FULL = "The disk is full, and nothing was made. Free some space, or name a folder on another disk."


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """80 MB, with a data folder."""
    with mounted_disk(tmp_path / "disk", 80) as disk:
        make_data(disk / "data", recovery=True)
        yield disk


def test_what_is_made_on_the_disk_that_is_served_from_leaves_room_to_whoever_serves(disk: Path, tmp_path: Path) -> None:
    data, before = disk / "data", set(contents(disk / "data"))
    fill_up(disk, SPARE)
    told = r"of which 67,108,864 are left to whoever serves it, and there are [\d,]+\. Name a folder on another disk"
    with pytest.raises(BackupError, match=told):
        back_up(data, disk / "copy")
    with pytest.raises(BackupError, match=told):
        restore_data(data, disk / "new", datetime.now(UTC).replace(microsecond=0))
    assert set(contents(data)) == before
    assert sorted(each.name for each in disk.iterdir()) == ["data", "filler"]
    back_up(data, tmp_path / "copy")


def test_an_encrypted_one_needs_room_there_twice(disk: Path, tmp_path: Path) -> None:
    """For the copy of the tables and for what is made of it."""
    data = disk / "data"
    tables = (data / FILE_NAME).stat().st_size
    fill_up(disk, SPARE + 2 * tables)
    back_up(data, tmp_path / "elsewhere", passphrase=PASSPHRASE, encryption=QUICK)
    with pytest.raises(BackupError, match="Name a folder on another disk"):
        back_up(data, disk / "copy", passphrase=PASSPHRASE, encryption=QUICK)
    back_up(data, disk / "plain")


@pytest.mark.parametrize(
    "arguments", [("backup", "full/copy", "--data", "data"), ("restore", "plain", "--data", "full/new")]
)
def test_a_disk_that_is_full_before_it_ends_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    make_data(tmp_path / "data")
    back_up(tmp_path / "data", tmp_path / "plain")
    monkeypatch.chdir(tmp_path)
    usage = shutil.disk_usage(tmp_path)
    with mounted_disk(tmp_path / "full", 1) as disk:
        fill_up(disk, 8192)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)  # somebody else fills it meanwhile
        said = CliRunner().invoke(app, list(arguments))
        assert said.exit_code == 1
        assert said.output == f"partita: {FULL}\n"
        assert [each.name for each in disk.iterdir()] == ["filler"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    make_data(tmp_path / "data")
    (tmp_path / "file").touch()
    said = CliRunner().invoke(app, ["backup", str(tmp_path / "file" / "copy"), "--data", str(tmp_path / "data")])
    assert said.exit_code == 1
    assert "Errno" not in said.output
    assert said.output == f"partita: {tmp_path / 'file'}: File exists\n"
