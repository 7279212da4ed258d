"""What `partita serve --demo` says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from partita.commands.serve import _greet, _prepare
from partita.kit.settings import Settings


def _suite(password: str | None) -> Any:
    async def ensure_admin() -> str | None:
        return password

    async def fill() -> str:
        return "Press: 3 articles."

    async def drain() -> int:
        return 0

    registration = SimpleNamespace(ensure_admin=ensure_admin)
    kit = SimpleNamespace(settings=Settings(demo=True), accounts=SimpleNamespace(registration=registration))
    system = SimpleNamespace(title="Press", demo=fill)
    return cast(Any, SimpleNamespace(kit=kit, systems=(system,), worker=SimpleNamespace(drain=drain)))


def test_the_first_start_says_what_it_does_while_it_fills_systems(capsys: pytest.CaptureFixture[str]) -> None:
    prepared = asyncio.run(_prepare(_suite("one-time")))
    assert capsys.readouterr().out == "filling Press with demo data …\n"
    _greet(Settings(demo=True), prepared)
    said = capsys.readouterr().out
    assert "demo     Press: 3 articles.\n" in said
    assert "user list" not in said


def test_a_later_start_says_how_to_get_in_as_the_demo_people(capsys: pytest.CaptureFixture[str]) -> None:
    prepared = asyncio.run(_prepare(_suite(None)))
    assert capsys.readouterr().out == ""
    _greet(Settings(demo=True, data=Path("other place")), prepared)
    said = capsys.readouterr().out
    # Of the folder that is served, which need not be that of the settings.
    assert "user list --data 'other place' shows the demo people" in said
    assert "user password NAME --data 'other place' makes a new password" in said
    assert "user password admin --data 'other place'" in said
