from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from partita.apps.kelifax.schema import RESOURCES, Resource, resource, resource_with_url
from partita.cli import app
from partita.dynamo.python_values import item_from_python
from partita.engine import Engine
from partita.store import EmbeddedStore
from tests.apps.kelifax import original


def _run(folder: Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["adopt", "kelifax", "--data", str(folder)])
    return result.exit_code, result.output


def _write(folder: Path, *rows: original.Row) -> None:
    with Engine(folder) as engine:
        EmbeddedStore(engine).create(RESOURCES)
        for row in rows:
            engine.call("PutItem", {"TableName": RESOURCES.name, "Item": item_from_python(row)})


def test_resources_that_another_program_wrote_are_taken_in_once_and_clashes_are_told(tmp_path: Path) -> None:
    _write(tmp_path)
    assert _run(tmp_path) == (0, "adopted  0 resources\n")
    _write(tmp_path, original.resource("one"), original.resource("two", "approved"))
    assert _run(tmp_path) == (0, "adopted  2 resources\n")
    assert _run(tmp_path) == (0, "adopted  0 resources\n")
    _write(tmp_path, original.resource("three", resourceUrl="https://one.example.org/"))
    code, output = _run(tmp_path)
    assert code == 1
    assert "adopted  0 resources\nrefused  resourceSlug=three: one has its address https://one.example.org/\n" in output
    assert "correct or delete the refused items, then run this again" in output
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine)
        guard, two = store.get(resource_with_url("https://one.example.org")), store.get(resource("two"))
        assert guard is not None
        assert guard.claimed_by == "one"
        assert isinstance(two, Resource)
        assert (two.booked_as, two.approved_category) == ("approved", "development")


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    _write(tmp_path, original.resource("odd", category="cooking"))
    code, output = _run(tmp_path)
    assert code == 1
    assert "left     " in output
    assert "correct the unreadable items" in output
