"""Kelifax as people use it: with script, without, and on a narrow screen."""

from __future__ import annotations

import re
from io import BytesIO

from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MEMBER, MODERATOR, PASSWORD, House
from tests.browser.keyboard import Keyboard
from tests.browser.window import Window, window

FEATURES = ("Names every knot twice", "Shows each step of tying", "Can be searched by loops")
USES = ("Tying a boat to something", "Learning to tie one knot a day")


def test_a_resource_is_submitted_reviewed_found_and_deleted(house: House, mode: Mode) -> None:
    name = f"Knot Atlas {mode.number}"
    with mode.window(house) as visitor:
        link = _submit(visitor, name)
        with mode.window(house, MODERATOR) as moderator:
            _review(moderator, visitor, name, link)
        visitor.until(
            f"/kelifax/resources?q=knot+{mode.number}+atl",
            lambda: visitor.page.locator("#main").get_by_role("link", name=name, exact=True).count() > 0,
        )
        expect(visitor.page.locator("#main mark").first).to_have_text("Knot")
        visitor.follow(name)
        visitor.sees("Helps to remember knots", *FEATURES, *USES, "A film about knots", "Similar resources")
        visitor.sees_not("ada@engine.example", "Lovelace")
        with mode.window(house, ADMIN) as admin:
            _delete(admin, name)
        assert visitor.open(visitor.path).status == 404
        visitor.open(link)
        visitor.sees("Not found", f"Moderators deleted “{name}”")


def _submit(visitor: Window, name: str) -> str:
    """All three steps, with a mistake in each; the private link."""
    visitor.open("/kelifax")
    visitor.follow("Submit a resource")
    visitor.fill(First_name="Ada7", Last_name="Lovelace", Email="ada@engine.example", Phone="12")
    visitor.press("Next")
    visitor.wrong("First name", "Only letters, spaces and - ' . are allowed here")
    visitor.wrong("Phone", "country code")
    expect(visitor.field("Last name")).to_have_value("Lovelace")
    visitor.check()
    visitor.fill(First_name="Ada", Phone="+44 20 7946 0000")
    visitor.press("Next")
    visitor.sees("The resource")
    visitor.field("Category").select_option("learning")
    visitor.fill(Name=name, Address="http://www.SQLite.org", Tags=f"knots, {'x' * 31}")
    visitor.field("Purpose").fill("Helps to remember knots.")
    visitor.press("Next")
    visitor.wrong("Tags", "At most 30 characters")
    expect(visitor.field("Category")).to_have_value("learning")
    visitor.fill(Tags="knots, ropes")
    visitor.press("Back")
    expect(visitor.field("First name")).to_have_value("Ada")
    visitor.press("Next")
    expect(visitor.field("Name")).to_have_value(name)
    visitor.press("Next")
    visitor.wrong("Address", "This address is in the directory already, as sqlite.")
    expect(visitor.page.get_by_role("link", name="See what is in the directory")).to_have_count(1)
    visitor.check()
    visitor.fill(Address=f"https://knots.example/{name.replace(' ', '-')}")
    visitor.press("Next")
    _describe(visitor)
    visitor.press("Submit for review")
    visitor.wrong("Key features 2", "'|' cannot be part of this")
    expect(visitor.field("Use cases 2")).to_have_value(USES[1])
    visitor.field("Key features 2").fill(FEATURES[1])
    visitor.press("Submit for review")
    visitor.told("Keep the address of this page")
    visitor.sees(name, "Pending", "A moderator will review it")
    visitor.check()
    return visitor.path


def _describe(visitor: Window) -> None:
    for place, feature in enumerate((FEATURES[0], "Too | many", FEATURES[2]), 1):
        visitor.field(f"Key features {place}").fill(feature)
    visitor.click(visitor.page.get_by_role("group", name="Key features").get_by_role("button", name="Add another"))
    expect(visitor.field("Key features 4")).to_be_visible()
    for place, use in enumerate(USES, 1):
        visitor.field(f"Use cases {place}").fill(use)
    visitor.field("Title").fill("A film about knots")
    visitor.field("Address").fill("https://films.example/knots")
    visitor.field("Type").select_option("video")


