from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.cli import app
from partita.engine import Engine


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_demo_data_is_made_once_and_the_index_can_be_built_anew_from_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax")
    code, output = _run("demo", "--data", str(tmp_path))
    assert code == 0
    assert re.search(r"Kelifax: 81 resources, \d{3} upvotes\.", output)
    assert "already" in _run("demo", "--data", str(tmp_path))[1]
    counted = _run("adopt", "kelifax", "--recount", "--data", str(tmp_path))
    assert counted[1].split()[-3:] == ["corrected", "0", "counters"]
    for file in tmp_path.glob("search.db*"):
        file.unlink()
    code, output = _run("search", "rebuild", "kelifax.resources", "--data", str(tmp_path))
    assert code == 0
    assert "67/67" in output
    assert "built    kelifax.resources" in output


def test_a_folder_that_is_not_there_is_told_and_not_made(tmp_path: Path) -> None:
    code, output = _run("search", "rebuild", "--data", str(tmp_path / "misspelt"))
    assert code == 1
    assert "there are no tables in" in output
    assert not (tmp_path / "misspelt").exists()


def test_a_catalog_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with Engine(tmp_path):
        pass
    code, output = _run("search", "rebuild", "nothing", "--data", str(tmp_path))
    assert code == 1
    assert "kelifax.resources" in output
