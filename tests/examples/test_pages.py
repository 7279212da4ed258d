"""What the examples' pages show is what comes out."""

import re
import runpy
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.cli import app

ROOT = Path(__file__).parent.parent.parent
SYSTEMS = ["shop", "saas", "chat"]


@pytest.fixture(autouse=True)
def _in_the_folder_of_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def _shown(text: str) -> list[tuple[str, str]]:
    """Every command of a page, and what it is said to print."""
    return re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n?)*)", text, re.MULTILINE)


def _printed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    program, *arguments = shlex.split(command)
    if program == "partita":
        return CliRunner().invoke(app, arguments).output
    assert (program, arguments[0]) == ("python", "-m")
    runpy.run_module(arguments[1], run_name="__main__")
    return capsys.readouterr().out


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_commands_of_a_readme_print_what_it_says(system: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "examples" / system / "README.md").read_text()
    commands = [each for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL) for each in _shown(block)]
    assert [command.split()[0] for command, _ in commands] == ["python", "partita"]
    for command, output in commands:
        assert _printed(command, capsys) == output


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_requests_that_are_explained_are_those_that_are_sent(
    system: str, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = _shown((ROOT / "examples" / system / "explain.txt").read_text())
    assert len(commands) >= 3
    for command, output in commands:
        assert _printed(command, capsys).rstrip("\n") == output.rstrip("\n")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_schema_is_short_enough_to_be_read(system: str) -> None:
    assert len((ROOT / "examples" / system / "schema.py").read_text().splitlines()) < 150


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_example_can_be_copied_to_anywhere(system: str) -> None:
    for file in (ROOT / "examples" / system).glob("*.py"):
        assert not re.search(r"^(from|import) (examples|tests)\b", file.read_text(), re.MULTILINE)
