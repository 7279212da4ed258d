"""robots.txt, the sitemap and the feeds of the whole suite, found the way robots find them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from xml.etree.ElementTree import fromstring

import pytest

from partita.bootstrap import build
from partita.kit.settings import Settings
from partita.kit.sharing.robots import covers
from partita.web.app import create_app
from tests.web.conftest import Served
from tests.web.walk import walk

pytestmark = pytest.mark.anyio
BASE = "https://catalog.example.org"
NOT_PAGES = ("/api/", "/files/", "/sign-in", "/sign-up", "/metrics")


@pytest.fixture(scope="module")
async def public(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """The suite as it is reached from elsewhere."""
    suite = build(Settings(data=tmp_path_factory.mktemp("public"), fetch=False, base_url=BASE))
    served = Served(suite, create_app(suite))
    async with served.app.router.lifespan_context(served.app):
        yield served


async def test_robots_may_read_public_pages_and_no_others(public: Served) -> None:
    text = (await public.visitor().get("/robots.txt")).text
    rules = re.findall(r"^Disallow: (.+)$", text, re.MULTILINE)
    for route in walk(public.app):
        if route.method == "GET" and not route.api:
            forbidden = any(covers(rule, route.filled()) for rule in rules)
            assert forbidden is not route.public or route.path.startswith(NOT_PAGES), route
    assert f"Sitemap: {BASE}/sitemap.xml" in text


async def test_addresses_are_those_of_the_setting_whatever_a_request_says(public: Served) -> None:
    visitor = public.visitor()
    for path in (
        "/robots.txt",
        "/sitemap.xml",
        "/sitemaps/house/1.xml",
        "/kelifax/resources.atom",
        "/fus/sites.rss",
        "/",
    ):
        forged = {
            "x-forwarded-host": "evil.example",
            "forwarded": "host=evil.example",
            "x-original-url": "/evil.example",
        }
        answer = await visitor.ask("GET", path, headers={"host": "127.0.0.1", **forged})
        assert answer.status == 200, path
        assert BASE in answer.text, path
        assert "evil.example" not in answer.text, path


async def test_the_sitemap_leads_to_every_system(public: Served) -> None:
    visitor = public.visitor()
    index = await visitor.get("/sitemap.xml")
    assert index.headers["content-type"] == "application/xml; charset=utf-8"
    parts = [each.text or "" for each in fromstring(index.body).iter() if each.tag.endswith("loc")]
    names = {urlsplit(part).path.split("/")[2] for part in parts}
    assert names == {"house", *(system.name for system in public.suite.systems)}
    for part in parts:
        answer = await visitor.get(part.removeprefix(BASE))
        pages = [each.text or "" for each in fromstring(answer.body).iter() if each.tag.endswith("loc")]
        assert pages, part
        for page in pages:
            shown = await visitor.get(page.removeprefix(BASE))
            assert shown.status == 200, page
            assert f'<link rel="canonical" href="{page}">' in shown.text
            assert "noindex" not in shown.text, page
    again = await visitor.get("/sitemap.xml", if_none_match=index.headers["etag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("number", ["0", "2", "999999", "1234567", "-1", "x", "²", "1.5"])
async def test_a_part_that_does_not_exist_is_not_found(public: Served, number: str) -> None:
    answer = await public.visitor().get(f"/sitemaps/house/{number}.xml")
    assert answer.status == 404
    assert "/sitemap.xml names all of them" in answer.text


async def test_every_feed_that_a_system_names_is_there(public: Served) -> None:
    feeds = [feed for system in public.suite.systems for feed in system.feeds]
    assert len(feeds) >= 2
    for feed in feeds:
        for path in (feed.path, feed.path.replace(".atom", ".rss")):
            answer = await public.visitor().get(path)
            assert answer.status == 200, path
            fromstring(answer.body)
            assert not answer.headers.get_all("set-cookie"), path


async def test_every_system_has_a_picture(public: Served) -> None:
    for system in public.suite.systems:
        answer = await public.visitor().get(system.picture)
        assert (answer.status, answer.headers["content-type"]) == (200, "image/png"), system.name
        moved = await public.visitor().get(f"/pictures/{system.name}/old.png")
        assert (moved.status, moved.location) == (302, system.picture)


async def test_pages_that_say_nothing_of_themselves_are_not_for_search_engines(public: Served) -> None:
    admin = await public.person("Ada", "admin")
    for path in ("/account", "/account/tokens", "/admin/users", "/kelifax/submit", "/nowhere"):
        text = (await admin.get(path)).text
        assert '<meta name="robots" content="noindex">' in text, path
        assert "og:title" not in text, path
    assert '<meta name="robots" content="noindex">' in (await public.visitor().get("/sign-in")).text
