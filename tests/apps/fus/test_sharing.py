"""What others read of fus: feeds, the sitemap, pictures and heads of its sites."""

from __future__ import annotations

import gzip
import json
import re
from xml.etree.ElementTree import fromstring

import pytest

from partita.apps.fus.service import FusService
from partita.kit.kit import Kit
from partita.kit.sharing.feeds import ATOM, MOST_ENTRIES
from partita.kit.sharing.sitemaps import part_addresses, with_new_parts
from partita.store import Observation
from tests.apps.fus.conftest import manager, put
from tests.apps.fus.served import Fus, Somebody, serve
from tests.apps.kelifax.test_sharing import head_of, titles

pytestmark = pytest.mark.anyio


@pytest.fixture
def fus(kit: Kit) -> Fus:
    return serve(kit)


@pytest.fixture
def visitor(fus: Fus) -> Somebody:
    return fus.visitor()


async def test_new_sites_are_in_the_feeds_of_their_tags(service: FusService, visitor: Somebody) -> None:
    await put(service, "First", tags=["maps"])
    await put(service, "Second", tags=["maps", "ci/cd & more"])
    assert titles(await visitor.get("/fus/sites.atom")) == ["Second", "First"]
    assert titles(await visitor.get("/fus/sites.atom?tags=Maps")) == ["Second", "First"]
    narrowed = await visitor.get("/fus/sites.atom?tags=ci%2Fcd+%26+more")
    assert titles(narrowed) == ["Second"]
    links = {link.attrib["rel"]: link.attrib["href"] for link in fromstring(narrowed.body).findall(f"{{{ATOM}}}link")}
    assert links["self"].endswith("/fus/sites.atom?tags=ci%2Fcd+%26+more")
    assert links["alternate"].endswith("/fus?tags=ci%2Fcd+%26+more")
    assert titles(await visitor.get("/fus/sites.atom?tags=nobody")) == []
    assert (await visitor.get("/fus/sites.rss?tags=maps")).text.count("<item>") == 2


async def test_a_feed_has_the_newest_sites_and_an_end(service: FusService, visitor: Somebody) -> None:
    for number in range(MOST_ENTRIES + 3):
        await put(service, f"Site {number}", tags=["maps"])
    newest = [f"Site {number}" for number in range(MOST_ENTRIES + 2, 2, -1)]
    assert titles(await visitor.get("/fus/sites.atom")) == newest
    assert titles(await visitor.get("/fus/sites.atom?tags=maps")) == newest


async def test_a_feed_is_compressed_and_keeps_its_tag(service: FusService, visitor: Somebody) -> None:
    for number in range(5):
        await put(service, f"Site {number}", description="A site among many. " * 10)
    plain, small = await visitor.get("/fus/sites.atom"), await visitor.get("/fus/sites.atom", accept_encoding="gzip")
    assert small.headers["content-encoding"] == "gzip"
    assert gzip.decompress(small.body) == plain.body
    assert small.headers["etag"] == plain.headers["etag"]
    assert plain.headers["etag"].startswith("W/")


async def test_pages_show_a_link_to_their_feed(service: FusService, visitor: Somebody) -> None:
    await put(service, "Maps", tags=["maps"])
    for page, feed in (("/fus", "/fus/sites.atom"), ("/fus?tags=maps", "/fus/sites.atom?tags=maps")):
        foot = (await visitor.get(page)).text.partition('<footer class="foot">')[2]
        assert re.findall(r'<a href="([^"]+)" type="application/atom\+xml"', foot) == [feed], page


async def test_a_deleted_site_and_what_is_private_are_nowhere(fus: Fus, service: FusService, visitor: Somebody) -> None:
    site, gone = await put(service, "Kept", tags=["maps"]), await put(service, "Deleted", tags=["maps"])
    reader = await fus.person("Reader")
    assert (
        await reader.post(f"/fus/sites/{site.site_id}/rating", {"stars": "4", "note": "my secret note"})
    ).status == 303
    card = re.search(
        r'og:image" content="[^"]*(/fus/sites/[^"]+)"', (await visitor.get(f"/fus/sites/{gone.site_id}")).text
    )
    assert card is not None
    assert (await visitor.get(card[1])).status == 200
    await service.sites.delete(manager(), gone.site_id)
    await fus.worker.drain()
    shown = ""
    for path in (
        "/fus/sites.atom",
        "/fus/sites.rss",
        "/fus/sites.atom?tags=maps",
        "/sitemap.xml",
        "/sitemaps/fus/1.xml",
    ):
        answer = await visitor.get(path)
        assert answer.status == 200, path
        shown += answer.text
    shown += (await visitor.get(f"/fus/sites/{site.site_id}")).text
    assert site.site_id in shown
    assert not [word for word in (gone.site_id, "Deleted", "my secret note") if word in shown]
    assert (await visitor.get(card[1])).status == 404
    assert (await visitor.get(f"/fus/sites/{gone.site_id}/{'0' * 20}.png")).status == 404


