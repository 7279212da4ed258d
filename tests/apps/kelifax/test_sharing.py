"""What others read of Kelifax: feeds, the sitemap, pictures and heads show approved resources and nothing else."""

from __future__ import annotations

import json
import re
from xml.etree.ElementTree import fromstring

import pytest

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.pages.sharing import PAGES
from partita.apps.kelifax.schema import CATEGORIES
from partita.apps.kelifax.service import KelifaxService
from partita.kit.kit import Kit
from partita.kit.sharing.feeds import ATOM
from partita.kit.sharing.sitemaps import part_addresses, with_new_parts
from partita.kit.sharing.xml import timestamp
from partita.store import Observation
from tests.apps.kelifax.conftest import MOD, approved, submission
from tests.apps.kelifax.served import Kelifax, Somebody, serve
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture
def kelifax(kit: Kit) -> Kelifax:
    return serve(kit)


@pytest.fixture
def visitor(kelifax: Kelifax) -> Somebody:
    return kelifax.visitor()


def titles(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.text
    root = fromstring(answer.body)
    return [entry.findtext(f"{{{ATOM}}}title") or "" for entry in root.findall(f"{{{ATOM}}}entry")]


def head_of(answer: Answer) -> dict[str, str]:
    """What the page says of itself: names and properties of `meta`, and the canonical link."""
    found = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', answer.text))
    canonical = re.search(r'<link rel="canonical" href="([^"]+)">', answer.text)
    return found | ({"canonical": canonical[1]} if canonical else {})


def local(kelifax: Kelifax, url: str) -> str:
    base = kelifax.kit.settings.base_url
    assert url.startswith(f"{base}/"), url
    return url.removeprefix(base)


async def test_new_resources_are_in_the_feeds_they_belong_to(service: KelifaxService, visitor: Somebody) -> None:
    await approved(service, "First Tool", resource__tags=["maps"])
    await approved(service, "Second Tool", resource__category="design", resource__tags=["maps", "ci/cd"])
    assert titles(await visitor.get("/kelifax/resources.atom")) == ["Second Tool", "First Tool"]
    assert titles(await visitor.get("/kelifax/resources.atom?category=design")) == ["Second Tool"]
    assert titles(await visitor.get("/kelifax/resources.atom?tag=MAPS")) == ["Second Tool", "First Tool"]
    assert titles(await visitor.get("/kelifax/resources.atom?tag=maps&category=development")) == ["First Tool"]
    assert titles(await visitor.get("/kelifax/resources.atom?tag=ci%2Fcd")) == ["Second Tool"]
    assert titles(await visitor.get("/kelifax/resources.atom?tag=unknown")) == []
    assert (await visitor.get("/kelifax/resources.atom?category=unknown")).status == 404
    assert b"<item><title>Second Tool</title>" in (await visitor.get("/kelifax/resources.rss")).body


async def test_what_waited_long_for_its_approval_comes_first(
    kelifax: Kelifax, service: KelifaxService, visitor: Somebody
) -> None:
    late = await service.submissions.submit(submission("Late Tool", "https://late.example.org"), "here")
    for letter in "abcdefghijklmnopqrstuvwxy":
        await approved(service, f"Tool {letter * 3}")
    await service.moderation.approve(MOD, late.resource_slug)
    await kelifax.worker.drain()
    for query in ("", "?category=development", "?tag=compilers"):
        path = f"/kelifax/resources.atom{query}"
        shown = titles(await visitor.get(path))
        assert (shown[:2], len(shown)) == (["Late Tool", "Tool yyy"], 20), query
    feed = fromstring((await visitor.get("/kelifax/resources.atom")).body)
    entry = feed.find(f"{{{ATOM}}}entry")
    assert entry is not None
    there = await service.moderation.inspect(late.resource_slug)
    assert entry.findtext(f"{{{ATOM}}}published") == timestamp(there.approved_at)
    home = (await visitor.get("/kelifax")).text.partition('id="newest"')[2]
    assert home.index("Late Tool") < home.index("Tool yyy")
    tell = kelifax.suite.systems[0].news
    assert tell is not None
    (news, *_) = await tell()
    assert (news.title, news.at) == ("Late Tool", there.approved_at)


async def test_only_what_is_approved_is_shown_to_others(
    kelifax: Kelifax, service: KelifaxService, visitor: Somebody
) -> None:
    """Whatever became of a resource, every address that could show it is tried."""
    names = ("Kept Tool", "Pending Tool", "Rejected Tool", "Withdrawn Tool", "Deleted Tool")
    cards: dict[str, str] = {}
    for name in names:
        await service.submissions.submit(submission(name, f"https://{name.replace(' ', '')}.example.org"), name)
    for name in names:
        if name != "Pending Tool":
            slug = name.lower().replace(" ", "-")
            if name != "Rejected Tool":
                await service.moderation.approve(MOD, slug)
                cards[name] = head_of(await visitor.get(f"/kelifax/resources/{slug}"))["og:image"]
    await service.moderation.reject(MOD, "rejected-tool", "No.")
    await service.moderation.reject(MOD, "withdrawn-tool", "Not any more.")
    await service.moderation.delete(MOD, "deleted-tool")
    await kelifax.worker.drain()
    paths = ["/kelifax/resources.atom", "/kelifax/resources.rss", "/sitemap.xml", "/sitemaps/kelifax/1.xml"]
    for ending in ("atom", "rss"):
        paths += [f"/kelifax/resources.{ending}?category={category}" for category in CATEGORIES]
        paths += [f"/kelifax/resources.{ending}?tag={tag}" for tag in ("compilers", "analysis")]
    shown = ""
    for path in paths:
        answer = await visitor.get(path)
        assert answer.status == 200, path
        shown += answer.text
    assert "kept-tool" in shown
    for name in names[1:]:
        assert name not in shown
        assert name.lower().replace(" ", "-") not in shown
    for name, url in cards.items():
        answer = await visitor.get(local(kelifax, url))
        assert answer.status == (200 if name == "Kept Tool" else 404), name
    for name in names[1:]:
        slug = name.lower().replace(" ", "-")
        assert (await visitor.get(f"/kelifax/resources/{slug}/{'0' * 20}.png")).status == 404
    private = ("Lovelace", "engine.example", "submissionId")
    assert not [word for word in private if word.lower() in shown.lower()]


async def test_a_feed_that_has_not_changed_is_not_sent_again(service: KelifaxService, visitor: Somebody) -> None:
    await approved(service, "First Tool")
    first = await visitor.get("/kelifax/resources.atom")
    assert first.headers["content-type"] == "application/atom+xml; charset=utf-8"
    assert first.headers["cache-control"] == "public, max-age=300"
    tag, modified = first.headers["etag"], first.headers["last-modified"]
    for headers in ({"if_none_match": tag}, {"if_none_match": f'"x", {tag}'}, {"if_modified_since": modified}):
        again = await visitor.get("/kelifax/resources.atom", **headers)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    await approved(service, "Second Tool")
    changed = await visitor.get("/kelifax/resources.atom", if_none_match=tag, if_modified_since=modified)
    assert changed.status == 200
    assert titles(changed) == ["Second Tool", "First Tool"]


async def test_a_feed_costs_no_more_than_the_list_that_it_shows(
    kit: Kit, service: KelifaxService, visitor: Somebody
) -> None:
    for number in range(25):
        await approved(service, f"Tool Number {'abcdefghijklmnopqrstuvwxyz'[number]}")
    calls: list[Observation] = []
    kit.tables.observe(calls.append)

    async def cost(path: str) -> tuple[int, float]:
        calls.clear()
        assert (await visitor.get(path)).status == 200
        return len(calls), sum(call.units for call in calls)

    for query in ("", "?category=development", "?tag=compilers"):
        page, feed = await cost(f"/kelifax/resources{query}"), await cost(f"/kelifax/resources.atom{query}")
        assert feed[0] <= page[0], query
        assert feed[1] <= page[1], query


async def test_a_resource_says_what_it_is(kelifax: Kelifax, service: KelifaxService, visitor: Somebody) -> None:
    purpose = "Says </script><script>alert(1)</script> things."
    sent = submission("A <b>&</b> Tool", "https://tool.example.org", resource__usagePurpose=purpose)
    await service.moderation.approve(MOD, (await service.submissions.submit(sent, "somebody")).resource_slug)
    answer = await visitor.get("/kelifax/resources/a-bb-tool?utm_source=mail&cursor=x")
    head, base = head_of(answer), kelifax.kit.settings.base_url
    assert head["canonical"] == head["og:url"] == f"{base}/kelifax/resources/a-bb-tool"
    assert head["og:title"] == "A &lt;b&gt;&amp;&lt;/b&gt; Tool"
    assert head["og:site_name"] == "Kelifax"
    assert head["twitter:card"] == "summary_large_image"
    assert "robots" not in head
    (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', answer.text)
    read = json.loads(data)
    assert (read["@type"], read["name"]) == ("WebPage", "A <b>&</b> Tool")
    assert read["description"] == purpose
    assert read["about"]["url"] == "https://tool.example.org"


async def test_the_picture_of_a_resource_has_an_address_that_changes_with_it(
    kelifax: Kelifax, service: KelifaxService, visitor: Somebody
) -> None:
    resource = await approved(service, "First Tool")
    path = local(kelifax, head_of(await visitor.get("/kelifax/resources/first-tool"))["og:image"])
    picture = await visitor.get(path)
    assert (picture.status, picture.headers["content-type"]) == (200, "image/png")
    assert picture.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert picture.headers["cross-origin-resource-policy"] == "cross-origin"
    assert (await visitor.get(path, if_none_match=picture.headers["etag"])).status == 304
    edit = ResourceEdit.model_validate({"resourceName": "Renamed Tool", "revision": resource.revision})
    await service.moderation.edit(MOD, "first-tool", edit)
    renamed = local(kelifax, head_of(await visitor.get("/kelifax/resources/first-tool"))["og:image"])
    assert renamed != path
    old = await visitor.get(path)
    assert (old.status, old.location) == (302, renamed)


async def test_lists_have_one_address_and_searches_are_not_for_search_engines(
    kelifax: Kelifax, service: KelifaxService, visitor: Somebody
) -> None:
    await approved(service, "First Tool")
    base = f"{kelifax.kit.settings.base_url}/kelifax/resources"
    for query, canonical, indexed in (
        ("", "", True),
        ("?sort=popular&utm_source=x", "", True),
        ("?tag=compilers&category=development&back=", "?category=development&amp;tag=compilers", True),
        ("?category=nonsense", "", True),
        ("?tag=compilers&tag=analysis", "?tag=compilers&amp;tag=analysis", False),
        ("?q=tool", "", False),
    ):
        head = head_of(await visitor.get(f"/kelifax/resources{query}"))
        assert head["canonical"] == f"{base}{canonical}", query
        assert ("robots" not in head) is indexed, query


async def test_pages_point_to_their_feeds(service: KelifaxService, visitor: Somebody) -> None:
    await approved(service, "First Tool")
    link = '<link rel="alternate" type="application/atom+xml" title="{}" href="{}">'
    for path in ("/kelifax", "/kelifax/resources", "/kelifax/resources/first-tool", "/kelifax/submit"):
        assert link.format("Kelifax: new resources", "/kelifax/resources.atom") in (await visitor.get(path)).text
    page = await visitor.get("/kelifax/resources?category=development&tag=compilers")
    address = "/kelifax/resources.atom?category=development&amp;tag=compilers"
    assert link.format("Kelifax: new development resources tagged compilers", address) in page.text
    assert titles(await visitor.get(address.replace("&amp;", "&"))) == ["First Tool"]


async def test_the_sitemap_has_every_approved_resource(kelifax: Kelifax, service: KelifaxService) -> None:
    slugs = [(await approved(service, f"Tool {letter}{letter}{letter}")).resource_slug for letter in "abcdef"]
    text = (await kelifax.visitor().get("/sitemaps/kelifax/1.xml")).text
    locations = re.findall(r"<loc>[^<]*(/kelifax[^<]*)</loc>", text)
    assert locations[: len(PAGES)] == [*PAGES]
    assert locations[len(PAGES) :] == [f"/kelifax/resources/{slug}" for slug in slugs]
    for path in locations:
        answer = await kelifax.visitor().get(path)
        assert answer.status == 200, path
        assert head_of(answer)["canonical"].endswith(path)
        assert "robots" not in head_of(answer), path


async def test_a_resource_can_be_shared_without_script(kelifax: Kelifax, service: KelifaxService) -> None:
    await approved(service, "First Tool")
    page = (await kelifax.visitor().get("/kelifax/resources/first-tool")).shown
    url = f"{kelifax.kit.settings.base_url}/kelifax/resources/first-tool"
    assert f'readonly value="{url}"' in page
    assert 'href="mailto:?subject=First%20Tool&body=http%3A//127.0.0.1%3A8080/kelifax/resources/first-tool"' in page


async def test_the_parts_of_the_sitemap_are_the_whole_of_it(kit: Kit, service: KelifaxService) -> None:
    paths = [
        f"/kelifax/resources/{(await approved(service, f'Tool {letter * 3}')).resource_slug}" for letter in "abcdefg"
    ]
    parts = await with_new_parts(kit.store, "parts", service.sharing.addresses, part=3)
    found = [[each.path for each in await part_addresses(service.sharing.addresses, part)] for part in parts]
    assert found == [paths[:3], paths[3:6], paths[6:]]