def _review(moderator: Window, visitor: Window, name: str, link: str) -> None:
    moderator.open("/kelifax")
    moderator.navigate("Moderation")
    if moderator.narrow:
        moderator.click(moderator.page.locator(".queue > summary"))
    moderator.click(moderator.page.locator(".queue").get_by_role("link", name=name))
    moderator.sees("Pending", "ada@engine.example", "+442079460000", *FEATURES)
    moderator.click(moderator.page.locator(".choice-form > summary"))
    moderator.field("Reason to reject").fill(" ")
    moderator.press("Reject it")
    moderator.wrong("Reason to reject", "Choose a reason, or write one")
    moderator.field("Reason to reject").fill("Too few knots.")
    moderator.check()
    moderator.press("Reject it")
    moderator.told(f"“{name}” rejected.")
    moderator.open(f"/kelifax/moderation/{name.lower().replace(' ', '-')}")
    visitor.open(link)
    visitor.sees("Rejected", "It was rejected: Too few knots.")
    visitor.check()
    visitor.follow("Improve and submit again")
    visitor.sees("Why it was rejected: Too few knots.")
    visitor.fill(Tags="knots, ropes, many")
    visitor.press("Next")
    expect(visitor.field("Key features 3")).to_have_value(FEATURES[2])
    visitor.press("Submit for review")
    visitor.told("Moderators will look at what you changed.")
    visitor.sees("Pending")
    moderator.open(moderator.path)
    moderator.sees("many", "Revised")
    moderator.press("Approve")
    moderator.told("Approved.")
    moderator.press("Feature")
    moderator.told("Featured.")
    visitor.open("/kelifax")
    visitor.sees(name)
    moderator.follow("Edit")
    moderator.fill(Tags="knots, " + "y" * 31)
    moderator.press("Save changes")
    moderator.wrong("Tags", "At most 30 characters")
    moderator.check()
    moderator.fill(Tags="knots, ropes, sailing")
    _add_place(moderator)
    moderator.press("Save changes")
    moderator.told("Changes saved.")
    moderator.sees("sailing", "A film about knots", "A course of bends")
    expect(moderator.page.get_by_role("link", name="Delete")).to_have_count(1)
    visitor.open(link)
    visitor.sees("Approved", "It is in the directory now.")
    visitor.follow("View it")
    visitor.sees("sailing")


def _add_place(moderator: Window) -> None:
    """One more place to learn, after the one that is there."""
    places = moderator.page.get_by_role("group", name="Learning resources")
    places.get_by_role("button", name="Add another").click()
    expect(places.get_by_label(re.compile("^Title"))).to_have_count(2)
    places.get_by_label(re.compile("^Title")).last.fill("A course of bends")
    places.get_by_label(re.compile("^Address")).last.fill("https://bends.example")
    places.get_by_label(re.compile("^Type")).last.select_option("course")


def _delete(admin: Window, name: str) -> None:
    admin.open("/kelifax/moderation?status=approved")
    admin.follow(name)
    admin.confirm("Delete", "Delete")
    admin.told("Resource deleted.")
    admin.navigate("Log")
    slug = name.lower().replace(" ", "-")
    decided = admin.page.locator(".timeline li").filter(has=admin.page.locator(f"a[href='/kelifax/moderation/{slug}']"))
    expect(decided).to_have_count(6)
    for place, action in enumerate(("Deleted", "Edited", "Featured", "Approved", "Revised", "Rejected")):
        expect(decided.nth(place)).to_contain_text(action)
    expect(decided.last).to_contain_text("Too few knots.")
    admin.navigate("Analytics")
    admin.sees("Approved resources by category", "Submissions per day", "Most viewed")


def test_a_member_upvotes_from_a_list_and_stays_where_they_are(house: House, mode: Mode) -> None:
    with mode.window(house, MEMBER) as member:
        member.open("/kelifax/resources?category=analytics&sort=name")
        address = member.page.url
        upvote, upvoted = (
            member.page.get_by_role("button", name=re.compile(f"^{word} DuckDB, ")) for word in ("Upvote", "Upvoted")
        )
        before = int(upvote.inner_text())
        upvote.click()
        expect(upvoted).to_have_text(str(before + 1))
        assert member.page.url == address
        member.check()
        member.page.reload()
        upvoted.click()
        expect(upvote).to_have_text(str(before))
        member.open("/kelifax/resources?q=duckdb")
        expect(upvote).to_be_visible()
    with mode.window(house) as visitor:
        visitor.open("/kelifax/resources?category=analytics")
        visitor.sees("DuckDB")
        expect(visitor.page.get_by_role("button", name=re.compile("^Upvote"))).to_have_count(0)


