"""`partita copy`: what was restored beside a table comes back into it, and what is newer stays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from partita.cli import app
from partita.engine import Engine
from partita.store.copying import copy_items
from tests.engine.tables import create, get, put, whole


def _run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["copy", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A table, and beside it the same of an earlier moment: two items were deleted since, and one was changed."""
    folder = tmp_path / "data"
    with Engine(folder, durability="off", background=False) as engine:
        for name in ("music", "music-then"):
            create(engine, name, "pk sk")
            for number in range(150):  # more than one page
                put(engine, name, pk="a", sk=f"{number:03}", tags={"x", "y"}, n=number)
        for sort in ("007", "120"):
            engine.call("DeleteItem", {"TableName": "music", "Key": {"pk": {"S": "a"}, "sk": {"S": sort}}})
        put(engine, "music", pk="a", sk="008", n="newer")
        put(engine, "music", pk="b", sk="new", n=1)
    return folder


def _rows(folder: Path, name: str) -> dict[str, Any]:
    with Engine(folder, durability="off", background=False) as engine:
        return {item["sk"]: item["n"] for item in whole(engine, "Scan", {"TableName": name})}


def test_rows_that_are_missing_come_back_and_newer_ones_stay(data: Path) -> None:
    said = _run("music-then", "music", "--data", data, "--dry-run")
    assert said == (
        "missing  2\ndiffer   1: --replace overwrites them\n         a 008: n, tags\n"
        "same     147\ncopied   0 (--dry-run)\n"
    )
    assert len(_rows(data, "music")) == 149
    assert _run("music-then", "music", "--data", data).endswith("copied   2\n")
    rows = _rows(data, "music")
    assert (len(rows), rows["007"], rows["120"], rows["008"], rows["new"]) == (151, 7, 120, "newer", 1)
    assert _run("music-then", "music", "--data", data).endswith("same     149\ncopied   0\n")


def test_rows_that_differ_are_replaced_on_request(data: Path) -> None:
    assert _run("music-then", "music", "--data", data, "--replace") == (
        "missing  2\ndiffer   1\n         a 008: n, tags\nsame     147\ncopied   3\n"
    )
    rows = _rows(data, "music")
    assert (rows["008"], rows["new"]) == (8, 1)


def test_the_first_rows_that_differ_are_named_and_no_control_character_reaches_the_terminal(data: Path) -> None:
    with Engine(data, durability="off", background=False) as engine:
        for number in range(30):
            put(engine, "music", pk="a", sk=f"{number:03}", n="other")
        put(engine, "music", pk="\x1b[2J", sk="x", n=1)
        put(engine, "music-then", pk="\x1b[2J", sk="x", n=2)
    said = _run("music-then", "music", "--data", data, "--dry-run")
    assert "differ   31: --replace" in said
    assert len(re.findall(r"^         .+: n(, tags)?$", said, re.MULTILINE)) == 20
    assert "         and 11 more\n" in said
    assert "\x1b" not in said


def test_rows_come_back_from_another_folder(data: Path, tmp_path: Path) -> None:
    with Engine(tmp_path / "earlier", durability="off", background=False) as engine:
        create(engine, "music", "pk sk")
        put(engine, "music", pk="z", sk="gone", n=1)
    assert "missing  1\n" in _run("music", "music", "--from", tmp_path / "earlier", "--data", data)
    assert _rows(data, "music")["gone"] == 1


def test_what_somebody_writes_meanwhile_stays() -> None:
    with Engine.temporary(background=False) as engine:
        for name in ("then", "now"):
            create(engine, name)
        put(engine, "then", pk="a", n=1)

        def call(operation: str, wire: dict[str, Any]) -> dict[str, Any]:
            if operation == "PutItem":
                put(engine, "now", pk="a", n="written meanwhile")
            return engine.call(operation, wire)

        counts = copy_items(engine.call, "then", call, "now")
        assert (counts.missing, counts.copied) == (1, 0)
        assert get(engine, "now", pk="a") == {"pk": "a", "n": "written meanwhile"}


def _tables(data: Path) -> list[str]:
    with Engine(data, durability="off", background=False) as engine:
        names: list[str] = engine.call("ListTables", {})["TableNames"]
    return names


def test_tables_that_do_not_fit_are_refused(data: Path, tmp_path: Path) -> None:
    with Engine(data, durability="off", background=False) as engine:
        create(engine, "other")
    assert "have not the same key: nothing was copied" in _run("music", "other", "--data", data, code=1)
    there = ", ".join(sorted(_tables(data)))
    for names in (("absent", "music"), ("music", "absent"), ("absent", "absent", "--from", data)):
        said = _run(*names, "--data", data, code=1)
        assert said == f"partita: there is no table absent; there are {there}\n"
    assert "it is the same table" in _run("music", "music", "--data", data, code=2)
    assert "there are no tables in" in _run("music", "x", "--data", tmp_path / "nowhere", code=1)
    assert not (tmp_path / "nowhere").exists()
