"""fus as people use it: with script, without, and on a narrow screen."""

from __future__ import annotations

import re
from itertools import pairwise

from playwright.sync_api import expect

from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MANAGER, MEMBER, House
from tests.browser.keyboard import Keyboard
from tests.browser.window import Window, window


def test_a_site_is_added_rated_discussed_and_deleted(house: House, mode: Mode) -> None:
    with mode.window(house, MANAGER) as manager, mode.window(house, MEMBER) as member:
        path = _add(manager, f"Museum of Knots {mode.number}")
        _rate(member, path)
        _talk(member, manager, path)
        manager.open(path)
        manager.follow("Edit")
        manager.fill(Title="Museum of Ropes", Tags="ropes")
        manager.press("Save changes")
        manager.told("Changes saved")
        member.open(path)
        member.sees("Museum of Ropes", "ropes")
        member.sees_not("knots")
        manager.confirm("Delete", "Delete")
        manager.told("deleted")
        assert member.open(path).status == 404


def _add(manager: Window, title: str) -> str:
    manager.open("/fus")
    manager.follow("Add a site")
    manager.fill(Address="https://user:secret@museum.example")
    manager.press("Add to the catalog")
    manager.wrong("Address", "")
    manager.fill(Address=f"https://museum.example/{title[-1]}", Title=title, Tags="knots, museums, maps")
    manager.field("Description").fill("Every knot that was ever tied.")
    manager.sees_not("Preview")  # pages are not fetched here
    manager.check()
    manager.press("Add to the catalog")
    manager.told("Site added")
    manager.sees(title, "Every knot that was ever tied.", "No ratings yet")
    path = manager.path
    manager.open("/fus/sites/new")
    manager.fill(Address=f"www.MUSEUM.example/{title[-1]}?utm_source=x")
    manager.press("Add to the catalog")
    manager.wrong("Address", "catalog")
    manager.follow("Go to the site with this address")
    manager.at(path)
    return path


def _rate(member: Window, path: str) -> None:
    member.open(path)
    member.click(member.page.get_by_text("Add note"))
    member.field("Note").fill("Bring a rope.")
    member.press("4 stars")
    member.told("Rating saved")
    member.sees("4.0 (1)", "Bring a rope.")
    member.check()
    with window(member.house) as visitor:
        visitor.open(path)
        visitor.sees("4.0 (1)")
        visitor.sees_not("Bring a rope.")
    member.open("/fus/me/ratings")
    member.sees("Bring a rope.")
    row = member.page.locator(".list > li").first
    row.get_by_role("button", name="2 stars").click()
    expect(member.page.locator(".list > li").first.locator(".stars")).to_contain_text("2.0")
    member.click(member.page.get_by_role("button", name=re.compile("^Undo")).first)
    expect(member.page.locator(".list > li").first.locator(".stars")).to_contain_text("4.0")
    member.open(path)
    member.sees("4.0 (1)", "Bring a rope.")
    member.confirm("Remove rating", "Remove")
    member.told("Rating removed")
    member.sees("No ratings yet")


def _talk(member: Window, manager: Window, path: str) -> None:
    member.open(path)
    member.sees("No comments yet")
    member.field("Your comment").fill("Closed on Mondays.\nOpen on knots.")
    member.press("Post comment")
    member.sees("1 comment", "Closed on Mondays.")
    comments = member.page.locator("#comments")
    with member.leaving():
        member.click(comments.get_by_role("link", name="Edit"))
    member.field("Your comment").fill(" ")
    member.press("Save comment")
    member.wrong("Your comment", "Please fill this in")
    member.field("Your comment").fill("Closed on Tuesdays.")
    member.press("Save comment")
    member.told("Comment saved")
    member.sees("Closed on Tuesdays.", "edited")
    with member.leaving():
        member.click(comments.get_by_role("link", name="Reply"))
    member.sees("You are replying to")
    member.field("Your reply").fill("Bring a torch, see www.torch.example.")
    member.press("Post reply")
    member.sees("2 comments", "in reply to", "Bring a torch")
    link = comments.get_by_role("link", name="www.torch.example")
    expect(link).to_have_attribute("href", "https://www.torch.example")
    member.check()
    member.confirm("Delete", "Delete")
    member.told("Comment deleted")
    member.sees_not("Closed on Tuesdays.")
    manager.open(path)
    assert manager.page.locator("#comments").get_by_role("link", name="Edit").count() == 0
    manager.click(manager.page.locator("#comments").get_by_role("link", name="Delete"))
    manager.agree("Delete")
    manager.told("Comment deleted")


