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
from partita.kit.jobs.schema import all_jobs
from partita.kit.permissions import Viewer
from partita.table import Update
from tests.apps.house import kit_on
from tests.apps.kelifax.conftest import MOD, submission
from tests.apps.kelifax.served import Kelifax, serve
from tests.kit.conftest import HandClock
from tests.kit.fetcher.sites import Answer, Site, answer, serving, visitor
from tests.kit.jobs.kills import go_on, kill

pytestmark = pytest.mark.anyio
PAGE = b"<title>Loom</title><link rel=icon sizes=96x96 href=/icon.png>"
SHARED = b"<title>Loom</title><meta property=og:image content=/shared.png>"


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def kelifax(tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Kelifax]:
    monkeypatch.setattr("partita.kit.icons._SECONDS", 60.0)
    with kit_on(tmp_path, RESOURCES, clock=clock) as kit:
        fetcher = visitor()
        yield serve(replace(kit, fetcher=fetcher, settings=kit.settings.model_copy(update={"fetch": True})))
        fetcher.close()


@pytest.fixture
def pages() -> dict[str, Answer]:
    """What the site answers; a test may change it."""
    missing = answer(status=404)
    found: dict[str, Answer] = {"/": answer(PAGE), "/shared": answer(SHARED), "/gone": missing, "/favicon.ico": missing}
    return {**found, "/icon.png": _picture(), "/shared.png": _picture()}


@pytest.fixture
async def site(pages: dict[str, Answer]) -> AsyncIterator[Site]:
    async with serving(pages) as site:
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


def _asked(site: Site, path: str) -> int:
    """How often the site was asked for this page."""
    return sum(head.startswith(f"GET {path} ") for head in site.asked)


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


async def test_a_page_that_gave_no_logo_is_read_again_after_an_hour_a_day_and_a_week(
    kelifax: Kelifax, site: Site, pages: dict[str, Answer], clock: HandClock
) -> None:
    """One that could not be read, and one without an icon; of a killed job only one follows."""
    for name, path in (("Loom", "/down"), ("Card", "/bare")):
        sent = await kelifax.service.submissions.submit(submission(name, f"{site.url}{path}"), "here")
        await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    pages["/bare"] = answer(b"<title>Card</title>")
    pages["/down"] = answer(status=503)
    await _settle(kelifax)
    for looks, hours in enumerate((1, 24, 168), start=1):
        assert (_asked(site, "/down"), _asked(site, "/bare")) == (looks, looks)
        clock.forward(hours=hours - 0.1)
        await _settle(kelifax)
        assert (_asked(site, "/down"), _asked(site, "/bare")) == (looks, looks), "not before"
        if hours == 168:
            pages["/down"] = answer(PAGE)
        clock.forward(hours=0.2)
        await _settle(kelifax)
    assert [await _logo(kelifax, "loom")] == await _files(kelifax)
    clock.forward(days=400)
    await _settle(kelifax)
    assert _asked(site, "/bare") == 4, "it has none"
    assert await _logo(kelifax, "card") is None


async def test_a_look_that_is_killed_at_its_end_is_followed_by_one(
    kelifax: Kelifax, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await kelifax.service.submissions.submit(submission("Loom", f"{site.url}/gone"), "here")
    await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    await kelifax.worker.drain()
    kill(monkeypatch, kelifax.kit.jobs, "start", at=[(1, False), (2, True)])
    await go_on(kelifax.kit.jobs, 2)
    listed = await kelifax.kit.store.page(all_jobs(), limit=20)
    assert [each.state for each in listed] == ["waiting", "done"]


async def test_a_logo_that_was_removed_between_two_looks_stays_removed(
    kelifax: Kelifax, site: Site, pages: dict[str, Answer], clock: HandClock
) -> None:
    pages["/late"] = answer(status=503)
    sent = await kelifax.service.submissions.submit(submission("Loom", f"{site.url}/late"), "here")
    await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    await _settle(kelifax)
    given = await kelifax.service.submissions.upload_logo(_picture().partition(b"\r\n\r\n")[2], "here")
    for logo in (given, ""):
        await kelifax.service.moderation.set_logo(MOD, "loom", logo)
    pages["/late"] = answer(PAGE)
    asked = list(site.asked)
    clock.forward(hours=2)
    await _settle(kelifax)
    assert (site.asked, await _logo(kelifax, "loom")) == (asked, None)


async def test_killed_while_it_writes_a_logo_there_is_one_logo_and_no_other_file(
    kelifax: Kelifax, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await kelifax.service.submissions.submit(submission("Loom", site.url), "here")
    await kelifax.service.moderation.approve(MOD, sent.resource_slug)
    await kelifax.worker.drain()
    kill(monkeypatch, kelifax.kit.uploads, "keep", at=[(1, False)])
    await go_on(kelifax.kit.jobs, 1)
    assert [await _logo(kelifax, "loom")] == await _files(kelifax)
