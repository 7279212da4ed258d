"""A setting that cannot be used is said in one line, whichever command reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from partita.cli import app

_GIVEN = {"form": "terraform", "key": "{}", "system": "kelifax", "from_": "there", "name": "worthwatch-by-id"}
"""What required arguments must look like to get as far as the settings; all others may be anything."""
_WITHOUT = {("dynamodb",), ("insights",), ("migrate", "list"), ("restore",)}
"""Commands that read no settings, or only after they have found a backup."""
_UNASKED: dict[tuple[str, ...], list[str]] = {("user", "erase"): ["--yes"]}
"""What keeps a command from asking first."""


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """All commands with the least arguments they need."""
    inner = getattr(command, "commands", None)
    if inner is not None:
        for name, each in inner.items():
            yield from _commands(each, (*path, name))
        return
    needed: list[str] = []
    for each in command.params:
        if each.required:
            value = _GIVEN.get(each.name, f"any-{each.name}")
            needed += [value] if each.param_type_name == "argument" else [each.opts[0], value]
    yield path, [*path, *needed, *_UNASKED.get(path, [])]


ALL = dict(_commands(get_command(app)))


@pytest.mark.parametrize("command", sorted(ALL.keys() - _WITHOUT), ids=" ".join)
@pytest.mark.parametrize(
    ("variables", "file", "said"),
    [
        ({"PARTITA_PORT": "x"}, "", "PARTITA_PORT: "),
        ({}, "port = \n", "partita.toml is not valid TOML: "),
        ({}, "[x]\n", "x is not a setting"),
    ],
    ids=["variable", "no TOML", "no setting"],
)
def test_every_command_says_in_one_line_what_is_wrong(
    command: tuple[str, ...],
    variables: dict[str, str],
    file: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "partita.toml").write_text(file)
    done = CliRunner().invoke(app, ALL[command], env=variables)
    assert isinstance(done.exception, SystemExit), done.exc_info
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("partita: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_system_that_is_not_there_is_said_by_whoever_reads_schemas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("tables", "check", "explain", "patterns", "doctor"):
        done = CliRunner().invoke(app, [command], env={"PARTITA_SYSTEMS": "kelifx"})
        assert done.exit_code == 1
        assert done.stderr.startswith("partita: PARTITA_SYSTEMS: 'kelifx' is not a system of Partita")
