"""From a data folder to DynamoDB and S3: the tables one by one, with their large values, and the uploaded files."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import boto3
import pytest
from typer.testing import CliRunner

from partita.apps.kelifax.schema import Resource
from partita.apps.newsletter.schema.editing import TextVersion, text_version
from partita.bootstrap import build
from partita.cli import app
from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.kit.settings import read_settings
from partita.kit.suite import Suite
from partita.store.rows import every_row
from partita.table import Put
from tests.serving import CREDENTIALS, moto_server

WORDS = "Long words. " * 8000
LOGO = "kelifax/logos/" + "a" * 26 + ".png"
NOW = "2026-01-01T00:00:00Z"


def _run(*arguments: object) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return done.output


async def _fill(suite: Suite) -> str:
    accounts = suite.kit.accounts
    made = await accounts.administration.create_account(
        accounts.operator(), "ada", "ada@example.org", "Ada", roles=["admin"]
    )
    resource = Resource(
        resource_slug="aster",
        submission_id="1",
        created_at=NOW,
        submitted_at=NOW,
        submitter_first_name="Ada",
        submitter_last_name="A",
        submitter_email="ada@example.org",
        resource_name="Aster",
        resource_url="https://aster.example",
        usage_purpose="To look at",
        category="other",
        logo_image=LOGO.rpartition("/")[2],
    )
    await suite.kit.files.save(LOGO, b"pixels", "image/png", public=True)
    await suite.kit.store.write(Put(resource))
    await suite.kit.store.write(Put(TextVersion(code="NL-1", revision=1, text=WORDS, by="", action="saved", at=NOW)))
    await suite.worker.drain()
    return made.password


async def _check(suite: Suite, password: str, inbox: int) -> None:
    await suite.worker.drain()
    session = await suite.kit.accounts.sessions.sign_in("ada", password, user_agent="Firefox")
    assert (await suite.kit.accounts.recognition.from_session(session.token)).name == "Ada"
    version = await suite.kit.store.get(text_version("NL-1", 1))
    assert version is not None
    assert version.text == WORDS
    logo = await suite.kit.files.load(LOGO)
    assert (logo.data, logo.content_type, logo.info.public) == (b"pixels", "image/png", True)
    assert await _mails(suite) == inbox, "nobody is told of what came along"


async def _mails(suite: Suite) -> int:
    """Rows of the house's table that are notifications or mails."""
    (house,) = [table for room in suite.personal_data.rooms for table in room.tables if table.name == "partita-house"]
    kinds = [row["PK"]["S"].partition("#")[0] async for row in every_row(suite.kit.store, house)]
    return len([kind for kind in kinds if kind in ("INBOX", "QUEUE", "MAIL", "DIGEST")])


def test_everything_moves_table_by_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax,newsletter")
    monkeypatch.setenv("PARTITA_FETCH", "false")
    data = tmp_path / "data"

    async def fill() -> tuple[str, int]:
        suite = build(read_settings(data=data))
        try:
            return await _fill(suite), await _mails(suite)
        finally:
            await suite.close()

    password, mails = asyncio.run(fill())
    _run("backup", "backups/last", "--data", data)
    tables = [each["name"] for each in json.loads((tmp_path / "backups/last/manifest.json").read_text())["tables"]]
    assert len(tables) == 5
    with moto_server() as s3, Engine(tmp_path / "tables", durability="off") as engine, DoorThread(engine) as door:
        bucket = boto3.client("s3", endpoint_url=s3.url, **CREDENTIALS)
        bucket.create_bucket(Bucket="partita")
        bucket.close()
        for name, value in {
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "PARTITA_BACKEND": "dynamodb",
            "PARTITA_ENDPOINT_URL": door.url,
            "PARTITA_REGION": "us-east-1",
            "PARTITA_FILES": "s3",
            "PARTITA_S3_BUCKET": "partita",
            "PARTITA_S3_ENDPOINT_URL": s3.url,
            "PARTITA_SECRET": (data / "secret").read_text().strip(),
            "PARTITA_DATA": str(tmp_path / "machine"),
        }.items():
            monkeypatch.setenv(name, value)
        _run("changes", "list")
        for table in tables:
            assert "lost" not in _run("copy", table, table, "--from", data)
        assert "copied 1 files with 6 bytes" in _run("files", "copy", "--from", data)
        assert "copied 0 files" in _run("files", "copy", "--from", data)
        for table in tables:
            assert "copied   0" in _run("copy", table, table, "--from", data)
        assert "all rows fit" in _run("doctor")

        async def check() -> None:
            suite = build(read_settings())
            try:
                await _check(suite, password, mails)
            finally:
                await suite.close()

        asyncio.run(check())
