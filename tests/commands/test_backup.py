"""`partita backup` and `partita restore`: what is said, what is refused, and that a restored suite goes on."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest
from typer.testing import CliRunner

from partita.apps.kelifax.examples import DOCUMENTED
from partita.apps.kelifax.schema import Resource
from partita.apps.kelifax.search import CATALOG
from partita.apps.kelifax.system import build as build_kelifax
from partita.bootstrap import build
from partita.cli import app
from partita.commands.backup import ask_passphrase
from partita.dynamo.python_values import item_from_python
from partita.engine import Engine
from partita.kit.accounts.schema import ACCOUNTS
from partita.kit.backup import BackupError, back_up, restore, restore_data, sealing
from partita.kit.settings import Settings
from partita.table import Delete, Put
from tests.kit.backup.folders import PASSPHRASE, age, contents, make_data, make_table, put, rows


def _run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "data")


@pytest.fixture(autouse=True)
def _quick_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "SCRYPT_N", 2**10)


def test_a_backup_is_summed_up_and_a_restore_says_what_comes_next(data: Path, tmp_path: Path) -> None:
    said = _run("backup", tmp_path / "monday", "--data", data).splitlines()
    assert said[0] == f"backed up to {tmp_path / 'monday'}"
    assert [line.split()[0] for line in said[1:]] == ["moment", "tables", "files"]
    assert said[2] == "tables   2, with 40 items"
    assert said[3].startswith("files    4, with ")
    said = _run("restore", tmp_path / "monday", "--data", tmp_path / "new").splitlines()
    assert said[0] == f"restored into {tmp_path / 'new'}"
    assert said[-1] == f"Next: partita serve --data {tmp_path / 'new'}. It builds the search index anew."


def test_a_terminal_shows_how_far_each_part_is(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what rich takes for a terminal
    monkeypatch.setenv("TERM", "xterm")
    said = _run("backup", tmp_path / "monday", "--data", data)
    assert all(f"{part:9}" in said for part in ("tables", "copying"))
    assert said.count("100%") >= 2
    said = _run("restore", tmp_path / "monday", "--data", tmp_path / "new")
    assert all(f"{part:9}" in said for part in ("checking", "restoring"))


def test_an_encrypted_backup_takes_its_passphrase_from_the_environment(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "There is no terminal to ask for the passphrase. Set PARTITA_BACKUP_PASSPHRASE." in _run(
        "backup", tmp_path / "none", "--data", data, "--encrypt", code=1
    )
    monkeypatch.setenv("PARTITA_BACKUP_PASSPHRASE", "short")
    assert "it needs at least 12" in _run("backup", tmp_path / "none", "--data", data, "--encrypt", code=1)
    monkeypatch.setenv("PARTITA_BACKUP_PASSPHRASE", PASSPHRASE)
    assert _run("backup", tmp_path / "monday", "--data", data, "--encrypt").startswith(
        f"backed up to {tmp_path / 'monday'}, encrypted\n"
    )
    monkeypatch.setenv("PARTITA_BACKUP_PASSPHRASE", f"{PASSPHRASE}!")
    said = _run("restore", tmp_path / "monday", "--data", tmp_path / "new", code=1)
    assert said == "partita: The passphrase is wrong, or the backup was changed. Nothing was restored.\n"
    assert not (tmp_path / "new").exists()
    monkeypatch.setenv("PARTITA_BACKUP_PASSPHRASE", PASSPHRASE)
    _run("restore", tmp_path / "monday", "--data", tmp_path / "new")
    assert contents(tmp_path / "new")["secret"] == contents(data)["secret"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["monday", "new"]


def test_a_passphrase_of_the_environment_need_not_be_text(data: Path, tmp_path: Path) -> None:
    def run(*arguments: object, passphrase: bytes) -> subprocess.CompletedProcess[str]:
        given = {**os.environb, b"PARTITA_BACKUP_PASSPHRASE": passphrase}
        command = [sys.executable, "-m", "partita", *map(str, arguments)]
        return subprocess.run(command, env=given, capture_output=True, text=True)

    right, wrong = b"correct horse \xe9\xff", b"correct horse \xe9\xfe"
    made = run("backup", tmp_path / "monday", "--data", data, "--encrypt", passphrase=right)
    assert (made.returncode, made.stderr) == (0, "")
    refused = run("restore", tmp_path / "monday", "--data", tmp_path / "new", passphrase=wrong)
    assert refused.stderr == "partita: The passphrase is wrong, or the backup was changed. Nothing was restored.\n"
    assert run("restore", tmp_path / "monday", "--data", tmp_path / "new", passphrase=right).returncode == 0
    assert contents(tmp_path / "new")["secret"] == contents(data)["secret"]


def test_a_typed_passphrase_in_another_encoding_is_refused_with_the_next_step(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.prompt", lambda *_, **__: b"caf\xe9".decode())
    with pytest.raises(BackupError, match=r"is not utf-8, which this terminal .* Set PARTITA_BACKUP_PASSPHRASE"):
        ask_passphrase(new=True)


def test_large_values_in_a_bucket_do_not_go_back_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    with Engine(data) as engine:
        make_table(engine, ACCOUNTS.default_name)
        recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        engine.call("UpdateContinuousBackups", {"TableName": ACCOUNTS.default_name, **recovery})
    time.sleep(1.1)
    moment = "1 second ago"
    monkeypatch.setenv("PARTITA_FILES", "s3")
    monkeypatch.setenv("PARTITA_S3_BUCKET", "our-files")
    said = _run("restore", data, "--data", tmp_path / "then", "--at", moment)
    assert "large values are in the bucket our-files, which does not go back" in said


_ENDED = """
import os, signal, sys
from partita.cli import app
from partita.kit.backup import taking

