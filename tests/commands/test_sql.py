"""`partita sql` runs PartiQL, shows what it would do, and writes only when told to."""

from __future__ import annotations

import builtins
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from partita.cli import app
from partita.commands import sql
from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.engine.sample import make_sample
from partita.extras import MissingExtraError
from tests.engine.tables import create, index, put


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sql")
    with Engine(folder, durability="off", background=False) as engine:
        create(engine, "films", "pk sk", gsis=[index("byYear", "year", "sk")], types={"year": "N"})
        for number in range(3):
            put(
                engine,
                "films",
                pk="a",
                sk=str(number),
                year=1927,
                title="Metropolis" if number else "M",
                cast={"x", "y"},
            )
    return folder


def _run(folder: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["sql", *arguments, "--data", str(folder)])
    return done.exit_code, done.output


def test_items_are_printed_as_a_table(folder: Path) -> None:
    code, output = _run(folder, "SELECT sk, title FROM films WHERE pk = ? ORDER BY sk DESC", "--parameter", '"a"')
    assert code == 0
    table = ["sk  title", "--  ----------", "2   Metropolis", "1   Metropolis", "0   M", "3 items, 0.5 capacity units"]
    assert output.splitlines() == table


def test_items_are_printed_as_json(folder: Path) -> None:
    code, output = _run(folder, "SELECT * FROM films WHERE pk = 'a' AND sk = '0'", "--json")
    item = json.loads(output.splitlines()[0])
    assert code == 0
    assert item == {"pk": "a", "sk": "0", "year": 1927, "title": "M", "cast": ["x", "y"]}


@given(st.sets(st.text(max_size=3), min_size=1) | st.sets(st.integers(), min_size=1) | st.sets(st.binary(), min_size=1))
def test_sets_are_printed_in_order_however_deep_they_lie(members: set[Any]) -> None:
    printed = sql._in_order({"a": {"b": [members]}})
    assert printed == {"a": {"b": [sorted(members)]}}


def test_without_the_suite_and_a_folder_it_reads_that_of_the_engine(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = MissingExtraError("this command", "suite")

    def refuse(name: str, *arguments: Any) -> Any:
        if name == "partita.kit.settings":
            raise missing
        return imported(name, *arguments)

    imported = builtins.__import__
    shutil.copytree(folder, tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "__import__", refuse)
    done = CliRunner().invoke(app, ["sql", "SELECT title FROM films WHERE pk = 'a' AND sk = '0'", "--json"])
    assert done.output.splitlines()[0] == '{"title": "M"}'


def test_no_more_is_printed_and_read_than_asked_for(folder: Path) -> None:
    code, output = _run(folder, "SELECT sk FROM films", "--rows", "2")
    assert code == 0
    assert output.splitlines()[-1] == "2 items, 2 capacity units; there may be more (--rows, --pages)"
    assert len(output.splitlines()) == 5


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("SELECT * FROM films WHERE pk = 'a' AND sk = '1'", "get of films"),
        ("SELECT * FROM films WHERE pk IN ['a', 'b']", "query of films, 2 times"),
        ('SELECT * FROM films."byYear" WHERE "year" = 1927 AND sk > \'1\'', "query of index byYear of films"),
        ("SELECT * FROM films WHERE title = 'M'", "scan of films"),
        ("DELETE FROM films WHERE pk = 'a' AND sk = '1'", "delete of films"),
        ("UPDATE films SET title = 'x' WHERE pk = 'a' AND sk = '1'", "update of films"),
        ("INSERT INTO films VALUE {'pk': 'a', 'sk': '9'}", "put of films"),
    ],
)
def test_explain_names_the_requests_and_runs_nothing(folder: Path, statement: str, told: str) -> None:
    code, output = _run(folder, statement, "--explain")
    assert code == 0
    assert output.splitlines()[0] == told
    assert _run(folder, "SELECT sk FROM films WHERE pk = 'a' AND title = 'M'", "--json")[1].startswith(
        '{"sk": "0"}\n1 '
    )
    as_json = json.loads(_run(folder, statement, "--explain", "--json")[1])
    assert as_json["table"] == "films"
    assert as_json["requests"]