def test_a_member_upvotes_saves_and_submits_and_withdraws(house: House, mode: Mode) -> None:
    with mode.window(house, MEMBER) as member:
        member.open("/kelifax/resources/duckdb")
        member.press(re.compile("Upvote"))
        member.sees("Upvoted")
        member.press("Save")
        member.told("Saved.")
        member.check()
        member.navigate("Saved")
        member.sees("DuckDB")
        member.check()
        member.follow("DuckDB")
        buttons = member.page.locator("#main").get_by_role("button")
        member.press("Saved")
        expect(buttons.and_(member.page.get_by_role("button", name="Save", exact=True))).to_be_visible()
        member.press(re.compile("Upvoted"))
        expect(buttons.and_(member.page.get_by_role("button", name=re.compile("Upvote(?!d)")))).to_be_visible()
        member.open("/kelifax/saved")
        member.sees("Nothing saved yet")
        member.navigate("Submit")
        member.fill(First_name="Mem", Last_name="Ber", Email="member@example.org")
        member.press("Next")
        member.field("Category").select_option("learning")
        member.fill(Name=f"Short Lived {mode.number}", Address=f"https://short{mode.number}.example.org")
        member.field("Purpose").fill("Is withdrawn a moment later.")
        member.press("Next")
        _describe(member)
        member.field("Key features 2").fill(FEATURES[1])
        with member.leaving():
            member.press("Submit for review")
        member.navigate("My submissions")
        member.check()
        member.follow(f"Short Lived {mode.number}")
        member.sees("How far it is")
        member.check()
        member.confirm("Withdraw", "Withdraw")
        member.told("Your submission is withdrawn.")


def test_moderators_order_what_is_featured_and_decide_on_many(house: House, mode: Mode) -> None:
    with mode.window(house, MODERATOR) as moderator:
        moderator.open("/kelifax/moderation/featured")
        listed = moderator.page.locator("#main .list h3")
        names = listed.all_inner_texts()
        moderator.press(f"Move down: {names[0]}")
        moderator.told(f"“{names[0]}” moved.")
        expect(listed).to_have_text([names[1], names[0], *names[2:]], use_inner_text=True)
        moderator.check()
        moderator.press(f"Move up: {names[0]}")
        moderator.told(f"“{names[0]}” moved.")
        moderator.open("/kelifax/moderation/many")
        moderator.press("Reject the ticked ones")
        moderator.sees("Choose at least one submission.")
        moderator.check()
        moderator.open("/kelifax/moderation/log")
        moderator.field("Decision").select_option("move")
        with moderator.leaving():
            moderator.press("Show")
        moderator.sees(names[0])
        moderator.check()


def test_the_directory_is_narrowed_down(house: House, mode: Mode) -> None:
    with mode.window(house) as visitor:
        visitor.open("/kelifax")
        visitor.follow(re.compile("^9 Design"))
        visitor.at("/kelifax/resources?category=design")
        expect(visitor.page.locator(".list > li")).to_have_count(9)
        _filter(visitor, mode, re.compile("^Learning "))
        visitor.at(re.compile("category=learning"))
        visitor.choose("Sort", "popular")
        views = visitor.page.locator(".list .score strong").all_inner_texts()
        counted = [int(each.replace(",", "")) for each in views]
        assert counted == sorted(counted, reverse=True)
        visitor.follow("Clear filters")
        visitor.at("/kelifax/resources?sort=popular")
        expect(visitor.page.locator(".list > li")).to_have_count(20)
        first = visitor.page.locator(".list h3").first.inner_text()
        visitor.follow("Next")
        visitor.sees_not(first)
        visitor.follow("First page")
        visitor.sees(first)
        visitor.click(visitor.page.locator(".list .chip").first)
        visitor.sees("Resources tagged")
        with visitor.leaving():
            visitor.follow("Clear filters")
        _filter(visitor, mode, re.compile("^python "))
        visitor.sees("Resources tagged python")
        visitor.choose("Sort", "name")
        visitor.check()
        _filter(visitor, mode, re.compile("^AI "))
        visitor.at(re.compile("tag=python"))
        visitor.at(re.compile("category=ai"))
        visitor.page.get_by_role("searchbox", name="Search Kelifax").fill("zzzz")
        visitor.page.keyboard.press("Enter")
        visitor.sees("No matches", "“zzzz” in AI, tagged python")
        visitor.follow("Search all resources")
        visitor.at("/kelifax/resources?q=zzzz")
        visitor.follow("Show everything")
        visitor.sees("resources")


def _filter(visitor: Window, mode: Mode, value: re.Pattern[str]) -> None:
    """Choose a value of a facet: on a narrow screen they are in a drawer."""
    if mode.narrow:
        visitor.click(visitor.page.locator(".drawer > summary"))
    visitor.click(visitor.page.locator(".facet").get_by_role("link", name=value))


