"""People and talk in WorthWatch as people use them: with script, without, and on a narrow screen."""

from __future__ import annotations

import re
from io import BytesIO

from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MEMBER, PASSWORD, House, confirm_address
from tests.browser.window import Window

STATEMENT = "I have run a film club in Leeds for ten years, and I write a note on every evening of it."


def test_a_member_follows_a_curator_comments_and_is_answered(house: House, mode: Mode) -> None:
    curator, watchlist = _somebody_to_follow(house)
    with mode.window(house, MEMBER) as member, mode.window(house, ADMIN) as other:
        member.open(curator)
        member.check()
        member.press("Follow")
        member.told("You follow them now")
        member.press("Following")
        member.told("You no longer follow them")
        member.open(f"/worthwatch/lists/{watchlist}/comments")
        text = f"Number four made me miss my stop, {mode.number}."
        member.fill(Your_comment=text)
        member.press("Post comment")
        _said(member, "Comment posted", text)
        member.check()
        other.open(f"/worthwatch/lists/{watchlist}/comments")
        thread = other.page.locator(".threads > li").filter(has_text=text)
        thread.locator("summary").filter(has_text="Reply").click()
        thread.get_by_label("Your reply").fill(f"Mine was number five, {mode.number}.")
        other.click(thread.get_by_role("button", name="Post reply"))
        _said(other, "Reply posted", "Mine was number five")
        member.open(f"/worthwatch/lists/{watchlist}/comments")
        own = member.page.locator(".threads > li").filter(has_text=text)
        with member.leaving():
            member.click(own.get_by_role("link", name="Edit", exact=True).first)
        member.fill(Your_comment=f"{text} Twice.")
        member.press("Save comment")
        member.told("Comment saved")
        member.sees("edited", "Twice.")
        own = member.page.locator(".threads > li").filter(has_text="Twice.")
        member.click(own.get_by_role("link", name="Remove", exact=True).first)
        member.agree("Remove")
        member.told("Comment removed")
        member.sees("Removed by its author.", f"Mine was number five, {mode.number}.")
        member.sees_not(text)


def test_comments_load_after_the_list_or_are_a_link_away(house: House, mode: Mode) -> None:
    _, watchlist = _somebody_to_follow(house)
    with mode.window(house) as visitor:
        visitor.open(f"/worthwatch/lists/{watchlist}")
        if mode.script:
            visitor.page.locator("#comments").scroll_into_view_if_needed()
        else:
            visitor.follow(re.compile("^Read .* comment|Write the first"))
        expect(visitor.page.locator("#comments .comment").first).to_be_visible()
        visitor.follow("Sign in to comment")
        visitor.at(re.compile("/sign-in"))


def test_an_application_is_written_and_decided_at_the_desk(house: House, mode: Mode) -> None:
    name = _newcomer(house, mode)
    with mode.window(house, name) as applicant, mode.window(house, ADMIN) as admin:
        applicant.open("/worthwatch/apply")
        applicant.check()
        applicant.fill(Why_you="Please.".ljust(50, "!"))
        applicant.page.locator("[name=links]").first.fill("no address")
        applicant.press("Apply")
        applicant.wrong("Links 1", "")
        applicant.fill(Why_you=STATEMENT)
        applicant.page.locator("[name=links]").first.fill("https://example.org/club")
        applicant.press("Apply")
        applicant.told("Application sent")
        applicant.sees("waits for a decision", STATEMENT)
        admin.open("/worthwatch/applications")
        admin.check()
        if mode.narrow:
            admin.click(admin.page.locator("summary").filter(has_text="waiting"))
        admin.click(admin.page.get_by_role("navigation", name="waiting").get_by_role("link", name=re.compile(name)))
        admin.sees(STATEMENT, "example.org")
        admin.click(admin.page.locator("summary").filter(has_text="Decline"))
        admin.page.get_by_label("Reason", exact=True).fill("Write a private list first, with notes.")
        admin.press(re.compile("^Decline "))
        admin.told("was declined")
        applicant.open("/worthwatch/apply")
        applicant.sees("declined", "Write a private list first, with notes.", "You can apply again from")
        applicant.check()


