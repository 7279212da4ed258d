"""Letting an edition out: formats are made and downloaded, a link is made and revoked, the brand is set."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Mode
from tests.browser.house import House
from tests.browser.newsletter_finish import ADMINISTRATOR, AUTHOR, CODES, EMPTY, finished_with
from tests.browser.places import Place
from tests.browser.screenshots import keep
from tests.browser.window import Window


@pytest.fixture(scope="module")
def desk(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with finished_with(chromium, tmp_path_factory.mktemp("finish")) as house:
        yield house


def _kept(shown: Window, name: str) -> None:
    keep(shown, Place(shown.path, f"newsletter/{name}", None), narrow=shown.narrow)


def _create(ada: Window, finish: str, name: str) -> None:
    with ada.leaving():
        ada.press(f"Create {name}")
    ready = ada.page.get_by_role("link", name=f"Download {name}", exact=True)
    if ada.script:
        expect(ready).to_be_visible()
    else:
        ada.until(finish, lambda: ready.count() > 0)


def test_an_edition_is_made_and_downloaded_in_every_format(desk: House, mode: Mode) -> None:
    finish = f"/newsletter/editions/{CODES[mode.number]}/finish"
    with mode.window(desk, AUTHOR) as ada:
        ada.open(finish)
        ada.sees("Main format")
        ada.check()
        _create(ada, finish, "PDF")
        ada.sees("page")
        with ada.page.expect_download() as found:
            ada.follow("Download PDF")
        assert found.value.suggested_filename == "Weekly Research Digest No. 12.pdf"
        for name in ("Word", "Mail", "Web page", "Markdown", "Mail draft"):
            _create(ada, finish, name)
        ada.open(finish)
        ada.check()
        _kept(ada, "finish")
        ada.open(f"/newsletter/editions/{CODES[mode.number]}/write?view=preview")
        ada.follow("Mail")
        expect(ada.page.locator(".mail-look h1")).to_have_text("Weekly Research Digest")
        ada.check()
        _kept(ada, "write-mail")
        ada.follow("Pages")
        expect(ada.page.get_by_role("img", name="Page 1 of the PDF")).to_have_js_property("naturalWidth", 900)
        ada.check()
        _kept(ada, "write-pages")


def test_a_link_is_made_read_by_anybody_and_revoked(desk: House, mode: Mode) -> None:
    finish = f"/newsletter/editions/{CODES[mode.number]}/finish"
    with mode.window(desk, AUTHOR) as ada, mode.window(desk) as visitor:
        ada.open(finish)
        ada.press("Create link")
        ada.told("Link created. Anyone who has it can read the newsletter.")
        ada.check()
        address = ada.page.locator(".secret-link").get_attribute("href") or ""
        path = address[address.index("/newsletter/") :]
        visitor.open(path)
        expect(visitor.page.get_by_role("heading", name="Weekly Research Digest", level=1)).to_be_visible()
        expect(visitor.page.get_by_role("img", name="Terraced fields below a low sun")).to_have_js_property(
            "complete", True
        )
        if mode.script:
            assert visitor.overhang() == []
            assert visitor.complaints() == []
        _kept(visitor, "read")
        visitor.click(visitor.page.get_by_role("link", name="Source 2").first)
        visitor.at(re.compile("#source-2$"))
        visitor.click(visitor.page.get_by_role("link", name="Back to the text [2]"))
        visitor.at(re.compile("#cite-2-1$"))
        ada.confirm("Revoke link", "Revoke link")
        ada.told("Link revoked.")
        assert visitor.open(path).status == 404


def test_a_test_mail_is_in_the_outbox_of_a_site_that_sends_none(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as ada:
        ada.open(f"/newsletter/editions/{CODES[mode.number]}/finish")
        ada.press("Put a test in the outbox")
        ada.told(f"The test mail to {AUTHOR}@example.org is in the outbox.")


def test_an_edition_without_a_draft_says_what_is_missing(desk: House, mode: Mode) -> None:
    with mode.window(desk, AUTHOR) as ada:
        ada.open(f"/newsletter/editions/{EMPTY}/finish")
        ada.sees("There is no draft yet")
        ada.check()


def test_the_brand_is_set_and_its_colour_mended(desk: House, mode: Mode) -> None:
    with mode.window(desk, ADMINISTRATOR) as xenia:
        xenia.open("/newsletter/brand")
        xenia.check()
        xenia.fill(Masthead_line="Horn of Africa Research Network", Imprint="P.O. Box 2653, Djibouti")
        xenia.field("Colour").fill("#ffd400")
        if mode.script:  # the sample follows what is typed
            expect(xenia.page.locator(".brand-sample")).to_contain_text("P.O. Box 2653, Djibouti")
            xenia.sees("a darker shade that is easier to read")
        xenia.press("Save brand")
        xenia.told("Saved.")
        xenia.sees("a darker shade that is easier to read")
        expect(xenia.page.locator(".brand-sample")).to_contain_text(re.compile("Horn of Africa Research Network"))
        xenia.check()
        _kept(xenia, "brand")
        xenia.field("Colour").fill("#1f6f54")
        xenia.press("Save brand")
        xenia.told("Saved.")
