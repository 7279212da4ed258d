"""fus's pages, as a browser without script uses them; what people type is text wherever it is shown."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from partita.apps.fus.inputs import CommentInput, NewGroup, RatingInput
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service.comments import COMMENTING
from partita.apps.fus.service.sites import ADDING, FETCHING
from partita.apps.fus.service.transfer.service import IMPORTING
from partita.kit.accounts import Account
from partita.kit.faces import drawing
from partita.kit.limits import Rule
from partita.store.observe import Observation
from partita.table import Update
from tests.apps.fus.conftest import member as a_member
from tests.apps.fus.conftest import put
from tests.apps.fus.served import Fus, Somebody, serve
from tests.apps.house import kit_on, person
from tests.kit.jobs.conftest import at_work
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def fus(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fus]:
    with kit_on(tmp_path_factory.mktemp("pages"), FUS) as kit:
        yield serve(kit)


@pytest.fixture(scope="module")
async def manager(fus: Fus) -> Somebody:
    return await fus.person("Manager", "fus:manager")


@pytest.fixture(scope="module")
async def admin(fus: Fus) -> Somebody:
    return await fus.person("Admin", "fus:admin")


@pytest.fixture
async def member(fus: Fus) -> Somebody:
    return await fus.person("Member")


# ---- the catalog


async def test_the_catalog_shows_sites_with_stars_tags_and_what_to_do_next(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service, "Old Maps", description="Maps of <old>", tags=["maps & more"])
    shown = (await fus.visitor().get("/fus?tags=maps+%26+more")).shown
    assert "Old Maps" in shown
    assert "1 site" in shown
    assert f'href="/fus/sites/{site.site_id}"' in shown
    assert 'href="/fus?tags=maps%20%26%20more"' in shown
    assert 'name="stars"' not in shown, "whoever is not signed in cannot rate"
    assert 'name="stars"' in (await member.get("/fus?tags=maps+%26+more")).shown
    nothing = (await fus.visitor().get("/fus?tags=nothing&tags=maps")).shown
    assert "Nothing matches" in nothing
    assert "Show everything" in nothing


async def test_a_list_begins_with_how_many_there_are_and_says_nothing_of_what_is_not_there(fus: Fus) -> None:
    await put(fus.service, "Bare", tags=["bare"])
    page = (await fus.visitor().get("/fus?tags=bare")).text
    assert page.index('<span class="count">1 site</span>') < page.index('name="sort"')
    assert "No description yet" not in page


async def test_a_collection_has_a_face_and_the_shared_one_that_of_its_owner_too(fus: Fus, member: Somebody) -> None:
    made = (await member.api("POST", "/me/collections", {"name": "For trains"})).json
    page = (await member.get(f"/fus/me/collections/{made['collectionId']}")).text
    face = re.search(r'<header class="page-head profile">\s*(<svg class="face.*?</svg>)', page)
    assert face
    assert "only you see it" in page
    await member.post(f"/fus/me/collections/{made['collectionId']}/share")
    page = (await member.get(f"/fus/me/collections/{made['collectionId']}")).text
    secret = re.search(r'href="(/fus/shared/[^"]+)"', page)
    assert secret
    shared = (await fus.visitor().get(secret[1])).text
    assert face[1] in shared
    assert re.search(r'<svg class="face round.*?</svg><span>collected by Member', shared)


async def test_best_rated_first_is_a_fair_order_and_says_so(fus: Fus) -> None:
    perfect, loved = [await put(fus.service, title, tags=["fair"]) for title in ("Perfect Once", "Loved By Six")]
    for site, given in ((perfect, [5]), (loved, [5, 5, 5, 5, 5, 4])):
        for stars in given:
            await fus.service.ratings.rate(a_member(), site.site_id, RatingInput(stars=stars))
    await fus.worker.drain()
    shown = (await fus.visitor().get("/fus?tags=fair&sort=rating")).shown
    assert shown.index("Loved By Six") < shown.index("Perfect Once")
    assert "4.8" in shown
    assert "5.0" in shown, "the average that is shown is the plain one"
    assert "as if five more people had given it three stars" in shown
    assert "five more people" not in (await fus.visitor().get("/fus?tags=fair")).shown


async def test_controls_that_could_not_work_are_not_there(fus: Fus, manager: Somebody, member: Somebody) -> None:
    site = await put(fus.service, "Without Controls")
    path = f"/fus/sites/{site.site_id}"
    for nobody in ('name="stars"', "Post comment", "/edit", "/delete", "Begin a collection", "/copy"):
        assert nobody not in (await fus.visitor().get(path)).shown, nobody
    shown = (await member.get(path)).shown
    for theirs in (f"{path}/edit", f"{path}/delete", f"{path}/copy", f"{path}/history"):
        assert theirs not in shown, theirs
        assert theirs in (await manager.get(path)).shown, theirs
    assert "Remove rating" not in shown, "there is nothing to remove yet"
    form = (await manager.get("/fus/sites/new")).shown
    assert 'value="preview"' not in form, "pages are not fetched here"
    assert 'name="fetch"' not in form


async def test_the_catalog_counts_the_tags_of_what_it_shows_and_corrects_words(fus: Fus) -> None:
    await put(fus.service, "Lighthouses", tags=["towers", "sea"])
    await put(fus.service, "Windmills", tags=["towers"])
    await fus.worker.drain()
    shown = (await fus.visitor().get("/fus?tags=towers&sort=title")).shown
    assert "Sites tagged towers" in shown
    assert re.search(r'class="chip on" href="/fus\?sort=title"[^>]*><span>towers</span> <span class="count">2<', shown)
    assert re.search(
        r'href="/fus\?sort=title&tags=towers&tags=sea"><span>sea</span> <span class="count">1<', unescape(shown)
    )
    any_of_one = (await fus.visitor().get("/fus?tags=towers&tag_mode=or")).shown
    counted = re.findall(r'<span>([^<]+)</span> <span class="count">(\d+)<', any_of_one)
    assert [each for each in counted if "star" not in each[0]] == [("towers", "2"), ("sea", "1")], "of what is shown"
    assert '<input type="hidden" name="tags" value="towers">' in shown
    assert '<input type="hidden" name="sort" value="title">' in shown
    searched = (await fus.visitor().get("/fus?q=lihgthouses&tags=towers")).shown
    assert "Results for “lihgthouses”" in searched
    assert re.search(r'Did you mean <a href="/fus\?tags=towers&q=lighthouses">lighthouses</a>', unescape(searched))
    for path, label in (("/fus?q=lighthouses", "Best match"), ("/fus", "Newest first")):
        assert re.search(rf"<option[^>]* selected>{label}<", (await fus.visitor().get(path)).shown), path
    assert "Best match" not in (await fus.visitor().get("/fus")).shown


async def test_a_site_shows_its_icon_wherever_it_is_listed_and_on_its_page(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service, "With an icon", tags=["icons"])
    await fus.kit.store.write(Update(site.own_key, Site.icon_file.set("fus/icons/1.webp")))
    path = f"/fus/sites/{site.site_id}"
    await member.post(f"{path}/rating", {"stars": "4"})
    await member.post(f"{path}/comments", {"body": "Nice icon."})
    for each in ("/fus", "/fus?tags=icons", path, "/fus/me/ratings", "/fus/me/comments"):
        shown = (await member.get(each)).shown
        assert re.search(r'<img class="face" src="[^"]*fus/icons/1\.webp', shown), each
    assert re.search(r'<svg class="face[^>]*round', (await member.get(path)).shown), "people have faces too"


async def test_tags_are_completed_after_those_that_were_typed(fus: Fus, manager: Somebody, admin: Somebody) -> None:
    await put(fus.service, "Quays", tags=["quay-walls", "quay-lights"])
    await fus.worker.drain()
    for page in ("sites/new", "suggest", "select", "tags/rename", "import"):
        assert 'hx-get="/fus/tags/complete?field=' in (await admin.get(f"/fus/{page}")).shown, page
    for asked, wanted in {
        "field=to&to=Quay": {"quay-walls", "quay-lights"},
        "tags=old%2C++quay-l": {"old,  quay-lights"},
        "tags=quay-walls%2Cquay": {"quay-walls,quay-lights"},
        "tags=nothing-begins-so": set[str](),
    }.items():
        options = (await manager.get(f"/fus/tags/complete?{asked}")).shown
        assert set(re.findall(r'<option value="([^"]*)">', options)) == wanted, asked


async def test_what_makes_no_sense_in_an_address_is_left_out(fus: Fus) -> None:
    for path in ("/fus?sort=colour", "/fus?tag_mode=xor", f"/fus?tags={'x' * 60}", "/fus?tags=&tags=,,"):
        assert (await fus.visitor().get(path)).status == 200, path
    assert (await fus.visitor().get("/fus?cursor=AAAA")).status == 400


async def test_a_list_goes_on_page_by_page(fus: Fus) -> None:
    for number in range(25):
        await put(fus.service, f"Row {number}", tags=["rows"])
    first = (await fus.visitor().get("/fus?tags=rows")).shown
    following = re.search(r'href="([^"]+)" rel="next"', first)
    assert following is not None
    second = (await fus.visitor().get(following[1])).shown
    titles = re.findall(r">(Row \d+)</a>", first) + re.findall(r">(Row \d+)</a>", second)
    assert len(titles) == len(set(titles)) == 25


# ---- rating


async def test_a_click_on_a_star_counts_and_leads_back(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    answer = await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "4", "next": "/fus?sort=title"})
    assert (answer.status, answer.location) == (303, "/fus?sort=title")
    away = await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "4", "next": "//evil.example"})
    assert away.location == f"/fus/sites/{site.site_id}"
    assert (await fus.service.sites.site(site.site_id)).rating_sum == 4


async def test_with_script_only_the_stars_are_sent_anew(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    answer = await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "5"}, hx_request="true")
    assert answer.status == 200
    assert answer.text.strip().startswith(f'<div class="rating" id="rating-{site.site_id}">')
    assert "<html" not in answer.text
    assert "<strong>5.0</strong> (1)" in answer.text
    assert answer.text.count('class="on" name="stars"') == 5


async def test_a_note_is_kept_by_a_click_changed_by_its_form_and_taken_back(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    path = f"/fus/sites/{site.site_id}"
    await member.post(f"{path}/rating", {"stars": "2", "note": "Remember this"})
    await member.post(f"{path}/rating", {"stars": "3"})
    shown = (await member.get(path)).shown
    assert "Remember this" in shown
    assert re.search(r'name="stars" value="3" aria-pressed="true"', shown)
    await member.post(f"{path}/rating", {"stars": "3", "note": ""})
    assert "Remember this" not in (await member.get(path)).shown
    assert "Remove your rating" in (await member.get(f"{path}/rating/remove")).shown
    gone = await member.follow(await member.post(f"{path}/rating/remove"))
    assert "Rating removed." in gone.shown
    assert (await fus.service.sites.site(site.site_id)).rating_count == 0


async def test_bad_stars_come_back_with_what_was_typed(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    answer = await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "9", "note": "Typed"})
    assert answer.status == 422
    assert "At most 5." in answer.shown
    assert "Typed" in answer.shown


async def test_whoever_is_not_signed_in_is_led_to_sign_in_and_back(fus: Fus) -> None:
    site = await put(fus.service)
    visitor = fus.visitor()
    page = f"http://127.0.0.1:8080/fus/sites/{site.site_id}"
    answer = await visitor.post(f"/fus/sites/{site.site_id}/rating", {"stars": "4"}, referer=page)
    assert answer.location == f"/sign-in?next=/fus/sites/{site.site_id}"
    assert (await visitor.get("/fus/me/ratings")).location == "/sign-in?next=/fus/me/ratings"


# ---- comments


async def test_the_picture_of_whoever_says_something_stands_beside_it(fus: Fus) -> None:
    site = await put(fus.service)
    pat = await fus.person("Pat")
    path = f"/fus/sites/{site.site_id}"
    await pat.post(f"{path}/comments", {"body": "I was there."})
    await pat.post(f"{path}/rating", {"stars": "4"})
    pages = (path, f"{path}/ratings?stars=4")
    before = [await _requests(fus, pat, each) for each in pages]
    await fus.kit.store.write(
        Update(Account.key(Account.user_id(pat.user_id)), Account.avatar.set("house/avatars/pat.webp"))
    )
    for each in pages:
        assert 'src="/files/house/avatars/pat.webp?' in (await fus.visitor().get(each)).text, each
    assert [await _requests(fus, pat, each) for each in pages] == before, "who reads the name has the picture"


async def _requests(fus: Fus, reader: Somebody, path: str) -> int:
    """How many requests a page sends."""
    seen: list[Observation] = []
    fus.kit.store.observe(seen.append)
    await reader.get(path)
    fus.kit.store.observers.remove(seen.append)
    return len(seen)


async def test_a_comment_is_said_edited_and_removed(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    path = f"/fus/sites/{site.site_id}"
    said = await member.post(f"{path}/comments", {"body": "Two\nlines"})
    assert said.location == f"{path}#comments"
    shown = (await member.get(path)).shown
    assert "1 comment" in shown
    assert "Two\nlines" in shown
    edit = re.search(rf'href="({path}/comments/[^"]+)/edit"', shown)
    assert edit is not None
    assert "Two\nlines" in (await member.get(f"{edit[1]}/edit")).shown
    bad = await member.post(f"{edit[1]}/edit", {"body": " "})
    assert bad.status == 422
    await member.post(f"{edit[1]}/edit", {"body": "Better"})
    shown = (await member.get(path)).shown
    assert "Better" in shown
    assert "edited" in shown
    assert "Better" in (await member.get("/fus/me/comments")).shown
    other = await fus.person("Other")
    assert (await other.get(f"{edit[1]}/edit")).status == 403
    assert (await other.get(f"{edit[1]}/delete")).status == 403
    assert (await other.post(f"{edit[1]}/delete")).status == 403
    assert f"{edit[1]}/delete" not in (await other.get(path)).shown
    assert "Delete this comment?" in (await member.get(f"{edit[1]}/delete")).shown
    await member.post(f"{edit[1]}/delete")
    assert "Better" not in (await member.get(path)).shown


async def test_after_a_reply_the_head_counts_it_and_the_address_forgets_it(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    path = f"/fus/sites/{site.site_id}"
    await member.post(f"{path}/comments", {"body": "Is it open?"})
    assert 'id="comment-count"' in (await member.get(path)).text
    (name,) = set(re.findall(r"\?reply=([^#\"]+)", (await member.get(path)).text))
    part = await member.post(f"{path}/comments", {"body": "On Mondays.", "replyTo": name}, hx_request="true")
    count = re.search(r'id="comment-count"[^>]*hx-swap-oob="true">.*?</svg>([^<]+)</a>', part.text, re.DOTALL)
    assert count is not None
    assert count[1] == "2 comments"
    assert part.headers["hx-replace-url"] == path
    assert "You are replying" not in part.shown


async def test_with_script_the_comments_alone_are_sent_anew(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    path = f"/fus/sites/{site.site_id}/comments"
    answer = await member.post(path, {"body": "Hello"}, hx_request="true")
    assert answer.text.strip().startswith('<section class="stack" id="comments"')
    assert "Hello" in answer.text
    bad = await member.post(path, {"body": ""}, hx_request="true")
    assert bad.status == 422
    assert "Please fill this in." in bad.shown


async def test_many_comments_page_and_the_newest_can_come_first(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    for number in range(60):
        writer = person(f"writer-{site.site_id}-{number % 4}", "fus:comment:write")
        await fus.service.comments.write(writer, site.site_id, CommentInput(body=f"Comment {number}."))
    path = f"/fus/sites/{site.site_id}"
    first = (await member.get(path)).shown
    assert "60 comments" in first
    assert "Comment 0." in first
    assert "Comment 59." not in first
    following = re.search(r'href="([^"]+)" rel="next"', first)
    assert following is not None
    assert "Comment 59." in (await member.get(following[1])).shown
    said = await member.post(f"{path}/comments", {"body": "The last word"})
    assert said.location == f"{path}?comments=newest#comments"
    assert "The last word" in (await member.get(said.location.partition("#")[0])).shown


# ---- adding and editing


async def test_a_site_is_added_after_a_look_at_its_page(fus: Fus, manager: Somebody) -> None:
    form = (await manager.get("/fus/sites/new")).shown
    assert 'name="url"' in form
    assert 'value="preview"' not in form, "pages are not fetched here, so there is no control for it"
    assert 'name="fetch"' not in form
    typed = {"url": "https://look.example.org", "description": "My words", "tags": "One, two", "fetch": "true"}
    seen = await manager.post("/fus/sites/new", {**typed, "go": "preview"})
    assert seen.status == 200
    assert "The page could not be read: Fetching pages is switched off" in seen.shown
    assert "My words" in seen.shown
    assert await fus.service.catalog.tags(start="one") is not None
    answer = await manager.post("/fus/sites/new", {**typed, "go": "save"})
    shown = await manager.follow(answer)
    assert "Site added. The page could not be read" in shown.shown
    assert "look.example.org" in shown.shown
    again = await manager.post("/fus/sites/new", typed)
    assert again.status == 409
    assert 'id="f-url-error"' in again.shown
    assert "My words" in again.shown
    assert "in the catalog already" in again.shown
    assert f'href="{answer.location}"' in again.shown, "the way to the site that is there"
    known = await manager.post("/fus/sites/new", {**typed, "url": "www.look.example.org", "go": "preview"})
    assert "This address is in the catalog already." in known.shown
    assert "You can save the site anyway" not in known.shown
    assert "You can save the site anyway" in seen.shown


async def test_a_bad_address_is_told_beside_its_field_and_everything_typed_stays(manager: Somebody) -> None:
    typed = {"url": "nowhere", "title": "Typed title", "tags": "a, " + "b" * 41}
    for go in ("save", "preview"):
        answer = await manager.post("/fus/sites/new", {**typed, "go": go})
        assert answer.status == 422
        assert 'id="f-url-error"' in answer.shown
        assert "Typed title" in answer.shown


async def test_an_edit_can_empty_what_is_optional(fus: Fus, manager: Somebody) -> None:
    site = await put(fus.service, "Before", description="Words", tags=["a", "b"])
    path = f"/fus/sites/{site.site_id}/edit"
    assert 'value="a, b"' in (await manager.get(path)).shown
    typed = {"url": site.url, "title": "After", "description": "", "tags": "", "revision": str(site.revision)}
    answer = await manager.post(path, typed)
    assert "saved" in (await manager.follow(answer)).shown
    after = await fus.service.sites.site(site.site_id)
    assert (after.title, after.description, after.tags) == ("After", "", ())
    assert (await manager.post(path, typed)).status == 303, "what is sent twice is saved once"
    assert (await fus.service.sites.site(site.site_id)).revision == after.revision
    late = await manager.post(path, {**typed, "title": "Late"})
    assert late.status == 409
    assert "Somebody else was faster" in late.shown
    empty = await manager.post(path, {**typed, "title": " ", "revision": str(after.revision)})
    assert "Please fill this in." in empty.shown or "At least 1" in empty.shown


async def test_an_address_of_another_site_is_a_conflict_told_beside_its_field(fus: Fus, manager: Somebody) -> None:
    other, site = await put(fus.service), await put(fus.service)
    typed = {"url": other.url, "title": "Typed title", "revision": str(site.revision)}
    answer = await manager.post(f"/fus/sites/{site.site_id}/edit", typed)
    assert answer.status == 409
    assert 'id="f-url-error"' in answer.shown
    assert "Typed title" in answer.shown
    assert f'href="/fus/sites/{other.site_id}"' in answer.shown


# ---- too often


async def _used_up(fus: Fus, rule: Rule, somebody: Somebody) -> None:
    for _ in range(rule.most):
        await fus.kit.limits.check(rule, somebody.user_id)


def _waits(answer: Answer) -> bool:
    return answer.status == 429 and int(answer.headers["retry-after"]) > 0


async def test_who_comments_too_often_is_told_when_to_go_on_and_keeps_the_words(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    await _used_up(fus, COMMENTING, member)
    path = f"/fus/sites/{site.site_id}/comments"
    for headers in ({}, {"hx_request": "true"}):
        answer = await member.post(path, {"body": "Typed words"}, **headers)
        assert _waits(answer)
        assert "Too many attempts." in answer.shown
        assert "Typed words" in answer.shown
    program = await member.api("POST", f"/sites/{site.site_id}/comments", {"body": "Typed words"})
    assert _waits(program)


async def test_who_adds_or_looks_too_often_is_told_when_to_go_on_and_keeps_what_was_typed(fus: Fus) -> None:
    busy = await fus.person("Busy", "fus:manager")
    await _used_up(fus, ADDING, busy)
    await _used_up(fus, FETCHING, busy)
    for go in ("save", "preview"):
        answer = await busy.post("/fus/sites/new", {"url": "https://busy.example.org", "title": "Typed", "go": go})
        assert _waits(answer)
        assert "Typed" in answer.shown


async def test_who_imports_too_often_is_told_when_to_go_on(fus: Fus) -> None:
    busy = await fus.person("Busy", "fus:manager")
    await _used_up(fus, IMPORTING, busy)
    answer = await busy.upload("/fus/import", b'[{"url": "https://row.example.org"}]', foldersAsTags="true")
    assert _waits(answer)
    assert 'id="f-file-error"' in answer.shown
    assert re.search(r'name="foldersAsTags"[^>]* checked', answer.shown)


async def test_deleting_asks_says_what_is_lost_and_does_it(fus: Fus, manager: Somebody, member: Somebody) -> None:
    site = await put(fus.service, "Doomed")
    await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "4"})
    path = f"/fus/sites/{site.site_id}/delete"
    assert (await member.get(path)).status == 403
    asked = (await manager.get(path)).shown
    assert "1 rating" in asked
    assert "“Doomed” deleted." in (await manager.follow(await manager.post(path))).shown
    assert (await manager.get(f"/fus/sites/{site.site_id}")).status == 404


# ---- groups


async def test_a_group_has_the_same_face_wherever_it_stands(fus: Fus, admin: Somebody, member: Somebody) -> None:
    assert member.account is not None
    await admin.post("/fus/groups/~new", [("name", "weavers"), ("permissions", "fus:site:create")])
    await admin.post("/fus/groups/weavers/members", {"person": member.account.username})
    known = [drawing("weavers", size=size) for size in (40, 88)]
    assert known[0] in (await admin.get("/fus/groups")).text
    assert known[1] in (await admin.get("/fus/groups/weavers")).text
    assert known[0] in (await member.get("/fus/me/groups")).text


async def test_a_group_is_made_filled_changed_and_deleted(fus: Fus, admin: Somebody, member: Somebody) -> None:
    assert member.account is not None
    assert (await member.get("/fus/groups")).status == 403
    bad = await admin.post("/fus/groups/~new", {"name": "a b", "description": "Typed"})
    assert bad.status == 422
    assert "Typed" in bad.shown
    made = await admin.post("/fus/groups/~new", [("name", "makers"), ("permissions", "fus:site:create")])
    assert made.location == "/fus/groups/makers"
    nobody = await admin.post("/fus/groups/makers/members", {"person": "nobody-at-all"})
    assert nobody.status == 422
    assert "Nobody has this username" in nobody.shown
    await admin.post("/fus/groups/makers/members", {"person": member.account.username})
    shown = (await admin.get("/fus/groups/makers")).shown
    assert "1 member" in shown
    assert f"@{member.account.username}" in shown
    assert "Member added" in shown
    assert (await member.get("/fus/sites/new")).status == 200
    changed = [("description", "New words"), ("permissions", "fus:site:edit")]
    await admin.post("/fus/groups/makers/edit", changed)
    assert (await member.get("/fus/sites/new")).status == 403
    assert "New words" in (await admin.get("/fus/groups")).shown
    remove = f"/fus/groups/makers/members/{member.user_id}/remove"
    assert "Remove Member from the group?" in (await admin.get(remove)).shown
    await admin.post(remove)
    assert "0 members" in (await admin.get("/fus/groups/makers")).shown
    assert "Member removed" in (await admin.get("/fus/groups/makers/log")).shown
    assert "Delete the group" in (await admin.get("/fus/groups/makers/delete")).shown
    assert "Group makers deleted." in (await admin.follow(await admin.post("/fus/groups/makers/delete"))).shown


async def test_a_new_member_is_completed_for_whoever_may_add_one(fus: Fus, admin: Somebody, member: Somebody) -> None:
    operator = fus.kit.accounts.operator()
    for name, granted in (("ours", "fus:site:edit"), ("theirs", "house:users:manage")):
        await fus.service.groups.create(operator, NewGroup(name=name, permissions=(granted,)))
    complete = "/fus/groups/ours/members/complete"
    assert f'hx-get="{complete}"' in (await admin.get("/fus/groups/ours")).shown
    assert member.account is not None
    username = member.account.username
    option = f'<option value="{username}">Member</option>'
    assert option in (await admin.get(f"{complete}?person={username[:-1].upper()}")).text
    assert "<option" not in (await admin.get(complete)).text, "nobody lists all accounts"
    assert (await admin.get(f"{complete}?person={'x' * 400}")).status == 422
    assert (await admin.get("/fus/groups/theirs/members/complete?person=p")).status == 403
    assert (await member.get(f"{complete}?person=p")).status == 403
    await fus.service.groups.add_member(operator, "ours", member.user_id)
    assert option not in (await admin.get(f"{complete}?person={username}")).text, "they are in it already"


async def test_people_see_the_groups_they_are_in_and_what_each_grants(fus: Fus, member: Somebody) -> None:
    assert 'href="/fus/me/groups"' in (await member.get("/fus")).shown
    assert 'href="/fus/me/groups"' not in (await fus.visitor().get("/fus")).shown
    assert (await fus.visitor().get("/fus/me/groups")).location == "/sign-in?next=/fus/me/groups"
    assert "You are not in any group" in (await member.get("/fus/me/groups")).shown
    operator = fus.kit.accounts.operator()
    granted = ("fus:site:edit", "house:metrics:read")
    await fus.service.groups.create(operator, NewGroup(name="mine", description="For the maps", permissions=granted))
    await fus.service.groups.create(operator, NewGroup(name="others", permissions=granted))
    await fus.service.groups.add_member(operator, "mine", member.user_id)
    shown = (await member.get("/fus/me/groups")).shown
    for text in ("mine", "For the maps", "Edit sites", "Read metrics"):
        assert text in shown
    assert "fus:site:edit" not in shown, "people see what a permission is called"
    assert "others" not in shown
    assert 'href="/fus/groups/mine"' not in shown, "who may not manage groups is not led there"
    keeper = await fus.person("Keeper", "fus:admin")
    await fus.service.groups.add_member(operator, "mine", keeper.user_id)
    assert 'href="/fus/groups/mine"' in (await keeper.get("/fus/me/groups")).shown


async def test_permissions_that_one_does_not_hold_have_no_boxes_and_stay_as_they_are(fus: Fus, admin: Somebody) -> None:
    operator = fus.kit.accounts.operator()
    granted = ("house:users:manage", "fus:site:edit")
    await fus.service.groups.create(operator, NewGroup(name="strong", permissions=granted))
    form = (await admin.get("/fus/groups/strong/edit")).shown
    assert 'value="house:users:manage"' not in form
    assert "It also grants Manage accounts. You do not hold this permission, so it stays." in form
    shown = (await admin.get("/fus/groups/strong")).shown
    for control in ("/fus/groups/strong/delete", "/fus/groups/strong/members", "Add member"):
        assert control not in shown
    assert "You cannot add or remove members" in shown
    assert "You cannot" not in (await fus.visitor().get("/fus")).shown
    answer = await admin.post("/fus/groups/strong/edit", [("description", "Words"), ("permissions", "fus:site:edit")])
    assert answer.status == 303
    assert (await fus.service.groups.group("strong")).permissions == granted
    typed = [("permissions", "house:metrics:read"), ("description", "Typed here")]
    refused = await admin.post("/fus/groups/strong/edit", typed)
    assert refused.status == 403
    assert 'id="f-permissions-error"' in refused.shown
    assert "do not hold" in refused.shown
    assert "Typed here" in refused.shown


async def test_a_group_that_somebody_changed_meanwhile_is_not_written_over(fus: Fus, admin: Somebody) -> None:
    await admin.post("/fus/groups/~new", [("name", "shared"), ("permissions", "fus:site:create")])
    seen = re.search(r'name="revision" value="([^"]+)"', (await admin.get("/fus/groups/shared/edit")).shown)
    assert seen is not None
    typed = [("description", "My words"), ("permissions", "fus:site:edit"), ("revision", seen[1])]
    assert (await admin.post("/fus/groups/shared/edit", [("description", "First"), typed[2]])).status == 303
    late = await admin.post("/fus/groups/shared/edit", typed)
    assert late.status == 409
    assert "Somebody else was faster" in late.shown
    assert "My words" in late.shown
    assert "Edit sites" in late.shown
    assert (await fus.service.groups.group("shared")).description == "First"
    program = await admin.api("PATCH", "/groups/shared", {"description": "Late", "revision": int(seen[1])})
    assert (program.status, program.json["code"]) == (409, "changed_meanwhile")


async def test_a_name_that_is_taken_is_a_conflict_told_beside_its_field(admin: Somebody) -> None:
    typed = {"name": "twice", "description": "Typed"}
    assert (await admin.post("/fus/groups/~new", typed)).status == 303
    again = await admin.post("/fus/groups/~new", typed)
    assert again.status == 409
    assert 'id="f-name-error"' in again.shown
    assert "Typed" in again.shown
    lacking = await admin.post("/fus/groups/~new", [("name", "more"), ("permissions", "house:users:manage")])
    assert lacking.status == 403
    assert 'id="f-permissions-error"' in lacking.shown


# ---- files


async def test_a_short_import_is_answered_with_its_report(fus: Fus, manager: Somebody) -> None:
    data = b'[{"url": "https://row.example.org"}, {"url": "<script>alert(1)</script>"}, {"url": "https://row.example.org"}]'
    async with at_work(fus.jobs):
        answer = await manager.upload("/fus/import", data)
        assert answer.status == 303
        report = await manager.get(answer.headers["location"])
        assert "<script>alert(1)" not in report.text
        assert "<script>alert(1)</script>" in report.shown, "it is told as text"
        assert "Row 1 has the same address." in (await manager.get(f"{answer.headers['location']}?show=there")).shown
        added = await manager.get(f"{answer.headers['location']}?show=added")
        assert re.search(r'href="/fus/sites/\w{26}"', added.text)
        file = await manager.get(f"{answer.headers['location']}/csv")
        assert file.headers["content-disposition"] == 'attachment; filename="fus-import.csv"'
        assert [line.split(",")[2] for line in file.text.splitlines()] == ["outcome", "added", "refused", "there"]
        for wrong, told in (
            (b"", "The file is empty."),
            (b"{", "This is not JSON"),
            (b"x" * 2_000_001, "2 MB"),
        ):
            refused = await manager.upload("/fus/import", wrong, foldersAsTags="true")
            assert refused.status in (413, 422)
            assert told in refused.shown
            assert re.search(r'name="foldersAsTags"[^>]* checked', refused.text)


async def test_a_longer_import_leads_to_the_page_of_its_job_and_stays_somebodys_own(
    fus: Fus, manager: Somebody, member: Somebody
) -> None:
    answer = await manager.upload("/fus/import", b'[{"url": "https://later.example.org"}]')
    place = answer.headers["location"]
    assert place.startswith("/jobs/"), "nobody runs jobs yet"
    assert "Import f" in (await manager.get(place)).shown
    report = place.replace("/jobs/", "/fus/import/")
    assert (await manager.get(report)).headers["location"] == place
    await fus.jobs.drain()
    assert f'href="{report}"' in (await manager.get(place)).text
    assert (await manager.get(report)).status == 200
    assert (await member.get(report)).status == 403
    for path in (report, f"{report}/csv"):
        assert (await (await fus.person("Other", "fus:manager")).get(path)).status == 404


async def test_a_spreadsheet_with_a_report_runs_nothing_of_the_file(fus: Fus, manager: Somebody) -> None:
    answer = await manager.upload("/fus/import", b'[{"url": "=HYPERLINK(1)"}, {"url": "@x"}]')
    await fus.jobs.drain()
    text = (await manager.get(f"{answer.headers['location'].replace('/jobs/', '/fus/import/')}/csv")).text
    assert [line.split(",")[1] for line in text.splitlines()[1:]] == ["'=HYPERLINK(1)", "'@x"]


async def test_the_catalog_can_be_downloaded(manager: Somebody, member: Somebody) -> None:
    assert "Download" in (await manager.get("/fus/export")).shown
    assert (await manager.get("/fus/export/csv")).headers["content-disposition"].startswith("attachment")
    assert (await manager.get("/fus/export/pdf")).status == 422
    assert (await member.get("/fus/export/csv")).status == 403


# ---- what people type is text


TEXTS = ("value", "title", "aria-label", "href", "data-confirm", "content", "data-title")
"""Attributes that say what people typed."""


class _Elements(HTMLParser):
    """Scripts, handlers and odd addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name.startswith("on") or (name in ("href", "src", "action") and "javascript:" in (value or "")):
                self.found.append(f"{tag} {name}={value}")
            if value and "xsslo" in value and name not in TEXTS:
                self.found.append(f"{tag} {name}={value}")
        data = ("type", "application/ld+json") in attrs  # no browser runs it
        if tag == "script" and not data and not dict(attrs).get("src", "").startswith("/static/"):  # type: ignore[union-attr]
            self.found.append(tag)
        ours = tag == "img" and (dict(attrs).get("src") or "").startswith("/files/")  # an icon that is kept here
        if tag in ("img", "iframe", "svg-xsslo", "xsslo") and not ours:
            self.found.append(tag)


