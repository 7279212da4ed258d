"""What fus has beside its document, as people use it; `make browser` tells these stories."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson
import pytest
from playwright.sync_api import Browser, expect

from partita.apps.fus.inputs import NewSite
from partita.apps.fus.permissions import MANAGER as MANAGES
from partita.apps.fus.service import FusService
from partita.kit.links import Link
from tests.apps.fus.test_other_services import POCKET_CSV, POCKET_HTML, RAINDROP
from tests.apps.house import person
from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, EVERYTHING, MANAGER, MEMBER
from tests.browser.small_house import SmallHouse, small_house
from tests.browser.window import Window
from tests.kit.fetcher.sites import answer

pytestmark = pytest.mark.skipif(not EVERYTHING, reason="make browser tells these stories")
KEEPER = person("keeper", *MANAGES)


@pytest.fixture(scope="module")
def catalog(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallHouse]:
    with small_house(chromium, tmp_path_factory.mktemp("catalog")) as house:
        yield house


def _site(catalog: SmallHouse, title: str, *tags: str, url: str = "") -> str:
    """The path of a new site."""
    new = NewSite(url=url or f"https://{title.replace(' ', '')}.example", title=title, tags=tags, fetch=False)
    return f"/fus/sites/{catalog.run(catalog.fus.sites.add(KEEPER, new)).site_id}"


def test_stars_are_given_undone_found_by_everybody_and_filtered_by_oneself(catalog: SmallHouse, mode: Mode) -> None:
    tag, titles = f"stars-{mode.number}", [f"{word} Star {mode.number}" for word in ("Bright", "Dim")]
    bright, dim = (_site(catalog, title, tag) for title in titles)
    with mode.window(catalog, MEMBER) as member, mode.window(catalog) as visitor:
        member.until(f"/fus?tags={tag}&sort=title", lambda: member.page.locator(".list > li").count() == 2)
        row = member.page.locator(".list > li").first
        row.get_by_role("button", name="2 stars").click()
        expect(row.locator(".stars")).to_contain_text("2.0")
        row.get_by_role("button", name=re.compile("^5 stars")).click()
        expect(row.locator(".stars")).to_contain_text("5.0")
        member.click(member.page.get_by_role("button", name=re.compile("^Undo")).first)
        expect(row.locator(".stars")).to_contain_text("2.0")
        row.get_by_role("button", name="5 stars").click()
        expect(row.locator(".stars")).to_contain_text("5.0")
        member.open(dim)
        member.press("3 stars")
        member.told("Rating saved")
        _choose(member, f"/fus?tags={tag}", re.compile("^Not rated by me"))
        member.sees("Nothing matches")
        member.open("/fus/me/ratings")
        _search(member, "Search my ratings", f"star {mode.number}")
        member.click(member.page.get_by_role("link", name=re.compile("^5 stars")).first)
        member.sees(titles[0])
        member.sees_not(titles[1])
        member.check()
        visitor.open("/fus")
        visitor.follow("Five-star ratings")
        visitor.sees(titles[0])
        visitor.sees_not(titles[1])
        visitor.check()
        visitor.open(bright)
        visitor.click(visitor.page.get_by_role("link", name=re.compile("^5 stars")).first)
        visitor.sees(f"Ratings of {titles[0]}", "1 rating with 5 stars", MEMBER)
        visitor.check()
        visitor.until(
            f"/fus?tags={tag}&stars=4",
            lambda: visitor.page.locator("#main .list h3").all_inner_texts() == titles[:1],
        )
        visitor.check()


def _choose(shown: Window, path: str, value: re.Pattern[str]) -> None:
    """Beside the list, or in the drawer above it."""
    shown.open(path)
    if shown.narrow:
        shown.click(shown.page.locator("summary").filter(has_text="Filter"))
    shown.click(shown.page.locator(".facet").get_by_role("link", name=value))


def test_comments_are_answered_and_answers_stand_below_them(catalog: SmallHouse, mode: Mode) -> None:
    path = _site(catalog, f"Talk {mode.number}")
    with mode.window(catalog, MEMBER) as member, mode.window(catalog, MANAGER) as manager:
        for text in ("What is it good for?", "It has a map."):
            member.open(path)
            member.field("Your comment").fill(text)
            member.press("Post comment")
            member.sees(text)
        manager.open(path)
        with manager.leaving():
            manager.click(manager.page.locator("#comments li").first.get_by_role("link", name=re.compile("^Reply")))
        manager.sees("You are replying to", "What is it good for?")
        manager.field("Your reply").fill(" ")
        manager.press("Post reply")
        manager.wrong("Your reply", "Please fill this in")
        manager.troubles.clear()  # a form that is refused by its script
        manager.field("Your reply").fill("For a rainy day.")
        manager.check()
        manager.press("Post reply")
        manager.sees("3 comments")
        told = member.page.locator("#comments .kept")
        member.open(path)
        expect(told).to_have_text(["What is it good for?", "For a rainy day.", "It has a map."])
        expect(member.page.locator("#comments li.answer")).to_have_count(1)
        member.check()
        member.open("/notifications")
        member.sees(f"Talk {mode.number}")
        title, button = member.page.locator("h1"), member.page.get_by_role("button", name="Mark all as read")
        beside = button.bounding_box()["y"] < title.bounding_box()["y"] + title.bounding_box()["height"]  # type: ignore[index]
        assert beside is not mode.narrow
        member.check()


def test_a_tag_is_renamed_merged_and_many_sites_are_changed_and_deleted(catalog: SmallHouse, mode: Mode) -> None:
    old, new, kept = (f"{word}-{mode.number}" for word in ("olde", "newer", "both"))
    one, two = (f"{word} Batch {mode.number}" for word in ("One", "Two"))
    path = _site(catalog, one, old)
    _site(catalog, two, old, new)
    with mode.window(catalog, MANAGER) as manager:
        manager.open("/fus/tags")
        manager.follow("Rename or merge")
        manager.fill(Tag=old, New_name=old)
        manager.press("Rename the tag")
        manager.wrong("New name", "")
        manager.check()
        manager.fill(New_name=new)
        manager.press("Rename the tag")
        manager.sees("Changed 2")
        manager.check()
        manager.open(path)
        manager.sees(new)
        manager.sees_not(old)
        manager.until(f"/fus/select?tags={new}", lambda: manager.page.get_by_role("checkbox", name=one).count() == 1)
        manager.page.get_by_role("checkbox", name=one).check()
        manager.press("Add the tags")
        manager.wrong("Tags to add or remove", "")
        expect(manager.page.get_by_role("checkbox", name=one)).to_be_checked()
        manager.fill(Tags_to_add_or_remove=kept)
        manager.check()
        manager.press("Add the tags")
        manager.sees("Changed 1")
        manager.open(path)
        manager.sees(kept)
        manager.until(f"/fus/select?tags={new}", lambda: manager.page.get_by_text(f"{kept}").count() > 0)
        manager.page.get_by_role("checkbox", name=re.compile("^All 2 sites tagged")).check()
        manager.press("Delete the sites")
        manager.sees(f"Delete 2 sites tagged “{new}”?")
        manager.check()
        manager.press("Delete")
        manager.sees("Deleted 2")
        assert manager.open(path).status == 404


def test_a_suggestion_is_declined_and_another_one_becomes_a_site(catalog: SmallHouse, mode: Mode) -> None:
    good, bad = f"Good Idea {mode.number}", f"Bad Idea {mode.number}"
    with mode.window(catalog, MEMBER) as member, mode.window(catalog, MANAGER) as manager:
        member.open("/fus")
        member.follow("Suggest a site")
        for title in (bad, good):
            member.open("/fus/suggest")
            member.fill(Address=f"https://{title.replace(' ', '-')}.example", Title=title)
            member.check()
            member.press("Suggest it")
            member.told("You will be told")
        member.open("/fus/suggest")
        member.fill(Address=f"{good.replace(' ', '-')}.example")
        member.press("Suggest it")
        member.wrong("Address", "")
        manager.open("/fus")
        manager.navigate("Suggestions")
        manager.check()
        opened = manager.page.locator("#open-title")
        expect(opened).to_have_text(bad)
        manager.page.locator("summary", has_text="Decline").click()
        manager.field("Decline it because").fill("Nobody could read it.")
        manager.check()
        manager.press("Decline it")
        manager.told(f"“{bad}” declined.")
        expect(opened).to_have_text(good)
        manager.press("Undo")
        manager.told(f"“{bad}” waits again.")
        manager.page.locator("summary", has_text="Decline").click()
        manager.field("Decline it because").fill("Nobody could read it.")
        manager.press("Decline it")
        expect(opened).to_have_text(good)
        manager.page.get_by_role("checkbox", name="Read the page").uncheck()
        manager.fill(Tags=f"ideas-{mode.number}")
        manager.press("Add to the catalog")
        manager.told(f"“{good}” is in the catalog now.")
        member.navigate("My suggestions")
        member.sees("Declined", "Nobody could read it.", "In the catalog")
        member.check()
        member.follow(good)
        member.sees(f"ideas-{mode.number}")


def test_the_bookmark_button_opens_a_form_that_is_filled_in(catalog: SmallHouse, mode: Mode) -> None:
    with mode.window(catalog, MEMBER) as member, mode.window(catalog, MANAGER) as manager:
        member.open("/fus/button")
        code = member.page.get_by_label("The text of the bookmark").input_value()
        assert code.startswith("javascript:")
        assert f"{catalog.url}/fus/share?url=" in code
        member.check()
        shared = f"/fus/share?url=https://read{mode.number}.example/&title=Reading&text=Some+words"
        member.open(shared)
        expect(member.field("Address")).to_have_value(f"https://read{mode.number}.example/")
        expect(member.field("Title")).to_have_value("Reading")
        expect(member.field("What is good about it")).to_have_value("Some words")
        manager.open(shared)
        manager.at(re.compile("/fus/sites/new"))
        expect(manager.field("Description")).to_have_value("Some words")
        if mode.script:
            manager.open("/fus/sites/new")
            with manager.page.expect_popup() as opened:
                manager.page.evaluate(code.removeprefix("javascript:"))
            expect(opened.value.locator("[name=url]")).to_have_value(f"{catalog.url}/fus/sites/new")


def test_a_collection_is_shared_by_a_link_and_a_profile_is_shown_until_closed(catalog: SmallHouse, mode: Mode) -> None:
    name, title = f"Rainy Days {mode.number}", f"Collected {mode.number}"
    path = _site(catalog, title)
    with mode.window(catalog, MEMBER) as member, mode.window(catalog) as visitor:
        member.open("/fus")
        member.navigate("My collections")
        member.fill(Name=name)
        member.press("Create collection")
        member.told("Collection created.")
        own = member.path
        member.sees("Nothing in it yet")
        member.open(path)
        member.page.get_by_label("Collection", exact=True).select_option(label=name)
        member.press("Add")
        member.told(f"The site is in “{name}”.")
        member.press("5 stars")
        member.told("Rating saved")
        member.open(own)
        member.press("Share by link")
        member.told("Everybody who has the link sees it now.")
        member.check()
        link = member.page.locator(".notice.info a").first.get_attribute("href") or ""
        visitor.open(link)
        visitor.sees(name, title, "1 site", "collected by")
        visitor.check()
        member.press(re.compile("^Take out"))
        member.told("Site taken out.")
        member.click(member.page.get_by_role("button", name=re.compile("^Undo")).first)
        member.told("Site put back.")
        member.press("Close the link")
        member.told("The link is closed.")
        assert visitor.open(link).status == 404
        member.confirm("Delete", "Delete")
        member.told(f"“{name}” deleted.")
        assert visitor.open(f"/fus/people/{MEMBER}").status == 404
        member.navigate("My profile")
        member.page.get_by_role("checkbox", name=re.compile("^Show what I like")).check()
        member.field("About me").fill("I like rain.")
        member.press("Save profile")
        member.told("Everybody sees this page now.")
        visitor.open(f"/fus/people/{MEMBER}")
        visitor.sees("I like rain.", title)
        visitor.check()
        member.open("/fus/me/profile")
        member.page.get_by_role("checkbox", name=re.compile("^Show what I like")).uncheck()
        member.press("Save profile")
        member.told("Nobody else sees your profile.")
        assert visitor.open(f"/fus/people/{MEMBER}").status == 404
        _take_my_data(member, title)


def _take_my_data(member: Window, title: str) -> None:
    member.open("/fus/me/profile")
    with member.leaving():
        member.follow("Download my ratings, comments and collections")
    member.check()
    with member.page.expect_download() as download:
        member.click(member.page.get_by_role("link", name="Download").first)
    assert title in download.value.path().read_text()


def test_related_sites_share_tags_and_copies_keep_what_a_page_said(catalog: SmallHouse, mode: Mode) -> None:
    tag, at, word = f"kin-{mode.number}", f"/heron-{mode.number}", f"heron{mode.number}"
    catalog.answers[at] = answer(f"<title>Herons {mode.number}</title><p>The {word} waits.</p>".encode())
    title, other = f"Herons {mode.number}", f"Cranes {mode.number}"
    _site(catalog, other, tag, f"{tag}-too")
    path = _site(catalog, title, tag, f"{tag}-too", url=f"{catalog.site}{at}")
    with mode.window(catalog, MANAGER) as manager:
        related = manager.page.locator("section[aria-labelledby=related-title]")
        manager.until(path, lambda: related.get_by_role("link", name=other).count() > 0)
        manager.check()
        manager.follow("Copy of the page")
        manager.sees("There is no copy of this page")
        manager.check()
        manager.press("Copy the page")
        manager.told("The page is copied.")
        manager.sees(f"The {word} waits.")
        manager.check()
        catalog.answers[at] = answer(b"", status=404)
        manager.press("Copy again")
        manager.told("could not be read")
        manager.sees(f"The {word} waits.")
        with manager.page.expect_download() as download:
            manager.follow("Download the page")
        assert word in download.value.path().read_text()
        manager.until(f"/fus/copies?q={word}", lambda: manager.page.locator("#main .list").count() > 0)
        manager.check()
        manager.follow(title)
        manager.confirm("Delete", "Delete")
        manager.told("Copy deleted.")
    with mode.window(catalog, MEMBER) as member:
        member.open(path)
        member.sees_not("Copy of the page")
        assert member.open(f"{path}/copy").status == 403


def test_a_page_is_previewed_and_fills_in_what_nobody_typed(catalog: SmallHouse, mode: Mode) -> None:
    at = f"/looked-at-{mode.number}"
    catalog.answers[at] = answer(
        b"<title>Looked at</title><meta name=description content='Seen before it is saved.'><p>Words of the page."
    )
    with mode.window(catalog, MANAGER) as manager:
        manager.open("/fus/sites/new")
        manager.fill(Address=f"{catalog.site}{at}", Title="My own title")
        manager.press("Preview")
        manager.sees("What the page says", "Words of the page.")
        expect(manager.field("Title")).to_have_value("My own title")
        expect(manager.field("Description")).to_have_value("Seen before it is saved.")
        manager.check()
        manager.page.get_by_role("checkbox", name="Read the page").uncheck()
        manager.press("Add to the catalog")
        manager.told("Site added")
        manager.sees("My own title", "Seen before it is saved.")


def test_bookmarks_are_checked_first_and_then_added_with_a_tag(catalog: SmallHouse, mode: Mode) -> None:
    there = f"https://there{mode.number}.example/"
    _site(catalog, f"There {mode.number}", url=there)
    marks = [
        {"href": f"https://pin{mode.number}.example/", "description": "Pinned", "tags": "sea", "shared": "yes"},
        {"href": f"https://private{mode.number}.example/", "description": "Private", "tags": "", "shared": "no"},
        {"href": there, "description": "There", "tags": "", "shared": "yes"},
    ]
    with mode.window(catalog, MANAGER) as manager:
        manager.open("/fus/import")
        manager.field("File").set_input_files(
            files=[{"name": "pinboard.json", "mimeType": "application/json", "buffer": orjson.dumps(marks)}]
        )
        manager.fill(Tags_for_all=f"from-pinboard-{mode.number}")
        manager.check()
        manager.press("Check first")
        manager.sees("Nothing was added yet.", "Would be added")
        manager.follow(re.compile("^Already there"))
        manager.sees(there)
        manager.check()
        manager.press("Add 1 site now")
        manager.follow(re.compile("^Added"))
        manager.follow(f"https://pin{mode.number}.example/")
        manager.sees("Pinned", "sea", f"from-pinboard-{mode.number}")
        manager.until(f"/fus?tags=from-pinboard-{mode.number}", lambda: manager.page.locator(".list > li").count() == 1)
        manager.check()


def test_files_of_raindrop_and_pocket_are_imported_and_a_site_that_is_there_stays(
    catalog: SmallHouse, mode: Mode
) -> None:
    host = f"of-{mode.number}.example".encode()
    files = {
        "raindrop.csv": (RAINDROP.replace(b"example.org", host), "Add 2 sites now", "Added"),
        "pocket.html": (POCKET_HTML.replace(b"example.org", host), "", "Already there"),
        "pocket.csv": (POCKET_CSV.replace(b"example.org", host), "", "Already there"),
    }
    with mode.window(catalog, ADMIN) as manager:
        for name, (data, button, outcome) in files.items():
            manager.open("/fus/import")
            manager.field("File").set_input_files(files=[{"name": name, "mimeType": "text/plain", "buffer": data}])
            manager.press("Check first")
            manager.sees("Nothing was added yet.")
            if button:
                manager.press(button)
            manager.follow(re.compile(f"^{outcome}"))
            manager.sees(f"https://maps.{host.decode()}/", f"https://bread.{host.decode()}/")
        manager.follow(f"https://bread.{host.decode()}/")
        manager.sees("Bread", "My own words")


def test_ones_own_comments_and_groups_are_searched_sorted_and_counted(catalog: SmallHouse, mode: Mode) -> None:
    path, group = _site(catalog, f"Diary {mode.number}"), f"walkers-{mode.number}"
    with mode.window(catalog, MEMBER) as member, mode.window(catalog, ADMIN) as admin:
        member.open(path)
        member.press("3 stars")
        member.told("Rating saved")
        for word in ("Early", "Late"):
            member.open(path)
            member.field("Your comment").fill(f"{word} birds of {mode.number}.")
            member.press("Post comment")
            member.sees(f"{word} birds of {mode.number}.")
        expect(member.page.locator("#comments li .stars")).to_have_count(2)
        member.navigate("My comments")
        told = member.page.locator("#main .kept")
        _search(member, "Search my comments", f"birds {mode.number}")
        expect(told).to_have_text([f"Late birds of {mode.number}.", f"Early birds of {mode.number}."])
        member.choose("Sort", "oldest")
        expect(told).to_have_text([f"Early birds of {mode.number}.", f"Late birds of {mode.number}."])
        member.sees("2 comments")
        member.check()
        _search(member, "Search my comments", "no such bird")
        member.sees("Nothing matches")
        admin.open("/fus/groups")
        admin.follow("New group")
        admin.fill(Name=group)
        admin.press("Create group")
        admin.fill(Add_a_member=MEMBER)
        admin.press("Add member")
        admin.told("added")
        member.open("/fus/me/groups")
        _search(member, "Search my groups", group)
        expect(member.page.locator("#main .list h2")).to_have_text([group])
        member.sees("1 group")
        member.check()


def _search(member: Window, label: str, words: str) -> None:
    box = member.page.get_by_role("searchbox", name=label)
    box.fill(words)
    with member.leaving():
        box.press("Enter")


def test_an_address_that_failed_for_three_nights_is_told_until_it_works(catalog: SmallHouse, mode: Mode) -> None:
    at, title = f"/lost-{mode.number}", f"Lost {mode.number}"
    catalog.answers[at] = answer(b"", status=410)
    path = _site(catalog, title, url=f"{catalog.site}{at}")
    link = Link(path.rpartition("/")[2], f"{catalog.site}{at}")

    def ask(nights: int) -> None:
        catalog.ask_on_nights(lambda kit: FusService(kit).links, link, nights)

    ask(3)
    with mode.window(catalog, MANAGER) as manager, mode.window(catalog) as visitor:
        visitor.open(path)
        visitor.sees("The site has not answered since")
        visitor.check()
        manager.open("/fus/broken")
        manager.sees(title, "410")
        manager.check()
        catalog.answers[at] = answer()
        ask(1)
        visitor.open(path)
        visitor.sees_not("The site has not answered since")
        manager.open("/fus/broken")
        manager.sees_not(title)