def test_a_check_is_explained_with_all_that_it_asks(folder: Path) -> None:
    exists = "EXISTS(SELECT * FROM films WHERE pk = 'a' AND sk = '0'{})"
    code, output = _run(folder, exists.format(" AND title = 'M'"), "--explain", "--json")
    assert code == 0
    explained = json.loads(output)
    ((operation, request),) = ((each["operation"], each["request"]) for each in explained["requests"])
    assert (explained["kind"], operation) == ("check", "TransactWriteItems")
    (action,) = request["TransactItems"]
    assert action["ConditionCheck"]["Key"] == {"pk": {"S": "a"}, "sk": {"S": "0"}}
    assert {"S": "M"} in action["ConditionCheck"]["ExpressionAttributeValues"].values()
    code, output = _run(folder, exists.format(""), "--explain")
    assert code == 1
    assert "EXISTS() must contain a single item read with additional condition" in output


def test_a_statement_writes_only_with_write(folder: Path) -> None:
    insert = "INSERT INTO films VALUE {'pk': 'w', 'sk': '1'}"
    code, output = _run(folder, insert)
    assert code == 1
    assert "add --write to run it" in output
    assert _run(folder, "SELECT * FROM films WHERE pk = 'w'")[1] == "0 items, 0.5 capacity units\n"
    assert _run(folder, insert, "--write") == (0, "1 item inserted into films, 1 capacity units\n")
    update = "UPDATE films SET title = 'W' WHERE pk = 'w' AND sk = '1'"
    assert _run(folder, update, "--write") == (0, "1 item updated in films, 1 capacity units\n")
    assert _run(folder, "DELETE FROM films WHERE pk = 'w' AND sk = '1' RETURNING ALL OLD *", "--write", "--json")[
        1
    ] == ('{"pk": "w", "sk": "1", "title": "W"}\n1 item deleted from films, 1 capacity units\n')
    gone = _run(folder, "DELETE FROM films WHERE pk = 'w' AND sk = '1'", "--write")
    assert gone == (0, "whatever had this key is deleted from films, 1 capacity units\n")


def test_what_is_wrong_is_told_with_its_place(folder: Path) -> None:
    code, output = _run(folder, "SELECT * FROM films\nWHERE pk == 'a'")
    assert code == 1
    lines = output.splitlines()
    assert lines[0] == "partita: Statement wasn't well formed, can't be processed: Unexpected operator"
    assert lines[1:] == ["WHERE pk == 'a'", "          ^"]
    assert _run(folder, "SELECT * FROM nope")[1] == "partita: Requested resource not found: there is no table nope\n"
    limited = _run(folder, "SELECT * FROM films LIMIT 2")[1]
    assert limited.endswith("Unsupported clause: LIMIT: --rows says how many items are printed\n")
    assert _run(folder, "SELECT * FROM films WHERE pk = ?", "--parameter", "a")[0] == 2
    assert "there are no tables in" in _run(folder / "nowhere", "SELECT * FROM films")[1]


@pytest.mark.parametrize(
    ("statement", "why", "place"),
    [
        ("SELECT * FROM films WHERE pk = 'a", "the text that begins here has no closing '", 31),
        ('SELECT * FROM "films', 'the name that begins here has no closing "', 14),
        ("SELECT * FROM films /* all", "the comment that begins here has no closing */", 20),
        ("SELECT * FROM films # all", "'#' has no meaning here", 20),
        ("SELECT * FROM films WHERE n = 1e99999999999", "this number is too large", 30),
    ],
)
def test_what_no_word_begins_with_is_told_with_the_reason(folder: Path, statement: str, why: str, place: int) -> None:
    code, output = _run(folder, statement)
    told = f"partita: Statement wasn't well formed, can't be processed: {why}"
    assert (code, output.splitlines()) == (1, [told, statement, " " * place + "^"])


def test_an_endpoint_answers_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    statement = "SELECT sk FROM films WHERE pk = 'a'"
    with Engine(folder, durability="off", background=False) as engine, DoorThread(engine) as door:
        for more in ((), ("--explain",)):
            done = CliRunner().invoke(app, ["sql", statement, *more, "--endpoint-url", door.url])
            assert (done.exit_code, done.output) == _run(folder, statement, *more)


def test_the_examples_of_the_guide_work_on_the_sample() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "partiql.md").read_text()
    examples = re.findall(r"^\$ partita (sql .*)$", guide, re.MULTILINE)
    assert len(examples) >= 4
    with Engine.temporary() as engine, DoorThread(engine) as door:
        make_sample(engine)
        for example in examples:
            arguments = shlex.split(example.replace("http://127.0.0.1:8000", door.url))
            assert door.url in arguments
            done = CliRunner().invoke(app, arguments)
            assert (done.exit_code, done.output.startswith("0 items")) == (0, False), done.output
