"""A resource that comes into the directory without a logo gets that of its page: in the background, whoever sent it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from PIL import Image

from partita.apps.kelifax import schema
from partita.apps.kelifax.permissions import ROLES
from partita.apps.kelifax.schema import LOGOS, RESOURCES, Resource
from partita.kit.permissions import Viewer
from partita.table import Update
from tests.apps.house import kit_on
from tests.apps.kelifax.conftest import MOD, submission
from tests.apps.kelifax.served import Kelifax, serve
from tests.kit.fetcher.sites import Site, answer, serving, visitor
from tests.kit.jobs.kills import go_on, kill

pytestmark = pytest.mark.anyio
PAGE = b"<title>Loom</title><link rel=icon sizes=96x96 href=/icon.png>"
SHARED = b"<title>Loom</title><meta property=og:image content=/shared.png>"


@pytest.fixture
async def kelifax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Kelifax]:
    monkeypatch.setattr("partita.kit.icons._SECONDS", 60.0)
    with kit_on(tmp_path, RESOURCES) as kit:
        fetcher = visitor()
        yield serve(replace(kit, fetcher=fetcher, settings=kit.settings.model_copy(update={"fetch": True})))
        fetcher.close()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    missing = answer(status=404)
    pages = {"/": answer(PAGE), "/shared": answer(SHARED), "/gone": missing, "/favicon.ico": missing}
    async with serving({**pages, "/icon.png": _picture(), "/shared.png": _picture()}) as site:
        yield site


def _picture() -> bytes:
    file = BytesIO()
    Image.new("RGB", (96, 96), "teal").save(file, "PNG")
    return answer(file.getvalue(), headers={"Content-Type": "image/png"})


async def _settle(kelifax: Kelifax) -> None:
    assert kelifax.suite.jobs is not None
    await kelifax.worker.drain()
    await kelifax.suite.jobs.drain()
    await kelifax.worker.drain()


async def _logo(kelifax: Kelifax, slug: str) -> str | None:
    resource = await kelifax.kit.store.get(schema.resource(slug).consistently())
    assert resource is not None
    return resource.logo_file


async def _files(kelifax: Kelifax) -> list[str]:
    return [file.name async for file in kelifax.kit.files.listed(LOGOS)]


@pytest.mark.parametrize("path", ["/", "/shared"], ids=["icon", "og:image"])
async def test_a_submission_gets_the_logo_of_its_page_once_it_is_approved(
    kelifax: Kelifax, site: Site, path: str
) -> None:
    sent = await kelifax.service.submissions.submit(submission("Loom", f"{site.url}{path}"), "here")
    await _settle(kelifax)
    assert site.asked == [], "nobody has looked at it yet, and its address may be anybody's"
    await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    assert site.asked == [], "nothing is fetched while somebody waits"
    await _settle(kelifax)
    assert [await _logo(kelifax, "loom")] == await _files(kelifax)


async def test_imported_resources_get_their_logos_too(kelifax: Kelifax, site: Site) -> None:
    accounts, transfer = kelifax.kit.accounts, kelifax.service.transfer
    account = await accounts.registration.create("ada", "ada@example.org", "Ada Admin", "correct horse battery")
    admin = Viewer(user_id=account.user_id, username="ada", permissions=ROLES["admin"])
    rows = [
        {"resourceName": name, "resourceUrl": f"{site.url}{path}", "usagePurpose": "Weaves by steam, with cards."}
        for name, path in (("Loom", "/"), ("Gone", "/gone"))
    ]
    data = orjson.dumps([{**row, "category": "design"} for row in rows])
    await transfer.begin(admin, await transfer.keep(data, "list.json"), publish=True)
    assert kelifax.suite.jobs is not None
    await kelifax.suite.jobs.drain()
    await _settle(kelifax)
    assert await _logo(kelifax, "loom") is not None
    assert await _logo(kelifax, "gone") is None


async def test_an_address_that_nobody_may_fetch_is_not_asked(
    kelifax: Kelifax, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kelifax.kit.fetcher, "_allows", lambda _address: False)
    sent = await kelifax.service.submissions.submit(submission("Loom", site.url), "here")
    await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    await _settle(kelifax)
    assert (site.connections, await _logo(kelifax, "loom")) == (0, None)


async def test_a_logo_that_somebody_gave_or_removed_stays_so(kelifax: Kelifax, site: Site) -> None:
    sent = await kelifax.service.submissions.submit(submission("Loom", site.url), "here")
    resource = await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    await kelifax.worker.drain()
    await kelifax.kit.store.write(Update(resource.own_key, Resource.logo_image.set("theirs.png")))
    await _settle(kelifax)
    assert site.asked == []
    await kelifax.service.moderation.set_logo(MOD, "loom", "")
    await _settle(kelifax)
    assert site.asked == [], "a logo that was removed is not looked for again"


async def test_killed_while_it_writes_a_logo_there_is_one_logo_and_no_other_file(
    kelifax: Kelifax, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await kelifax.service.submissions.submit(submission("Loom", site.url), "here")
    await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    await kelifax.worker.drain()
    kill(monkeypatch, kelifax.kit.uploads, "keep", at=[(1, False)])
    await go_on(kelifax.kit.jobs, 1)
    assert [await _logo(kelifax, "loom")] == await _files(kelifax)
