"""The portal's approver and contributor: the queue by keys and by thumb, the desk, reviews, following."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, expect

from partita.apps.enablement.formats import day_in_words
from tests.browser.conftest import Mode
from tests.browser.enablement import APPROVER, CONTRIBUTOR, VIEWER, call, portal_with
from tests.browser.house import House
from tests.browser.window import Window, window


@pytest.fixture(scope="module")
def portal(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with portal_with(chromium, tmp_path_factory.mktemp("decisions")) as found:
        yield found


def in_days(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


def waiting(portal: House, *titles: str) -> None:
    """Cora's drafts, submitted."""
    for title in titles:
        new = {"title": title, "summary": f"About {title}.", "text": "Some *text*.", "product_suite": "Atlas"}
        made = call(portal, CONTRIBUTOR, "POST", "/content", new)
        call(portal, CONTRIBUTOR, "POST", f"/content/{made['content_id']}/submit", {})


def change(portal: House, title: str) -> None:
    """A change of something released, submitted."""
    found = call(portal, CONTRIBUTOR, "GET", "/content?status=Approved&limit=100")["items"]
    content_id = next(each["content_id"] for each in found if each["title"] == title)
    edit = {"summary": "Prices of this year, with all discounts.", "text": "# Why it matters\n\nPrices have changed."}
    call(portal, CONTRIBUTOR, "PUT", f"/content/{content_id}", edit)
    call(portal, CONTRIBUTOR, "POST", f"/content/{content_id}/submit", {"note": "Prices of this year added."})


def due(portal: House, title: str, days: int) -> None:
    """Something of Cora's that is due for review."""
    new = {"title": title, "summary": "Short.", "text": "Some text.", "review_due_date": in_days(days)}
    made = call(portal, CONTRIBUTOR, "POST", "/content", new)
    version = call(portal, CONTRIBUTOR, "POST", f"/content/{made['content_id']}/submit", {})["version"]
    call(portal, APPROVER, "POST", f"/content/{made['content_id']}/approve", {"version": version})


def _opens(shown: Window, title: str) -> None:
    """This is what is to be decided on."""
    expect(shown.page.locator("#open-title")).to_have_text(title, use_inner_text=True)


def test_the_queue_is_decided_by_the_keyboard(portal: House) -> None:
    waiting(portal, "By key one", "By key two", "By key three")
    with window(portal, APPROVER) as approver:
        approver.open("/enablement/queue")
        approver.check()
        keys = approver.page.keyboard

        def press(key: str) -> None:
            with approver.leaving():
                keys.press(key)

        _opens(approver, "By key one")
        press("j")
        _opens(approver, "By key two")
        press("k")
        keys.press("a")
        approver.sees("Press a again to approve it.")
        press("a")
        approver.told("“By key one” approved.")
        _opens(approver, "By key two")
        keys.press("d")
        expect(approver.field("Readers get it on")).to_be_visible()
        approver.field("Readers get it on").fill(in_days(5))
        with approver.leaving():
            approver.press("Approve for this day")
        approver.told(f"“By key two” approved for {day_in_words(in_days(5))}.")
        _opens(approver, "By key three")
        keys.press("r")
        expect(approver.field("What should change")).to_be_focused()
        keys.type("a jar of keys")
        with approver.leaving():
            keys.press("Control+Enter")
        approver.told("Changes requested: “By key three”.")
        approver.sees("Nothing waits", "Last decisions")
        approver.check()


def test_an_approver_reads_what_changed_asks_for_more_and_approves_for_a_day(portal: House, mode: Mode) -> None:
    title = f"Waits in {mode.number}"
    waiting(portal, title)
    if mode.number == 1:
        change(portal, "Atlas price list")
    with mode.window(portal, APPROVER) as approver:
        approver.open("/enablement/queue")
        _opens(approver, title)
        approver.sees("Approve now", "Checks", f"About {title}.")
        approver.check()
        approver.click(approver.page.locator("summary", has_text="Request changes"))
        approver.page.get_by_label("What should change").fill("Add the prices of next year.")
        approver.press("Only comment")
        approver.told("Comment posted.")
        approver.sees("Add the prices of next year.")
        approver.click(approver.page.locator("summary", has_text="Approve for a later day"))
        approver.page.get_by_label("Readers get it on").fill(in_days(3))
        approver.press("Approve for this day")
        approver.told(f"approved for {day_in_words(in_days(3))}")
        if mode.number == 1:
            _opens(approver, "Atlas price list")
            approver.sees("Prices of this year added.", "Change of version 1")
            approver.check()
            approver.press("Approve now")
            approver.told("“Atlas price list” approved.")


