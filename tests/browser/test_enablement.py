"""The portal as people use it: a viewer finds, looks and downloads; a contributor writes and sends files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Mode
from tests.browser.enablement import APPROVER, CONTRIBUTOR, VIEWER, portal_with
from tests.browser.house import House
from tests.browser.window import Window, window
from tests.kit.previews.samples import pdf

_ITEM = re.compile(r"/enablement/content/\w+$")
_COUNT = """() => {
  window.shown = 0;
  new MutationObserver(() => { window.shown += 1; }).observe(
    document.querySelector(".upload-state"), { subtree: true, childList: true, characterData: true, attributes: true });
}"""


@pytest.fixture(scope="module")
def portal(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with portal_with(chromium, tmp_path_factory.mktemp("portal")) as house:
        yield house


def _found(shown: Window, title: str) -> bool:
    return shown.page.locator("#main").get_by_role("link", name=title, exact=True).count() > 0


def test_a_viewer_finds_by_words_in_a_file_looks_at_it_and_downloads_it(portal: House, mode: Mode) -> None:
    with mode.window(portal, VIEWER) as vera:
        vera.until("/enablement?q=spectrometer", lambda: _found(vera, "Calibrating Atlas"))
        vera.open("/enablement")
        vera.sees("Calibrating Atlas", "Atlas price list")
        vera.sees_not("Prices of next year", "Prices of last year", "New content")
        vera.check()
        vera.page.get_by_role("searchbox").fill("calibrating spectrometer")
        vera.page.keyboard.press("Enter")
        vera.at(re.compile("q=calibrating"))
        vera.sees("1 item")
        vera.check()
        vera.follow("Calibrating Atlas")
        vera.sees("Cora", "Version 1", "confirmed just now by Aron", "1 of 7", "Customers ask for", "What changed")
        page = vera.page.get_by_role("img", name="Page 1", exact=True)
        expect(page).to_be_visible()
        expect(page).to_have_js_property("naturalWidth", 1200)
        vera.sees_not("Versions", "Change")
        vera.check()
        with vera.page.expect_download() as download:
            vera.follow("Download")
        assert download.value.suggested_filename == "calibration.pdf"
        assert Path(download.value.path()).read_bytes().startswith(b"%PDF")


def test_a_viewer_narrows_the_library_by_filters(portal: House, mode: Mode) -> None:
    with mode.window(portal, VIEWER) as vera:
        vera.until("/enablement", lambda: _found(vera, "Prices of this year"))
        if mode.narrow:
            vera.click(vera.page.locator("summary").filter(has_text="Filter"))
        vera.click(vera.page.get_by_role("region", name="Product").get_by_role("link", name="Borealis"))
        vera.at(re.compile("suite=Borealis"))
        vera.sees("How Borealis looks", "Installing Borealis", "2 items")
        vera.sees_not("Safety first")
        vera.check()
        vera.follow("Rows")
        expect(vera.page.locator(".content-row")).to_have_count(2)
        vera.check()
        vera.open("/enablement?suite=Borealis&kind=video")
        vera.sees("Nothing found")
        vera.check()
        vera.follow("Without kind: 2")
        vera.sees("2 items")
        vera.follow("Cards")
        expect(vera.page.locator(".content-card")).to_have_count(2)


def test_an_old_link_leads_to_what_replaced_it(portal: House, mode: Mode) -> None:
    with mode.window(portal, APPROVER) as aron:
        aron.until("/enablement?q=prices+of+last", lambda: _found(aron, "Prices of last year"))
        aron.follow("Prices of last year")
        aron.at(_ITEM)
        address = aron.path
    with mode.window(portal, VIEWER) as vera:
        assert vera.open(address).status == 403
        vera.sees("Prices of last year", "These prices are no longer valid.")
        vera.check()
        vera.follow("Read “Prices of this year” instead")
        vera.sees("Version 1")


@pytest.mark.parametrize("title", ["Atlas price list", "How Borealis looks", "Installing Borealis"])
def test_every_kind_of_content_has_a_sound_page(portal: House, title: str) -> None:
    for narrow in (False, True):
        with window(portal, VIEWER, narrow=narrow, dark=narrow) as vera:
            vera.until("/enablement", lambda: _found(vera, title))
            vera.follow(title)
            vera.at(_ITEM)
            vera.check()


def test_a_contributor_writes_attaches_and_submits(portal: House, mode: Mode) -> None:
    title = f"Selling in {mode.number} steps"
    with mode.window(portal, CONTRIBUTOR) as cora:
        cora.open("/enablement")
        cora.follow("New content")
        cora.fill(Title=title, Tags="sales, steps", Product="Atlas")
        cora.check()
        cora.press("Submit for approval")
        cora.wrong("Text", "Write a text or attach a file.")
        cora.wrong("Summary", "Say in a sentence or two")
        expect(cora.field("Tags")).to_have_value("sales, steps")
        cora.field("Summary").fill("Three steps.")
        cora.field("Text").fill("# Begin\n\nWith **this**.")
        file = {"name": "steps.pdf", "mimeType": "application/pdf", "buffer": pdf("One", "Two")}
        if mode.script:
            expect(cora.page.locator(".needed li:not(.done)")).to_have_count(0)
            cora.press("Preview the text")
            expect(cora.page.locator("#text-preview strong")).to_have_text("this")
            cora.page.locator("#choose-file").set_input_files(file)  # type: ignore[arg-type]
            expect(cora.page.locator(".upload-state")).to_contain_text("sent. It is attached when you save")
            cora.check()
            cora.press("Save draft")
            cora.told("Saved.")
        else:
            cora.press("Save draft")
            cora.told("Saved.")
            cora.follow("Attach a file")
            cora.page.get_by_label("File").set_input_files(file)  # type: ignore[arg-type]
            cora.press("Send the file")
            cora.field("What is it called?").fill("steps.pdf")
            cora.press("Attach it")
            cora.told("The file is attached.")
        cora.sees("steps.pdf")
        cora.check()
        cora.press("Submit for approval")
        cora.told("Submitted.")
        cora.sees(title, "It waits for approval", "With this.")
        cora.check()


def test_released_content_is_changed_while_readers_keep_it(portal: House, mode: Mode) -> None:
    with mode.window(portal, CONTRIBUTOR) as cora:
        cora.until("/enablement", lambda: _found(cora, "Safety first"))
        cora.follow("Safety first")
        cora.at(_ITEM)
        address = cora.path
        cora.follow("Change")
        cora.sees("Readers keep version 1 until this is approved.")
        cora.field("Summary").fill(f"Gloves first, {mode.number} times.")
        cora.field("What changed").fill("Gloves are needed from now on.")
        cora.press("Save draft")
        cora.told("Saved.")
        cora.open(address)
        cora.sees("A change of this is being prepared")
        cora.follow("See what changes")
        cora.sees("Gloves first")
        cora.check()
    with mode.window(portal, VIEWER) as vera:
        vera.open(address)
        vera.sees_not("Gloves first", "being prepared")


def test_fifty_megabytes_show_how_they_travel_while_the_form_is_filled(portal: House, tmp_path: Path) -> None:
    large = tmp_path / "film.txt"
    large.write_bytes(b"0123456789abcde\n" * 3_125_000)
    with window(portal, CONTRIBUTOR) as cora:
        cora.open("/enablement/new")
        cora.page.evaluate(_COUNT)
        cora.page.context.new_cdp_session(cora.page).send(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 15_000_000},
        )
        cora.page.locator("#choose-file").set_input_files(large)
        state = cora.page.locator(".upload-state")
        expect(state.get_by_role("progressbar")).to_be_visible()
        expect(state).to_contain_text("MB of 50.0 MB")
        cora.fill(Title="Typed while it travels")
        expect(state).to_contain_text("film.txt, 50.0 MB: sent.")
        assert cora.page.evaluate("window.shown") >= 4
        cora.press("Save draft")
        cora.told("Saved.")
        cora.sees("film.txt", "50.0 MB")


def test_an_upload_is_cancelled_and_sent_after_all(portal: House) -> None:
    with window(portal, CONTRIBUTOR) as cora:
        cora.open("/enablement/new")
        network = cora.page.context.new_cdp_session(cora.page)
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000}
        network.send("Network.emulateNetworkConditions", slow)
        cora.fill(Title="Kept")
        file = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"hello " * 500_000}
        cora.page.locator("#choose-file").set_input_files(file)  # type: ignore[arg-type]
        cora.press("Cancel the upload")
        cora.sees("The upload was cancelled.")
        expect(cora.field("Title")).to_have_value("Kept")
        network.send("Network.emulateNetworkConditions", {**slow, "uploadThroughput": -1})
        cora.press("Send it after all")
        expect(cora.page.locator(".upload-state")).to_contain_text("a.txt, 3.0 MB: sent.")
        empty = {"name": "empty.txt", "mimeType": "text/plain", "buffer": b""}
        cora.page.locator("#choose-file").set_input_files(empty)  # type: ignore[arg-type]
        cora.sees("empty.txt is empty. Choose another file.")
        cora.check()


def test_two_who_edit_at_once_see_both_texts(portal: House) -> None:
    with window(portal, CONTRIBUTOR) as first, window(portal, CONTRIBUTOR) as second:
        first.until("/enablement?q=next+year", lambda: _found(first, "Prices of next year"))
        first.follow("Prices of next year")
        first.follow("Edit")
        first.at(re.compile("/edit$"))
        second.open(first.path)
        first.field("Text").fill("What the first typed.")
        first.press("Save draft")
        first.told("Saved.")
        second.field("Text").fill("What the second typed.")
        second.press("Save draft")
        second.sees("Somebody else was faster", "What the first typed.", "What the second typed.")
        second.check()
        second.press("Save this")
        second.told("Saved.")
        expect(second.field("Text")).to_have_value("What the second typed.")
