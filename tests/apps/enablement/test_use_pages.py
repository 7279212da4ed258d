"""The pages of use and numbers, without script: reading, confirming, voting, reporting, collections, analytics, log."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import Retirement, Submission
from partita.kit.permissions import Reason
from tests.apps.enablement.served import served_in
from tests.apps.enablement.test_use_api import World

pytestmark = pytest.mark.anyio


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    with served_in(tmp_path) as portal:
        vera = await portal.person(name="Vera")
        carla, anna, xenia = [
            await portal.person(role, name)
            for role, name in (("contributor", "Carla"), ("approver", "Anna"), ("admin", "Xenia"))
        ]
        content = await portal.released(carla, anna, product_suite="Atlas", product_concept="Pricing")
        yield World(portal, vera, carla, anna, xenia, content, await portal.draft(carla, "Draft"))


async def test_somebody_is_asked_reads_and_confirms(world: World) -> None:
    page = f"/enablement{world.at}"
    assert "Nothing to read" in (await world.vera.get("/enablement/reading")).text
    wrong = await world.anna.post(f"{page}/must-read", {"usernames": "vera, nobody", "read_by": "2999-01-31"})
    assert wrong.status == 422
    assert "nobody with the username" in wrong.shown
    assert 'value="vera, nobody"' in wrong.text
    asked = await world.anna.post(f"{page}/must-read", {"usernames": "vera, carla", "read_by": "2999-01-31"})
    assert asked.status == 303
    listing = await world.vera.get("/enablement/reading")
    assert world.content.title in listing.text
    assert "Please read this by" in (await world.vera.get(page)).text
    confirmed = await world.vera.post(f"{page}/read", {"next": "/enablement/reading"})
    assert (confirmed.status, confirmed.location) == (303, "/enablement/reading")
    assert "All read." in (await world.vera.get("/enablement/reading")).text
    # In one piece: parts of a row have spaces between them, as in “( just now )”.
    assert re.search(
        r"<span>You have read version 1 \(<time[^>]*>just now</time>\)\.</span>", (await world.vera.get(page)).text
    )
    readers = await world.carla.get(f"{page}/readers")
    assert "1 of 2" in readers.text
    assert "Ask them" not in readers.text
    assert (await world.vera.get(f"{page}/readers")).status == 403
    assert (await world.anna.post(f"{page}/must-read/remind")).status == 303
    assert (await world.anna.post(f"{page}/must-read/remind")).status == 409
    assert "Reminded today" in (await world.anna.get(f"{page}/readers")).text
    assert "vera" in (await world.anna.get(f"{page}/readers.csv")).text
    assert (await world.anna.get(f"{page}/must-read/withdraw")).status == 200
    assert (await world.anna.post(f"{page}/must-read/withdraw")).status == 303


async def test_what_somebody_must_read_waits_for_them_on_the_start_page(world: World) -> None:
    page = f"/enablement{world.at}"
    assert "Nothing waits for you." in (await world.vera.get("/")).shown
    await world.anna.post(f"{page}/must-read", {"usernames": "vera", "read_by": "2999-01-31"})
    waiting = await world.vera.get("/")
    assert "This waits for you." in waiting.shown
    assert re.search(
        r'href="/enablement/reading">.*<strong>1</strong> <span class="label">To read', waiting.text, re.DOTALL
    )
    await world.vera.post(f"{page}/read")
    assert (
        "/enablement/reading"
        not in (await world.vera.get("/")).text.partition('<div class="systems">')[0].rpartition("<main")[2]
    )


async def test_a_confirmation_leads_nowhere_else(world: World) -> None:
    answer = await world.vera.post(f"/enablement{world.at}/read", {"next": "https://elsewhere.example"})
    assert answer.location == f"/enablement{world.at}"


async def test_voting_and_reporting(world: World) -> None:
    page = f"/enablement{world.at}"
    assert (await world.vera.post(f"{page}/vote", {"helped": "false"})).status == 303
    assert (await world.vera.post(f"{page}/vote", {"helped": "perhaps"})).status == 422
    shown = await world.vera.get(page)
    assert 'value="false" aria-pressed="true"' in shown.text
    short = await world.vera.post(f"{page}/report", {"text": "Wrong"})
    assert (short.status, "Wrong</textarea>" in short.text) == (422, True)
    assert (await world.vera.post(f"{page}/report", {"text": "The price is from last year."})).status == 303
    reports = await world.carla.get(f"{page}/reports")
    assert "The price is from last year." in reports.text
    assert (await world.vera.get(f"{page}/reports")).status == 403
    report_id = reports.text.partition(f'action="{page}/reports/')[2].partition('"')[0]
    empty = await world.carla.post(f"{page}/reports/{report_id}", {"answer": ""})
    assert empty.status == 422
    assert (await world.carla.post(f"{page}/reports/{report_id}", {"answer": "Mended."})).status == 303
    assert "No open reports" in (await world.carla.get(f"{page}/reports")).text


async def test_opening_counts_once_and_the_owner_head_and_prefetch_do_not(world: World) -> None:
    page = f"/enablement{world.at}"
    await world.carla.get(page)
    await world.vera.ask("HEAD", page, headers={"sec-fetch-site": "none"})
    await world.vera.get(page, sec_purpose="prefetch")
    await world.portal.catch_up()
    assert (await world.portal.kit.store.get(schema.stats(world.content.content_id))).views == 0  # type: ignore[union-attr]
    for _ in range(3):
        await world.vera.get(page)
    await world.portal.catch_up()
    assert (await world.portal.kit.store.get(schema.stats(world.content.content_id))).views == 1  # type: ignore[union-attr]
    assert "How it is used" in (await world.carla.get(page)).text
    assert "How it is used" not in (await world.vera.get(page)).text


async def test_a_collection_is_made_arranged_read_and_deleted(world: World) -> None:
    second = await world.portal.released(world.carla, world.anna, "How to set up Orion")
    await world.portal.catch_up()
    assert (await world.vera.get("/enablement/new-collection")).status == 403
    made = await world.anna.post("/enablement/new-collection", {"title": "Your first week", "text": "Read all."})
    edit = made.location
    path = edit.removesuffix("/edit")
    assert "Orion" in (await world.anna.get(f"{edit}?add=orion")).text
    for content_id in (world.content.content_id, second.content_id, second.content_id):
        assert (await world.anna.post(f"{path}/entries", {"content_id": content_id})).status == 303
    assert (await world.anna.post(f"{path}/entries", {"content_id": "nothing"})).status == 422
    await world.anna.post(f"{path}/entries/{second.content_id}/move", {"to": "up"})
    await world.anna.post(f"{path}/entries/{second.content_id}/note", {"note": "Begin here"})
    page = (await world.vera.get(path)).text
    assert page.index("Orion") < page.index(world.content.title)
    assert "Begin here" in page
    assert "0 of 2 read" in page
    await world.vera.post(f"/enablement/content/{second.content_id}/read", {"next": path})
    assert "1 of 2 read" in (await world.vera.get("/enablement/collections")).text
    await world.anna.post(f"{path}/entries/{second.content_id}/move", {"to": "out"})
    assert "Orion" not in (await world.vera.get(path)).text
    stale = await world.anna.post(f"{path}/edit", {"title": "Mine", "text": "", "revision": "1"})
    assert (stale.status, "Mine" in stale.text) == (409, True)
    assert (await world.anna.get(f"{path}/delete")).status == 200
    assert (await world.anna.post(f"{path}/delete")).location == "/enablement/collections"
    assert (await world.vera.get(path)).status == 404


async def test_products_are_kept(world: World) -> None:
    for viewer in (world.vera, world.anna):
        assert (await viewer.get("/enablement/products")).status == 403
    form = {"name": "Atlas", "concepts": "Pricing, Setup", "colour": "3", "review_days": "90", "revision": "0"}
    assert (await world.xenia.post("/enablement/products/new", form)).status == 303
    form = {"name": "Orion", "concepts": "", "colour": "5", "revision": "1"}
    assert (await world.xenia.post("/enablement/products/new", form)).status == 303
    stale = await world.xenia.post("/enablement/products/new", {**form, "name": "Vega"})
    assert (stale.status, 'value="Vega"' in stale.text) == (409, True)
    assert (await world.xenia.post("/enablement/products/new", {**form, "revision": "2"})).status == 422
    page = (await world.xenia.get("/enablement/products")).text
    assert page.index("Atlas") < page.index("Orion")
    await world.xenia.post("/enablement/products/move", {"name": "Orion", "to": "up", "revision": "2"})
    assert [each.name for each in (await world.portal.service.products.get()).suites] == ["Orion", "Atlas"]
    used = await world.xenia.post(
        "/enablement/products/suite?name=Atlas", {"name": "Atlas", "concepts": "Setup", "colour": "4", "revision": "3"}
    )
    assert (used.status, "has content" in used.text) == (422, True)
    words = {"audiences": "Seller, Partner", "stages": "Launch", "revision": "3"}
    assert (await world.xenia.post("/enablement/products", words)).status == 303
    assert (await world.xenia.get("/enablement/products/delete?name=Orion")).status == 200
    assert (await world.xenia.post("/enablement/products/delete?name=Orion")).status == 303
    assert (await world.xenia.post("/enablement/products/delete?name=Orion")).status == 404


async def test_analytics_say_what_works_and_a_new_portal_has_no_empty_axes(world: World) -> None:
    new = await world.anna.get("/enablement/analytics")
    assert "Nothing to count yet" in new.text
    await world.portal.service.events.viewed(world.vera.viewer, world.content)
    await world.portal.service.events.searched(world.vera.viewer, "discount table", 0)
    await world.portal.catch_up()
    await world.portal.service.summaries.make(7)
    page = await world.anna.get("/enablement/analytics?days=7")
    for text in (world.content.title, "discount table", "Write this", "Views per day", "analytics/content.csv?days=7"):
        assert text in page.text, text
    assert "By person" not in page.text
    assert "By person" in (await world.xenia.get("/enablement/analytics?days=7")).text
    for viewer in (world.vera, world.carla):
        assert (await viewer.get("/enablement/analytics")).status == 403


async def test_the_log_has_events_by_day_and_person_and_changes_by_month(world: World) -> None:
    await world.vera.get(f"/enablement{world.at}")
    await world.vera.get("/enablement?q=nonsense")
    page = await world.xenia.get("/enablement/log")
    assert "Vera" in page.text
    assert "nonsense" in page.text
    assert world.content.title in page.text
    assert "nonsense" in (await world.xenia.get("/enablement/log?user=vera")).text
    assert "Nobody has this username" in (await world.xenia.get("/enablement/log?user=nobody")).text
    assert "Nothing happened" in (await world.xenia.get("/enablement/log?date=2020-01-01")).text
    for odd in ("date=0001-01-01", "date=x", "date=2026-02-31"):
        assert (await world.xenia.get(f"/enablement/log?{odd}")).status == 200
    audit = await world.xenia.get("/enablement/log/audit")
    assert "Approved" in audit.text
    assert "in March 2026." in (await world.xenia.get("/enablement/log/audit?month=2026-03")).shown
    for odd in ("0001-01", "2026-13", "x"):
        assert (await world.xenia.get(f"/enablement/log/audit?month={odd}")).status == 200
    assert (await world.anna.get("/enablement/log")).status == 403
    assert (await world.anna.get("/enablement/log/audit")).status == 403


async def test_people_have_their_own_pictures_wherever_their_work_is_told(world: World) -> None:
    item, waits = f"/enablement{world.at}", f"/enablement/content/{world.draft.content_id}"
    await world.vera.post(f"{item}/report", {"text": "The price on page 3 is last year's."})
    await world.vera.post(f"/enablement/follow/person/{world.carla.viewer.id}", {})
    await world.portal.service.lifecycle.submit(world.carla.viewer, world.draft.content_id, Submission())
    await world.carla.post(f"{waits}/comments", {"comment": "The pictures come tomorrow."})
    await world.carla.get(item)
    await world.portal.catch_up()
    carla, vera = [await world.portal.portray(each) for each in (world.carla, world.vera)]
    for path in (item, f"{item}/history", f"{waits}/history", "/enablement/log/audit", "/enablement/queue"):
        assert carla in (await world.xenia.get(path)).text.partition("<main")[2], path
    assert carla in (await world.vera.get("/enablement/following")).text.partition("<main")[2]
    assert vera in (await world.carla.get(f"{item}/reports")).text.partition("<main")[2]
    await world.vera.get(item)
    assert vera in (await world.xenia.get("/enablement/log")).text.partition("<main")[2]


async def test_changes_name_people_content_and_days_as_people_read_them(world: World) -> None:
    item = f"/enablement{world.at}"
    await world.anna.post(f"{item}/must-read", {"usernames": "vera", "read_by": "2999-01-31"})
    carl = await world.portal.person("contributor", "Carl")
    await world.carla.post(f"{item}/hand-over", {"to": "carl"})
    other = await world.portal.released(world.carla, world.anna, "Atlas 2")
    retirement = Retirement(reason="No longer sold.", superseded_by=other.content_id)
    await world.portal.service.lifecycle.retire(world.anna.viewer, world.content.content_id, retirement)
    for path in (f"{item}/history", "/enablement/log/audit"):
        page = (await world.xenia.get(path)).text
        differences = re.sub(r"<[^>]+>", "", " ".join(re.findall(r'<dd class="diff">(.*?)</dd>', page)))
        assert "removed: Carla (end of removal) added: Carl (end of addition)" in differences, path
        assert "added: Atlas 2 (end of addition)" in differences, path
        assert "added: 31 Jan 2999 (end of addition)" in differences, path
        assert re.search(r"\d{4}-\d\d-\d\d", differences) is None, path
        assert not any(each in differences for each in (world.carla.viewer.id, carl.viewer.id, other.content_id)), path


async def test_what_one_may_not_know_of_has_no_pages(world: World) -> None:
    for path in ("readers", "report", "reports", "readers.csv"):
        assert (await world.vera.get(f"/enablement/content/{world.draft.content_id}/{path}")).status == 404, path
    for path in ("vote", "report", "read"):
        fields = {"helped": "true", "text": "This is out of date."}
        answer = await world.vera.post(f"/enablement/content/{world.draft.content_id}/{path}", fields)
        assert answer.status == 404, path


async def test_the_library_begins_with_what_somebody_must_read_and_with_collections_until_they_look_for_something(
    world: World,
) -> None:
    plain = await world.vera.get("/enablement")
    assert 'class="front"' not in plain.text
    page = f"/enablement{world.at}"
    await world.anna.post(f"{page}/must-read", {"usernames": "vera", "read_by": "2999-01-31"})
    await world.anna.post("/enablement/new-collection", {"title": "First week", "text": "In this order."})
    front = (await world.vera.get("/enablement")).text
    assert f'{world.content.content_id}">{world.content.title}</a> by ' in front
    assert "First week" in front
    assert 'id="to-read"' not in (await world.carla.get("/enablement")).text
    for narrowed in ("?q=price", "?suite=Atlas"):
        assert 'class="front"' not in (await world.vera.get(f"/enablement{narrowed}")).text
    await world.vera.post(f"{page}/read", {})
    assert 'id="to-read"' not in (await world.vera.get("/enablement")).text


async def test_nothing_is_compared_with_a_window_that_is_not_counted_yet(world: World) -> None:
    await world.portal.service.events.viewed(world.vera.viewer, world.content)
    await world.portal.catch_up()
    first = await world.anna.get("/enablement/analytics?days=90")
    assert "none before" not in first.text
    assert 'hx-trigger="load delay:2s"' in first.text
    assert first.text.count("Being counted.") == 4
    await world.portal.service.summaries.make(90)
    second = await world.anna.get("/enablement/analytics?days=90")
    assert "none before" in second.text
    assert 'hx-trigger="load delay:2s"' not in second.text


class _Teams:
    """Groups of another system."""

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        return frozenset()

    async def reasons_for(self, user_id: str) -> list[Reason]:
        return []

    async def holders(self, permission: str) -> list[str]:
        return []

    async def members_of(self, group: str) -> list[str] | None:
        return None

    async def groups_named(self, start: str, limit: int) -> list[str]:
        return [each for each in ("sales-east", "sales-west", "service") if each.startswith(start)][:limit]


async def test_readers_are_suggested_while_their_names_are_typed(world: World) -> None:
    kit = world.portal.kit
    kit.accounts.permissions.use(kit.accounts.policy, (_Teams(),))
    form = await world.anna.get(f"/enablement/content/{world.content.content_id}/readers")
    for field in ("usernames", "groups"):
        assert f'list="some-{field}"' in form.text
        assert f'id="some-{field}"' in form.text

    async def options(query: str) -> list[str]:
        answer = await world.anna.get(f"/enablement/readers/complete?{query}")
        return re.findall(r'<option value="([^"]*)">', answer.text)

    assert await options("usernames=VER") == ["vera"]
    assert await options("usernames=carla,+nobody,+ver") == ["carla, nobody, vera"]
    assert await options("groups=sales-e") == ["sales-east"]
    assert await options("groups=service,sales") == ["service, sales-east", "service, sales-west"]
    for nothing in ("", "usernames=", "usernames=zzz", "groups=%23", "usernames=a%23"):
        assert await options(nothing) == []
    assert (await world.carla.get("/enablement/readers/complete?usernames=ver")).status == 403