async def test_a_feed_costs_no_more_than_the_list_that_it_shows(
    kit: Kit, service: FusService, visitor: Somebody
) -> None:
    for number in range(MOST_ENTRIES + 5):
        await put(service, f"Site {number}", tags=["maps"])
    calls: list[Observation] = []
    kit.tables.observe(calls.append)

    async def cost(path: str) -> tuple[int, float]:
        calls.clear()
        assert (await visitor.get(path)).status == 200
        return len(calls), sum(call.units for call in calls)

    for query in ("", "?tags=maps"):
        page, feed = await cost(f"/fus{query}"), await cost(f"/fus/sites.atom{query}")
        assert feed[0] <= page[0], query
        assert feed[1] <= page[1], query


async def test_a_site_says_what_people_think_of_it(fus: Fus, service: FusService, visitor: Somebody) -> None:
    site = await put(service, "Maps", description="A map of\n\nthe world.", tags=["maps"])
    reader = await fus.person("Reader")
    await reader.post(f"/fus/sites/{site.site_id}/rating", {"stars": "4"})
    answer = await visitor.get(f"/fus/sites/{site.site_id}?comments=newest&fbclid=1")
    head = head_of(answer)
    assert head["canonical"] == f"{fus.kit.settings.base_url}/fus/sites/{site.site_id}"
    assert head["description"] == head["og:description"] == "A map of the world."
    (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', answer.text)
    about = json.loads(data)["about"]
    assert (about["@type"], about["url"]) == ("WebSite", site.url)
    assert (about["aggregateRating"]["ratingValue"], about["aggregateRating"]["ratingCount"]) == (4.0, 1)


async def test_searches_and_pages_for_members_are_not_for_search_engines(fus: Fus, service: FusService) -> None:
    site = await put(service, "Maps", tags=["maps", "open"])
    admin = await fus.person("Admin", "fus:admin")
    base = f"{fus.kit.settings.base_url}/fus"
    for query, canonical, indexed in (
        ("", "", True),
        ("?sort=title", "", True),
        ("?tags=maps&tag_mode=or", "?tags=maps", True),
        ("?tags=maps&tags=open", "?tags=maps&amp;tags=open", False),
        ("?q=maps", "", False),
    ):
        head = head_of(await admin.get(f"/fus{query}"))
        assert head["canonical"] == f"{base}{canonical}", query
        assert ("robots" not in head) is indexed, query
    members = (
        "/fus/me/ratings",
        "/fus/groups",
        "/fus/sites/new",
        f"/fus/sites/{site.site_id}/edit",
        "/account",
    )
    for path in members:
        head = head_of(await admin.get(path))
        assert head["robots"] == "noindex", path
        assert "canonical" not in head, path


async def test_every_page_of_the_sitemap_is_one_that_engines_may_show(fus: Fus, service: FusService) -> None:
    await put(service, "Maps", tags=["maps"])
    text = "".join([(await fus.visitor().get(f"/sitemaps/{name}/1.xml")).text for name in ("fus", "house")])
    locations = [url.removeprefix(fus.kit.settings.base_url) for url in re.findall(r"<loc>([^<]*)</loc>", text)]
    assert len(locations) == 5
    for path in locations:
        head = head_of(await fus.visitor().get(path))
        assert head["canonical"].endswith(path), path
        assert "robots" not in head, path
        assert head["description"], path


async def test_the_parts_of_the_sitemap_are_the_whole_of_it(kit: Kit, service: FusService) -> None:
    paths = [f"/fus/sites/{(await put(service)).site_id}" for _ in range(7)]
    parts = await with_new_parts(kit.store, "parts", service.sharing.addresses, part=3)
    found = [[each.path for each in await part_addresses(service.sharing.addresses, part)] for part in parts]
    assert found == [paths[:3], paths[3:6], paths[6:]]
