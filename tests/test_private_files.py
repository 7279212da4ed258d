"""What is kept is readable by its owner only: with any umask, and if it was there before."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.bootstrap import build
from partita.engine import Engine
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.store.cursor_keys import lasting_keys
from partita.store.embedded import EmbeddedStore
from partita.store.files import FolderFiles
from tests.web import press

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture(params=[0o000, 0o022], ids=["umask 000", "umask 022"])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def furnish(folder: Path) -> None:
    """Everything that is kept in a data folder."""
    suite = build(Settings(data=folder), builders=[press.build])
    await suite.kit.files.save("letters/a.txt", b"confidential", "text/plain")
    FolderFiles(folder / "large-values").save("ab12", b"confidential")
    lasting_keys(folder)
    engine = _engine(suite)
    name = engine.call("ListTables", {})["TableNames"][0]
    engine.call("CreateBackup", {"TableName": name, "BackupName": "copy"})
    await suite.kit.accounts.registration.ensure_admin()
    await suite.close()


def _engine(suite: Suite) -> Engine:
    assert isinstance(suite.kit.tables, EmbeddedStore)
    return suite.kit.tables.engine


def open_to_others(folder: Path) -> list[str]:
    return [
        f"{path.relative_to(folder)} {stat.S_IMODE(path.stat().st_mode):o}"
        for path in (folder, *folder.rglob("*"))
        if path.stat().st_mode & 0o077
    ]


@pytest.mark.anyio
async def test_nothing_of_a_data_folder_is_open_to_others(tmp_path: Path, umask: int) -> None:
    await furnish(tmp_path / "data")
    kept = {path.name for path in (tmp_path / "data").iterdir()}
    assert {"partita.sqlite3", "search.db", "secret", "files", "backups", "large-values", "cursor-keys"} <= kept
    assert open_to_others(tmp_path / "data") == []


@pytest.mark.anyio
async def test_what_was_open_to_others_before_is_closed_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    await furnish(folder)
    for path in folder.iterdir():
        path.chmod(0o777 if path.is_dir() else 0o666)
    folder.chmod(0o755)
    caplog.clear()
    await furnish(folder)
    said = "\n".join(record.getMessage() for record in caplog.records)
    for name in ("partita.sqlite3", "search.db", "secret", "files", "backups", "large-values", "cursor-keys"):
        assert f"others could read {folder / name} (mode " in said
    assert [line for line in open_to_others(folder) if not line.startswith(". ")] == []
    assert f"others may look into {folder} (mode 755): run chmod 700 {folder}" in said, "it may hold more than ours"


def test_a_file_of_another_program_keeps_its_mode(tmp_path: Path) -> None:
    foreign = tmp_path / "partita.sqlite3"
    foreign.write_bytes(b"hello world\n" * 1000)
    foreign.chmod(0o644)
    with pytest.raises(Exception, match="The data file is damaged"):
        Engine(tmp_path)
    assert stat.S_IMODE(foreign.stat().st_mode) == 0o644