ATTACKS = [
    "<script>alert('xsslo')</script>",
    "\"><img src=x onerror=alert('xsslo')>",
    "'><xsslo onmouseover=alert(1)>",
    "{{ 7 * 7 }}{% raw %}xsslo",
    "</textarea><script>alert('xsslo')</script>",
    "javascript:alert('xsslo')//",
    "--><iframe src=javascript:alert('xsslo')>",
]


@pytest.mark.parametrize("attack", ATTACKS)
async def test_what_people_type_is_text_on_every_page(fus: Fus, admin: Somebody, attack: str) -> None:
    writer = await fus.person(attack[:80])
    tag = attack[:40].replace(",", "")
    site = await put(fus.service, attack, description=attack, tags=[tag])
    path = f"/fus/sites/{site.site_id}"
    await writer.post(f"{path}/rating", {"stars": "3", "note": attack})
    await writer.post(f"{path}/comments", {"body": attack})
    (said,) = (await fus.service.comments.of_site(site.site_id)).items
    name = f"{said.comment.user_id}.{said.comment.comment_id}"
    group = f"group-{ATTACKS.index(attack)}"
    await admin.post("/fus/groups/~new", {"name": group, "description": attack})
    await admin.post(f"/fus/groups/{group}/members", {"person": writer.user_id})
    await fus.worker.drain()
    pages = [
        (
            writer,
            [
                "/fus",
                f"/fus?{urlencode({'q': attack})}",
                "/fus?q=xsslo",
                f"/fus?{urlencode({'tags': tag})}",
                path,
                f"{path}/comments/{name}/edit",
                f"{path}/comments/{name}/delete",
                f"{path}/rating/remove",
                "/fus/me/ratings",
                "/fus/me/comments",
                "/fus/me/groups",
                "/fus/tags",
            ],
        ),
        (
            admin,
            [
                f"{path}/edit",
                f"{path}/delete",
                f"/fus/groups/{group}",
                f"/fus/groups/{group}/edit",
                f"/fus/groups/{group}/log",
                f"/fus/groups/{group}/delete",
                f"/fus/groups/{group}/members/{writer.user_id}/remove",
                "/fus/groups",
            ],
        ),
    ]
    for somebody, paths in pages:
        for each in paths:
            answer = await somebody.get(each)
            assert answer.status == 200, each
            elements = _Elements()
            elements.feed(answer.text)
            assert elements.found == [], each
            assert "49xsslo" not in answer.text, "nothing typed is taken for a template"
    typed = await admin.post("/fus/sites/new", {"url": attack, "title": attack, "description": attack, "tags": attack})
    elements = _Elements()
    elements.feed(typed.text)
    assert (typed.status, elements.found) == (422, [])
    assert attack in unescape(typed.text), "it is shown as it was typed"