def test_a_contributor_clears_the_desk_and_confirms_what_is_still_correct(portal: House, mode: Mode) -> None:
    late, soon = f"Late in {mode.number}", f"Soon in {mode.number}"
    due(portal, late, -3)
    due(portal, soon, 4)
    with mode.window(portal, CONTRIBUTOR) as contributor:
        contributor.open("/enablement/mine")
        contributor.sees("To be reviewed", late, soon, "Drafts")
        contributor.check()
        contributor.press(re.compile(rf"^Still correct\W+{late}$"))
        contributor.told("is confirmed")
        contributor.open("/enablement/review")
        contributor.sees("This week", soon)
        contributor.check()
        contributor.page.get_by_label(f"Choose {soon}").check()
        contributor.press("Still correct: all ticked")
        contributor.told("1 confirmed as correct.")


def test_a_viewer_follows_and_stops_with_a_way_back(portal: House, mode: Mode) -> None:
    with mode.window(portal, VIEWER) as viewer:
        viewer.open("/enablement/notifications")
        viewer.check()
        viewer.open("/enablement/notifications/settings")
        viewer.check()
        viewer.open("/enablement/following")
        viewer.field("Product").select_option("Cirrus")
        viewer.press("Follow")
        viewer.told("You follow Cirrus.")
        viewer.check()
        viewer.press("Stop following Cirrus")
        viewer.told("You no longer follow Cirrus.")
        viewer.press("Undo")
        viewer.told("You follow it again.")
        viewer.press("Stop following Cirrus")
        viewer.told("You no longer follow Cirrus.")


def test_several_are_approved_at_once_and_filters_are_kept_as_a_view(portal: House, mode: Mode) -> None:
    titles = [f"Several {mode.number}.{number}" for number in (1, 2)]
    for title in titles:
        made = call(portal, CONTRIBUTOR, "POST", "/content", {"title": title, "summary": "Short.", "text": _PARTS})
        call(portal, CONTRIBUTOR, "POST", f"/content/{made['content_id']}/submit", {})
    with mode.window(portal, APPROVER) as aron:
        aron.open("/enablement/manage")
        aron.check()
        for title in titles:
            aron.page.get_by_label(f"Choose {title}", exact=True).check()
        aron.press("Approve 2" if mode.script else "Approve all ticked")
        aron.at(re.compile("/jobs/"))
        job = aron.path
        result = aron.page.get_by_role("link", name="Look at the result")
        aron.until(job, lambda: result.count() > 0)
        aron.click(result)
        aron.sees("2 approved", *titles)
        aron.check()
        aron.follow(titles[0])
        aron.click(aron.page.get_by_role("navigation", name="On this page").get_by_role("link", name="Delivery"))
        expect(aron.page.get_by_role("heading", name="Delivery")).to_be_in_viewport()
        aron.check()
        if mode.script:  # what was typed outlives a reload, though the form's buttons are named "action"
            aron.open("/enablement/manage?show=released")
            aron.page.locator("summary", has_text="Retire").click()
            aron.field("Why").fill("Replaced by the list of this year.")
            aron.page.reload()
            expect(aron.field("Why")).to_have_value("Replaced by the list of this year.")
            aron.press("Discard it")
        aron.open("/enablement?suite=Atlas")
        aron.click(aron.page.get_by_text("Save this view", exact=True))
        aron.fill(Name=f"Atlas {mode.number}")
        aron.press("Save")
        aron.told(f"View “Atlas {mode.number}” saved.")
        aron.check()
        aron.open("/enablement")
        aron.follow(f"Atlas {mode.number}")
        aron.press("Remove this view")
        aron.told(f"View “Atlas {mode.number}” removed.")


_PARTS = "\n\n".join(
    f"# {name}\n\n" + "Read this before you go on. " * 60 for name in ("Price", "Order", "Delivery", "Help")
)
