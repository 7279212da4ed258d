"""The portal as people use it: a viewer reads, confirms, votes, reports and goes through a collection; approvers and
administrators look at numbers, products and the log."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Mode
from tests.browser.enablement import ADMIN, APPROVER, CONTRIBUTOR, VIEWER, portal_with
from tests.browser.house import House
from tests.browser.window import Window


@pytest.fixture(scope="module")
def portal(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with portal_with(chromium, tmp_path_factory.mktemp("use")) as house:
        yield house


def _content(shown: Window, title: str) -> str:
    """The path of an item, from the library."""
    link = shown.page.locator("#main").get_by_role("link", name=title, exact=True).first
    shown.until("/enablement?sort=title", lambda: link.count() > 0)
    return link.get_attribute("href") or ""


def test_somebody_is_asked_to_read_something_and_confirms(portal: House, mode: Mode) -> None:
    title = ("Installing Borealis", "Safety first", "Calibrating Atlas", "How Borealis looks")[mode.number - 1]
    with mode.window(portal, APPROVER) as aron, mode.window(portal, VIEWER) as vera:
        path = _content(aron, title)
        aron.open(f"{path}/readers")
        aron.check()
        aron.fill(People=f"{VIEWER}, nobody", To_be_read_by="2999-01-31")
        aron.press("Ask them")
        aron.wrong("People", "There is nobody with the username")
        aron.fill(People=f"{VIEWER}, {CONTRIBUTOR}")
        aron.press("Ask them")
        aron.sees("0 of 2")
        vera.open("/enablement/reading")
        vera.sees(title)
        vera.check()
        vera.open(path)
        vera.sees("Please read this by")
        vera.check()
        vera.click(vera.page.get_by_role("button", name="I have read this").first)
        vera.told("Confirmed: you have read version 1.")
        vera.open("/enablement/reading")
        vera.sees("Version 1")
        aron.open(f"{path}/readers")
        aron.sees("1 of 2")
        aron.press("Remind 1")
        aron.told("1 person reminded.")
        expect(aron.page.get_by_role("button", name="Reminded today")).to_be_disabled()
        aron.check()


def test_a_viewer_votes_and_reports_and_the_owner_answers(portal: House, mode: Mode) -> None:
    title = ("Atlas price list", "Prices of this year", "Safety first", "Installing Borealis")[mode.number - 1]
    with mode.window(portal, VIEWER) as vera, mode.window(portal, CONTRIBUTOR) as cora:
        path = _content(vera, title)
        vera.open(path)
        vera.press("No")
        vera.told("Vote saved.")
        expect(vera.page.get_by_role("button", name="No", exact=True)).to_have_attribute("aria-pressed", "true")
        vera.follow("This is out of date")
        vera.field("What is wrong").fill("The second table is from last year.")
        vera.check()
        vera.press("Report")
        vera.told("Its owner is told")
        cora.open(path)
        cora.sees("How it is used")
        cora.check()
        cora.follow("1 open report")
        cora.sees("The second table is from last year.")
        cora.field("Your answer").fill("Thank you: mended.")
        cora.check()
        cora.press("Answer and close")
        cora.sees("No open reports")


def test_an_approver_makes_a_collection_and_a_viewer_goes_through_it(portal: House, mode: Mode) -> None:
    name = f"First week {mode.number}"
    with mode.window(portal, APPROVER) as aron, mode.window(portal, VIEWER) as vera:
        aron.until("/enablement?q=spectrometer", lambda: aron.page.locator(".content-card").count() > 0)
        aron.open("/enablement/collections")
        aron.follow(re.compile("New collection|Make the first one"))
        aron.fill(Title=name)
        aron.press("Make collection")
        for words, title in (("borealis installing", "Installing Borealis"), ("safety", "Safety first")):
            aron.page.get_by_role("searchbox", name="Words in the content").fill(words)
            aron.click(aron.page.get_by_role("button", name="Search", exact=True).last)
            aron.click(aron.page.get_by_role("button", name=f"Add {title}"))
            aron.told("Added at the end.")
        aron.click(aron.page.get_by_role("button", name="Move Safety first up"))
        aron.told("Moved.")
        aron.check()
        vera.open("/enablement/collections")
        vera.check()
        vera.follow(name)
        titles = vera.page.locator(".collection-list h2")
        expect(titles).to_have_text(["Safety first", "Installing Borealis"])
        vera.check()
        buttons = vera.page.get_by_role("button", name=re.compile("I have read this"))
        if buttons.count():
            vera.click(buttons.first)
            vera.told("Confirmed")
        vera.sees("of 2 read")


def test_numbers_products_and_the_log(portal: House, mode: Mode) -> None:
    with mode.window(portal, ADMIN) as xena:
        xena.open("/enablement?q=nothingatall")
        xena.open("/enablement/analytics?days=7")
        xena.check()
        xena.open("/enablement/products")
        xena.check()
        xena.follow("New product")
        xena.fill(Name=f"Vega {mode.number}", Concepts="Sales, Service")
        xena.check()
        xena.press("Save product")
        xena.sees(f"Vega {mode.number}", "Sales · Service", "0 items")
        xena.open("/enablement/log")
        xena.sees("nothingatall")
        xena.check()
        xena.open("/enablement/log/audit")
        xena.sees("Approved")
        xena.check()
