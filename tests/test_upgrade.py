"""A data folder of an earlier version starts, loses nothing, and says what was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from partita.apps.fus import schema as fus
from partita.bootstrap import build
from partita.commands.doctor import doctor
from partita.engine import Engine
from partita.kit.accounts import schema as accounts
from partita.kit.settings import Settings

EARLIER = {"sitesByTime": "byTime", "sitesByRating": "byRating", "sitesByTitle": "byTitle"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _rows(settings: Settings) -> dict[str, list[Any]]:
    """Everything that is stored, without what is derived for an index."""
    with Engine(settings.data) as engine:
        names = engine.call("ListTables", {})["TableNames"]
        stored = {name: engine.call("Scan", {"TableName": name})["Items"] for name in names}
    for rows in stored.values():
        for row in rows:
            row.pop("staff", None)
    return stored


def _as_earlier(folder: Path) -> None:
    """Give the tables the shape that earlier versions gave them."""
    with Engine(folder) as engine:

        def update(table: str, index: dict[str, Any], types: list[dict[str, str]]) -> None:
            engine.call(
                "UpdateTable",
                {"TableName": table, "AttributeDefinitions": types, "GlobalSecondaryIndexUpdates": [index]},
            )
            engine.maintenance.run()

        described = engine.call("DescribeTable", {"TableName": fus.FUS.name})["Table"]
        for index in described["GlobalSecondaryIndexes"]:
            if index["IndexName"] in EARLIER:
                projection = index["Projection"]
                held = [name for name in projection["NonKeyAttributes"] if name != "iconFile"]
                earlier = {
                    "IndexName": EARLIER[index["IndexName"]],
                    "KeySchema": index["KeySchema"],
                    "Projection": {**projection, "NonKeyAttributes": held},
                }
                types = described["AttributeDefinitions"]
                update(fus.FUS.name, {"Create": earlier}, types)
                update(fus.FUS.name, {"Delete": {"IndexName": index["IndexName"]}}, types)
        people = accounts.ACCOUNTS.name
        types = engine.call("DescribeTable", {"TableName": people})["Table"]["AttributeDefinitions"]
        update(people, {"Delete": {"IndexName": accounts.STAFF.name}}, types)
        for row in engine.call("Scan", {"TableName": people})["Items"]:
            row.pop("staff", None)
            engine.call("PutItem", {"TableName": people, "Item": row})


@pytest.mark.anyio
async def test_a_folder_of_an_earlier_version_starts_and_loses_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(data=tmp_path, fetch=False, systems=("fus",))
    suite = build(settings)
    await suite.kit.accounts.registration.ensure_admin()
    (system,) = suite.systems
    assert system.demo is not None
    await system.demo()
    await suite.worker.drain()
    sites = await suite.kit.store.count(fus.newest_sites())
    staff = [person.username for person in await suite.kit.store.page(accounts.staff_accounts(), limit=50)]
    await suite.close()
    assert sites > 100
    assert "admin" in staff

    _as_earlier(tmp_path)
    before = _rows(settings)
    caplog.clear()
    suite = build(settings)
    store = suite.kit.store
    for query in (fus.newest_sites(), fus.best_sites(), fus.sites_by_title()):
        assert await store.count(query) == sites
    assert [person.username for person in await store.page(accounts.staff_accounts(), limit=50)] == staff
    described = suite.kit.tables.transport.call("DescribeTable", {"TableName": fus.FUS.name})["Table"]
    assert {each["IndexName"] for each in described["GlobalSecondaryIndexes"]} == {i.name for i in fus.FUS.indexes}
    await suite.close()
    assert _rows(settings) == before
    said = [record.getMessage() for record in caplog.records if record.name == "partita.tables"]
    assert f"partita-accounts: the key of the new index withRoles was written into {len(staff)} rows" in said
    for new, old in EARLIER.items():
        assert f"fus-main: adding the index {new}" in said
        assert f"fus-main: deleting the index {old}, which {new} replaces" in said

    caplog.clear()
    await build(settings).close()
    assert not [record for record in caplog.records if record.name == "partita.tables"], (
        "the second start has nothing to do"
    )
    for table in (fus.FUS.name, accounts.ACCOUNTS.name):
        doctor(table, data=tmp_path)
        assert f"all rows fit the schema: {table}" in capsys.readouterr().out
