"""`/readyz` tells that the disk is almost full before writes are refused, that the file of the tables is gone, and that
tables do not answer."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from partita.dynamo.errors import StorageMissingError
from partita.engine.database import FILE_NAME
from partita.kit.files import S3Files
from partita.kit.settings import Settings
from partita.store.circuit import NotAnsweringError
from partita.web.house import health
from tests.web.conftest import Served

pytestmark = pytest.mark.anyio


async def test_a_machine_is_ready_as_long_as_there_is_room(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(served.suite.kit.settings.data)
    least = served.suite.kit.settings.least_free_mb * 1_000_000
    for free, status in ((least, 200), (least - 1, 503), (0, 503), (least * 2, 200)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: usage._replace(free=free))
        answer = await served.visitor().get("/readyz")
        assert answer.status == status
        assert answer.json == ({"status": "ok"} if status == 200 else {"status": "unavailable", "disk": "almost full"})
        assert (await served.visitor().get("/healthz")).status == 200, "restarting it would help nobody"


async def test_a_machine_whose_data_folder_is_gone_is_not_ready_though_its_tables_are_elsewhere(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = shutil.disk_usage
    data = served.suite.kit.settings.data
    monkeypatch.setattr(shutil, "disk_usage", lambda path: there(tmp_path / "gone" if path == data else path))
    answer = await served.visitor().get("/readyz")
    assert (answer.status, answer.json) == (503, {"status": "unavailable", "disk": "the data folder is gone"})


@pytest.mark.parametrize("name", [FILE_NAME, f"{FILE_NAME}-wal"])
async def test_a_machine_whose_tables_or_their_log_were_moved_away_is_not_ready_until_they_are_back(
    served: Served, name: str
) -> None:
    file = served.suite.kit.settings.data / name
    file.rename(file.with_name("aside"))
    answer = await served.visitor().get("/readyz")
    file.with_name("aside").rename(file)
    assert answer.status == 503
    assert answer.json == {"status": "unavailable", "tables": "their file was deleted or replaced"}
    assert (await served.visitor().get("/readyz")).status == 200


async def test_a_form_that_cannot_be_saved_keeps_what_was_typed_and_says_whom_to_tell(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> None:
        raise StorageMissingError("the file was deleted: what the log says")

    ada = await served.person("Ada")
    monkeypatch.setattr(type(served.suite.kit.accounts.profile), "change_name", gone)
    page = await ada.post("/account/name", {"name": "Countess Ada"}, x_request_id="number-0815")
    assert page.status == 503
    assert 'value="Countess Ada"' in page.text
    assert (
        "Your text is still here. Nothing can be saved right now. Try again later, or tell your administrator."
        " (Request number-0815)"
    ) in page.shown


async def test_a_machine_whose_tables_do_not_answer_says_so_soon(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silence(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(health, "_READY_SECONDS", 0.05)
    monkeypatch.setattr(type(served.suite.kit.store), "_step", silence)
    answer = await served.visitor().get("/readyz")
    assert (answer.status, answer.json) == (503, {"status": "unavailable", "tables": "no answer"})
    assert answer.headers["retry-after"] == "2"


async def test_a_page_whose_tables_do_not_answer_says_so_plainly(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await served.person("Ada", "admin")

    async def refused(*_: object, **__: object) -> None:
        raise NotAnsweringError("The endpoint does not answer; it is tried again in a moment.")

    monkeypatch.setattr(type(served.suite.kit.store), "_step", refused)
    page = await admin.get("/admin/users")
    assert (page.status, page.headers["retry-after"]) == (503, "2")
    assert "The database does not answer right now. Try again in a moment." in page.shown
    assert (await admin.get("/api/press/articles")).json["code"] == "busy"
    ready = await served.visitor().get("/readyz")
    assert (ready.status, ready.json["tables"]) == (503, "the endpoint does not answer")


def test_who_wants_no_limit_sets_it_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=0))
    assert health._has_room(Settings(least_free_mb=0))
    assert not health._has_room(Settings(least_free_mb=1))


async def test_a_machine_whose_bucket_does_not_answer_says_so(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(S3Files):
        def __init__(self) -> None:
            pass

        async def answers(self) -> bool:
            await asyncio.sleep(60)
            return True

    monkeypatch.setattr(health, "_READY_SECONDS", 0.05)
    kit = replace(served.suite.kit, files=Silent())
    assert not await health._files_answer(replace(served.suite, kit=kit))
    assert await health._files_answer(served.suite), "a folder answers"