def test_somebody_reports_a_problem_and_a_moderator_deals_with_it(house: House) -> None:
    with window(house) as visitor, window(house, MODERATOR) as moderator:
        visitor.open("/kelifax/resources?q=sqlite")
        visitor.follow("SQLite")
        visitor.click(visitor.page.get_by_text("Report a problem"))
        visitor.field("What is wrong?").fill("The link leads to a duck.")
        visitor.press("Send report")
        visitor.told("A moderator will look into it")
        moderator.open("/kelifax/moderation")
        moderator.follow(re.compile("^Reports"))
        moderator.sees("The link leads to a duck.")
        moderator.check()
        moderator.press(re.compile("^Close"))
        moderator.told("Report closed.")
        moderator.sees_not("The link leads to a duck.")
        moderator.press("Undo")
        moderator.told("Report reopened.")
        moderator.sees("The link leads to a duck.")
        moderator.press(re.compile("^Close"))
        moderator.told("Report closed.")
        moderator.sees_not("The link leads to a duck.")


def test_visitors_are_led_to_sign_in_and_members_are_told_what_is_missing(house: House) -> None:
    with window(house) as visitor:
        visitor.open("/kelifax/moderation?status=rejected")
        visitor.at("/sign-in?next=/kelifax/moderation%3Fstatus%3Drejected")
        visitor.fill(Email_or_username=MODERATOR, Password=PASSWORD)
        visitor.press("Sign in")
        visitor.at("/kelifax/moderation?status=rejected")
    with window(house, MEMBER) as member:
        assert member.open("/kelifax/moderation").status == 403
        member.sees("Not allowed", "kelifax:moderation:read")
        member.check()


def test_a_picture_that_is_far_too_large_costs_nothing_that_was_typed(house: House, mode: Mode) -> None:
    with mode.window(house) as visitor:
        visitor.open("/kelifax/submit")
        visitor.fill(First_name="Ada", Last_name="Lovelace", Email="ada@engine.example")
        visitor.press("Next")
        visitor.field("Category").select_option("learning")
        visitor.fill(Name="Rope Pictures", Address="https://ropes.example", Tags="knots")
        visitor.field("Purpose").fill("Shows ropes from all sides.")
        picture = {"name": "rope.png", "mimeType": "image/png", "buffer": b"x" * 7_000_000}
        visitor.field("Logo").set_input_files(picture)
        if mode.script:
            message = "This file has 7.0 MB; at most 0.6 MB."
            expect(visitor.field("Logo")).to_have_js_property("validationMessage", message)
            visitor.press("Next")
            expect(visitor.field("Name")).to_have_value("Rope Pictures")
            visitor.field("Logo").set_input_files({**picture, "buffer": _picture()})
            visitor.press("Next")
            expect(visitor.field("Key features 1")).to_be_visible()
            visitor.check()
            visitor.press("Back")
            visitor.sees("A logo is uploaded already")
            return
        visitor.press("Next")
        visitor.sees("Too large", "Go back with your browser")
        visitor.check()
        visitor.page.go_back()
        expect(visitor.field("Name")).to_have_value("Rope Pictures")
        expect(visitor.field("Category")).to_have_value("learning")
        visitor.field("Logo").set_input_files({**picture, "buffer": b"x" * 2_000_000})
        visitor.press("Next")
        visitor.wrong("Logo", "At most 600 KB; this picture has 2,000 KB.")
        expect(visitor.field("Tags")).to_have_value("knots")
        visitor.press("Next")
        expect(visitor.field("Key features 1")).to_be_visible()


def _picture() -> bytes:
    data = BytesIO()
    Image.new("RGB", (64, 64), "navy").save(data, "PNG")
    return data.getvalue()


def test_a_resource_is_submitted_with_the_keyboard_alone(house: House) -> None:
    with window(house) as visitor:
        visitor.open("/kelifax/submit")
        keys = Keyboard(visitor)
        keys.to("Skip to content", "Enter")
        keys.type("First name", "Grace")
        keys.type("Last name", "Hopper")
        keys.type("Email", "grace@navy.example", "Enter")
        keys.type("Name", "Nanosecond Wires")
        keys.choose("Category", "Learning")
        keys.type("Address", "https://wires.example/nano")
        keys.type("Purpose", "Shows how far light comes in a moment.")
        keys.type("Tags", "light", "Enter")
        for place, feature in enumerate(FEATURES, 1):
            keys.type(f"Key features {place}", feature)
        for place, use in enumerate(USES, 1):
            keys.type(f"Use cases {place}", use)
        keys.to("Submit for review", "Enter")
        visitor.told("Keep the address of this page")
