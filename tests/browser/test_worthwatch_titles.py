"""What a member does with titles: ticks, ratings, the diary, saved lists; with script, without, on a phone."""

from __future__ import annotations

import re
from datetime import date, timedelta

from playwright.sync_api import Locator, Response, expect

from tests.browser.conftest import Mode
from tests.browser.house import MEMBER, House
from tests.browser.window import Window, window


def test_a_member_ticks_saves_rates_and_keeps_a_diary(house: House, mode: Mode) -> None:
    list_id, titles = _list(house, mode.number)
    with mode.window(house, MEMBER) as member:
        _tick(member, list_id)
        _save(member, list_id)
        path = f"/worthwatch/titles/film/{titles[-1]}"
        _rate(member, path)
        _want(member, f"/worthwatch/titles/film/{titles[-2]}")
        _log(member, path)


def test_a_press_is_kept_though_the_page_is_left_at_once(house: House) -> None:
    list_id, _ = _list(house, 3)
    with window(house, MEMBER) as member:
        member.open(f"/worthwatch/lists/{list_id}?view=posters")
        action = member.page.locator(".tile:not(.seen) .mark.seen").first.get_attribute("formaction")
        seen = f"[formaction='{action}']"
        # Both in one turn of the loop: the press has not been sent when the page begins to leave.
        member.page.evaluate(
            """button => {
                document.querySelector(button).click();
                location.href = "/worthwatch/diary";
            }""",
            seen,
        )
        member.page.wait_for_url("**/worthwatch/diary")
        here = f"/worthwatch/lists/{list_id}?view=posters"
        member.until(here, lambda: member.page.locator(seen).get_attribute("aria-pressed") == "true")
        # Of quick presses the last one counts, also if the page is left while one before it is under way.
        with member.page.expect_response(lambda answer: "/seen/" in answer.url and "on=false" in _sent(answer)) as last:
            member.page.evaluate("button => [1, 2, 3].forEach(() => document.querySelector(button).click())", seen)
        assert last.value.ok
        expect(member.page.locator(seen)).to_have_attribute("aria-pressed", "false")
        member.until(here, lambda: member.page.locator(seen).get_attribute("aria-pressed") == "false")
        member.page.evaluate(
            """async button => {
                const fetched = window.fetch;
                const done = new Promise((resolve) => {
                    window.fetch = (...sent) => {
                        resolve(fetched(...sent));
                        return new Promise(() => {});
                    };
                });
                document.querySelector(button).click();
                await done;
                window.fetch = fetched;
                document.querySelector(button).click();
                location.href = "/worthwatch/diary";
            }""",
            seen,
        )
        member.page.wait_for_url("**/worthwatch/diary")
        member.until(here, lambda: member.page.locator(seen).get_attribute("aria-pressed") == "false")
        member.check()


def _sent(answer: Response) -> str:
    return answer.request.post_data or ""


def test_keys_rate_a_title_and_nothing_is_lost_of_the_page(house: House) -> None:
    _, titles = _list(house, 5)
    with window(house, MEMBER) as member:
        member.open(f"/worthwatch/titles/film/{titles[-1]}")
        for key, given in (("7", 7), ("0", 10)):
            member.page.keyboard.press(key)
            expect(member.page.locator(".title-rate")).to_contain_text(f"You gave it {given} of 10")
            pressed = member.page.locator(".steps-of-ten [aria-pressed=true]")
            expect(pressed).to_have_text(f"Rate it {given}")
        expect(_mark(member, "Seen")).to_have_attribute("aria-pressed", "true")
        _mark(member, "Seen").click()
        member.sees("Remove your rating first")
        expect(_mark(member, "Seen")).to_have_attribute("aria-pressed", "true")
        member.confirm("Remove", "Remove")
        member.told("Your rating is removed")


