"""Several machines on one DynamoDB: what is shared is done once, by a Lambda function; search is kept by each."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from partita.__main__ import main
from partita.apps.fus.schema import FUS, Site, TagTotal
from partita.apps.fus.search import CATALOG
from partita.bootstrap import build
from partita.commands import stream_function
from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.extras import pip
from partita.kit.settings import Settings, SettingsError, read_settings
from partita.kit.suite import Suite
from partita.store import EmbeddedStore
from partita.table import Put


@pytest.fixture
def amazon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine that is reached over HTTP only, as the environment says."""
    with Engine(tmp_path / "tables") as engine, DoorThread(engine) as door:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "PARTITA_BACKEND": "dynamodb",
            "PARTITA_ENDPOINT_URL": door.url,
            "PARTITA_REGION": "us-east-1",
            "PARTITA_SECRET": "a secret of all machines",
            "PARTITA_DATA": str(tmp_path / "lambda"),
        }.items():
            monkeypatch.setenv(name, value)
        yield engine


def _site(number: int) -> Site:
    return Site(
        site_id=f"01arz3ndektsv4rrffq69g5f{number:02d}",
        url=f"https://example.org/{number}",
        title=f"Larch number {number}",
        created_at="2026-01-01T00:00:00Z",
        updated_at="2026-01-01T00:00:00Z",
    )


def _records(engine: Engine) -> list[dict[str, Any]]:
    """What the table's stream would trigger a function with."""
    arn = engine.call("DescribeTable", {"TableName": FUS.name})["Table"]["LatestStreamArn"]
    (shard,) = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = engine.call("GetShardIterator", start)["ShardIterator"]
    records = engine.call("GetRecords", {"ShardIterator": iterator})["Records"]
    return [{**each, "eventSourceARN": arn} for each in records]


def test_the_function_does_what_is_shared(amazon: Engine) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARTITA_LOG_LEVEL", "warning")
        asyncio.run(_closed(build(read_settings())))
        store = EmbeddedStore(amazon)
        store.write(Put(TagTotal(tag="used", count=1)))
        store.write(Put(TagTotal(tag="unused", count=0)))
        function = stream_function._function()
        try:
            assert stream_function.handle({"Records": _records(amazon)}, None) == {"batchItemFailures": []}
        finally:
            function.close()
            stream_function._function.cache_clear()
    assert store.get(TagTotal.get(TagTotal.tag("used"))) is not None
    assert store.get(TagTotal.get(TagTotal.tag("unused"))) is None


def test_every_machine_finds_what_any_of_them_has_written(amazon: Engine, tmp_path: Path) -> None:
    async def story() -> list[list[str]]:
        machines = [build(read_settings(data=tmp_path / name, changes="local")) for name in ("one", "two")]
        try:
            store = machines[0].kit.store
            await store.write(Put(_site(1)))
            await _follow(machines)
            await machines[1].kit.store.write(Put(_site(2)))
            await _follow(machines)
            found = [await machine.kit.search.find(CATALOG, "larch") for machine in machines]
            assert await _built(machines[0]) == {True}
            for worker in machines[0].worker._workers:  # type: ignore[union-attr]
                await worker._note_absence(None)
            assert await _built(machines[0]) == {False}, "whatever a machine keeps is built anew after a long absence"
            return [sorted(hit.id[-1] for hit in page.hits) for page in found]
        finally:
            for machine in machines:
                await machine.close()

    assert asyncio.run(story()) == [["1", "2"], ["1", "2"]]


def test_a_machine_that_comes_later_has_everything_too(amazon: Engine, tmp_path: Path) -> None:
    async def story() -> int:
        first = build(read_settings(data=tmp_path / "first", changes="local"))
        await first.kit.store.write(Put(_site(1)))
        await _closed(first)
        amazon.call("UpdateTable", {"TableName": FUS.name, "StreamSpecification": {"StreamEnabled": False}})
        late = build(read_settings(data=tmp_path / "late", changes="local"))
        try:
            await _follow([late])
            return (await late.kit.search.find(CATALOG, "larch")).total
        finally:
            await late.close()

    assert asyncio.run(story()) == 1


def test_tables_in_the_data_folder_have_nobody_else_to_react(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARTITA_BACKEND", raising=False)
    with pytest.raises(SettingsError, match="PARTITA_CHANGES: `local` is only for the backend `dynamodb`"):
        read_settings(data=tmp_path, changes="local")
    assert Settings(data=tmp_path).changes == "all"


def test_tables_in_dynamodb_without_the_extra_are_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [each for each in os.environ if each.startswith(("AWS_", "PARTITA_"))]:
        monkeypatch.delenv(name)
    for module in [each for each in sys.modules if each.partition(".")[0] in ("boto3", "botocore")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "botocore", None)
    monkeypatch.setenv("PARTITA_BACKEND", "dynamodb")
    monkeypatch.setattr(sys, "argv", ["partita", "jobs", "list", "--data", str(tmp_path / "data")])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err.splitlines()
    assert (ended.value.code, len(said)) == (2, 2)
    assert f"needs the extra aws: {pip('aws')}" in said[1]


def test_three_machines_start_at_once_on_empty_tables(
    amazon: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each makes what is missing; nobody dies of what another one has just made."""
    monkeypatch.setenv("PARTITA_SYSTEMS", "kelifax")
    with ThreadPoolExecutor(3) as threads:
        starts = [threads.submit(build, read_settings(data=tmp_path / name)) for name in ("one", "two", "three")]
        for each in starts:
            asyncio.run(_closed(each.result()))
    described = [
        amazon.call("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]["TimeToLiveStatus"]
        for name in amazon.call("ListTables", {})["TableNames"]
    ]
    assert "ENABLED" in described


async def _built(machine: Suite) -> set[bool]:
    return {await machine.kit.search.built(each) for system in machine.systems for each in system.searches}


async def _follow(machines: list[Suite]) -> None:
    for machine in machines:
        assert all(handler.local for handler in machine.worker.handlers)
        await machine.worker.drain()


async def _closed(suite: Suite) -> None:
    await suite.close()