def test_a_report_is_worked_off_at_the_desk(house: House, mode: Mode) -> None:
    _, watchlist = _somebody_to_follow(house)
    name = _newcomer(house, mode)
    spam = f"Buy soap at soap.example, {mode.number}"
    with house.program(name) as program:
        program.post(f"/worthwatch/lists/{watchlist}/comments", form={"commentText": spam})
    with mode.window(house, MEMBER) as member, mode.window(house, ADMIN) as admin:
        member.open(f"/worthwatch/lists/{watchlist}/comments")
        member.click(
            member.page.locator(".comment").filter(has_text=spam).get_by_role("link", name=re.compile("^Report"))
        )
        member.fill(What_is_wrong_with_it="It is an advertisement.")
        member.check()
        member.press("Send report")
        member.told("Thank you")
        admin.open("/worthwatch/reports")
        if mode.narrow:
            admin.click(admin.page.locator("summary").filter(has_text="open"))
        queue = admin.page.get_by_role("navigation", name=re.compile("open$"))
        with admin.leaving():
            admin.click(queue.get_by_role("link", name=re.compile(f"{name}|advertisement")).last)
        admin.sees(spam, "It is an advertisement.")
        admin.check()
        admin.press("Remove the comment")
        admin.told("Removed")
        member.open(f"/worthwatch/lists/{watchlist}/comments")
        member.sees_not(spam)
        admin.until("/worthwatch/log", lambda: "removed comment" in admin.page.locator("#main").inner_text())
        admin.check()


def test_a_profile_with_favourites(house: House, mode: Mode) -> None:
    name = _newcomer(house, mode)
    with mode.window(house, name) as member:
        member.open("/worthwatch/profile")
        member.fill(Name="Rosa", About_you="Trains, mostly at night.")
        member.press("Save profile")
        member.told("Profile saved")
        member.page.get_by_label("Find a film or series").fill("Alien")
        member.press("Find")
        member.press(re.compile("^Add Alien"))
        member.told("Favourite added")
        member.check()
        with member.leaving():
            member.follow("See it as others do")
        member.sees("Rosa", "Trains, mostly at night.", "Favourites")
        member.check()


def test_a_face_is_uploaded_shown_and_removed(house: House, mode: Mode) -> None:
    name = _newcomer(house, mode)
    data = BytesIO()
    Image.new("RGB", (200, 150), (40, 90, 160)).save(data, "PNG")
    with mode.window(house, name) as member:
        member.open("/worthwatch/profile")
        face = member.page.locator(".portrait img.face")
        expect(face).to_have_count(0)
        member.page.get_by_label("Your face").set_input_files(
            {"name": "me.png", "mimeType": "image/png", "buffer": data.getvalue()}
        )
        member.press("Upload")
        member.told("Picture saved")
        assert face.evaluate("each => each.decode().then(() => each.naturalWidth)") == 150
        member.check()
        member.click(member.page.locator(".picture-form").get_by_role("button", name="Remove"))
        member.told("Picture removed")
        expect(face).to_have_count(0)


def _somebody_to_follow(house: House) -> tuple[str, str]:
    """A curator's page, and the list that people talk about most."""
    with house.program() as program:
        lists = program.get("/api/worthwatch/watchlists?sort=popular").json()["items"]
    most = max(lists, key=lambda each: int(each["commentCount"]))
    return f"/worthwatch/curators/{most['curatorId']}", str(most["watchlistId"])


def _newcomer(house: House, mode: Mode) -> str:
    """Somebody who has just made an account."""
    name = f"newcomer-{len(house.keys)}-{mode.number}"
    with house.program() as somebody:
        address = f"{name}@example.org"
        answer = somebody.post(
            "/sign-up", form={"username": name, "email": address, "name": name, "password": PASSWORD}
        )
        assert answer.ok, answer.text()
        house.keys[name] = somebody.storage_state()
    with house.program(ADMIN) as admin:
        confirm_address(house, admin, name)
    return name


def _said(shown: Window, told: str, text: str) -> None:
    shown.told(told)
    expect(shown.page.locator("#comments")).to_contain_text(text)