def test_the_catalog_is_narrowed_down_by_tags_and_words(house: House, mode: Mode) -> None:
    with mode.window(house) as visitor:
        visitor.open("/fus")
        _choose_tag(visitor, "maps")
        both = visitor.page.locator(".list > li")
        _choose_tag(visitor, "open-data")
        visitor.sees("With all of")
        with_all = both.count()
        assert 0 < with_all < 20
        visitor.choose("Which tags", "or")
        visitor.sees("With any of")
        expect(both).to_have_count(20)
        visitor.choose("Sort", "rating")
        visitor.at(re.compile("tag_mode=or.*sort=rating|sort=rating.*tag_mode=or"))
        rated = [re.findall(r"[\d.]+", each) for each in visitor.page.locator(".list .stars .number").all_inner_texts()]
        fair = [(float(stars) * int(count) + 15) / (int(count) + 5) for stars, count in rated]
        assert all(after <= before + 0.05 for before, after in pairwise(fair)), fair  # averages are shown rounded
        visitor.follow(re.compile("^maps ?: remove this tag"))
        visitor.sees("Tagged")
        visitor.open("/fus?q=languages+dialec")
        visitor.sees("Glottolog")
        assert visitor.page.locator("#main mark").count() > 0
        visitor.open("/fus?q=zzzz")
        visitor.sees("Nothing matches")
        visitor.follow("Show everything")
        visitor.at("/fus")


def _choose_tag(visitor: Window, tag: str) -> None:
    """Beside the list, or in the drawer above it."""
    if visitor.narrow:
        visitor.click(visitor.page.locator("summary").filter(has_text="Filter"))
    visitor.follow(re.compile(f"^{tag} "))
    visitor.at(re.compile(f"tags=[^#]*{tag}"))


def test_tags_are_completed_while_they_are_typed(house: House) -> None:
    with window(house, MANAGER) as manager:
        manager.open("/fus/sites/new")
        manager.field("Tags").press_sequentially("maps, open-d")
        completed = manager.page.locator("#f-tags-known option")
        expect(completed).to_have_count(1)
        expect(completed).to_have_attribute("value", "maps, open-data")


def test_a_click_on_a_star_counts_without_leaving_the_list(house: House) -> None:
    with window(house, MEMBER) as member:
        member.open("/fus?sort=title")
        row = member.page.locator(".list > li").nth(3)
        member.page.evaluate("document.body.dataset.stays = 'here'")
        row.get_by_role("button", name="5 stars").click()
        expect(row.get_by_role("button", name="5 stars")).to_have_attribute("aria-pressed", "true")
        assert member.page.evaluate("document.body.dataset.stays") == "here"
        member.check()
        row.get_by_role("button", name="1 star").click()
        expect(row.get_by_role("button", name="1 star")).to_have_attribute("aria-pressed", "true")


def test_a_site_is_rated_with_the_keyboard_alone(house: House) -> None:
    with window(house, MEMBER) as member:
        member.open("/fus?sort=title")
        site = member.page.locator(".list h3 a").nth(5)
        member.open(site.get_attribute("href") or "")
        keys = Keyboard(member)
        keys.to("Skip to content", "Enter")
        keys.to("4 stars", "Enter")
        member.told("Rating saved")
        expect(member.page.get_by_role("button", name="4 stars")).to_have_attribute("aria-pressed", "true")
        keys.to("Add note")
        member.page.keyboard.press("Enter")
        keys.type("Note", "By hand alone.")
        keys.to("Save note", "Enter")
        member.told("Rating saved")
        member.sees("By hand alone.")


def test_a_group_grants_a_permission_of_another_system(house: House, mode: Mode) -> None:
    name = f"log-readers-{mode.number}"
    with mode.window(house, ADMIN) as admin, mode.window(house, MEMBER) as member:
        assert member.open("/kelifax/moderation/log").status == 403
        admin.open("/fus")
        admin.navigate("Groups")
        admin.follow("New group")
        admin.fill(Name=name)
        admin.page.get_by_role("group", name="kelifax").locator("[value='kelifax:log:read']").check()
        admin.check()
        admin.press("Create group")
        admin.sees("No members yet")
        admin.fill(Add_a_member="nobody-at-all")
        admin.press("Add member")
        admin.wrong("Add a member", "")
        admin.fill(Add_a_member=MEMBER)
        admin.press("Add member")
        admin.told("added")
        assert member.open("/kelifax/moderation/log").status == 200
        member.sees("Every decision")
        admin.confirm("Remove", "Remove")
        admin.told("Member removed")
        assert member.open("/kelifax/moderation/log").status == 403
        admin.confirm("Delete", "Delete")
        admin.told(f"Group {name} deleted")


def test_bookmarks_are_imported_and_exported(house: House) -> None:
    bookmarks = """<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
        <DT><A HREF="https://lighthouses.example/" TAGS="sea,lights">Lighthouses</A>
        <DT><A HREF="javascript:alert(1)">A trap</A></DL>"""
    with window(house, MANAGER) as manager:
        manager.open("/fus")
        manager.navigate("Import")
        manager.press("Import")
        manager.field("File").set_input_files(
            files=[{"name": "bookmarks.html", "mimeType": "text/html", "buffer": bookmarks.encode()}]
        )
        manager.press("Import")
        manager.sees("javascript:alert(1)", "http:// or https://")
        with manager.leaving():
            manager.follow(re.compile("^Added"))
        manager.check()
        manager.follow("https://lighthouses.example/")
        manager.sees("Lighthouses")
        manager.navigate("Export")
        with manager.page.expect_download() as download:
            manager.click(manager.page.get_by_role("link", name="Download").first)
        saved = download.value.path().read_text()
        assert "https://lighthouses.example/" in saved
        assert "javascript:" not in saved