def test_the_pages_of_titles_are_calm_in_the_dark_on_a_phone(house: House) -> None:
    _, titles = _list(house, 6)
    with window(house, MEMBER, narrow=True, dark=True) as member:
        for path in (
            f"/worthwatch/titles/film/{titles[0]}",
            "/worthwatch/diary",
            "/worthwatch/diary/seen",
            "/worthwatch/saved",
            "/worthwatch/to-watch",
        ):
            member.open(path)
            member.check()
        member.open(f"/worthwatch/titles/film/{titles[0]}")
        small = member.page.evaluate(
            """() => [...document.querySelectorAll(".title-screen button")]
                .map(each => each.getBoundingClientRect()).filter(each => each.height > 0 && each.height < 40).length"""
        )
        assert small == 0, "buttons that are hard to press"


def _list(house: House, number: int) -> tuple[str, list[str]]:
    """One of the demo's lists that fit on a page, and its films."""
    with house.program() as program:
        found = program.get("/api/worthwatch/watchlists?limit=30").json()["items"]
        fitting = sorted(each["watchlistId"] for each in found if 8 <= each["itemCount"] <= 48)
        list_id = fitting[number % len(fitting)]
        items = program.get(f"/api/worthwatch/watchlists/{list_id}/items").json()["items"]
    return list_id, [each["contentId"] for each in items if each["contentType"] == "MOVIE"]


def _mark(member: Window, label: str) -> Locator:
    return member.page.locator(".title-marks").get_by_role("button", name=re.compile(rf"^{label}\b"))


def _tick(member: Window, list_id: str) -> None:
    """A press in the grid moves the ring."""
    member.open(f"/worthwatch/lists/{list_id}")
    ring = member.page.locator("#progress .ring")
    before = int(re.findall(r"\d+", ring.inner_text())[0])
    buttons = member.page.locator("#main").get_by_role("button", name=re.compile(r"^Seen\s*: "), pressed=False)
    button = buttons.locator("visible=true").first
    action = button.get_attribute("formaction")
    button.click()
    expect(member.page.locator("#progress .ring")).to_contain_text(f"{before + 1} of")
    same = member.page.locator(f"[formaction='{action}'][aria-pressed=true]").locator("visible=true").first
    same.click()
    expect(member.page.locator("#progress .ring")).to_contain_text(f"{before} of")
    member.check()


def _save(member: Window, list_id: str) -> None:
    member.open(f"/worthwatch/lists/{list_id}")
    member.press("Save")
    member.told("Saved")
    member.open("/worthwatch/saved")
    expect(member.page.locator("#main")).to_contain_text(re.compile(r"\d+ of \d+ seen"))
    member.check()


def _rate(member: Window, path: str) -> None:
    member.open(path)
    member.check()
    member.press("Rate it 8")
    expect(member.page.locator(".title-rate")).to_contain_text("You gave it 8 of 10")
    member.click(member.page.locator("summary").filter(has_text="Write a review"))
    member.field("Review").fill("A train at night, and nobody sleeps.")
    member.press("Save review")
    member.told("Your review is saved")
    member.sees("A train at night, and nobody sleeps.")
    member.open("/worthwatch/diary/reviews")
    member.sees("A train at night, and nobody sleeps.")
    member.check()


def _want(member: Window, path: str) -> None:
    member.open(path)
    title = member.page.locator("h1").inner_text()
    # The tick turns at once; the page must not be left before the press has arrived.
    with member.page.expect_response(lambda answer: answer.request.method == "POST"):
        _mark(member, "To watch").click()
    expect(_mark(member, "To watch")).to_have_attribute("aria-pressed", "true")
    member.open("/worthwatch/to-watch")
    expect(member.page.locator(f".tile img[alt^='{title}']")).to_have_count(1)
    member.check()


def _log(member: Window, path: str) -> None:
    member.open(path)
    member.follow("Log a viewing")
    member.field("Day").fill((date.today() - timedelta(days=1)).isoformat())
    member.field("Note").fill("In the last row.")
    member.check()
    member.press("Add to the diary")
    member.told("is in your diary")
    member.sees("In the last row.")
    member.check()
    member.confirm("Delete", "Delete")
    member.told("The entry is deleted")
