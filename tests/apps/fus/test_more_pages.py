"""Pages for many sites, suggestions, collections and what people take with them, as a browser without script."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest

from partita.apps.fus.inputs import NewSuggestion
from partita.apps.fus.schema import FUS
from tests.apps.fus.conftest import put
from tests.apps.fus.served import Fus, Somebody, serve
from tests.apps.house import kit_on, person
from tests.kit.jobs.conftest import at_work

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def fus(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fus]:
    with kit_on(tmp_path_factory.mktemp("more-pages"), FUS) as kit:
        yield serve(kit)


@pytest.fixture(scope="module")
async def manager(fus: Fus) -> Somebody:
    return await fus.person("Manager", "fus:manager")


@pytest.fixture(scope="module")
async def member(fus: Fus) -> Somebody:
    return await fus.person("Member")


async def test_a_tag_is_renamed_by_a_form_that_answers_with_the_report(fus: Fus, manager: Somebody) -> None:
    site = await put(fus.service, "Old Maps", tags=["mapz"])
    assert "/fus/tags/rename" in (await manager.get("/fus/tags")).shown
    assert 'value="mapz"' in (await manager.get("/fus/tags/rename?tag=Mapz")).shown
    refused = await manager.post("/fus/tags/rename", {"tag": "mapz", "to": "mapz"})
    assert (refused.status, "Choose another name." in refused.shown) == (422, True)
    async with at_work(fus.jobs):
        answer = await manager.post("/fus/tags/rename", {"tag": "mapz", "to": "charts"})
    assert answer.status == 303
    shown = (await manager.get(answer.location)).shown
    assert f'<a href="/fus/sites/{site.site_id}">Old Maps</a>' in shown
    report = await manager.api("GET", answer.location.removeprefix("/fus"))
    assert report.json["counts"] == {"changed": 1, "deleted": 0, "same": 0, "refused": 0}


async def test_ticked_sites_get_tags_and_deleting_asks_first(fus: Fus, manager: Somebody, member: Somebody) -> None:
    sites = [await put(fus.service, f"Mill {number}", tags=["mill"]) for number in range(3)]
    shown = (await manager.get("/fus/select?tags=mill")).shown
    assert all(f'value="{site.site_id}"' in shown for site in sites)
    assert "All 3 sites tagged “mill”" in shown
    nothing = await manager.post("/fus/select", {"tag": "mill", "does": "add", "tags": "water"})
    assert (nothing.status, "Choose at least one site" in nothing.shown) == (422, True)
    async with at_work(fus.jobs):
        await manager.post(
            "/fus/select", {"siteIds": sites[0].site_id, "tag": "mill", "does": "add", "tags": "Water, wind"}
        )
        asked = await manager.post("/fus/select", {"tag": "mill", "all": "true", "does": "delete"})
        assert (asked.status, "Delete 3 sites tagged “mill”?" in asked.shown) == (200, True)
        assert (await fus.service.sites.site(sites[0].site_id)).tags == ("mill", "water", "wind")
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', asked.shown))
        done = await manager.post("/fus/select", fields)
    assert "Deleted" in (await manager.get(done.location)).shown
    assert "Nothing matches" in (await manager.get("/fus/select?tags=mill")).shown
    assert (await member.get("/fus/select")).status == 403
    assert (await member.api("POST", "/batches", {"tag": "mill", "delete": True})).status == 403


async def test_a_file_is_checked_first_and_then_imported_as_it_was_checked(fus: Fus, manager: Somebody) -> None:
    file = b"title,url,time_added,tags,status\nWells,https://wells.example.org,1554444428,water,unread\n"
    async with at_work(fus.jobs):
        refused = await manager.upload("/fus/import", file, tags=",".join(map(str, range(11))))
        assert (refused.status, "At most 10" in refused.shown) == (422, True)
        checked = await manager.upload("/fus/import", file, tags="Pocket", dryRun="true")
        shown = (await manager.get(checked.location)).shown
        assert all(text in shown for text in ("Nothing was added yet.", "Add 1 site now", "Would be added"))
        done = await manager.post(checked.location)
    assert "Nothing was added yet." not in (await manager.get(done.location)).shown
    (match,) = (await fus.service.catalog.browse(tags=["pocket"])).items
    assert (match.item.title, match.item.tags) == ("Wells", ("pocket", "water"))


async def test_a_member_suggests_and_a_manager_decides(fus: Fus, manager: Somebody, member: Somebody) -> None:
    assert "/fus/suggest" in (await member.get("/fus")).shown
    shown = (await member.get("/fus/suggest?url=https://canals.example.org&title=Canals")).shown
    assert 'value="https://canals.example.org"' in shown
    assert (await fus.service.suggestions.waiting()).items == (), "a link fills in a form and saves nothing"
    assert (await member.post("/fus/suggest", {"url": "no"})).status == 422
    for name in ("canals", "locks"):
        sent = await member.post("/fus/suggest", {"url": f"https://{name}.example.org", "title": name.title()})
        assert sent.location == "/fus/me/suggestions"
    assert "Waiting" in (await member.get("/fus/me/suggestions")).shown
    assert (await member.get("/fus/suggestions")).status == 403
    waiting = [each.suggestion.name for each in await fus.service.suggestions.waiting()]
    canals, locks = (f"/fus/suggestions/{name}" for name in waiting)
    assert "Suggested by Member" in (await manager.follow(await manager.get(canals))).shown
    refused = await manager.post(f"{locks}/decline", {"answer": ""})
    assert (refused.status, "Please fill this in" in refused.shown) == (422, True)
    assert (await manager.post(f"{locks}/decline", {"answer": "Too small."})).location == "/fus/suggestions"
    await manager.post(f"{canals}/accept", {"url": "https://canals.example.org", "title": "Canals"})
    shown = (await member.get("/fus/me/suggestions")).shown
    assert all(text in shown for text in ("In the catalog", "Declined", "Too small."))
    accepted = (await manager.get(canals)).shown
    assert all(text in accepted for text in ("In the catalog", "Decided by", "Suggested by", "Go to the site"))
    declined = (await manager.get(locks)).shown
    assert all(text in declined for text in ("Declined", "Too small.", "locks.example.org", "Let it wait again"))
    statuses = [each["status"] for each in (await member.api("GET", "/me/suggestions")).json["items"]]
    assert statuses == ["declined", "accepted"]
    again = await manager.api("POST", f"{canals.removeprefix('/fus')}/decline", {"answer": "No."})
    assert (again.status, again.json["code"]) == (409, "decided")


async def test_suggestions_are_decided_one_after_the_other_on_a_desk(fus: Fus, manager: Somebody) -> None:
    suggestions, viewer = fus.service.suggestions, person("somebody", "fus:site:suggest")
    there = await put(fus.service, "There already")
    for name in ("Weirs", "Mills", "Dykes"):
        new = NewSuggestion(url=f"https://{name.lower()}.example.org", title=name)
        await suggestions.suggest(viewer, new)
    first, second, third = [each.suggestion for each in await suggestions.waiting()]
    opened = {each.name: f'id="open-title">{each.title}<' for each in (first, second, third)}
    path = f"/fus/suggestions/{second.name}"
    desk = await manager.get(f"/fus/suggestions?at={second.name}")
    assert opened[second.name] in desk.text
    assert 'aria-keyshortcuts="a"' in desk.text
    onward = f"/fus/suggestions?at={third.name}"
    assert f'name="next" value="{onward}"' in desk.shown
    typed = {"url": there.url, "title": "My title", "next": onward}
    refused = await manager.post(f"{path}/accept", typed)
    assert refused.status == 409
    for kept in (opened[second.name], "My title", f'href="/fus/sites/{there.site_id}"', f'value="{onward}"'):
        assert kept in refused.shown, kept
    refused = await manager.post(f"{path}/decline", {"answer": "", "next": onward})
    assert (refused.status, opened[second.name] in refused.text) == (422, True)
    accepted = await manager.post(f"{path}/accept", {"url": "https://mills.example.org", "next": onward})
    assert accepted.location == onward
    following = (await manager.follow(accepted)).shown
    assert opened[third.name] in following
    assert f'action="{path}/reopen"' in following
    late = await manager.post(f"{path}/decline", {"answer": "No.", "next": onward})
    assert late.location == onward
    back = await manager.follow(await manager.post(f"{path}/reopen"))
    assert opened[second.name] in back.text
    waiting = {each.suggestion.name for each in await suggestions.waiting()}
    assert waiting == opened.keys()
    for name in waiting:
        await manager.post(f"/fus/suggestions/{name}/decline", {"answer": "No."})


async def test_a_member_collects_sites_and_shares_them_by_a_link(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service, "Timetables")
    assert "Begin a collection" in (await member.get(f"/fus/sites/{site.site_id}")).shown
    assert (await member.post("/fus/me/collections", {"name": ""})).status == 422
    place = (await member.post("/fus/me/collections", {"name": "For the <trip>"})).location
    (collection_id,) = re.findall(r"\w+$", place)
    await member.post(f"/fus/sites/{site.site_id}/collect", {"collectionId": collection_id})
    assert "For the <trip>" in (await member.get(f"/fus/sites/{site.site_id}")).shown
    assert "Timetables" in (await member.get(place)).shown
    await member.post(f"{place}/edit", {"name": "Trains"})
    await member.post(f"{place}/share")
    (link,) = set(re.findall(r'href="(/fus/shared/[^"]+)"', (await member.get(place)).shown))
    assert re.search(rf'data-share="[^"]*{link}".*data-share-copy', (await member.get(place)).text, re.DOTALL)
    shown = (await fus.visitor().get(link)).shown
    assert all(text in shown for text in ("Trains", "collected by Member", "Timetables"))
    shared = await fus.visitor().call("GET", f"/api{link}/sites")
    assert [each["title"] for each in shared.json["items"]] == ["Timetables"]
    await member.post(f"{place}/unshare")
    assert (await fus.visitor().get(link)).status == 404
    await member.post(f"{place}/sites/{site.site_id}/remove")
    assert "Nothing in it yet" in (await member.get(place)).shown
    assert (await fus.visitor().get(place)).status == 303
    assert "Delete “Trains”?" in (await member.get(f"{place}/delete")).shown
    await member.post(f"{place}/delete")
    assert (await member.api("GET", "/me/collections")).json["items"] == []


async def test_a_profile_is_public_when_its_owner_says_so(fus: Fus, member: Somebody) -> None:
    assert member.account is not None
    place = f"/fus/people/{member.account.username}"
    site = await put(fus.service, "Much loved")
    await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "5", "note": "For me alone"})
    assert (await fus.visitor().get(place)).status == 404
    assert (await member.post("/fus/me/profile", {"isPublic": "true", "about": "Maps <3"})).location == place
    shown = (await fus.visitor().get(place)).shown
    assert all(text in shown for text in ("What Member likes", "Much loved", "Maps <3"))
    assert "For me alone" not in shown
    assert [each["stars"] for each in (await fus.visitor().call("GET", f"/api{place}")).json["likes"]] == [5]
    await member.post("/fus/me/profile", {"about": "Maps"})
    assert (await fus.visitor().get(place)).status == 404


async def test_a_link_from_elsewhere_opens_a_form_and_saves_nothing(
    fus: Fus, manager: Somebody, member: Somebody
) -> None:
    shared = "/fus/share?" + urlencode({"title": "Dykes", "text": "See https://dykes.example.org/a"})
    assert (await fus.visitor().get(shared)).location.startswith("/sign-in")
    for somebody, form in ((manager, "/fus/sites/new"), (member, "/fus/suggest")):
        answer = await somebody.get(shared)
        assert answer.location.startswith(f"{form}?")
        shown = (await somebody.get(answer.location)).shown
        assert all(text in shown for text in ('value="https://dykes.example.org/a"', 'value="Dykes"', "See"))
    assert not (await fus.service.catalog.browse(text="dykes")).items
    suggested = (await member.api("GET", "/me/suggestions")).json["items"]
    assert "https://dykes.example.org/a" not in {each["url"] for each in suggested}
    manifest = await fus.visitor().get("/fus/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    assert manifest.json["share_target"]["action"] == "/fus/share"
    assert 'rel="manifest" href="/fus/manifest.webmanifest"' in (await fus.visitor().get("/fus")).text
    assert "/fus/share?url='+q(location.href)" in (await fus.visitor().get("/fus/button")).shown


async def test_my_data_can_be_downloaded_by_me_alone(fus: Fus, member: Somebody) -> None:
    assert "/fus/me/data/csv" in (await member.get("/fus/me/data")).shown
    for format in ("json", "csv", "html"):
        page, program = await member.get(f"/fus/me/data/{format}"), await member.api("GET", f"/me/data?format={format}")
        assert page.body == program.body
        assert page.headers["content-disposition"] == f'attachment; filename="fus-my-data.{format}"'
    assert (await fus.visitor().get("/fus/me/data/json")).status == 303
    assert (await member.get("/fus/me/data/exe")).status == 422
