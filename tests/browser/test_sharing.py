"""Sharing the address of a page: with script, without, and on a narrow screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Mode
from tests.browser.house import House
from tests.browser.places import Place
from tests.browser.screenshots import keep
from tests.browser.window import window


@pytest.mark.parametrize("listed", ["/kelifax/resources", "/fus"])
def test_the_address_of_a_thing_can_be_copied(house: House, mode: Mode, listed: str) -> None:
    with mode.window(house) as visitor:
        visitor.open(listed)
        with visitor.leaving():
            visitor.click(visitor.page.locator("#main h3 a").first)
        url = visitor.page.url
        visitor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visitor.click(visitor.page.locator("summary").filter(has_text="Share"))
        expect(visitor.page.get_by_label("Address of this page")).to_have_value(url)
        mail = visitor.page.get_by_role("link", name="Send by mail").get_attribute("href") or ""
        assert mail.startswith("mailto:?subject=")
        if visitor.script:
            visitor.press("Copy link")
            expect(visitor.page.locator(".share [role=status]")).to_have_text("Link copied.")
            assert visitor.page.evaluate("navigator.clipboard.readText()") == url
        else:
            expect(visitor.page.get_by_role("button", name="Copy link")).to_be_hidden()
        visitor.check()
        keep(visitor, Place(listed, f"{listed}/shared", None), narrow=visitor.narrow)


def test_a_phone_shows_what_it_shares_with(house: House) -> None:
    with window(house, narrow=True) as visitor:
        visitor.page.add_init_script(
            "navigator.share = (given) => { window.shared = given; return Promise.resolve(); };"
            "const asked = window.matchMedia;"
            "window.matchMedia = (query) => query.includes('coarse') ? { matches: true } : asked.call(window, query);"
        )
        visitor.open("/fus")
        with visitor.leaving():
            visitor.click(visitor.page.locator("#main h3 a").first)
        visitor.click(visitor.page.locator("summary").filter(has_text="Share"))
        visitor.page.wait_for_function("() => window.shared")
        assert visitor.page.evaluate("window.shared.url") == visitor.page.url
        expect(visitor.page.locator("details.share")).not_to_have_attribute("open", "")


def test_the_menu_closes_with_escape_and_the_focus_returns(house: House) -> None:
    with window(house) as visitor:
        visitor.open("/fus")
        with visitor.leaving():
            visitor.click(visitor.page.locator("#main h3 a").first)
        visitor.page.locator("summary").filter(has_text="Share").press("Enter")
        expect(visitor.page.locator("details.share")).to_have_attribute("open", "")
        visitor.page.keyboard.press("Tab")
        expect(visitor.page.get_by_label("Address of this page")).to_be_focused()
        visitor.page.keyboard.press("Escape")
        expect(visitor.page.locator("details.share")).not_to_have_attribute("open", "")
        expect(visitor.page.locator("details.share summary")).to_be_focused()
