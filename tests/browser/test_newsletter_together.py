"""With others, and again: the next issue of a series, a review with notes and an approval, an author's own answer, and
what administrators choose for all."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Mode
from tests.browser.house import House
from tests.browser.newsletter import ADMIN, AR, AUTHOR, COLLEAGUE, EN, READER, desk_with
from tests.browser.window import Window, window

REVIEW = f"/newsletter/editions/{EN}/review"


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with desk_with(chromium, tmp_path_factory.mktemp("together")) as found:
        yield found


def _ask(olga: Window, review: str, to: str) -> None:
    """Share a newsletter with somebody and ask for a review."""
    olga.open(review)
    olga.click(olga.page.locator("summary").filter(has_text="Share or ask for a review"))
    olga.fill(Username_or_email_address=to)
    olga.press("Share")
    olga.sees("asked for a review")


def test_the_next_issue_goes_on_where_the_last_one_ended(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga:
        olga.open(f"/newsletter/editions/{EN}/configure")
        if mode.script:
            olga.check()
        olga.click(olga.page.locator("summary").filter(has_text="Issue and preview line"))
        olga.fill(Issue=f"No. {10 * mode.number}")
        with olga.leaving():
            olga.press("Save")
        olga.open("/newsletter")
        card = olga.page.locator(".covers li").filter(has_text=f"No. {10 * mode.number}")
        with olga.leaving():
            olga.click(card.get_by_role("button", name="Next issue").first)
        olga.at(re.compile("/configure$"))
        olga.told("created with the settings, topics, sections and standing items of the last.")
        expect(olga.page.locator("input[name=title]")).to_have_value("Weekly Research Digest")
        expect(olga.page.locator("input[name=issue_label]")).to_have_value(re.compile(r"^No\. \d+$"))
        assert EN not in olga.path, "the last issue stays as it is"
        olga.check()
        with olga.leaving():
            olga.press("Plan content")
        olga.sees("Topics")
        olga.check()


def test_a_colleague_notes_asks_for_changes_and_approves(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as olga, mode.window(desk, COLLEAGUE) as ed:
        _ask(olga, REVIEW, COLLEAGUE)
        olga.check()
        ed.open("/newsletter")
        ed.sees("Needs you")
        ed.open(REVIEW)
        ed.sees("Review requested", "Sorghum yields in Turkana rose by 12 percent")
        section = ed.page.locator(".review-section").filter(has_text="Research Findings")
        ed.click(section.locator("summary").filter(has_text="Add a note"))
        section.get_by_label("Note").fill(f"Which year, in {mode.number}?")
        ed.click(section.get_by_role("button", name="Add note"))
        ed.sees(f"Which year, in {mode.number}?")
        ed.check()
        ed.fill(Comment=f"Shorter, please, {mode.number}.")
        with ed.leaving():
            ed.press("Ask for changes")
        ed.told("Changes requested.")
        olga.open(REVIEW)
        olga.sees("Changes requested", f"Shorter, please, {mode.number}.")
        note = olga.page.locator(".note").filter(has_text=f"Which year, in {mode.number}?")
        olga.click(note.get_by_role("button", name=re.compile("^Resolve")))
        expect(note).to_contain_text("Resolved")
        _ask(olga, REVIEW, COLLEAGUE)
        ed.open(REVIEW)
        with ed.leaving():
            ed.press("Approve")
        ed.told("Approved.")
        ed.check()
        olga.open(f"/newsletter/editions/{EN}/finish")
        olga.sees("Approved on")
        olga.open(REVIEW)
        olga.press("Withdraw approval")
        olga.told("Approval withdrawn.")


def test_an_author_who_was_asked_has_no_objections(desk: House, mode: Mode) -> None:
    review = f"/newsletter/editions/{AR}/review"
    with mode.window(desk, AUTHOR) as olga, mode.window(desk, READER) as ria:
        _ask(olga, review, READER)
        ria.open(review)
        ria.sees("Only editors can approve")
        expect(ria.page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
        ria.check()
        with ria.leaving():
            ria.press("No objections")
        ria.told("Noted that you have no objections.")
        expect(ria.page.get_by_role("button", name="No objections", exact=True)).to_have_count(0)
        olga.open(review)
        olga.sees("I have read it and have no objections.")
        olga.check()


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_whoever_was_typed_is_there_again_after_a_look_elsewhere(desk: House, script: bool) -> None:
    with window(desk, AUTHOR, script=script) as olga:
        olga.open(f"/newsletter/editions/{AR}/review")
        form = olga.page.locator("form.form").filter(has=olga.page.locator("input[name=to]"))
        if not form.locator("input[name=to]").is_visible():
            olga.click(olga.page.locator("summary").filter(has_text="Share or ask for a review"))
        olga.fill(Username_or_email_address="somebody@example.org")
        olga.open("/newsletter")
        olga.page.go_back()
        expect(form.locator("input[name=to]")).to_have_value("somebody@example.org")


def test_an_administrator_tries_a_writer_and_edits_a_prompt(desk: House, mode: Mode) -> None:
    with mode.window(desk, ADMIN) as xena:
        xena.open("/newsletter/writers")
        xena.sees("In use", "Not set up")
        xena.check()
        with xena.leaving():
            xena.press("Try Offline writer")
        xena.until(xena.path, lambda: xena.page.locator("#trial").count() > 0)
        xena.sees("Seconds")
        xena.check()
        xena.open("/newsletter/writers/prompts/section")
        xena.check()
        xena.fill(Text=f"Write for {{audience}}, in way {mode.number}.", **{"What changed, and why": "Shorter"})
        with xena.leaving():
            xena.press(re.compile("^Save as version"))
        xena.sees("Shorter")
        xena.follow("Original")
        xena.sees("What has changed since")
        xena.check()
