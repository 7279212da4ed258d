"""Copies of the tables: in use they stay, left behind they go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from partita.kit.table_copies import clear_copies, folder_for_copy


def _files(data: Path) -> set[str]:
    return {path.name for path in data.rglob("*") if path.is_file()}


def test_what_a_killed_process_left_is_deleted_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    clear_copies(tmp_path)
    with folder_for_copy(tmp_path) as one, folder_for_copy(tmp_path) as other:
        assert one != other
        (one / "one").touch()
        (other / "other").touch()
        left = one.parent / "left"
        left.mkdir()
        (left / "everybody").touch()
        clear_copies(tmp_path)
        assert _files(tmp_path) == {"one", "other", "everybody"}
    assert _files(tmp_path) == {"everybody"}
    clear_copies(tmp_path)
    assert _files(tmp_path) == set()
    assert not left.exists()


def test_copies_are_for_the_owner_alone(tmp_path: Path) -> None:
    with folder_for_copy(tmp_path) as own:
        assert [each.stat().st_mode & 0o077 for each in (own, own.parent)] == [0, 0]


def test_the_folder_is_of_whoever_owns_the_data_also_if_root_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = tmp_path.stat()
    given: list[tuple[Path, int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: owner.st_uid + 1)
    monkeypatch.setattr(os, "chown", lambda *arguments: given.append(arguments))
    for _ in range(2):
        with folder_for_copy(tmp_path) as own:
            assert given == [(own.parent, owner.st_uid, owner.st_gid)]
