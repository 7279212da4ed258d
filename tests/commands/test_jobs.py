from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.bootstrap import build
from partita.cli import app
from partita.kit.files.sweeping import SWEEP
from partita.kit.settings import Settings
from tests.web import press


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A data folder with one job that failed and one that waits."""
    monkeypatch.setenv("PARTITA_SYSTEMS", "tests.web.printing")

    async def fill() -> None:
        suite = build(Settings(data=tmp_path), builders=[press.build])
        try:
            await suite.kit.jobs.start("press.print", {"pages": 1, "fails": True}, None)
            await suite.jobs.drain()
            await suite.kit.jobs.start("press.print", {"pages": 1}, None, key="one", title="Print one page")
        finally:
            await suite.close()

    asyncio.run(fill())
    return str(tmp_path)


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def _ids(data: str, state: str) -> list[str]:
    code, output = _run("jobs", "list", "--state", state, "--data", data)
    assert code == 0
    return [line.split()[0] for line in output.splitlines() if line != "no jobs"]


def test_jobs_are_listed_by_state(data: str) -> None:
    code, output = _run("jobs", "list", "--data", data)
    assert code == 0
    assert len(output.splitlines()) == 2
    assert "out of ink" in output
    assert len(_ids(data, "failed")) == len(_ids(data, "waiting")) == 1
    assert _ids(data, "done") == []
    assert _run("jobs", "list", "--state", "odd", "--data", data)[0] == 2


def test_a_job_is_shown_whole(data: str) -> None:
    code, output = _run("jobs", "show", *_ids(data, "failed"), "--data", data)
    assert code == 0
    assert "error      The <press> is out of ink. Fill it up." in output
    assert "JobFailed" in output
    assert "Traceback" in output
    code, output = _run("jobs", "show", *_ids(data, "waiting"), "--data", data)
    assert 'arguments  {"pages":1}' in output
    assert "title      Print one page" in output


def test_a_job_is_cancelled_and_tried_again(data: str) -> None:
    (waiting,) = _ids(data, "waiting")
    assert _run("jobs", "cancel", waiting, "--data", data) == (0, f"cancelled {waiting}\n")
    assert _run("jobs", "retry", waiting, "--data", data) == (0, f"waiting   {waiting}\n")


def test_what_cannot_be_done_is_said(data: str) -> None:
    (failed,) = _ids(data, "failed")
    code, output = _run("jobs", "cancel", failed, "--data", data)
    assert (code, "ended already" in output) == (1, True)
    code, output = _run("jobs", "show", "nothing", "--data", data)
    assert (code, "no such job" in output) == (1, True)


def test_a_kind_of_job_is_run_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_SYSTEMS", "enablement")

    async def create_tables() -> None:
        await build(Settings(data=tmp_path, systems=("enablement",))).close()

    asyncio.run(create_tables())
    code, output = _run("jobs", "run", "enablement.expire", "--data", str(tmp_path))
    assert (code, output.split()[0]) == (0, "done")
    assert output.endswith("0 due, 0 expired, 0 skipped, 0 errors.\n")
    assert _run("jobs", "run", "enablement.sleep", "--data", str(tmp_path))[0] == 2


def test_whoever_runs_a_job_from_cron_ends_an_erasure_that_waits_for_handlers(data: str, tmp_path: Path) -> None:
    """Nobody serves the suite, so nobody else runs the change handlers."""

    async def close_account() -> str:
        suite = build(Settings(data=tmp_path), builders=[press.build])
        try:
            accounts = suite.kit.accounts
            made = await accounts.administration.create_account(accounts.operator(), "ada", "ada@example.org", "Ada")
            return (await suite.personal_data.erase(accounts.operator(), made.account.user_id)).job_id
        finally:
            await suite.close()

    job_id = asyncio.run(close_account())
    assert _run("jobs", "run", SWEEP, "--data", data)[0] == 0
    assert job_id in _ids(data, "done")
