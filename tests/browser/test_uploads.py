"""Uploading in a browser: with script the progress shows and can be stopped, without it the form goes as forms do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.house import House
from tests.browser.ready import serving
from tests.browser.window import Window, window

_FILE = {"name": "Größe 1.txt", "mimeType": "image/png", "buffer": b"hello " * 200_000}


@pytest.fixture(scope="module")
def attic(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A suite with a system that keeps uploads."""
    folder = tmp_path_factory.mktemp("attic")
    with serving(folder, {"PARTITA_SYSTEMS": "tests.attic"}) as suite:
        yield House(suite.url, chromium, frozenset({"attic"}))


def _choose(shown: Window, title: str, *files: object) -> None:
    shown.open("/attic")
    shown.fill(Title=title)
    shown.page.get_by_label("File").set_input_files(list(files))  # type: ignore[arg-type]


@pytest.mark.parametrize("script", [True, False])
def test_a_file_is_uploaded_with_and_without_script(attic: House, script: bool) -> None:
    title = f"Box {script}"
    with window(attic, script=script) as shown:
        _choose(shown, title, _FILE)
        shown.press("Add the box")
        shown.told("Added.")
        shown.sees(title, "Größe 1.txt", "1.2 MB")
        shown.sees_not("What you typed before is here again")
        shown.check()
        with shown.page.expect_download() as download:
            shown.follow(title)
        assert download.value.suggested_filename == "Größe 1.txt"
        assert Path(download.value.path()).read_bytes() == _FILE["buffer"]
        shown.open("/attic")
        shown.sees_not("What you typed before is here again")


def test_how_much_was_sent_shows_and_the_upload_can_be_stopped(attic: House) -> None:
    with window(attic) as shown:
        _choose(shown, "Stopped", {**_FILE, "buffer": b"x" * 5_000_000})
        shown.page.context.new_cdp_session(shown.page).send(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000},
        )
        shown.press("Add the box")
        bar = shown.page.get_by_role("progressbar", name="Upload")
        expect(bar).to_be_visible()
        expect(shown.page.locator(".progress .number")).to_contain_text("of 5.0 MB")
        assert shown.complaints() == []
        shown.press("Cancel the upload")
        expect(bar).to_have_count(0)
        expect(shown.field("Title")).to_have_value("Stopped")
        shown.page.get_by_label("File").set_input_files([])  # else the browser asks before it leaves the page
        shown.open("/attic")
        shown.sees_not("Stopped")


def test_a_file_that_is_too_large_is_told_before_it_is_sent(attic: House) -> None:
    with window(attic) as shown:
        shown.open("/attic")
        shown.page.locator("input[type=file]").evaluate("field => { field.dataset.most = 1000; }")
        shown.page.get_by_label("File").set_input_files(_FILE)  # type: ignore[arg-type]
        message = "This file has 1.2 MB; at most 0.0 MB."
        expect(shown.page.locator("input[type=file]")).to_have_js_property("validationMessage", message)


def test_a_form_with_a_mistake_comes_back_with_what_was_typed(attic: House) -> None:
    with window(attic) as shown:
        _choose(shown, "x", _FILE)
        shown.press("Add the box")
        shown.wrong("Title", "At least 2 characters")
        assert shown.troubles == [f"{attic.url}/attic/boxes: 422 for xhr"]  # which is how a form is refused
        shown.troubles.clear()
        expect(shown.field("Title")).to_have_value("x")
        shown.check()
        shown.fill(Title="Mended")
        shown.page.get_by_label("File").set_input_files(_FILE)  # type: ignore[arg-type]
        shown.press("Add the box")
        shown.told("Added.")
        shown.sees("Mended")


def test_twenty_faces_are_light_and_nobody_reads_them_out(attic: House) -> None:
    with window(attic) as shown, attic.program() as program:
        for number in range(20):
            assert program.post("/attic/boxes", multipart={"title": f"Thing number {number}"}).ok
        shown.open("/attic")
        assert shown.page.locator("svg.face").count() >= 20
        assert shown.weight() < 120_000
        shown.check()
