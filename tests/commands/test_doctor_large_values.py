"""`partita doctor` and `partita row` read values that lie in files, also with a schema of one's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.cli import app
from partita.engine import Engine
from partita.store import EmbeddedStore, FolderFiles
from partita.table import Put
from tests.commands.chapters import CHAPTERS, Chapter
from tests.serving import partita_door

SCHEMA = str(Path(__file__).with_name("chapters.py"))
KEY = {"PK": "BOOK#1", "SK": "CHAPTER#0001"}
TEXT = "x" * 50_000


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A chapter whose text lies in a file, and whose heading is not what follows from its title."""
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine, files=FolderFiles(tmp_path / "large-values"))
        store.create(CHAPTERS)
        store.write(Put(Chapter(isbn="1", number=1, title="Loomings", text=TEXT)))
        wire = {name: {"S": value} for name, value in KEY.items()}
        engine.call(
            "UpdateItem",
            {
                "TableName": "chapters",
                "Key": wire,
                "UpdateExpression": "SET heading = :old",
                "ExpressionAttributeValues": {":old": {"S": "Loomings"}},
            },
        )
    return tmp_path


def _run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*arguments, "--schema", SCHEMA])
    return done.exit_code, done.output


def _chapter(data: Path) -> Chapter | None:
    with EmbeddedStore(data, files=FolderFiles(data / "large-values")) as store:
        return store.get(Chapter.get(Chapter.isbn("1"), Chapter.number(1)))


def test_every_row_is_read_and_mended_with_what_lies_in_its_files(data: Path) -> None:
    code, output = _run("doctor", "--data", str(data))
    assert (code, "heading: should be 1. Loomings" in output) == (1, True), output
    assert _run("doctor", "--data", str(data), "--mend")[0] == 0
    assert _run("doctor", "--data", str(data)) == (0, "all rows fit the schema: chapters\n")
    mended = _chapter(data)
    assert mended is not None
    assert (mended.text, mended.stale()) == (TEXT, frozenset())


def test_another_attribute_of_such_a_row_can_be_changed(data: Path) -> None:
    code, output = _run("row", "chapters", json.dumps(KEY), "--data", str(data), "--set", 'title="The Carpet-Bag"')
    assert code == 0, output
    changed = _chapter(data)
    assert changed is not None
    assert (changed.text, changed.title, changed.stale()) == (TEXT, "The Carpet-Bag", frozenset())


def test_a_look_forgets_no_files_that_were_put_aside_to_go_back(data: Path) -> None:
    aside = data / "large-values" / ".deleted" / "old.txt"
    aside.parent.mkdir()
    aside.write_text("kept")
    _run("doctor", "--data", str(data))
    assert aside.read_text() == "kept"


def test_a_folder_of_files_that_is_gone_is_said(data: Path) -> None:
    shutil.rmtree(data / "large-values")
    code, output = _run("doctor", "--data", str(data))
    assert code == 1
    assert output == (
        f"partita: rows have values in files, but the folder large-values is not there: put it into {data}\n"
    )


def test_rows_of_an_endpoint_have_their_files_in_the_folder_that_is_named(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with partita_door(data) as door:
        code, output = _run("doctor", "--endpoint-url", door.url)
        assert (code, "name the folder that has large-values with --data" in output) == (1, True), output
        code, output = _run("doctor", "--endpoint-url", door.url, "--data", str(data))
        assert (code, "heading: should be 1. Loomings" in output) == (1, True), output
