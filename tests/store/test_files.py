"""A folder of files: whole or not there, under safe names, and on disk when it says so."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from pathlib import Path

import pytest

from partita.store import FolderFiles

NAME = "0123456789abcdef0123456789abcdef.txt"


@pytest.fixture
def files(tmp_path: Path) -> FolderFiles:
    return FolderFiles(tmp_path / "deep" / "folder")


def test_a_file_is_saved_loaded_and_deleted(files: FolderFiles) -> None:
    assert files.load(NAME) is None
    files.save(NAME, b"one")
    files.save(NAME, b"one")
    assert files.load(NAME) == b"one"
    files.delete(NAME)
    files.delete(NAME)
    assert files.load(NAME) is None


def test_the_async_face_does_the_same(files: FolderFiles) -> None:
    async def program() -> tuple[bytes | None, bytes | None]:
        await files.save_async(NAME, b"two")
        found = await files.load_async(NAME)
        await files.delete_async(NAME)
        return found, await files.load_async(NAME)

    assert asyncio.run(program()) == (b"two", None)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", "", ".", "..", ".hidden"])
def test_a_name_leads_nowhere_else(files: FolderFiles, name: str) -> None:
    for use in (files.load, files.delete, lambda name: files.save(name, b"")):
        with pytest.raises(ValueError, match="is no name of a file"):
            use(name)


def test_whoever_loads_while_others_save_sees_a_whole_file(files: FolderFiles) -> None:
    contents = [bytes([number]) * 300_000 for number in range(4)]
    files.save(NAME, contents[0])
    done = threading.Event()

    def save() -> None:
        for _ in range(15):
            for content in contents:
                files.save(NAME, content)
        done.set()

    writer = threading.Thread(target=save)
    writer.start()
    seen = []
    while not done.is_set():
        seen.append(files.load(NAME))
    writer.join()
    assert seen
    assert set(seen) <= set(contents)


def test_a_save_that_fails_leaves_nothing_behind(files: FolderFiles, tmp_path: Path) -> None:
    files.save(NAME, b"one")
    (folder,) = {path.parent for path in tmp_path.rglob("*.txt")}
    in_the_way = NAME.replace("0123", "01ff")
    (folder / in_the_way).mkdir()  # a folder cannot be replaced by a file
    with pytest.raises(OSError, match="directory"):
        files.save(in_the_way, b"two")
    assert [path.name for path in folder.iterdir() if path.is_file()] == [NAME]


def test_a_saved_file_and_its_name_are_on_disk(files: FolderFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    sync = os.fsync

    def watched(handle: int) -> None:
        synced.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    files.save(NAME, b"one")
    assert synced[-2:] == ["file", "folder"]
