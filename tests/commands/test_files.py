"""`partita files sweep`: says what it would delete, and deletes it only when told to."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.bootstrap import build as build_suite
from partita.cli import app
from partita.kit.settings import Settings
from partita.table import Put
from tests.attic.system import Box, build


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def _fill(folder: Path) -> None:
    async def story() -> None:
        suite = build_suite(Settings(data=folder), builders=[build])
        for name in ("attic/boxes/named.png", "attic/boxes/left.png", "attic/boxes/young.png", "other/x.png"):
            await suite.kit.files.save(name, b"pixels", "image/png")
            if "young" not in name:
                os.utime(folder / "files" / name, (time.time() - 100_000,) * 2)
        await suite.kit.store.write(Put(Box(box_id="1", title="One", file="attic/boxes/named.png")))
        await suite.close()

    asyncio.run(story())


def test_a_sweep_lists_what_nothing_names_and_deletes_it_when_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARTITA_SYSTEMS", "tests.attic")
    _fill(tmp_path)
    code, output = _run("files", "sweep", "--data", str(tmp_path))
    assert code == 0, output
    assert "unnamed  attic/boxes/left.png  6 bytes" in output
    assert "looked at 2 files older than 24 hours in house/avatars/, attic/boxes/" in output
    assert "1 files with 6 bytes that nothing names" in output
    assert "Nothing was deleted" in output
    code, output = _run("files", "sweep", "--delete", "--data", str(tmp_path))
    assert (code, "deleted  attic/boxes/left.png" in output) == (0, True)
    left = sorted(path.name for path in (tmp_path / "files").rglob("*.png"))
    assert left == ["named.png", "x.png", "young.png"]
    assert "0 files with 0 bytes" in _run("files", "sweep", "--data", str(tmp_path))[1]
