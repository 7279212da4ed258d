"""Who reads what a command prints may have enough of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from partita.cli import app
from partita.engine import Engine
from partita.engine.sample import make_sample


def test_a_command_whose_reader_has_enough_ends_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine(tmp_path, durability="off", background=False) as engine:
        make_sample(engine)
    said: list[str] = []

    def echo(message: object = None, *, err: bool = False) -> None:
        if err:
            said.append(str(message))
        else:
            raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(typer, "echo", echo)
    monkeypatch.setattr("partita.bootstrap.build", echo)  # a suite takes long to build, and this is soon enough
    for command in (["sql", "SELECT * FROM films"], ["changes", "list"]):
        done = CliRunner().invoke(app, [*command, "--data", str(tmp_path)])
        assert (done.exit_code, done.output, said) == (1, "", []), command