taking.Writing.pages = lambda *_: os.kill(os.getpid(), getattr(signal, sys.argv.pop()))
app()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_one_that_is_ended_leaves_nothing_behind(data: Path, tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-c", _ENDED, "backup", str(tmp_path / "monday"), "--data", str(data), name]
    assert subprocess.run(command, capture_output=True).returncode > 0
    assert [path.name for path in tmp_path.iterdir()] == []
    assert list((data / ".backup").iterdir()) == []


def test_what_is_elsewhere_is_told(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_BACKEND", "dynamodb")
    said = _run("backup", tmp_path / "monday", "--data", data, code=1)
    assert said == "partita: The tables are in DynamoDB. Back them up there, with point-in-time recovery.\n"
    monkeypatch.setenv("PARTITA_BACKEND", "embedded")
    monkeypatch.setenv("PARTITA_FILES", "s3")
    monkeypatch.setenv("PARTITA_S3_BUCKET", "our-files")
    assert "files and large values are in the bucket our-files" in _run("backup", tmp_path / "monday", "--data", data)
    assert "no tables in" in _run("backup", tmp_path / "tuesday", "--data", tmp_path / "nothing", code=1)
    assert "is no backup" in _run("restore", tmp_path, "--data", tmp_path / "new", code=1)


def test_a_secret_in_the_settings_is_told(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    (data / "secret").unlink()
    assert "PARTITA_SECRET" not in _run("backup", tmp_path / "sunday", "--data", data)  # an engine has no secret
    with Engine(data) as engine:
        make_table(engine, ACCOUNTS.default_name)
    assert "keep PARTITA_SECRET elsewhere too" in _run("backup", tmp_path / "monday", "--data", data)
    assert "with the same PARTITA_SECRET as before" in _run("restore", tmp_path / "monday", "--data", tmp_path / "new")


def test_a_manifest_can_be_read_by_people_and_programs(data: Path, tmp_path: Path) -> None:
    _run("backup", tmp_path / "monday", "--data", data)
    manifest = json.loads((tmp_path / "monday" / "manifest.json").read_text())
    assert sorted(manifest) == ["files", "moment", "partita", "tables"]
    assert [table["name"] for table in manifest["tables"]] == ["films", "people"]
    assert all(sorted(file) == ["bytes", "path", "sha256", "stored"] for file in manifest["files"])


def test_a_folder_and_its_backup_go_back_to_a_moment(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", recovery=True)
    age(data, 100)
    with Engine(data, durability="off", background=False) as engine:
        put(engine, "films", "films-0", number=77)
        put(engine, "films", "new", number=1)
    _run("backup", tmp_path / "copy", "--data", data)
    at = (datetime.now(UTC) - timedelta(seconds=50)).strftime("%Y-%m-%d %H:%M:%S")
    for source in ("data", "copy"):
        said = _run("restore", tmp_path / source, "--data", tmp_path / f"{source}-then", "--at", at).splitlines()
        assert said[:3] == [f"restored into {tmp_path / f'{source}-then'}", f"moment   {at} UTC", _TABLES]
        assert any(line.startswith(f"note     files are those of {tmp_path / source}: ") for line in said)
        with Engine(tmp_path / f"{source}-then", durability="off", background=False) as engine:
            assert rows(engine, "films") == {f"films-{number}": {"number": number} for number in range(20)}
    assert "is no moment. Write it as" in _run("restore", data, "--data", tmp_path / "no", "--at", "noon", code=1)
    assert "There was no table yet at 2020-01-01 00:00:00 UTC, the first was made at " in _run(
        "restore", data, "--data", tmp_path / "no", "--at", "2020-01-01", code=1
    )
    without = _run("restore", data, "--data", tmp_path / "no", code=1)
    assert without == f"partita: {data} is a data folder: add --at, such as --at '10 minutes ago'.\n"
    assert not (tmp_path / "no").exists()


_TABLES = "tables   2, with 40 items"


def test_a_suite_goes_back_to_a_moment_with_its_files_and_search(tmp_path: Path) -> None:
    row = {**DOCUMENTED[Resource], "resourceStatus": "approved", "approvedAt": "2025-10-26T10:30:00Z"}
    resource = Resource.from_row(item_from_python(row))

    async def before() -> None:
        suite = build(Settings(data=tmp_path / "data", durability="off"), builders=[build_kelifax])
        await suite.kit.store.write(Put(resource))
        await suite.kit.files.save("kelifax/logos/one.png", b"pixels", "image/png")
        await suite.worker.drain()
        await suite.close()

    async def between() -> None:
        suite = build(Settings(data=tmp_path / "data", durability="off"), builders=[build_kelifax])
        await suite.kit.store.write(Delete(resource.own_key))
        await suite.worker.drain()
        assert (await suite.kit.search.find(CATALOG, "amazing")).hits == ()
        await suite.close()

    async def after() -> None:
        suite = build(Settings(data=tmp_path / "then", durability="off"), builders=[build_kelifax])
        await suite.worker.drain()
        found = await suite.kit.search.find(CATALOG, "amazing")
        assert [hit.id for hit in found.hits] == ["amazing-dev-tool"]
        assert (await suite.kit.files.load("kelifax/logos/one.png")).data == b"pixels"
        await suite.close()

    asyncio.run(before())
    age(tmp_path / "data", 100)
    asyncio.run(between())
    at = (datetime.now(UTC) - timedelta(seconds=50)).replace(microsecond=0)
    restore_data(tmp_path / "data", tmp_path / "then", at)
    asyncio.run(after())


def test_sessions_links_files_and_search_go_on_in_a_restored_suite(tmp_path: Path) -> None:
    async def before() -> tuple[str, str]:
        suite = build(Settings(data=tmp_path / "data"), builders=[build_kelifax])
        accounts = suite.kit.accounts
        await accounts.registration.create("ada", "ada@example.org", "Ada", PASSPHRASE)
        session = await accounts.sessions.sign_in("ada", PASSPHRASE)
        await suite.kit.files.save("kelifax/logos/one.png", b"pixels", "image/png")
        row = {**DOCUMENTED[Resource], "resourceStatus": "approved", "approvedAt": "2025-10-26T10:30:00Z"}
        resource = Resource.from_row(item_from_python(row))
        await suite.kit.store.write(Put(resource))
        back_up(tmp_path / "data", tmp_path / "copy")  # as it is served: nothing is closed
        await suite.close()
        return session.token, suite.kit.files.url("kelifax/logos/one.png")

    async def after(session: str, link: str) -> None:
        suite = build(Settings(data=tmp_path / "new"), builders=[build_kelifax])
        viewer = await suite.kit.accounts.recognition.from_session(session)
        assert viewer.username == "ada"
        address = urlsplit(link)
        file = await suite.kit.files.follow("kelifax/logos/one.png", dict(parse_qsl(address.query)))
        assert not isinstance(file, str)
        assert b"".join([chunk async for chunk in file.chunks()]) == b"pixels"
        await file.close()
        await suite.worker.drain()
        found = await suite.kit.search.find(CATALOG, "amazing")
        assert [hit.id for hit in found.hits] == ["amazing-dev-tool"]
        await suite.close()

    session, link = asyncio.run(before())
    restore(tmp_path / "copy", tmp_path / "new")
    assert not (tmp_path / "new" / "search.db").exists()
    asyncio.run(after(session, link))
