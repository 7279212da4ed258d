"""Every command that the guide to operations names is run: here, unless the guide shows what it prints."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from partita.bootstrap import build
from partita.cli import app
from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.kit.backup import sealing
from partita.kit.mail import Outbox
from partita.kit.search.rebuilding import REBUILD
from partita.kit.settings import read_settings
from tests.kit.backup.folders import age
from tests.pages import blocks

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "operations.md"
MONDAY = "partita restore backups/monday --data earlier --at …"
LEFT = f"kelifax/logos/{'a' * 26}.png"
ANYWHERE = {
    "partita doctor": "all rows fit",
    "partita doctor --mend": "all rows fit",
    "partita adopt kelifax --recount": "corrected  0 counters",
    "partita changes list": "kelifax.logos",
    "partita jobs list": "house.search-rebuild",
    "partita search rebuild": "kelifax",
    "partita files sweep": f"unnamed  {LEFT}",
    "partita files sweep --delete": f"deleted  {LEFT}",
    "partita user password admin": "It is shown only once",
}
"""Each with something that it says, on whichever tables."""
IN_A_FOLDER = {
    "partita backup backups/before-upgrade": "backed up to backups/before-upgrade",
    MONDAY: "restored into earlier",
    "partita restore data --data new --at …": "restored into new",
    "partita export cloudformation": '"AWS::DynamoDB::Table"',
    "partita export terraform": 'resource "aws_dynamodb_table"',
}
ELSEWHERE = {
    "partita serve": "tests/web/test_serve.py",
    "partita serve --workers 4": "tests/web/test_serve.py",
    "partita dynamodb": "tests/engine/door/test_workers.py",
    "partita copy films-then films --data data": "tests/commands/test_copy.py",
    "partita copy kelifax-resources kelifax-resources --from data": "tests/commands/test_move.py",
    "partita files copy --from data": "tests/commands/test_move.py",
}
"""What goes on until it is stopped, or needs other tables, has tests of its own."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder, with nothing in it."""
    for name in [each for each in os.environ if each.startswith(("PARTITA_", "AWS_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax")
    monkeypatch.setenv("PARTITA_FETCH", "false")
    monkeypatch.setattr(sealing, "SCRYPT_N", 2**10)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def endpoint(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """DynamoDB, as the settings say it; our own."""
    with Engine(folder / "tables", durability="off") as engine, DoorThread(engine) as door:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "PARTITA_BACKEND": "dynamodb",
            "PARTITA_ENDPOINT_URL": door.url,
            "PARTITA_REGION": "us-east-1",
            "PARTITA_SECRET": "the content of data/secret, which is long enough",
        }.items():
            monkeypatch.setenv(name, value)
        yield engine


def test_every_command_of_the_guide_is_run_by_a_test() -> None:
    page = PAGE.read_text()
    outside = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    named = {" ".join(each.split()) for each in re.findall(r"`(partita [^`]+)`", outside)}
    assert named == {*ANYWHERE, *IN_A_FOLDER, *ELSEWHERE}
    assert all((ROOT / test).exists() for test in ELSEWHERE.values())
    targets = set(re.findall(r"`make ([a-z]+)`", outside))
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets <= known


def test_the_commands_of_the_guide_work_on_a_data_folder(folder: Path) -> None:
    _first_start()
    age(folder / "data", 100)
    _partita("backup backups/monday")
    for command, says in (ANYWHERE | IN_A_FOLDER).items():
        earlier = datetime.now(UTC) - timedelta(seconds=50)
        assert says in _partita(command.removeprefix("partita ").replace("…", f"'{earlier:%F %T}'")), command


def test_the_commands_of_the_guide_work_on_dynamodb(endpoint: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are those of the template, and nobody else makes any."""
    template = json.loads(_partita("export cloudformation"))
    for made in template["Resources"].values():
        properties = made["Properties"]
        name = template["Parameters"][properties.pop("TableName")["Ref"]]["Default"]
        expiry = properties.pop("TimeToLiveSpecification", None)
        for other in ("PointInTimeRecoverySpecification", "Tags", "DeletionProtectionEnabled"):
            properties.pop(other, None)
        if "StreamSpecification" in properties:
            properties["StreamSpecification"]["StreamEnabled"] = True
        properties["SSESpecification"] = {"Enabled": properties["SSESpecification"]["SSEEnabled"]}
        endpoint.call("CreateTable", {"TableName": name, **properties})
        if expiry is not None:
            endpoint.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": expiry})
    monkeypatch.setenv("PARTITA_MAKE_TABLES", "false")
    _first_start()
    for command, says in ANYWHERE.items():
        assert says in _partita(command.removeprefix("partita ")), command


def test_looking_at_dynamodb_from_another_folder_leaves_nothing_there(endpoint: Engine, folder: Path) -> None:
    assert f"no data in {folder / 'data'}" in _partita("jobs list")
    assert [path.name for path in folder.iterdir()] == ["tables"]  # which is the endpoint's


def test_the_lines_for_cron_and_for_a_rehearsal_do_what_they_say(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, nightly, rehearsal = (block.text for block in blocks(PAGE) if block.language == "sh")
    monkeypatch.setenv("PARTITA_BACKUP_PASSPHRASE", "correct horse battery staple")
    _first_start()
    old = folder / "backups" / "2020-01-01"
    old.mkdir(parents=True)
    os.utime(old, (0, 0))
    _line(nightly.replace("/mnt/backups", "backups").replace("/srv/partita", "data"))
    (today,) = (folder / "backups").iterdir()
    assert today != old
    assert "restored into rehearsal" in _line(rehearsal.replace("/mnt/backups/2026-11-16", str(today)))
    assert not (folder / "rehearsal").exists()


def test_the_settings_for_a_look_at_a_restored_folder_send_no_mail_and_run_no_jobs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "serve it with `PARTITA_MAIL=outbox` and `PARTITA_JOBS=0`" in " ".join(PAGE.read_text().split())
    monkeypatch.setenv("PARTITA_MAIL", "outbox")
    monkeypatch.setenv("PARTITA_JOBS", "0")

    async def look() -> None:
        suite = build(read_settings())
        assert isinstance(suite.kit.mail, Outbox)
        await asyncio.wait_for(suite.jobs.run(), 60)  # it has nothing to do, and ends
        await suite.close()

    asyncio.run(look())


def _first_start() -> None:
    """What `partita serve` does before it serves: the tables, and an administrator. Since then a job was started, and
    an item went without its file."""

    async def start() -> None:
        suite = build(read_settings())
        await suite.kit.accounts.registration.ensure_admin()
        await suite.kit.jobs.start(REBUILD, {}, None)
        await suite.kit.files.save(LEFT, b"pixels", "image/png")
        file = suite.kit.settings.data / "files" / LEFT
        os.utime(file, (time.time() - 100_000,) * 2)
        await suite.close()

    asyncio.run(start())


def _partita(arguments: str) -> str:
    """Run a command as a shell does, in this process."""
    expanded = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {arguments}"], capture_output=True, text=True, check=True
    ).stdout
    result = CliRunner().invoke(app, expanded.split("\0")[:-1])
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return result.output


def _line(line: str) -> str:
    """Run commands that are joined by `&&`."""
    return "".join(_part(each.strip()) for each in line.split("&&"))


def _part(command: str) -> str:
    if command.startswith("partita "):
        return _partita(command.removeprefix("partita "))
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout
