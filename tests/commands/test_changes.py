from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.bootstrap import build
from partita.cli import app
from partita.kit.changes.schema import Parked
from partita.kit.settings import Settings
from partita.table import Put

RECORD = (
    '{"dynamodb":{"SequenceNumber":"7","ApproximateCreationDateTime":1,"Keys":{"resourceSlug":{"S":"URL#https://x.example"}},'
    '"OldImage":{"resourceSlug":{"S":"URL#https://x.example"},"claimedBy":{"S":"x"}}}}'
)


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data folder with two parked changes: one whose handler is there, one whose handler is gone."""

    async def fill() -> None:
        suite = build(Settings(data=tmp_path))
        for handler in ("kelifax.search", "old.handler"):
            parked = Parked(
                handler=handler,
                parked_at="2026-01-01T00:00:00Z",
                sequence="7",
                table_name="kelifax-resources",
                record=RECORD,
                error="ValueError: no",
                tries=6,
            )
            await suite.kit.store.write(Put(parked))
        await suite.close()

    asyncio.run(fill())
    return str(tmp_path)


def test_handlers_and_parked_changes_are_listed(data: str) -> None:
    code, output = _run("changes", "list", "--data", data)
    assert code == 0
    assert "kelifax.logos" in output
    assert "2 parked" in output
    assert "ValueError: no" in output


def test_a_parked_change_is_shown_whole(data: str) -> None:
    code, output = _run("changes", "show", "1", "--data", data)
    assert code == 0
    assert RECORD in output


def test_replaying_forgets_what_succeeds_and_says_what_fails(data: str) -> None:
    code, output = _run("changes", "replay", "all", "--data", data)
    assert code == 1
    assert "done     kelifax.search" in output
    assert "failed   old.handler 7: LookupError" in output
    assert "1 parked" in _run("changes", "list", "--data", data)[1]


def test_forgetting_drops_a_change(data: str) -> None:
    assert _run("changes", "forget", "2", "--data", data)[0] == 0
    assert "1 parked" in _run("changes", "list", "--data", data)[1]


def test_all_of_nothing_is_said(data: str) -> None:
    _run("changes", "forget", "all", "--data", data)
    for action in ("show", "replay", "forget"):
        assert _run("changes", action, "all", "--data", data) == (0, "nothing is parked\n")


def test_a_number_that_is_not_there_is_refused_with_the_next_step(data: str) -> None:
    code, output = _run("changes", "show", "9", "--data", data)
    assert code == 1
    assert "`partita changes list` shows all 2" in output
