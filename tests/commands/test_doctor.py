"""`partita doctor` finds rows that do not fit the schema; `partita row` mends them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.cli import app
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Put
from tests.commands.shelf import SHELF, Book

SCHEMA = str(Path(__file__).with_name("shelf.py"))
KEY = {"PK": "READER#ada", "SK": "BOOK#1"}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with a good row, one that cannot be read, one whose index key is stale, and a stranger's."""
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine)
        store.create(SHELF)
        store.write(Put(Book(reader="ada", isbn="0", title="Emma")))
        rows = (
            {**KEY, "title": 5, "read": False},
            {"PK": "READER#ada", "SK": "BOOK#2", "title": "Hope", "read": True, "state": "waiting"},
            {"PK": "SOMEBODY", "SK": "ELSE"},
        )
        for row in rows:
            wire = {name: _wire(value) for name, value in row.items()}
            engine.call("PutItem", {"TableName": "shelf", "Item": wire})
    return tmp_path


def _wire(value: object) -> dict[str, object]:
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"N": str(value)} if isinstance(value, int) else {"S": value}


def _run(shelf: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*arguments, "--schema", SCHEMA, "--data", str(shelf)])
    return done.exit_code, done.output


def test_it_names_each_row_with_what_is_wrong_and_what_to_do(shelf: Path) -> None:
    code, output = _run(shelf, "doctor")
    assert code == 1
    assert 'unreadable: shelf {"PK": "READER#ada", "SK": "BOOK#1"}: Book\n    title: Input should be a valid' in output
    assert 'stale: shelf {"PK": "READER#ada", "SK": "BOOK#2"}: Book\n    state: should be read\n' in output
    assert 'unknown: shelf {"PK": "SOMEBODY", "SK": "ELSE"}: a row of no item type' in output
    assert "BOOK#0" not in output
    assert output.endswith("3 rows to repair\n")


def test_what_is_wrong_can_be_mended_until_every_row_is_in_order(shelf: Path) -> None:
    code, output = _run(shelf, "doctor", "--mend")
    assert (code, "Repaired." in output) == (1, True)
    code, output = _run(shelf, "row", "shelf", json.dumps(KEY), "--set", 'title=""')
    assert code == 1
    assert "nothing was changed, since the row would not fit its type: title: String should have at least 1" in output
    assert _run(shelf, "row", "shelf", json.dumps(KEY), "--set", 'title="Persuasion"')[0] == 0
    assert _run(shelf, "row", "shelf", json.dumps({"PK": "SOMEBODY", "SK": "ELSE"}), "--delete")[0] == 0
    _run(shelf, "doctor", "--mend")
    assert _run(shelf, "doctor") == (0, "all rows fit the schema: shelf\n")


def test_a_row_is_shown_as_it_is_stored(shelf: Path) -> None:
    code, output = _run(shelf, "row", "shelf", json.dumps(KEY))
    assert (code, json.loads(output)) == (0, {**KEY, "title": 5, "read": False})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["row", "shelf", '{"PK": "x", "SK": "y"}'], "there is no row"),
        (["row", "shelf", '{"PK": "x"}'], "give PK, SK"),
        (["row", "shelf", "PK"], "is not JSON"),
        (["row", "shelf", json.dumps(KEY), "--set", "title"], "is not NAME=JSON"),
        (["doctor", "shelves"], "there is no table shelves; there are shelf"),
    ],
)
def test_mistakes_are_said(shelf: Path, arguments: list[str], said: str) -> None:
    code, output = _run(shelf, *arguments)
    assert code != 0
    assert said in output
