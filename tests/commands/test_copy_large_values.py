"""`partita copy` brings the files of large values with their rows, and `partita doctor` names those that are lost."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.apps.newsletter.schema.editing import TextVersion, text_version
from partita.cli import app
from partita.kit.settings import read_settings
from partita.kit.stores import open_store
from partita.store import Store
from partita.table import Delete, Put

MAIN = TextVersion.__table__

WORDS = "Long words. " * 8000


@contextmanager
def _store(folder: Path) -> Iterator[Store]:
    with open_store(read_settings(data=folder), MAIN) as store:
        yield store


def _text(folder: Path, code: str = "NL-1") -> str | None:
    with _store(folder) as store:
        item = store.get(text_version(code, 1))
        return None if item is None else item.text


def _write(folder: Path, code: str, text: str) -> None:
    version = TextVersion(code=code, revision=1, text=text, by="", action="saved", at="2026-01-01T00:00:00Z")
    with _store(folder) as store:
        store.write(Put(version))


def _delete(folder: Path, code: str = "NL-1") -> None:
    """With its file, as the change handler does."""
    with _store(folder) as store:
        item = store.get(text_version(code, 1))
        assert item is not None
        before = _files(folder)
        assert store.files is not None
        store.write(Delete(item.own_key))
        for name in before:
            store.files.delete(name)


def _files(folder: Path) -> list[str]:
    return [path.name for path in (folder / "large-values").glob("[0-9a-f][0-9a-f]/*")]


def _run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PARTITA_SYSTEMS", "newsletter")
    _write(tmp_path / "data", "NL-1", WORDS)
    return tmp_path / "data"


def _restored(data: Path, folder: Path) -> Path:
    then = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    time.sleep(1.1)  # a moment is over when its second is
    _delete(data)
    _run("restore", data, "--data", folder, "--at", then)
    assert _text(folder) == WORDS
    return folder


def test_a_row_comes_back_with_its_file_and_that_outlives_what_followed_from_the_deletion(
    data: Path, tmp_path: Path
) -> None:
    before = _files(data)
    earlier = _restored(data, tmp_path / "earlier")
    assert _text(data) is None
    table = MAIN.name
    assert "copied   1\n" in _run("copy", table, table, "--from", earlier, "--data", data)
    assert _text(data) == WORDS
    with _store(data) as store:
        assert store.files is not None
        for name in before:
            store.files.delete(name)  # by a handler that is late
    assert _text(data) == WORDS
    again = _run("copy", table, table, "--from", earlier, "--data", data, "--replace")
    assert "differ   0\n" in again
    assert "copied   0\n" in again


def test_a_row_whose_file_is_nowhere_is_named_and_never_replaces_one_that_is_whole(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(data, copy)
    (first,) = _files(data)
    _write(data, "NL-1", "Newer. " * 8000)
    for folder in (copy, data):
        (folder / "large-values" / first[:2] / first).unlink()
    arguments = ("copy", MAIN.name, MAIN.name, "--from", copy, "--data", data, "--replace")
    for more in ((), ("--dry-run",)):
        said = _run(*arguments, *more, code=1)
        assert "copied   0" in said
        assert (
            "lost     1: not copied, since a large value of theirs is nowhere\n         HISTORY#NL-1 DRAFT#000001: the"
            in said
        )
    assert _text(data) == "Newer. " * 8000


def test_a_row_that_is_the_same_but_has_lost_its_file_is_replaced(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(data, copy)
    for file in (data / "large-values").glob("*/*"):
        file.unlink()
    said = _run("copy", MAIN.name, MAIN.name, "--from", copy, "--data", data)
    assert "differ   1: --replace overwrites them" in said
    _run("copy", MAIN.name, MAIN.name, "--from", copy, "--data", data, "--replace")
    assert _text(data) == WORDS


def test_the_doctor_names_lost_values_and_goes_on(data: Path) -> None:
    for file in (data / "large-values").glob("*/*"):
        file.unlink()
    _write(data, "NL-2", WORDS)
    with _store(data) as store:
        store.transport.call("PutItem", {"TableName": MAIN.name, "Item": {"PK": {"S": "ZZZ"}, "SK": {"S": "ZZZ"}}})
    said = _run("doctor", MAIN.name, "--data", data, code=1)
    assert f'lost: {MAIN.name} {{"PK": "HISTORY#NL-1", "SK": "DRAFT#000001"}}: TextVersion\n    a large value: ' in said
    assert "partita copy … --from FOLDER --replace" in said
    assert f'unknown: {MAIN.name} {{"PK": "ZZZ", "SK": "ZZZ"}}' in said
    assert said.endswith("2 rows to repair\n")
